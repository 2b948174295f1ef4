internal import AshlarCore
import Foundation

/// An access token that is refreshed when the server rejects it.
///
/// All requests that share the token wait for one refresh, and each of them is then sent again once. A request that was
/// rejected with an older token is sent again without a refresh. If the refresh fails, every waiting request fails with
/// `.authenticationFailed`, and requests fail without another refresh for a while.
///
/// ```swift
/// let login = NetworkClient()
/// let token = BearerToken { expired in
///     let answer = try await login.get("https://login.example.com/token").json()
///     return answer["access_token"].string("")
/// }
/// var configuration = ClientConfiguration()
/// configuration.authentication = .bearer(token)
/// let client = NetworkClient(configuration)
/// ```
///
/// If the refresh itself sends requests with the same token, they have no credentials, so that they can't wait for
/// themselves.
public final class BearerToken: Sendable {
    private typealias Refresh = @Sendable (_ rejected: String?) async throws -> String

    private let refresh: Refresh?
    private let failurePause: Duration
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Mutex<TokenState>

    /// The tokens that the current task refreshes.
    @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token, or nil to refresh it before the first request.
    ///   - failurePause: The time after a failed refresh during which requests fail with its error; 30 s by default.
    ///   - clock: The clock of that time and of the total timeout; a test can use a virtual one.
    ///   - refresh: Returns a new token for a rejected one, or for nil if there is none; an empty token is a failure. Nil,
    ///     the default, leaves a rejected request to the caller.
    public init<C: Clock>(
        _ value: String? = nil, failurePause: Duration = .seconds(30), clock: C = ContinuousClock(),
        refresh: (@Sendable (_ rejected: String?) async throws -> String)? = nil
    ) where C.Duration == Duration {
        let start = clock.now
        self.refresh = refresh
        self.failurePause = failurePause
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        state = Mutex(TokenState(value, canRefresh: refresh != nil))
    }

    /// Identifies the user in the cache while there is no token.
    let unknownUser = UUID().uuidString

    /// The current token, or nil if there is none.
    public var value: String? { state.withLock { $0.token.value } }

    /// Replaces the token, for example after a login; requests that wait for a refresh continue with it.
    ///
    /// - Parameter value: The token, or nil after a logout.
    public func replace(with value: String?) {
        let (waiters, token) = state.withLock { state in
            let waiters = state.replace(with: value)
            return (waiters, state.token)
        }
        for waiter in waiters { waiter(.success(token)) }
    }

    /// Sends a request with the token, and once more with a new one if the server rejects it.
    nonisolated(nonsending) func send(
        _ request: NetworkRequest, _ next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard refresh != nil else {
            // Without a refresh, there is nothing to wait for.
            guard let field = state.withLock({ $0.token.field }) else { return try await next(request) }
            return try await next(request.adding(field))
        }
        guard !Self.refreshing.contains(ObjectIdentifier(self)) else { return try await next(request) }
        let deadline = request.options.totalTimeout.map { elapsed() + $0 }
        let token = try await current(rejected: nil, until: deadline)
        guard let field = token.field else { return try await next(request) }
        let response = try await next(request.adding(field))
        guard response.status == 401, response.isFromSameServer else { return response }
        let renewed: TokenState.Token
        do throws(NetworkError) {
            renewed = try await current(rejected: token.generation, until: deadline)
        } catch {
            response.body.cancel()
            var error = error
            error.status = response.status
            error.headers = response.headers
            throw error
        }
        // A request whose body can be sent only once isn't repeated.
        guard let field = renewed.field, request.body.isReplayable else { return response }
        await response.body.discard(upTo: 64 << 10)
        return try await next(request.adding(field))
    }

    // MARK: Refreshing

    private nonisolated(nonsending) func current(
        rejected: Int?, until deadline: Duration?
    ) async throws(NetworkError) -> TokenState.Token {
        // The usual case: there is a token, and nothing to wait for.
        if rejected == nil, let token = state.withLock({ $0.readyToken }) { return token }
        return try await waited(rejected: rejected, until: deadline)
    }

    private func waited(rejected: Int?, until deadline: Duration?) async throws(NetworkError) -> TokenState.Token {
        let timeout = deadline.map { max(.zero, $0 - elapsed()) }
        return try await SharedWait.outcome(timeout: timeout, sleep: sleep) { id, waiter in
            join(id, rejected, waiter)
        } leave: { id in
            self.state.withLock { $0.leave(id) }
        }
    }

    /// Calls a waiter with the token, immediately or after a refresh.
    private func join(_ id: UInt64, _ rejected: Int?, _ waiter: @escaping TokenState.Waiter) {
        let time = elapsed()
        let step = state.withLock { state in
            let step = state.step(rejected: rejected, at: time)
            switch step {
            case .wait, .refresh: state.wait(id, waiter)
            case .use, .fail: break
            }
            return step
        }
        switch step {
        case .use(let token): waiter(.success(token))
        case .fail(let error): waiter(.failure(error))
        case .wait: break
        case .refresh(let token): start(token)
        }
    }

    private func start(_ token: TokenState.Token) {
        guard let refresh else { return }
        let refreshing = Self.refreshing.union([ObjectIdentifier(self)])
        // Separate from the waiting task, whose cancellation must not fail the others.
        Task { [self] in
            do {
                let value = try await Self.$refreshing.withValue(refreshing) { try await refresh(token.value) }
                if value.isEmpty { throw NetworkError(.authenticationFailed, "the refresh returned an empty token") }
                let (waiters, new) = state.withLock { state in
                    let waiters = state.refreshed(token.generation, value)
                    return (waiters, state.token)
                }
                for waiter in waiters { waiter(.success(new)) }
            } catch {
                let failure = NetworkError(
                    .authenticationFailed, "the refresh of the token failed", phase: .prepare, underlying: error)
                let until = elapsed() + failurePause
                let waiters = state.withLock { $0.failed(token.generation, failure, until: until) }
                for waiter in waiters { waiter(.failure(failure)) }
            }
        }
    }
}

/// The current token, its generation, and the requests that wait for a refresh; a value without I/O.
///
/// The generation increases with each new token. A request that was rejected with an older one is sent again without a
/// refresh.
struct TokenState {
    /// A token and its generation; a nil value means that there is none.
    struct Token {
        let value: String?
        let generation: Int
        /// The field with the token.
        var field: HTTPField? { value.map { .authorization(bearer: $0) } }
    }

    typealias Outcome = Result<Token, NetworkError>
    typealias Waiter = @Sendable (Outcome) -> Void

    /// The next step of a request.
    enum Step {
        /// Send it with the token, or without credentials.
        case use(Token)
        /// Wait for the refresh.
        case wait
        /// Start a refresh of the token and wait for it.
        case refresh(Token)
        case fail(NetworkError)
    }

    private let canRefresh: Bool
    private(set) var token: Token
    private var isRefreshing = false
    private var failure: (error: NetworkError, until: Duration)?
    private var waiters: [UInt64: Waiter] = [:]

    init(_ value: String?, canRefresh: Bool) {
        token = Token(value: value, generation: 0)
        self.canRefresh = canRefresh
    }

    /// The token of a new request, or nil if it must wait for a refresh.
    var readyToken: Token? { isRefreshing || token.value == nil && canRefresh ? nil : token }

    /// Decides how a request continues.
    ///
    /// - Parameters:
    ///   - rejected: The generation that the server rejected, or nil before the request is sent.
    ///   - time: The time, for the pause after a failure.
    /// - Returns: The next step.
    mutating func step(rejected: Int?, at time: Duration) -> Step {
        if isRefreshing { return .wait }
        if token.value != nil, rejected != token.generation { return .use(token) }
        guard canRefresh else { return .use(token) }
        if let failure, time < failure.until { return .fail(failure.error) }
        failure = nil
        isRefreshing = true
        return .refresh(token)
    }

    mutating func wait(_ id: UInt64, _ waiter: @escaping Waiter) { waiters[id] = waiter }

    /// Ends the waiting of one request.
    mutating func leave(_ id: UInt64) -> Waiter? { waiters.removeValue(forKey: id) }

    /// Replaces the token, which also ends a refresh; returns the waiting requests.
    mutating func replace(with value: String?) -> [Waiter] {
        token = Token(value: value, generation: token.generation + 1)
        isRefreshing = false
        failure = nil
        return takeWaiters()
    }

    /// Ends the refresh of a generation with a token; returns the waiting requests, or none if the token was replaced
    /// in the meantime.
    mutating func refreshed(_ generation: Int, _ value: String) -> [Waiter] {
        guard isRefreshing, generation == token.generation else { return [] }
        return replace(with: value)
    }

    /// Ends the refresh of a generation with a failure, with which requests fail until the given time.
    mutating func failed(_ generation: Int, _ error: NetworkError, until time: Duration) -> [Waiter] {
        guard isRefreshing, generation == token.generation else { return [] }
        isRefreshing = false
        failure = (error, time)
        return takeWaiters()
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
