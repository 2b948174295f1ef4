#if os(Linux)
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
        package init(_ certificate: String, clientCA: String? = nil, requiresClient: Bool = false) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", Self.path("tls-server.py"), Self.path(certificate + ".pem")]
            process.arguments? += clientCA.map { [$0] + (requiresClient ? ["required"] : []) } ?? []
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            var line: [UInt8] = []
            while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { line.append(byte) }
            guard let port = Int(String(decoding: line, as: UTF8.self)) else {
                throw ServerFailure(what: "no TLS server")
            }
            self.port = port
        }

        // Killed, because another child may hold the other end of its input and prevent it from ending.
        deinit { kill(process.processIdentifier, SIGKILL) }
    }
#endif
