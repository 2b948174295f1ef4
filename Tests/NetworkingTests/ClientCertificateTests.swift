import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Testing

    /// Client certificates, which `openssl` creates for the tests, with a TLS server that reports the client's name.
    @Suite(
        .timeLimit(.minutes(3)),
        .enabled(if: TLSServer.isAvailable, "python3 is not installed"),
        .enabled(if: ClientCA.isAvailable, "openssl is not installed"))
    struct ClientCertificateTests {
        private func client(_ certificates: [String: ClientCertificate]) throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            configuration.transport.clientCertificates = certificates
            return try TransportKind.curl.client(configuration)
        }

        private func peer(_ client: NetworkClient, _ url: String) async -> Result<String, NetworkError> {
            await outcome { () async throws(NetworkError) in
                try await client.send(NetworkRequest(.get, url)).text()
            }
        }

        @Test("Certificates in every format identify the client", arguments: ClientCA.formats, [false, true])
        func formats(format: String, isRequired: Bool) async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool {
                try TLSServer("good", clientCA: ca.path("ca.pem"), requiresClient: isRequired)
            }
            let client = try client(["127.0.0.1": ca.certificate(format)])
            for _ in 0..<2 {
                #expect(try await peer(client, "https://127.0.0.1:\(server.port)/peer").get() == "anna")
            }
        }

        @Test("Without a certificate, an optional request is anonymous, and a required one fails")
        func anonymous() async throws {
            let ca = try await ClientCA.shared.value
            for isRequired in [false, true] {
                let server = try await offPool {
                    try TLSServer("good", clientCA: ca.path("ca.pem"), requiresClient: isRequired)
                }
                for _ in 0..<(isRequired ? 20 : 1) {
                    let result = await peer(try client([:]), "https://127.0.0.1:\(server.port)/peer")
                    if isRequired {
                        #expect(result.failure?.code == .tlsFailed, "\(result)")
                    } else {
                        #expect(try result.get() == "nobody")
                    }
                }
            }
        }

        @Test("Only the configured host receives the certificate, regardless of its spelling, also after redirects")
        func hosts() async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool { try TLSServer("good", clientCA: ca.path("ca.pem")) }
            let client = try client(["LOCALHOST.": ca.certificate("PEM"), "[::1]": ca.certificate("PKCS#12")])
            let (named, numbered) = ("https://localhost:\(server.port)", "https://127.0.0.1:\(server.port)")
            #expect(try await peer(client, "\(named)/peer").get() == "anna")
            #expect(try await peer(client, "\(numbered)/peer").get() == "nobody")
            #expect(try await peer(client, "\(named)/redirect?\(numbered)/peer").get() == "nobody")
            #expect(try await peer(client, "\(numbered)/redirect?\(named)/peer").get() == "anna")
        }

        @Test("One client keeps the identities of hosts apart, with 16 requests at once")
        func apart() async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool { try TLSServer("good", clientCA: ca.path("ca.pem")) }
            let client = try client([
                "localhost": ca.certificate("PEM"), "127.0.0.1": ca.certificate("another person"),
            ])
            let expected = ["localhost": "anna", "127.0.0.1": "berta"]
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    let host = number % 2 == 0 ? "localhost" : "127.0.0.1"
                    group.addTask {
                        for _ in 0..<8 {
                            let name = try? await peer(client, "https://\(host):\(server.port)/peer").get()
                            #expect(name == expected[host])
                        }
                    }
                }
            }
        }

        @Test(
            "A certificate that can't be used fails before the request is sent, without its password in the error",
            arguments: ["wrong password", "no password", "wrong PKCS#12 password", "another key", "not a certificate"])
        func unusable(format: String) async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool { try TLSServer("good", clientCA: ca.path("ca.pem")) }
            let client = try client(["127.0.0.1": ca.certificate(format)])
            let error = await peer(client, "https://127.0.0.1:\(server.port)/peer").failure
            #expect(error?.code == .tlsFailed && error?.requestState == .notSent, "\(String(describing: error))")
            #expect(error?.description.contains("wr0ng") == false)
        }

        @Test("Without a password, an encrypted key fails, and the password isn't read from the terminal")
        func terminal() async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool { try TLSServer("good", clientCA: ca.path("ca.pem")) }
            let client = try client(["127.0.0.1": .pem(ca.path("anna.pem"), key: ca.path("anna.encrypted"))])
            let input = Pipe()
            try input.fileHandleForWriting.write(contentsOf: Data("s3cret\ns3cret\n".utf8))
            let original = dup(0)
            dup2(input.fileHandleForReading.fileDescriptor, 0)
            let result = await peer(client, "https://127.0.0.1:\(server.port)/peer")
            dup2(original, 0)
            close(original)
            #expect(result.failure?.code == .tlsFailed && result.failure?.requestState == .notSent, "\(result)")
        }

        @Test("A renewed certificate identifies the next connection", arguments: [false, true])
        func renewed(isTLS12: Bool) async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool { try TLSServer("good", clientCA: ca.path("ca.pem"), isTLS12: isTLS12) }
            let file = ca.path("renewed-\(isTLS12).both")
            func renew(_ name: String) throws {
                try Data(contentsOf: URL(fileURLWithPath: ca.path(name + ".both"))).write(
                    to: URL(fileURLWithPath: file))
            }
            try renew("anna")
            let client = try client(["127.0.0.1": .pem(file)])
            for name in ["anna", "anna", "berta", "berta"] {
                try renew(name)
                #expect(try await peer(client, "https://127.0.0.1:\(server.port)/peer?last").get() == name)
            }
        }

        @Test("An expired certificate is a failure of TLS, not of the server's certificate", arguments: [false, true])
        func expired(isTLS12: Bool) async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool {
                try TLSServer("good", clientCA: ca.path("ca.pem"), requiresClient: true, isTLS12: isTLS12)
            }
            let client = try client(["127.0.0.1": ca.certificate("expired")])
            let error = await peer(client, "https://127.0.0.1:\(server.port)/peer").failure
            #expect(error?.code == .tlsFailed && error?.isTransient == false, "\(String(describing: error))")
        }

        @Test("With a client certificate, an invalid certificate of the server is still reported as such")
        func server() async throws {
            let ca = try await ClientCA.shared.value
            for certificate in ["expired", "selfsigned", "otherhost"] {
                let server = try await offPool {
                    try TLSServer(certificate, clientCA: ca.path("ca.pem"), isTLS12: true)
                }
                let client = try client(["127.0.0.1": ca.certificate("PEM")])
                let error = await peer(client, "https://127.0.0.1:\(server.port)/peer").failure
                #expect(error?.code == .certificateUntrusted, "\(certificate)")
            }
        }

        @Test("A certificate of an unknown CA is rejected by the server")
        func unknownCA() async throws {
            let ca = try await ClientCA.shared.value
            let server = try await offPool {
                try TLSServer("good", clientCA: TLSServer.path("ca.pem"), requiresClient: true)
            }
            for _ in 0..<20 {
                let result = await peer(
                    try client(["127.0.0.1": ca.certificate("PEM")]), "https://127.0.0.1:\(server.port)/peer")
                #expect(result.failure?.isTransient == false, "a repetition can't succeed: \(result)")
            }
        }

        @Test("A missing file and an impossible host are errors when the transport is created")
        func configuration() async throws {
            let ca = try await ClientCA.shared.value
            let cases: [([String: ClientCertificate], file: String?)] = [
                (["a.example": .pem("/missing.pem")], "/missing.pem"),
                (["a.example": .pem(ca.path("anna.pem"), key: "/missing.key")], "/missing.key"),
                (["a.example": .pkcs12(ca.path(""), password: "x")], ca.path("")),
                (["a.example:443": ca.certificate("PEM")], nil), (["": ca.certificate("PEM")], nil),
                (["*.example": ca.certificate("PEM")], nil),
                (["a.example": ca.certificate("PEM"), "A.example.": ca.certificate("PEM")], nil),
            ]
            for (certificates, file) in cases {
                var configuration = TransportConfiguration()
                configuration.clientCertificates = certificates
                let error = #expect(throws: NetworkError.self) { try CurlTransport(configuration) }
                #expect(error?.code == .invalidConfiguration && error?.file == file)
                #expect(error?.key?.hasPrefix("clientCertificates[") == true)
            }
        }

        @Test("Descriptions hide the password")
        func description() {
            var configuration = TransportConfiguration()
            configuration.clientCertificates = ["a.example": .pem("/a.pem", key: "/a.key", password: "s3cret")]
            #expect("\(configuration)".contains("PEM /a.pem, key /a.key, password <redacted>"))
            #expect("\(ClientCertificate.pkcs12("/a.p12", password: "s3cret"))" == "P12 /a.p12, password <redacted>")
            #expect("\(ClientCertificate.pem("/a.pem"))" == "PEM /a.pem")
        }
    }

    /// A CA with the certificates of two clients in several formats, in a temporary folder.
    final class ClientCA: Sendable {
        private let folder: String

        static let shared = Task { try await offPool { try ClientCA() } }

        static var isAvailable: Bool {
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: $0 + "/openssl")
            }
        }

        static let formats = ["PEM", "PEM and key", "PEM and encrypted key", "PKCS#12"]

        func path(_ name: String) -> String { folder + "/" + name }

        /// Returns a certificate by its description.
        func certificate(_ format: String) -> ClientCertificate {
            switch format {
            case "PEM": .pem(path("anna.both"))
            case "PEM and key": .pem(path("anna.pem"), key: path("anna.key"))
            case "PEM and encrypted key": .pem(path("anna.pem"), key: path("anna.encrypted"), password: "s3cret")
            case "PKCS#12": .pkcs12(path("anna.p12"), password: "s3cret")
            case "wrong password": .pem(path("anna.pem"), key: path("anna.encrypted"), password: "wr0ng")
            case "no password": .pem(path("anna.pem"), key: path("anna.encrypted"), password: "")
            case "wrong PKCS#12 password": .pkcs12(path("anna.p12"), password: "wr0ng")
            case "another key": .pem(path("anna.pem"), key: path("berta.key"))
            case "another person": .pem(path("berta.pem"), key: path("berta.key"))
            case "expired": .pem(path("expired.pem"), key: path("anna.key"))
            default: .pem(path("anna.p12"), password: "wr0ng")
            }
        }

        private init() throws {
            folder = NSTemporaryDirectory() + "net-clients-\(UUID())"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try run("ecparam -name prime256v1 -genkey -noout -out ca.key")
            try run("req -x509 -new -key ca.key -subj /CN=clients -days 2 -out ca.pem")
            for name in ["anna", "berta"] {
                try run("ecparam -name prime256v1 -genkey -noout -out \(name).key")
                try run("req -new -key \(name).key -subj /CN=\(name) -out \(name).csr")
                try run("x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out \(name).pem")
            }
            try run("x509 -req -in anna.csr -CA ca.pem -CAkey ca.key -days -1 -out expired.pem")
            try run("ec -in anna.key -aes128 -passout pass:s3cret -out anna.encrypted")
            try run("pkcs12 -export -in anna.pem -inkey anna.key -passout pass:s3cret -out anna.p12")
            for name in ["anna", "berta"] {
                let both = try [".pem", ".key"].map { try Data(contentsOf: URL(fileURLWithPath: path(name + $0))) }
                try (both[0] + both[1]).write(to: URL(fileURLWithPath: path(name + ".both")))
            }
        }

        private func run(_ arguments: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
            process.currentDirectoryURL = URL(fileURLWithPath: folder)
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            process.standardInput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw ServerFailure(what: "openssl \(arguments)") }
        }
    }
#endif
