import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

#if os(Linux)
    @Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
        @Test(
            "A missing library and a library that isn't libcurl are rejected with the reason",
            arguments: ["libnowhere.so.9", "libz.so.1"])
        func missing(library: String) {
            let error = #expect(throws: NetworkError.self) { try CurlTransport(library: library) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains(library) == true)
        }

        @Test("The default client describes its transport")
        func description() throws {
            #expect(NetworkClient().transportDescription == "libcurl \(try CurlTransport().version)")
            #expect(NetworkClient(transport: StubTransport([:])).transportDescription == "StubTransport")
        }

        @Test("An unread body is not received, and the server has to wait")
        func backPressure() async throws {
            let written = Mutex(0)
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    guard request.target == "/large" else {
                        connection.write(answer(body: "small"))
                        continue
                    }
                    break
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
                let piece = [UInt8](repeating: 1, count: 64 << 10)
                for _ in 0..<1024 {
                    guard connection.write(piece) else { return }
                    written.withLock { $0 += piece.count }
                }
            }
            let client = try TransportKind.curl.client()
            let response = try await client.stream(client.request(.get, server.url + "/large"))
            // Other requests keep the same loop going, which could receive all of it meanwhile, until many in a row have
            // moved nothing: what the sockets and our buffer hold is far less than the body.
            let small = try client.request(.get, server.url + "/small")
            var (last, still) = (0, 0)
            while still < 300, last < 32 << 20 {
                _ = try await client.send(small)
                let now = written.withLock { $0 }
                (last, still) = (now, now == last && now > 256 << 10 ? still + 1 : 0)
            }
            #expect(last < 32 << 20)
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            #expect(count == 64 << 20)
        }

        struct Repeat: CustomTestStringConvertible, Sendable {
            let method: HTTPMethod
            let body: RequestBody
            var headers: HTTPHeaders = [:]
            /// The number of requests that the server receives; it responds to the last one.
            let count: Int
            let testDescription: String
        }

        static let repeats: [Repeat] = {
            let large = [UInt8](repeating: 3, count: 200_000)
            let pieces = RequestBody.stream(length: 200_000) {
                AsyncStream<[UInt8]> { continuation in
                    for _ in 0..<4 { continuation.yield([UInt8](repeating: 3, count: 50_000)) }
                    continuation.finish()
                }
            }
            let once = RequestBody.once(
                length: 100,
                AsyncStream { continuation in
                    for _ in 0..<2 { continuation.yield([UInt8](repeating: 3, count: 50)) }
                    continuation.finish()
                })
            return [
                Repeat(method: .get, body: .empty, count: 2, testDescription: "GET"),
                Repeat(method: .put, body: .text("small"), count: 2, testDescription: "PUT"),
                Repeat(method: .put, body: .bytes(large), count: 2, testDescription: "PUT of one piece"),
                Repeat(method: .put, body: pieces, count: 2, testDescription: "PUT of pieces"),
                Repeat(method: .put, body: once, count: 1, testDescription: "PUT of pieces that are gone"),
                Repeat(method: .post, body: .empty, count: 1, testDescription: "POST"),
                Repeat(method: .post, body: .text("small"), count: 1, testDescription: "POST of bytes"),
                Repeat(method: .post, body: .bytes(large), count: 1, testDescription: "POST of one piece"),
                Repeat(method: .patch, body: .text("small"), count: 1, testDescription: "PATCH"),
                Repeat(
                    method: .post, body: .text("small"), headers: ["Idempotency-Key": "1"], count: 2,
                    testDescription: "POST with a key"),
            ]
        }()

        @Test("A request that isn't idempotent is not repeated when a reused connection ends", arguments: repeats)
        func repeated(input: Repeat) async throws {
            let bodies = Mutex<[Int]>([])
            let server = try FaultServer { connection in
                guard let first = connection.request() else { return }
                if first.target != "/first" {
                    bodies.withLock { $0.append(first.body.count) }
                    connection.write(answer(body: "again"))
                    return connection.finish()
                }
                connection.write(answer(body: "kept"))
                guard let second = connection.request() else { return }
                bodies.withLock { $0.append(second.body.count) }
            }
            let client = try TransportKind.curl.client()
            _ = try await client.send(client.request(.get, server.url + "/first"))
            let request = try client.request(input.method, server.url + "/x", headers: input.headers, body: input.body)
            let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
            #expect(
                bodies.withLock { $0 } == [Int](repeating: try input.body.measuredLength() ?? 0, count: input.count))
            if input.count == 2 {
                #expect(try result.get().text() == "again")
            } else {
                #expect(result.failure?.code == .connectionLost, "\(result)")
                #expect(result.failure?.isTransient == true)
            }
        }

        @Test("Without a ratio, a bomb is inflated only as far as it is read", arguments: [true, false])
        func demand(isChunked: Bool) async throws {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "Fixtures/zeros-8MiB.gz")
            let zeros = [UInt8](try Data(contentsOf: path))
            // 100 members in gzip: 800 MiB.
            let bomb = Gzip.encode([UInt8]((0..<100).flatMap { _ in zeros }))
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bomb.count)"
            let server = try FaultServer { connection in
                guard connection.request() != nil else { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\(framing)\r\n\r\n")
                if isChunked { connection.write(String(bomb.count, radix: 16) + "\r\n") }
                connection.write(bomb)
                if isChunked { connection.write("\r\n0\r\n\r\n") }
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.maximumDecompressionRatio = nil
            let received = Locked(0)
            request.options.progress = { progress in received.withLock { $0 = max($0, progress.received) } }
            let response = try await client.stream(request)
            var count = 0
            while count < 20 << 20, let chunk = try await response.body.next() {
                #expect(chunk.allSatisfy { $0 == 0 } && chunk.count <= 384 << 10)
                count += chunk.count
            }
            #expect(received.withLock { $0 } <= count + 1 << 20)
            #expect(count >= 20 << 20)
            response.body.cancel()
        }

        @Test("A slow reader gets every inflated byte once")
        func slowly() async throws {
            var generator = SeededRandom(seed: 7)
            let text = (0..<1_500_000).map { _ in UInt8.random(in: 0...3, using: &generator) }
            let body = Gzip.encode(Gzip.encode(text))
            let server = try FaultServer { connection in
                guard connection.request() != nil else { return }
                connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: body.count, by: 7001) {
                    let piece = body[start..<min(start + 7001, body.count)]
                    connection.write(Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10])
                }
                connection.write("0\r\n\r\n")
            }
            let client = try TransportKind.curl.client()
            let response = try await client.stream(client.request(.get, server.url))
            var received: [UInt8] = []
            while let chunk = try await response.body.next() {
                received += chunk
                for _ in 0..<20 { await Task.yield() }
            }
            #expect(received == text)
        }

        @Test("A decompression bomb ends at the ratio, although its server sends nothing more")
        func silentBomb() async throws {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "Fixtures/zeros-8MiB.gz")
            let zeros = [UInt8](try Data(contentsOf: path))
            let server = try FaultServer { connection in
                guard connection.request() != nil else { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100000\r\n\r\n")
                for _ in 0..<9 { connection.write(zeros) }
                _ = connection.waitForClose()
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.idleTimeout = .seconds(90)
            let body = try await client.stream(request).body
            let start = ContinuousClock.now
            let error = await outcome { () async throws(NetworkError) in
                while try await body.next() != nil { await Task.yield() }
            }.failure
            #expect(error?.code == .decompressionLimit)
            #expect(ContinuousClock.now - start < .seconds(60), "not only when the idle time has passed")
        }

        @Test("A body of up to 64 MiB may compress to any ratio, and a longer one to that of the request")
        func bomb() async throws {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "Fixtures/zeros-8MiB.gz")
            let zeros = [UInt8](try Data(contentsOf: path))
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    let count = Int(request.target.dropFirst()) ?? 0
                    connection.write(
                        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(count * zeros.count)\r\n\r\n")
                    for _ in 0..<count { connection.write(zeros) }
                }
            }
            let client = try TransportKind.curl.client()
            #expect(try await client.send(client.request(.get, server.url + "/1")).bytes.count == 8 << 20)
            var request = try client.request(.get, server.url + "/8")
            request.options.maximumCollectedBytes = nil
            #expect(try await client.send(request).bytes.count == 64 << 20)
            request.url = try HTTPURL(server.url + "/9")
            let bomb = request
            let error = await outcome { () async throws(NetworkError) in try await client.send(bomb) }.failure
            #expect(error?.code == .decompressionLimit)
            #expect(error?.limit == 100)
            request.options.maximumDecompressionRatio = 2000
            #expect(try await client.send(request).bytes.count == 72 << 20)
            request.options.maximumDecompressionRatio = .max
            #expect(try await client.send(request).bytes.count == 72 << 20)
            request.options.maximumBodyBytes = 1_000_000
            let limited = request
            let over = await outcome { () async throws(NetworkError) in try await client.send(limited) }.failure
            #expect(over?.code == .bodyTooLarge)
        }

        @Test("An obs-folded field is joined by one space")
        func folded() async throws {
            let server = try FaultServer(raw: "HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\tc\r\nContent-Length: 0\r\n\r\n")
            let client = try TransportKind.curl.client()
            #expect(try await client.send(client.request(.get, server.url)).headers["X"] == "a b c")
        }

        @Test("A field that libcurl delivers in pieces arrives whole", arguments: [16_380, 16_384, 32_768, 60_000])
        func long(_ count: Int) async throws {
            let value = String((0..<count).map { Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26))) })
            let server = try FaultServer(
                raw: "HTTP/1.1 200 OK\r\nX: \(value)\r\n z\r\nY: b\r\nContent-Length: 2\r\n\r\nok")
            let client = try TransportKind.curl.client()
            let response = try await client.send(client.request(.get, server.url))
            #expect(response.headers["X"] == value + " z" && response.headers["Y"] == "b")
            #expect(response.bytes == Array("ok".utf8))
        }
    }
#endif
