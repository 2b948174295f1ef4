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
    /// A token and its generation, which increases with each new token; a nil value means that there is none.
    private struct Token {
        var value: String?
        var generation = 0
        /// The field with the token.
        var field: HTTPField? { value.map { .authorization(bearer: $0) } }
    }

    /// The result of a refresh, for the requests that wait for it.
    private typealias Refreshed = Promise<Result<Token, NetworkError>>

    private struct State {
        var token: Token
        /// The refresh in progress, or nil.
        var refresh: Refreshed?
        /// The error of the last refresh, with which requests fail until the given time.
        var failure: (error: NetworkError, until: Duration)?
    }

    private enum Step {
        case use(Token)
        case wait(Refreshed)
        /// Start a refresh of a token, and wait for it.
        case refresh(Token, Refreshed)
        case fail(NetworkError)
    }

    private let refresh: (@Sendable (_ rejected: String?) async throws -> String)?
    private let failurePause: Duration
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Mutex<State>

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
        state = Mutex(State(token: Token(value: value)))
    }

    /// Identifies the user in the cache while there is no token.
    let unknownUser = UUID().uuidString

    /// The current token, or nil if there is none.
    public var value: String? { state.withLock { $0.token.value } }

    /// Replaces the token, for example after a login; requests that wait for a refresh continue with it.
    ///
    /// - Parameter value: The token, or nil after a logout.
    public func replace(with value: String?) {
        let (waiting, token) = state.withLock { state in
            state.token = Token(value: value, generation: state.token.generation + 1)
            state.failure = nil
            return (state.refresh.take(), state.token)
        }
        waiting?.fulfill(.success(token))
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
        let renewed: Token
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

    /// Returns the token of a request, after a refresh if there is none or the server rejected it.
    ///
    /// - Parameters:
    ///   - rejected: The generation that the server rejected, or nil before the request is sent.
    ///   - deadline: The end of the total timeout, or nil.
    /// - Returns: The token.
    /// - Throws: `.authenticationFailed`, `.cancelled` or `.timedOut`.
    private nonisolated(nonsending) func current(
        rejected: Int?, until deadline: Duration?
    ) async throws(NetworkError) -> Token {
        let now = elapsed()
        switch state.withLock({ Self.step(&$0, rejected, now) }) {
        case .use(let token): return token
        case .fail(let error): throw error
        case .wait(let refreshed):
            return try await refreshed.outcome(within: deadline.map { $0 - now }, sleep: sleep).get()
        case .refresh(let token, let refreshed):
            // Separate from the waiting task, whose cancellation must not fail the others.
            Task { await renew(token, refreshed) }
            return try await refreshed.outcome(within: deadline.map { $0 - now }, sleep: sleep).get()
        }
    }

    private static func step(_ state: inout State, _ rejected: Int?, _ now: Duration) -> Step {
        if let refreshed = state.refresh { return .wait(refreshed) }
        if state.token.value != nil, rejected != state.token.generation { return .use(state.token) }
        if let failure = state.failure, now < failure.until { return .fail(failure.error) }
        let refreshed = Refreshed()
        state.refresh = refreshed
        state.failure = nil
        return .refresh(state.token, refreshed)
    }

    /// Replaces a token, unless it was replaced in the meantime.
    private func renew(_ token: Token, _ refreshed: Refreshed) async {
        var (value, failure): (String?, NetworkError?)
        do {
            let refreshing = Self.refreshing.union([ObjectIdentifier(self)])
            value = try await Self.$refreshing.withValue(refreshing) { try await refresh?(token.value) }
            if value?.isEmpty != false {
                throw NetworkError(.authenticationFailed, "the refresh returned an empty token")
            }
        } catch {
            failure = NetworkError(
                .authenticationFailed, "the refresh of the token failed", phase: .prepare, underlying: error)
        }
        let (new, until) = (Token(value: value, generation: token.generation + 1), elapsed() + failurePause)
        let isCurrent = state.withLock { [failure] state in
            guard state.refresh === refreshed else { return false }
            state.refresh = nil
            if let failure { state.failure = (failure, until) } else { state.token = new }
            return true
        }
        if isCurrent { refreshed.fulfill(failure.map { .failure($0) } ?? .success(new)) }
    }
}

extension Promise {
    /// Waits for the value.
    ///
    /// - Throws: `.cancelled` or `.timedOut`.
    nonisolated(nonsending) func outcome(
        within limit: Duration?,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws(NetworkError) -> Value {
        if let value = await value(within: limit.map { max(.zero, $0) }, sleep: sleep) { return value }
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .wait) }
        throw NetworkError(
            .timedOut, "the total timeout expired while the request waited for another one", phase: .wait)
    }
}
