internal import AshlarCore
public import AshlarNetworking

/// An HTTP/1.1 server on 127.0.0.1 for tests: it sends queued responses, fails on purpose, and records the requests.
///
/// The first request receives the first queued response, and so on, on any number of connections. A server with a handler
/// asks it instead whenever the queue is empty. A request for which there is neither receives status 500. With TLS, the
/// server has a self-signed certificate, which ``certificate`` contains for the client's roots. The server ends with its
/// last reference, and so do its connections. It uses a thread for each connection, and isn't made for production.
///
/// ```swift
/// import AshlarNetworking
///
/// let server = try TestServer()
/// server.enqueue(.text("[]"), .status(503))
/// var configuration = ClientConfiguration()
/// configuration.base = .url(server.url)
/// print(try await NetworkClient(configuration).get("notes").text())
/// print(try await server.takeRequest().target)  // /notes
/// ```
public final class TestServer: Sendable {
    private struct State {
        var responses: [Response] = []
        var requests: [Request] = []
        var requestCount = 0
        var connectionCount = 0
        var lastID = 0
        var waiters: [Int: CheckedContinuation<Request?, Never>] = [:]
        /// The waiters whose time or task has ended.
        var overdue: Set<Int> = []
    }

    /// What the connections share; they don't retain the server.
    private final class Shared: Sendable {
        let state = Mutex(State())
        let handler: (@Sendable (Request) -> Response)?

        init(_ handler: (@Sendable (Request) -> Response)?) { self.handler = handler }
    }

    private let shared: Shared
    private let server: FaultServer
    private let identity: TLSIdentity?

    /// Starts a server on a free port.
    ///
    /// - Parameters:
    ///   - tls: Whether connections use TLS, for which the system needs OpenSSL 3. Apple systems don't support it.
    ///   - handler: Returns the response to a request when no response is queued. It is called on the thread of the
    ///     connection, and may block.
    /// - Throws: `.unsupported` if there is no port, no thread or no OpenSSL.
    public init(tls: Bool = false, handler: (@Sendable (Request) -> Response)? = nil) throws(NetworkError) {
        let identity = tls ? TLSIdentity() : nil
        guard identity != nil || !tls else {
            throw NetworkError(.unsupported, "a test server with TLS needs OpenSSL 3", phase: .prepare)
        }
        let shared = Shared(handler)
        self.shared = shared
        self.identity = identity
        do {
            server = try FaultServer(identity: identity) { Self.serve($0, shared) }
        } catch {
            throw NetworkError(.unsupported, "the test server can't be started: \(error)", phase: .prepare)
        }
    }

    /// The port.
    public var port: Int { server.port }
    /// The URL of the server without a path, such as `http://127.0.0.1:40123`.
    public var url: String { (identity == nil ? "http" : "https") + "://127.0.0.1:\(port)" }
    /// The certificate of a server with TLS in PEM form, valid for a week and for `localhost`, `127.0.0.1` and `::1`.
    ///
    /// Write it to a file for `TransportConfiguration.trustRoots`.
    public var certificate: String? { identity?.certificate }
    /// The pin of the key of a server with TLS, for `TransportConfiguration.pinnedKeys`.
    public var pin: String? { identity?.pin }
    /// The number of requests that have arrived.
    public var requestCount: Int { shared.state.withLock(\.requestCount) }
    /// The number of connections that were accepted.
    public var connectionCount: Int { server.connectionCount }

    /// Adds responses to the queue.
    public func enqueue(_ responses: Response...) { shared.state.withLock { $0.responses += responses } }

    /// Removes the oldest recorded request and returns it; waits for one if there is none.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: The request.
    /// - Throws: `.timedOut` after the time, `.cancelled` if the task is cancelled.
    public func takeRequest(within limit: Duration = .seconds(10)) async throws(NetworkError) -> Request {
        let shared = shared
        let id = shared.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Task {
            if (try? await Task.sleep(for: limit)) != nil { Self.giveUp(id, shared) }
        }
        let request = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Request?, Never>) in
                let (request, goesOn) = shared.state.withLock { state -> (Request?, Bool) in
                    if !state.requests.isEmpty { return (state.requests.removeFirst(), true) }
                    if state.overdue.contains(id) { return (nil, true) }
                    state.waiters[id] = continuation
                    return (nil, false)
                }
                if goesOn { continuation.resume(returning: request) }
            }
        } onCancel: {
            Self.giveUp(id, shared)
        }
        timer.cancel()
        _ = await timer.value
        shared.state.withLock { _ = $0.overdue.remove(id) }
        if let request { return request }
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .wait) }
        throw NetworkError(.timedOut, "no request arrived within \(limit)", phase: .wait)
    }

    /// Ends all connections, and accepts no more.
    public func stop() { server.stop() }

    private static func giveUp(_ id: Int, _ shared: Shared) {
        let waiter = shared.state.withLock { state in
            state.overdue.insert(id)
            return state.waiters.removeValue(forKey: id)
        }
        waiter?.resume(returning: nil)
    }

    // MARK: The thread of a connection

    private static func serve(_ connection: FaultConnection, _ shared: Shared) {
        let (number, refuses) = shared.state.withLock { state in
            state.connectionCount += 1
            let refuses = state.responses.first?.fault == .closeAtStart
            if refuses { state.responses.removeFirst() }
            return (state.connectionCount, refuses)
        }
        if refuses { return }
        while let request = connection.request() {
            let request = Request(request, connection: number)
            guard ResponseWriter(connection, request).write(response(to: request, shared)) else { return }
        }
    }

    private static func response(to request: Request, _ shared: Shared) -> Response {
        let (queued, waiter) = shared.state.withLock { state in
            state.requestCount += 1
            // The one that has waited the longest.
            let waiter = state.waiters.keys.min().flatMap { state.waiters.removeValue(forKey: $0) }
            if waiter == nil { state.requests.append(request) }
            return (state.responses.isEmpty ? nil : state.responses.removeFirst(), waiter)
        }
        waiter?.resume(returning: request)
        if let response = queued ?? shared.handler?(request) { return response }
        return .text("the test server has no response for \(request.method) \(request.target)", status: 500)
    }
}
