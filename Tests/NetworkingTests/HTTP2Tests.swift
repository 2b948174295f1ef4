import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Testing

    /// HTTP/2 over TLS, against nginx; and proxies of the environment.
    @Suite(.timeLimit(.minutes(5))) struct HTTP2Tests {
        private func client() throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            return try TransportKind.curl.client(configuration)
        }

        @Test(
            "Concurrent requests share one connection, beyond the limit of HTTP/1 connections",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"),
            .enabled(if: TLSServer.offersHTTP2, "libcurl is older than 8.5"))
        func shared() async throws {
            let server = try await offPool { try SecureNginx() }
            let client = try client()
            let first = try await client.send(client.request(.get, server.url + "/which"))
            #expect(first.head.version == "2")
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        try await client.send(client.request(.get, server.url + "/which?\(number)")).text()
                    }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(answers.count == 60)
            #expect(Set(answers) == [try first.text()], "\(Set(answers))")
        }

        @Test(
            "Bodies in both directions arrive completely over HTTP/2, even with a slow reader on the connection",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"),
            .enabled(if: TLSServer.offersHTTP2, "libcurl is older than 8.5"))
        func bodies() async throws {
            let server = try await offPool { try SecureNginx() }
            let client = try client()
            let slow = try await client.stream(client.request(.get, server.url + "/large.bin"))
            #expect(slow.head.version == "2")
            var count = try await slow.body.next()?.count ?? 0
            // The unread body doesn't delay the other one on the same connection.
            let other = try await client.send(client.request(.get, server.url + "/which"))
            #expect(other.status == 200)
            while let chunk = try await slow.body.next() { count += chunk.count }
            #expect(count == SecureNginx.largeSize)
            // No longer than the first window: nginx answers here without reading.
            let body = RequestBody.stream(length: 50_000) {
                AsyncStream<[UInt8]> { continuation in
                    for _ in 0..<5 { continuation.yield([UInt8](repeating: 7, count: 10_000)) }
                    continuation.finish()
                }
            }
            let posted = try await client.send(client.request(.post, server.url + "/length", body: body))
            #expect(try posted.text() == "50000")
            // Fields behind a body are ignored.
            let followed = try await client.send(client.request(.get, server.url + "/trailers/small.txt"))
            #expect(try followed.text() == "small")
            #expect(followed.headers["X-Sum"] == nil)
            let cancelled = try await client.stream(client.request(.get, server.url + "/large.bin"))
            cancelled.body.cancel()
            #expect(try await client.send(client.request(.get, server.url + "/which")).status == 200)
        }

        @Test(
            "Exchanges that are cancelled, abandoned or out of time disturb no neighbor on their connection",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"),
            .enabled(if: TLSServer.offersHTTP2, "libcurl is older than 8.5"))
        func abandoned() async throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("abandoned exchanges over HTTP/2: seed \(seed)")
            let server = try await offPool { try SecureNginx(keepaliveRequests: 100) }
            let client = try client()
            let failures = await HTTP2FaultTests.failures(of: 600, concurrently: 40) { number in
                do {
                    return try await Self.abandon(number, seed, client, server.url).map { "\(number): \($0)" }
                } catch {
                    return "\(number): \(error)"
                }
            }
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
        }

        /// Performs one exchange, which it may end early; returns the fault of the result, or nil.
        private static func abandon(
            _ number: Int, _ seed: UInt64, _ client: NetworkClient, _ url: String
        ) async throws -> String? {
            let body = RequestBody.text(String(repeating: "b", count: 100_000))
            var random = SeededRandom(seed: seed &+ UInt64(number))
            var large = try client.request(.get, url + "/large.bin?\(number)")
            let pause = Duration.milliseconds(Int.random(in: 0...30, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let count = try await client.send(large).bytes.count
                return count == SecureNginx.largeSize ? nil : "\(count) bytes"
            case 1:
                let response = try await client.stream(large)
                _ = try await response.body.next()
                response.body.cancel()
            case 2: _ = try await client.stream(large)
            case 3:
                let sent = large
                let task = Task { try await client.send(sent) }
                try? await Task.sleep(for: pause)
                task.cancel()
                if let error = await task.result.failure as? NetworkError, error.code != .cancelled { throw error }
            case 4:
                large.options.totalTimeout = pause
                do throws(NetworkError) { _ = try await client.send(large) } catch {
                    if error.code != .timedOut { throw error }
                }
            case 5:
                let upload = try client.request(.post, url + "/length", body: body)
                let task = Task { try await client.send(upload) }
                try? await Task.sleep(for: pause)
                task.cancel()
                if let error = await task.result.failure as? NetworkError, error.code != .cancelled { throw error }
            case 6:
                let text = try await client.send(client.request(.post, url + "/length", body: body)).text()
                return text == "100000" ? nil : text
            default:
                let text = try await client.send(client.request(.get, url + "/small.txt")).text()
                return text == "small" ? nil : text
            }
            return nil
        }

        @Test("Proxies of the environment are used only if the configuration allows it", arguments: [true, false])
        func proxies(isAsked: Bool) async throws {
            let proxy = try FaultServer(answering: { answer(body: "proxy \($0.target)") })
            let server = try FaultServer(answering: { answer(body: "server \($0.target)") })
            await #expect(processExitsWith: .success) {
                [isAsked = isAsked as Bool, proxy = proxy.url as String, server = server.url as String] in
                setenv("http_proxy", proxy, 1)
                var configuration = ClientConfiguration()
                configuration.transport.usesEnvironmentProxies = isAsked
                let client = try TransportKind.curl.client(configuration)
                let text = try await client.send(client.request(.get, server + "/x")).text()
                #expect(text == (isAsked ? "proxy \(server)/x" : "server /x"))
            }
        }
    }

    /// nginx with HTTP/2 over TLS on 127.0.0.1; ends with this object.
    final class SecureNginx: @unchecked Sendable {  // made on one thread, then only read and released
        static let largeSize = 3_000_000
        private static let program = "/usr/sbin/nginx"
        static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program) }

        let port: Int
        private let folder: URL
        private let process = Process()
        var url: String { "https://127.0.0.1:\(port)" }

        /// Starts nginx, which closes a connection after a number of requests.
        init(keepaliveRequests: Int = 1000) throws {
            // A port that was free shortly before, because nginx can't select one.
            port = try FaultServer(raw: "").port
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(count: Self.largeSize).write(to: folder.appendingPathComponent("large.bin"))
            try Data("small".utf8).write(to: folder.appendingPathComponent("small.txt"))
            let certificate = TLSServer.path("good.pem")
            let path = folder.path
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map { "\($0)_temp_path \"\(path)/\($0)\";" }.joined(separator: "\n")
            let text = """
                daemon off; master_process off;
                pid "\(path)/pid"; error_log "\(path)/error.log";
                events { worker_connections 256; }
                http {
                    access_log off; client_max_body_size 0; keepalive_requests \(keepaliveRequests);
                    \(temporary)
                    server {
                        listen 127.0.0.1:\(port) ssl http2;
                        ssl_certificate "\(certificate)"; ssl_certificate_key "\(certificate)";
                        location / { root "\(path)"; }
                        location /trailers/ {
                            alias "\(path)/"; gzip on; gzip_min_length 1; gzip_types text/plain;
                            add_trailer X-Sum "abc"; add_trailer X-Sum "def";
                        }
                        location /which { return 200 "$connection"; }
                        location /limited { client_max_body_size 1k; }
                        location /length { return 200 "$content_length"; }
                        location /echo { return 200 "$args $content_length"; }
                    }
                }
                """
            let file = folder.appendingPathComponent("nginx.conf")
            try Data(text.utf8).write(to: file)
            process.executableURL = URL(fileURLWithPath: Self.program)
            process.arguments = ["-p", path, "-c", file.path, "-e", path + "/error.log"]
            try process.run()
            let limit = Date() + 120
            while !FileManager.default.fileExists(atPath: path + "/pid") {
                guard process.isRunning, Date() < limit else {
                    let log = try? String(contentsOfFile: path + "/error.log", encoding: .utf8)
                    throw ServerFailure(what: "nginx did not start: \(log ?? "")")
                }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            try? FileManager.default.removeItem(at: folder)
        }
    }
#endif
