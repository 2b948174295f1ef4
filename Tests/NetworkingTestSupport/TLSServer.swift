#if os(Linux)
    import AshlarNetworking
    import AshlarTestSupport
    import Foundation

    /// A TLS server with a certificate of the fixtures; ends with this object.
    ///
    /// It is created on one thread; after that, only its port is read and it is released.
    package final class TLSServer: @unchecked Sendable {
        package let port: Int
        private let process = Process()
        private let input = Pipe()

        package static func path(_ name: String) -> String {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("NetworkingTests/Fixtures/tls/\(name)").path
        }

        package static var isAvailable: Bool {
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: $0 + "/python3")
            }
        }

        /// Starts a server; with a CA of clients, it requests their certificates.
        package convenience init(
            _ certificate: String, clientCA: String? = nil, requiresClient: Bool = false, isTLS12: Bool = false
        ) throws {
            try self.init(
                "/usr/bin/env",
                ["python3", Self.path("tls-server.py")] + (isTLS12 ? ["--1.2"] : []) + [Self.path(certificate + ".pem")]
                    + (clientCA.map { [$0] + (requiresClient ? ["required"] : []) } ?? []))
        }

        /// Whether there is an HTTP/2 server: Debian's Python needs its package python3-hpack.
        package static let hasHTTP2: Bool = {
            let probe = Process()
            probe.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            probe.arguments = ["-c", "import hpack"]
            probe.standardError = FileHandle.nullDevice
            guard (try? probe.run()) != nil else { return false }
            probe.waitUntilExit()
            return probe.terminationStatus == 0
        }()

        /// Whether the system's libcurl is new enough for HTTP/2.
        package static let offersHTTP2: Bool = (try? CurlTransport())?.offersHTTP2 == true

        /// Starts a server with the HTTP/2 faults that `http2-server.py` lists.
        package static func http2() throws -> TLSServer {
            try TLSServer("/usr/bin/python3", [path("http2-server.py"), path("good.pem")])
        }

        /// Starts a server that speaks only TLS 1.1.
        package static func old() throws -> TLSServer {
            try TLSServer("/usr/bin/env", ["python3", path("tls-server.py"), "--old", path("good.pem")])
        }

        package var url: String { "https://127.0.0.1:\(port)" }

        private init(_ program: String, _ arguments: [String]) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            guard let port = Int(output.readLine()) else {
                throw ServerFailure(what: "no TLS server")
            }
            self.port = port
        }

        // Killed, because another child may hold the other end of its input and prevent it from ending.
        deinit { kill(process.processIdentifier, SIGKILL) }
    }
#endif
