internal import AshlarCore

extension NetworkClient {
    /// Returns whether a server can be reached, and each change.
    ///
    /// A server can be reached if it responds to a HEAD request, whatever the status. The request uses the client's
    /// transport and host selection, but no middleware, cache, credentials, signature or cookies, and isn't observed.
    /// Nothing is sent while no iterator waits. While the server can't be reached, the pauses start at a second and
    /// double.
    ///
    /// ```swift
    /// func follow(_ client: NetworkClient) async throws {
    ///     for await isReachable in try client.reachability(of: "api.example.com") {
    ///         print(isReachable ? "online" : "offline")
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - host: The canonical host or base URL of the server.
    ///   - interval: The longest pause between two requests; 30 s by default.
    /// - Returns: The first state as soon as it is known, then each change. Each iterator sends its own requests and ends
    ///   when its task is cancelled.
    /// - Throws: `.invalidURL` for an invalid host.
    public func reachability(
        of host: EndpointHost, every interval: Duration = .seconds(30)
    ) throws(NetworkError) -> some AsyncSequence<Bool, Never> & Sendable {
        try reachability(of: host, every: interval, clock: ContinuousClock())
    }

    func reachability<C: Clock>(
        of host: EndpointHost, every interval: Duration, clock: C
    ) throws(NetworkError) -> ServerReachability where C.Duration == Duration {
        var request = NetworkRequest(.head, try host.baseURL(), headers: configuration.headers)
        request.canonicalHost = host.canonical
        request.hasLeftOrigin = true  // without signature
        request.options.totalTimeout = .seconds(10)
        request.options.usesCookies = false
        request.options.redirects.maximum = 0
        return ServerReachability(interval: interval) { [self, request] in
            guard let response = try? await sendUnobserved(request) else { return false }
            response.body.cancel()
            return true
        } sleep: { pause in
            try await clock.sleep(for: pause)
        }
    }
}

/// The states of a server; see ``NetworkClient/reachability(of:every:)``.
struct ServerReachability: AsyncSequence, Sendable {
    let interval: Duration
    let isReachable: @Sendable () async -> Bool
    let sleep: @Sendable (Duration) async throws -> Void

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(server: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let server: ServerReachability
        private var last: Bool?
        private var failures = 0

        fileprivate init(server: ServerReachability) { self.server = server }

        /// Returns the next state, or nil if the task is cancelled.
        mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? {
            while true {
                if last != nil, (try? await server.sleep(pause)) == nil { return nil }
                let isReachable = await server.isReachable()
                if Task.isCancelled { return nil }
                failures = isReachable ? 0 : failures + 1
                guard isReachable != last else { continue }
                last = isReachable
                return isReachable
            }
        }

        private var pause: Duration {
            guard failures > 0 else { return server.interval }
            return Backoff(first: .seconds(1), ceiling: server.interval).bound(beforeRetry: failures)
        }
    }
}
