#if canImport(Darwin)
    internal import AshlarCore
    internal import Foundation
    internal import Network

    /// A server by Network.framework; each connection has one request.
    final class NetworkServer: InspectorServer {
        /// The maximum number of connections; further ones are closed.
        private static let connectionLimit = 32
        /// The longest time in which a request must arrive.
        private static let requestLimit = Duration.seconds(60)

        let port: Int
        private let listener: NWListener
        private let connections: Connections

        private final class Connections: Sendable {
            private let state = Mutex((isEnded: false, open: [ObjectIdentifier: NWConnection]()))

            /// Returns whether a connection may be served.
            func add(_ connection: NWConnection) -> Bool {
                state.withLock { state in
                    guard !state.isEnded, state.open.count < NetworkServer.connectionLimit else { return false }
                    state.open[ObjectIdentifier(connection)] = connection
                    return true
                }
            }

            func remove(_ connection: NWConnection) {
                _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
            }

            func end() {
                let open = state.withLock { state in
                    state.isEnded = true
                    return Array(state.open.values)
                }
                for connection in open { connection.cancel() }
            }
        }

        /// Starts a server on 127.0.0.1; the system chooses the port if it is 0.
        ///
        /// - Throws: `portUnavailable`.
        init(port: Int, handler: @escaping InspectorHandler) async throws(InspectorError) {
            let parameters = NWParameters.tcp
            let wanted = NWEndpoint.Port(rawValue: UInt16(clamping: port)) ?? .any
            parameters.requiredLocalEndpoint = .hostPort(host: NWEndpoint.Host("127.0.0.1"), port: wanted)
            let listener: NWListener
            do { listener = try NWListener(using: parameters) } catch {
                throw InspectorError(.portUnavailable, "the server can't listen on 127.0.0.1:\(port): \(error)")
            }
            let connections = Connections()
            listener.newConnectionHandler = { connection in
                guard connections.add(connection) else { return connection.cancel() }
                connection.start(queue: DispatchQueue(label: "ashlar.inspector.connection"))
                Task.detached {
                    await Self.serve(connection, handler)
                    connection.cancel()
                    connections.remove(connection)
                }
            }
            let reason = await Self.begin(listener)
            guard reason == nil, let bound = listener.port?.rawValue else {
                listener.cancel()
                throw InspectorError(
                    .portUnavailable, "the server can't listen on 127.0.0.1:\(port): \(reason ?? "no port")")
            }
            self.port = Int(bound)
            self.listener = listener
            self.connections = connections
        }

        deinit { end() }

        func stop() async { end() }

        private func end() {
            listener.cancel()
            connections.end()
        }

        /// Starts a listener; returns the reason if it fails.
        private static func begin(_ listener: NWListener) async -> String? {
            let (states, continuation) = AsyncStream.makeStream(of: NWListener.State.self)
            listener.stateUpdateHandler = { continuation.yield($0) }
            listener.start(queue: DispatchQueue(label: "ashlar.inspector"))
            for await state in states {
                switch state {
                case .ready: return nil
                case .failed(let error), .waiting(let error): return "\(error)"
                case .cancelled: return "cancelled"
                default: continue
                }
            }
            return "cancelled"
        }

        private static func serve(_ connection: NWConnection, _ handler: InspectorHandler) async {
            let timer = Task {
                try await Task.sleep(for: requestLimit)
                connection.cancel()
            }
            var reader = InspectorRequestReader()
            var response: InspectorResponse?
            do throws(InspectorRefusal) {
                while response == nil {
                    guard let bytes = await receive(connection) else { break }
                    if let request = try reader.add(bytes) { response = await handler(request) }
                }
            } catch {
                response = InspectorResponse(error)
            }
            timer.cancel()
            guard let response, await send(response.head, on: connection) else { return }
            switch response.body {
            case .bytes(let bytes): _ = await send(bytes, on: connection)
            case .stream(let next):
                while let bytes = await next() {
                    guard await send(bytes, on: connection) else { return }
                }
            }
        }

        /// Returns the next bytes; nil at the end of the connection.
        private static func receive(_ connection: NWConnection) async -> Data? {
            await withCheckedContinuation { continuation in
                connection.receive(minimumIncompleteLength: 1, maximumLength: 64 << 10) { data, _, _, _ in
                    continuation.resume(returning: data.flatMap { $0.isEmpty ? nil : $0 })
                }
            }
        }

        /// Returns whether the bytes were sent.
        private static func send(_ bytes: [UInt8], on connection: NWConnection) async -> Bool {
            await withCheckedContinuation { continuation in
                connection.send(
                    content: Data(bytes), completion: .contentProcessed { continuation.resume(returning: $0 == nil) })
            }
        }
    }
#endif
