internal import AshlarCore
internal import AshlarTesting
internal import Dispatch

/// A server on 127.0.0.1 with a thread for each connection, which has one request.
final class InspectorServer: Sendable {
    /// The maximum number of connections; further ones are closed.
    static let connectionLimit = 32
    /// The longest time in which a request must arrive; otherwise, the connection is closed without a response.
    static let requestLimit = Duration.seconds(60)
    /// The number of bytes that are read after a response, so that it isn't lost when the connection ends.
    private static let longestRest = 1 << 20

    private let server: FaultServer
    private let connections: Connections

    /// The connections that are open.
    private final class Connections: Sendable {
        private struct State {
            var open = 0
            var isEnding = false
        }

        private let state = Mutex(State())
        let end = Promise<Void>()

        /// Returns whether a connection may be served.
        func begin() -> Bool {
            state.withLock { state in
                guard !state.isEnding, state.open < InspectorServer.connectionLimit else { return false }
                state.open += 1
                return true
            }
        }

        func didEnd() { change { $0.open -= 1 } }
        func endAll() { change { $0.isEnding = true } }

        private func change(_ change: (inout State) -> Void) {
            let isEnd = state.withLock { state in
                change(&state)
                return state.isEnding && state.open == 0
            }
            if isEnd { end.fulfill(()) }
        }
    }

    /// Starts a server; the system chooses the port if it is 0.
    ///
    /// - Parameters:
    ///   - port: The port, or 0.
    ///   - requestLimit: The longest time in which a request must arrive.
    ///   - now: Returns the time of the clock.
    ///   - handler: Answers a request.
    /// - Throws: `portUnavailable`.
    init(
        port: Int, requestLimit: Duration = InspectorServer.requestLimit,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, handler: @escaping InspectorHandler
    ) throws(InspectorError) {
        let connections = Connections()
        do {
            server = try FaultServer(port: port) { connection in
                guard connections.begin() else { return }
                let deadline = now() + requestLimit
                Self.serve(connection, handler) { deadline - now() }
                connections.didEnd()
            }
        } catch {
            throw InspectorError(.portUnavailable, "the server can't listen on 127.0.0.1:\(port): \(error)")
        }
        self.connections = connections
    }

    var port: Int { server.port }

    /// Ends all connections; returns when none is left.
    func stop() async {
        connections.endAll()
        server.stop()
        // An action that stops the inspector would wait for its own connection.
        if !Self.isAnswering { _ = await connections.end.value() }
    }

    // MARK: The thread of a connection

    /// Answers the request of a connection; `time` returns the time in which the request must arrive.
    private static func serve(
        _ connection: FaultConnection, _ handler: @escaping InspectorHandler, time: () -> Duration
    ) {
        var reader = InspectorRequestReader()
        var response: InspectorResponse?
        do throws(InspectorRefusal) {
            while response == nil, let bytes = connection.receive(within: time()) {
                guard let request = try reader.add(bytes) else { continue }
                response = wait { await handler(request) }
            }
        } catch {
            response = InspectorResponse(error)
        }
        guard let response, connection.write(response.head) else { return }
        switch response.body {
        case .bytes(let bytes): connection.write(bytes)
        case .stream(let next):
            while let part = wait({ await next() }), let bytes = part, connection.write(bytes) {}
        }
        connection.endWriting()
        var rest = longestRest
        while rest > 0, let bytes = connection.receive(within: time()) { rest -= bytes.count }
    }

    /// Whether the current task answers a request.
    @TaskLocal private static var isAnswering = false

    /// Waits for asynchronous work on the thread of a connection.
    private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
        let result = Mutex<Value?>(nil)
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            let value = await $isAnswering.withValue(true) { await work() }
            result.withLock { $0 = value }
            end.signal()
        }
        end.wait()
        return result.withLock { $0 }
    }
}
