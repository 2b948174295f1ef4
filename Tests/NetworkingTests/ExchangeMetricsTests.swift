import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

#if os(Linux)
    /// The measurements of exchanges, compared with the bytes and addresses that the server sees.
    @Suite(.timeLimit(.minutes(5))) struct ExchangeMetricsTests {
        /// A request and a response whose bytes a server counts.
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            var method = HTTPMethod.get
            var body = RequestBody.empty
            var options = RequestOptions()
            var response = answer(body: "hello")
        }

        static let cases: [Case] = {
            let pieces = AsyncStream<[UInt8]> { continuation in
                for size in [1, 300, 70_000] { continuation.yield([UInt8](repeating: 7, count: size)) }
                continuation.finish()
            }
            var expecting = RequestOptions()
            expecting.acceptedStatuses = nil
            return [
                Case(testDescription: "GET"), Case(testDescription: "HEAD", method: .head),
                Case(testDescription: "POST of 5 bytes", method: .post, body: .text("hello")),
                Case(testDescription: "POST without bytes", method: .post),
                Case(
                    testDescription: "PUT of 64 KiB", method: .put, body: .bytes([UInt8](repeating: 1, count: 65_536))),
                Case(
                    testDescription: "PUT of 1 MiB", method: .put, body: .bytes([UInt8](repeating: 1, count: 1 << 20))),
                Case(testDescription: "PUT in chunks", method: .put, body: .once(pieces)),
                Case(
                    testDescription: "chunked response",
                    response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
                Case(
                    testDescription: "interim head", response: "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + answer()),
                Case(testDescription: "status 204", response: "HTTP/1.1 204 None\r\n\r\n"),
                Case(testDescription: "status 500", options: expecting, response: answer(500, body: "broken")),
            ]
        }()

        @Test("The bytes of bodies are those that the server receives and sends", arguments: cases)
        func bytes(input: Case) async throws {
            let seen = Mutex<Int?>(nil)
            let server = try FaultServer { connection in
                guard let head = connection.head() else { return }
                var body = 0
                if let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap({ Int($0.1) }) {
                    body = connection.take(length)?.count ?? 0
                } else if head.contains("Transfer-Encoding: chunked") {
                    var bytes: [UInt8] = []
                    while !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8), let piece = connection.receive() {
                        bytes += piece
                    }
                    body = bytes.count
                }
                seen.withLock { $0 = body }
                let isHead = head.hasPrefix("HEAD")
                let end = input.response.range(of: "\r\n\r\n", options: .backwards)?.upperBound
                connection.write(isHead ? String(input.response[..<(end ?? input.response.endIndex)]) : input.response)
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(input.method, server.url + "/x?y=1", body: input.body)
            request.options.acceptedStatuses = input.options.acceptedStatuses
            request.options.measures = true
            let metrics = try #require(try await client.send(request).metrics)
            let sent = try #require(seen.withLock { $0 })
            #expect(metrics.sentBodyBytes == sent)
            let isChunked = input.response.contains("chunked")
            let received = isChunked ? "5\r\nhello\r\n0\r\n\r\n".utf8.count : input.response.contains("hello") ? 5 : 0
            let body = input.method == .head ? 0 : input.response.contains("broken") ? 6 : received
            #expect(metrics.receivedBodyBytes == body)
        }

        @Test("Addresses, protocol and times are those of the connection, also of a reused one")
        func connection() async throws {
            let server = try FaultServer(answering: { _ in answer(body: "x") })
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.measures = true
            let first = try #require(try await client.send(request).metrics)
            #expect(first.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(first.protocolName == "http/1.1")
            #expect(first.tlsVersion == nil)
            #expect(first.reusedConnection == false)
            let connected = try #require(first.connected)
            let firstByte = try #require(first.firstByte)
            #expect(connected <= firstByte)
            #expect(firstByte <= first.duration + .milliseconds(1))
            let second = try #require(try await client.send(request).metrics)
            #expect(second.reusedConnection == true)
            #expect(second.connected == nil)
            #expect(server.connectionCount == 1)
        }

        @Test("An IPv6 address is reported without brackets and described with them")
        func ipv6() async throws {
            let server = try FaultServer.onIPv6 { connection in
                while connection.request() != nil { connection.write(answer()) }
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, "http://[::1]:\(server.port)/")
            request.options.measures = true
            let metrics = try #require(try await client.send(request).metrics)
            #expect(metrics.remoteAddress == "[::1]:\(server.port)")
        }

        @Test(
            "TLS and HTTP/2 are reported with their versions",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"))
        func secure() async throws {
            let server = try await offPool { try SecureNginx() }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            let client = try TransportKind.curl.client(configuration)
            for isReused in [false, true] {
                var request = try client.request(.get, server.url + "/which")
                request.options.measures = true
                let metrics = try #require(try await client.send(request).metrics)
                #expect(metrics.protocolName == (TLSServer.offersHTTP2 ? "h2" : "http/1.1"))
                #expect(["1.2", "1.3"].contains(metrics.tlsVersion))  // depends on nginx
                #expect(metrics.reusedConnection == isReused)
                #expect((metrics.secured != nil) == !isReused)
                #expect(metrics.receivedBodyBytes > 0)
            }
        }

        @Test(
            "The version of TLS is the negotiated one, also of a reused connection",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"))
        func tls() async throws {
            let server = try await offPool { try TLSServer("good") }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            let client = try TransportKind.curl.client(configuration)
            var request = try client.request(.get, "https://127.0.0.1:\(server.port)/")
            request.options.measures = true
            for _ in 0..<2 { #expect(try await client.send(request).metrics?.tlsVersion == "1.3") }
        }

        @Test("Nothing is measured unless the request asks for it, and a stream has measurements at its end")
        func onDemand() async throws {
            let server = try FaultServer(answering: { _ in answer(body: "hello") })
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            #expect(try await client.send(request).metrics == nil)
            request.options.measures = true
            let response = try await client.stream(request)
            while try await response.body.next() != nil {}
            #expect(response.metrics?.receivedBodyBytes == 5)
        }

        @Test("A download has measurements")
        func download() async throws {
            let server = try FaultServer(answering: { _ in answer(body: "hello") })
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.measures = true
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try await client.download(request, to: file.path).metrics?.receivedBodyBytes == 5)
        }

        @Test("A compressed body is measured before decompression")
        func compressed() async throws {
            let bytes = Array(repeating: UInt8(ascii: "a"), count: 5000)
            let small = Gzip.encode(bytes)
            let server = try FaultServer(
                raw: Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(small.count)\r\n\r\n".utf8)
                    + small)
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.measures = true
            let response = try await client.send(request)
            #expect(response.bytes == bytes)
            #expect(response.metrics?.receivedBodyBytes == small.count)
        }

        // MARK: Observers

        /// Records the events of a client.
        final class Recorder: Sendable {
            let events = Mutex<[NetworkEvent]>([])
            func observer(observesExchanges: Bool) -> NetworkObserver {
                NetworkObserver(observesExchanges: observesExchanges) { [self] event in
                    events.withLock { $0.append(event) }
                }
            }
            func kinds() -> [NetworkEvent.Kind] { events.withLock { $0.map(\.kind) } }
        }

        @Test("An observer that asks for exchanges receives the measurements of each hop before the end, others none")
        func observer() async throws {
            let server = try FaultServer(answering: { request in
                request.target == "/old" ? answer(302, ["Location: /new"]) : answer(body: "hello")
            })
            let (asking, silent) = (Recorder(), Recorder())
            var configuration = ClientConfiguration()
            configuration.observers = [
                asking.observer(observesExchanges: true), silent.observer(observesExchanges: false),
            ]
            let client = try TransportKind.curl.client(configuration)
            let response = try await client.send(client.request(.get, server.url + "/old"))
            #expect(response.metrics?.receivedBodyBytes == 5)
            let expected: [NetworkEvent.Kind] = [
                .began, .sent, .head, .measured, .redirected, .sent, .head, .measured, .ended,
            ]
            #expect(asking.kinds() == expected)
            #expect(!silent.kinds().contains(.measured))
            let measured = asking.events.withLock { $0.filter { $0.kind == .measured } }
            #expect(measured.map(\.attempt) == [1, 2])
            #expect(measured.allSatisfy { $0.metrics?.protocolName == "http/1.1" })
            #expect(Set(measured.map(\.request.url)) == [server.url + "/old", server.url + "/new"])
        }

        @Test("A failed exchange is measured: refused, ended within its body, over a limit, timed out")
        func failures() async throws {
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                if request.target == "/silent" { _ = connection.waitForClose() }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello")
                connection.finish()
            }
            let closed = try FaultServer(raw: "").port
            let recorder = Recorder()
            var configuration = ClientConfiguration()
            configuration.observers = [recorder.observer(observesExchanges: true)]
            let client = try TransportKind.curl.client(configuration)
            func metrics(_ target: String, idle: Duration = .seconds(60)) async throws -> ExchangeMetrics {
                var request = try client.request(.get, target)
                request.options.idleTimeout = idle
                let failing = request
                let count = recorder.events.withLock { $0.count { $0.metrics != nil } }
                #expect(
                    await outcome { () async throws(NetworkError) in try await client.send(failing) }.failure != nil)
                let all = recorder.events.withLock { $0.compactMap(\.metrics) }
                try #require(all.count == count + 1)
                return all[count]
            }
            let refused = try await metrics("http://127.0.0.1:\(closed)/")
            #expect(refused.remoteAddress == nil)
            #expect(refused.reusedConnection == nil)
            #expect(try await metrics(server.url + "/cut").receivedBodyBytes == 5)
            try await repeatingOnce(if: "the connection isn't made within the idle timeout") {
                let silent = try await metrics(server.url + "/silent", idle: .milliseconds(400))
                #expect(silent.duration >= .milliseconds(400))
                return silent.remoteAddress == "127.0.0.1:\(server.port)"
            }
        }

        @Test("Each exchange is measured once, also those that are cancelled at any time or wait for a connection")
        func cancelled() async throws {
            let server = try FaultServer { connection in
                while connection.request() != nil {
                    connection.pause(0.002)
                    connection.write(answer(body: "hello"))
                }
            }
            let recorder = Recorder()
            var configuration = ClientConfiguration()
            configuration.observers = [recorder.observer(observesExchanges: true)]
            configuration.transport.connectionsPerHost = 2
            let client = try TransportKind.curl.client(configuration)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    let task = Task { _ = try? await client.send(client.request(.get, server.url + "/\(number)")) }
                    group.addTask { await task.value }
                    if number % 2 == 0 {
                        group.addTask {
                            try? await Task.sleep(for: .microseconds(number * 300))
                            task.cancel()
                        }
                    }
                }
            }
            func count(_ kind: NetworkEvent.Kind) -> Int { recorder.kinds().count { $0 == kind } }
            try await until { count(.measured) >= count(.sent) }
            #expect(count(.began) == 60)
            #expect(count(.ended) == 60)
            #expect(count(.measured) == count(.sent))
            let queued = recorder.events.withLock { $0.compactMap(\.metrics?.queued).max() } ?? .zero
            #expect(queued > .milliseconds(1))
        }

        @Test("An observer that waits for another request of the client delays only its own request")
        func blocking() async throws {
            let server = try FaultServer(answering: { answer(body: $0.target) })
            let other = try TransportKind.curl.client()
            let client = Mutex<NetworkClient?>(nil)
            var configuration = ClientConfiguration()
            configuration.observers = [
                NetworkObserver(observesExchanges: true) { event in
                    guard event.kind == .measured, event.request.url.hasSuffix("/outer") else { return }
                    let done = DispatchSemaphore(value: 0)
                    guard let client = client.withLock({ $0 }),
                        let inner = try? client.request(.get, server.url + "/inner")
                    else { return }
                    Task {
                        _ = try? await client.send(inner)
                        done.signal()
                    }
                    #expect(done.wait(timeout: .now() + 20) == .success)
                }
            ]
            let made = try TransportKind.curl.client(configuration)
            client.withLock { $0 = made }
            #expect(try await made.send(made.request(.get, server.url + "/outer")).text() == "/outer")
            #expect(try await other.send(other.request(.get, server.url + "/x")).text() == "/x")
            client.withLock { $0 = nil }
        }
    }
#endif
