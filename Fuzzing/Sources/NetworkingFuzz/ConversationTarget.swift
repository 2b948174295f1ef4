import AshlarNetworking
import Dispatch
import FuzzHarness
import Synchronization

#if os(Linux)
    import Glibc

    /// Complete exchanges of a client with a faulty server.
    ///
    /// The server sends the pieces of the input, one after each request. `FF 00` separates pieces, `FF 01` also closes the
    /// connection. Afterwards, a request of the same client to a healthy server must get its own body.
    let conversationTargets = [
        FuzzTarget("conversation") { bytes in
            Conversation.shared.run(bytes)
        }
    ]

    private final class Conversation: Sendable {
        static let shared = Conversation()

        private struct Piece {
            var bytes: [UInt8]
            var closes: Bool
        }

        private let pieces = Mutex<[Piece]>([])
        private let client: NetworkClient
        private let faulty: UInt16
        private let healthy: UInt16
        private let count = Atomic<Int>(0)

        private init() {
            var configuration = ClientConfiguration()
            configuration.options.redirects = 0
            client = NetworkClient(configuration)
            let (faultyListener, healthyListener) = (listen(), listen())
            (faulty, healthy) = (faultyListener.port, healthyListener.port)
            accept(faultyListener.socket) { [self] descriptor in
                while readRequest(descriptor) != nil {
                    guard let piece = pieces.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                    guard write(descriptor, piece.bytes), !piece.closes else { return }
                }
            }
            accept(healthyListener.socket) { descriptor in
                while let target = readRequest(descriptor) {
                    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n"
                    guard write(descriptor, Array((head + target).utf8)) else { return }
                }
            }
        }

        func run(_ bytes: [UInt8]) {
            pieces.withLock { $0 = Self.split(bytes) }
            let done = DispatchSemaphore(value: 0)
            Task.detached { [self] in
                for method in [HTTPMethod.get, .head, .post] {
                    _ = try? await send(method, faulty, "/")
                }
                let path = "/\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
                let text = try? await send(.get, healthy, path).text()
                precondition(text == path, "a healthy request got \(text?.debugDescription ?? "nothing")")
                done.signal()
            }
            done.wait()
        }

        private func send(_ method: HTTPMethod, _ port: UInt16, _ path: String) async throws -> NetworkResponse {
            var options = client.configuration.options
            // An incomplete response times out soon; a complete one has enough time on a busy machine.
            if port == faulty { options.idleTimeout = .milliseconds(20) }
            return try await client.send(
                NetworkRequest(method, HTTPURL("http://127.0.0.1:\(port)\(path)"), options: options))
        }

        private static func split(_ bytes: [UInt8]) -> [Piece] {
            var pieces: [Piece] = []
            var piece: [UInt8] = []
            var at = 0
            while at < bytes.count {
                if bytes[at] == 0xFF, at + 1 < bytes.count, bytes[at + 1] <= 1 {
                    pieces.append(Piece(bytes: piece, closes: bytes[at + 1] == 1))
                    piece = []
                    at += 2
                } else {
                    piece.append(bytes[at])
                    at += 1
                }
            }
            // Further pieces would only cost time.
            return pieces + [Piece(bytes: piece, closes: true)]
        }
    }

    private func listen() -> (socket: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        precondition(isBound, "no port on 127.0.0.1")
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private func accept(_ listener: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "connections", attributes: .concurrent)
        DispatchQueue(label: "listener").async {
            while true {
                let descriptor = Glibc.accept(listener, nil, nil)
                guard descriptor >= 0 else { continue }
                queue.async {
                    serve(descriptor)
                    close(descriptor)
                }
            }
        }
    }

    /// Reads the head of a request and a short body; returns the request's target, or nil at the end.
    private func readRequest(_ descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2)
        return parts.count > 1 ? String(parts[1]) : nil
    }

    private func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.isEmpty || send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
#else
    let conversationTargets: [FuzzTarget] = []
#endif
