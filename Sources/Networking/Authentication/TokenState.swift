/// The current token, its generation, and the requests that wait for a refresh; a value without I/O.
///
/// The generation increases with each new token. A request that was rejected with an older one is sent again without a
/// refresh.
struct TokenState {
    /// A token and its generation; a nil value means that there is none.
    struct Token {
        let value: String?
        let generation: Int
        /// The field with the token, created once for all requests.
        let field: CredentialsField?

        init(_ value: String?, generation: Int = 0) {
            (self.value, self.generation) = (value, generation)
            field = value.map { CredentialsField(bearer: $0) }
        }
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
        token = Token(value)
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
        token = Token(value, generation: token.generation + 1)
        (isRefreshing, failure) = (false, nil)
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
        (isRefreshing, failure) = (false, (error, time))
        return takeWaiters()
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
