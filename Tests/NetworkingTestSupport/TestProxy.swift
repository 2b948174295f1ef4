import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc

    /// A proxy of a test: it checks credentials, opens tunnels to any port of this machine, and answers plain requests
    /// itself.
    package final class TestProxy: Sendable {
        package enum Kind: String, CaseIterable, Sendable { case http, socks5, socks5h }

        package let kind: Kind
        private let server: FaultServer
        private let log = Log()

        /// The requests that the proxy received.
        private final class Log: Sendable {
            let requests = Locked<[String]>([])
            func append(_ request: String) { requests.withLock { $0.append(request) } }
        }

        /// The lines `CONNECT host:port`, `GET http://…` and `SOCKS host:port`, in order.
        package var requests: [String] { log.requests.withLock { $0 } }
        package var url: String { "\(kind.rawValue)://127.0.0.1:\(server.port)" }

        /// Creates a proxy; with a user, it accepts only that user's credentials.
        package init(_ kind: Kind, user: String? = nil, password: String = "") throws {
            self.kind = kind
            let log = log
            server = try FaultServer { connection in
                if kind == .http {
                    Self.serveHTTP(connection, user.map { "\($0):\(password)" }, log)
                } else {
                    Self.serveSOCKS(connection, user.map { ($0, password) }, log)
                }
            }
        }

        private static func serveHTTP(_ connection: FaultConnection, _ credentials: String?, _ log: Log) {
            let field = credentials.map { "Basic " + Data($0.utf8).base64EncodedString() }
            while let request = connection.request() {
                log.append("\(request.method) \(request.target)")
                guard field == nil || request["Proxy-Authorization"] == field else {
                    connection.write(answer(407, ["Proxy-Authenticate: Basic realm=\"p\""], body: "no"))
                    continue
                }
                if request.method == "CONNECT" {
                    connection.write("HTTP/1.1 200 Connection established\r\n\r\n")
                    return connection.relay(toPort: Int(request.target.split(separator: ":").last ?? "") ?? 0)
                }
                connection.write(answer(200, [], body: "proxied \(request.target)"))
            }
        }

        private static func serveSOCKS(
            _ connection: FaultConnection, _ credentials: (user: String, password: String)?, _ log: Log
        ) {
            guard let greeting = connection.take(2), let methods = connection.take(Int(greeting[1])) else { return }
            let method: UInt8 = credentials == nil ? 0 : 2
            guard methods.contains(method) else {
                connection.write([5, 0xFF])
                return connection.finish()
            }
            connection.write([5, method])
            if let credentials {
                guard let user = connection.take(2).flatMap({ connection.take(Int($0[1])) }),
                    let password = connection.take(1).flatMap({ connection.take(Int($0[0])) })
                else { return }
                let isRight = user == Array(credentials.user.utf8) && password == Array(credentials.password.utf8)
                connection.write([1, isRight ? 0 : 1])
                guard isRight else { return connection.finish() }
            }
            guard let request = connection.take(4) else { return }
            let host: String
            switch request[3] {
            case 1: host = (connection.take(4) ?? []).map(String.init).joined(separator: ".")
            case 3:
                let name = connection.take(1).flatMap { connection.take(Int($0[0])) } ?? []
                host = "name " + String(decoding: name, as: UTF8.self)
            default:
                _ = connection.take(16)
                host = "IPv6"
            }
            guard let port = connection.take(2) else { return }
            let number = Int(port[0]) << 8 | Int(port[1])
            log.append("SOCKS \(host):\(number)")
            connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            connection.relay(toPort: number)
        }
    }

    extension FaultConnection {
        /// Connects the client with a server on this machine; pieces that arrive while `passes` returns false are lost.
        package func relay(toPort port: Int, while passes: @escaping @Sendable () -> Bool = { true }) {
            guard let upstream = Upstream(port: port) else { return reset() }
            let done = DispatchSemaphore(value: 0)
            // Unsafe because this thread only reads from the connection, and the other one only writes to it.
            nonisolated(unsafe) let client = self
            Thread.detachNewThread {
                while let piece = client.receive(), !passes() || upstream.send(piece) {}
                upstream.finish()
                done.signal()
            }
            while let piece = upstream.receive(), !passes() || write(piece) {}
            endWriting()
            done.wait()
        }
    }
#endif
