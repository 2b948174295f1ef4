import AshlarNetworkingTestSupport

#if os(Linux)
    import AshlarNetworking
    import AshlarTestSupport
    import Foundation
    import Glibc

    /// A fault of a TLS server or proxy: a relay to a real TLS server truncates or falsifies the server's bytes.
    struct Relay: Sendable {
        enum End: String, CaseIterable, Sendable { case closed, reset, garbage, silent }

        /// The certificate of the real server.
        var certificate = "good"
        /// The number of forwarded bytes from the server, or nil for all.
        var bytes: Int?
        /// Whether the bytes of the handshake are also forwarded.
        var isAfterHandshake = false
        /// The action after the forwarded bytes.
        var end = End.closed

        /// Real TLS servers by certificate; they end with this process.
        private static let servers = Mutex<[String: TLSServer]>([:])

        /// The port of a real TLS server.
        static func port(_ certificate: String) -> Int? {
            servers.withLock { servers in
                if servers[certificate] == nil { servers[certificate] = try? TLSServer(certificate) }
                return servers[certificate]?.port
            }
        }
    }

    extension FaultConnection {
        /// Connects the client with a real TLS server, up to the relay's cut.
        func relay(_ relay: Relay) {
            guard let port = Relay.port(relay.certificate), let upstream = Upstream(port: port) else { return reset() }
            let flights = Mutex(0)
            let done = DispatchSemaphore(value: 0)
            // Only the new thread receives from the client, and only this one sends to it.
            nonisolated(unsafe) let client = self
            Thread.detachNewThread {
                while let piece = client.receive() {
                    flights.withLock { $0 += 1 }
                    guard upstream.send(piece) else { break }
                }
                upstream.finish()
                done.signal()
            }
            var left = relay.bytes ?? .max
            // The client's second flight ends the handshake.
            func isInHandshake() -> Bool { relay.isAfterHandshake && flights.withLock { $0 } < 2 }
            while left > 0 || isInHandshake(), let piece = upstream.receive() {
                let isHandshake = isInHandshake()
                let count = isHandshake ? piece.count : min(left, piece.count)
                if !isHandshake { left -= count }
                write(piece.prefix(count))
            }
            switch relay.bytes == nil ? .closed : relay.end {
            case .closed: endWriting()
            case .reset: endNow()
            case .garbage:
                write("garbage, which is no record of TLS")
                endWriting()
            case .silent: break
            }
            done.wait()
        }

        /// Ends the connection with RST now, while another thread may be reading.
        private func endNow() {
            reset()
            var address = sockaddr()
            address.sa_family = sa_family_t(AF_UNSPEC)
            connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
        }
    }

    extension Fault {
        /// The way to a fault's server.
        enum Access: Sendable {
            /// By its path on the fault server.
            case path
            /// On a separate port, over TLS.
            case port
            /// Through a proxy, by this host.
            case tunnel(String)
            /// Through a proxy that doesn't exist.
            case deadProxy
        }

        /// Whether it is reached by its path on the fault server.
        var isPlain: Bool { if case .path = access { true } else { false } }

        static let secure: [Fault] = TLSServer.isAvailable ? handshakes + records + certificates + tunnels : []

        private static func secure(
            _ name: String, _ codes: Set<NetworkError.Code>, body: String? = nil,
            _ serve: @escaping @Sendable (FaultConnection) -> Void
        ) -> Fault {
            Fault(name: name, access: .port, codes: codes, body: body) { connection in
                serve(connection)
                return false
            }
        }

        /// The server's first flight is about 850 bytes long; 127 of them are its greeting.
        private static let handshakes: [Fault] =
            ([0, 1, 4, 5, 6, 60, 127, 128, 133, 300, 600] as [Int]).flatMap { (count: Int) in
                ([.closed, .reset, .garbage] as [Relay.End]).map { (end: Relay.End) in
                    secure("handshake \(end.rawValue) behind byte \(count)", [.tlsFailed, .cannotConnect]) {
                        $0.relay(Relay(bytes: count, end: end))
                    }
                }
            } + [
                secure("no handshake", [.timedOut]) { _ = $0.waitForClose() },
                secure("silence in the handshake", [.timedOut]) { $0.relay(Relay(bytes: 300, end: .silent)) },
                secure("plain text for TLS", [.tlsFailed]) {
                    $0.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    $0.finish()
                },
                secure("a fatal alert", [.tlsFailed]) {
                    $0.write([0x15, 3, 3, 0, 2, 2, 40])
                    $0.finish()
                },
            ]

        private static let records: [Fault] = ([0, 1, 5, 30, 200] as [Int]).flatMap { (count: Int) in
            ([.closed, .reset, .garbage] as [Relay.End]).map { (end: Relay.End) in
                secure(
                    "TLS \(end.rawValue) behind byte \(count) of the response",
                    [.connectionLost, .truncated, .tlsFailed]
                ) {
                    $0.relay(Relay(bytes: count, isAfterHandshake: true, end: end))
                }
            }
        }

        private static let certificates: [Fault] =
            ["expired", "otherhost", "selfsigned"].map { certificate in
                secure("certificate \(certificate)", [.certificateUntrusted]) {
                    $0.relay(Relay(certificate: certificate))
                }
            } + [
                secure("a good certificate", [], body: "secure") { $0.relay(Relay()) },
                Fault(
                    name: "HTTP/2 as text over TLS", access: .port, target: "/forged", codes: [.badResponse]
                ) { connection in
                    connection.relay(Relay())
                    return false
                },
            ]

        // MARK: Proxies

        private static func tunnel(
            _ name: String, _ codes: Set<NetworkError.Code>, host: String? = nil, body: String? = nil,
            _ serve: @escaping @Sendable (FaultConnection) -> Void
        ) -> Fault {
            Fault(name: "CONNECT: " + name, access: .tunnel(host ?? "fault.test"), codes: codes, body: body) {
                serve($0)
                return false
            }
        }

        private static func tunnel(_ answer: String, _ codes: Set<NetworkError.Code> = [.proxyFailed]) -> Fault {
            tunnel("\(answer.prefix(40).debugDescription) and \(answer.utf8.count) bytes", codes) {
                $0.write(answer)
                $0.finish()
            }
        }

        private static let established = "HTTP/1.1 200 Connection established\r\n\r\n"

        private static let tunnels: [Fault] =
            ["407 Auth", "403 Forbidden", "502 Bad Gateway", "302 Found", "199 Odd"].map {
                tunnel("HTTP/1.1 \($0)\r\nLocation: http://a/\r\nContent-Length: 2\r\n\r\nno")
            }
            + [
                "", "\r\n\r\n", "garbage\r\n\r\n", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 abc\r\n\r\n",
                "HTTP/1.1 403 No\r\nContent-Length: 100\r\n\r\nhalf", "HTTP/1.1 403 No\r\n Folded: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 400_000),
            ].map { tunnel($0) } + [
                tunnel("reset", [.proxyFailed]) { $0.reset() },
                tunnel("silence", [.timedOut]) { _ = $0.waitForClose() },
                tunnel("silence in the head", [.timedOut]) {
                    $0.write("HTTP/1.1 200 OK\r\nX: ")
                    _ = $0.waitForClose()
                },
                tunnel(established + "garbage", [.tlsFailed]), tunnel(established, [.tlsFailed]),
                tunnel("the tunnel is reset", [.tlsFailed]) {
                    $0.write(established)
                    $0.reset()
                },
                tunnel("the tunnel leads to another host", [.certificateUntrusted]) {
                    $0.write(established)
                    $0.relay(Relay())
                },
                tunnel("the tunnel works", [], host: "localhost", body: "secure") {
                    $0.write(established)
                    $0.relay(Relay())
                },
                tunnel("a length in the proxy's answer", [], host: "localhost", body: "secure") {
                    $0.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
                    $0.relay(Relay())
                },
                Fault(name: "a proxy that can't be reached", access: .deadProxy, codes: [.proxyFailed]) { _ in false },
            ]
    }
#endif
