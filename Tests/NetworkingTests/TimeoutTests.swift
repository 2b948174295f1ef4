import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct TimeoutTests {
    private func time(_ body: () async -> NetworkError?) async -> (NetworkError?, Duration) {
        let start = ContinuousClock.now
        let error = await body()
        return (error, ContinuousClock.now - start)
    }

    private func send(_ client: NetworkClient, _ request: NetworkRequest) async -> NetworkError? {
        await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
    }

    @Test("The idle timeout is exact to the millisecond", arguments: TransportKind.allCases, [250, 500])
    func idle(kind: TransportKind, milliseconds: Int) async throws {
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            _ = connection.waitForClose()
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.idleTimeout = .milliseconds(milliseconds)
        try await repeatingOnce(if: "the request is sent after the timeout") {
            let (error, passed) = await time { await send(client, request) }
            #expect(error?.code == .timedOut)
            #expect(passed > .milliseconds(milliseconds - 2) && passed < .seconds(20))
            return error?.phase == .wait
        }
    }

    @Test("A slow drip ends at the total timeout, not at the idle timeout", arguments: TransportKind.allCases)
    func drip(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while connection.write("x") { connection.pause(0.05) }
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.idleTimeout = .milliseconds(800)
        request.options.totalTimeout = .milliseconds(1200)
        try await repeatingOnce(if: "the server is late for the idle timeout") {
            let (error, passed) = await time { await send(client, request) }
            #expect(error?.code == .timedOut)
            #expect(passed < .seconds(20))
            return error?.phase == .receive && passed > .milliseconds(1190)
        }
    }

    @Test("A stall in the middle of a body ends at the idle timeout", arguments: TransportKind.allCases)
    func stall(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            _ = connection.waitForClose()
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.idleTimeout = .milliseconds(400)
        try await repeatingOnce(if: "the first bytes arrive after the idle timeout") {
            guard let response = try? await client.stream(request), let bytes = try? await response.body.next() else {
                return false
            }
            #expect(bytes == Array("hello".utf8))
            let error = await #expect(throws: NetworkError.self) { try await response.body.next() }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .receive)
            return true
        }
    }

    @Test("The total timeout includes redirects", arguments: TransportKind.allCases)
    func totalSpansRedirects(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            while connection.request() != nil {
                connection.pause(0.2)
                connection.write(answer(302, ["Location: /\(UInt32.random(in: 0...UInt32.max))"]))
            }
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.totalTimeout = .milliseconds(700)
        try await repeatingOnce(if: "the first redirect arrives after the total timeout") {
            let (error, passed) = await time { await send(client, request) }
            #expect(error?.code == .timedOut)
            #expect(passed < .seconds(20))
            return (error?.attempts ?? 0) >= 2
        }
    }

    #if os(Linux)
        @Test(
            "A handshake without a response ends at the connect timeout, an unread upload at the idle timeout"
        )
        func phases() async throws {
            let server = try FaultServer { connection in _ = connection.waitForClose() }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")  // not every libcurl finds the system's
            let client = try TransportKind.curl.client(configuration)
            var request = try client.request(.get, "https://127.0.0.1:\(server.port)/?token=secret")
            request.options.connectTimeout = .milliseconds(400)
            try await repeatingOnce(if: "the connection isn't accepted within the connect timeout") {
                let (error, passed) = await time { await send(client, request) }
                #expect(error?.code == .timedOut, "\(String(describing: error))")
                #expect(error?.description.contains("secret") == false && error?.attempts == 1)
                #expect(passed > .milliseconds(395) && passed < .seconds(20))
                return error?.phase == .tls
            }
            let isOver = DispatchSemaphore(value: 0)
            let deaf = try FaultServer { connection in
                guard connection.head() != nil else { return }
                _ = isOver.wait(timeout: .now() + 60)
            }
            var upload = try client.request(.post, deaf.url, body: .bytes([UInt8](repeating: 1, count: 64 << 20)))
            upload.options.idleTimeout = .milliseconds(500)
            try await repeatingOnce(if: "the connection isn't made within the idle timeout") {
                let stuck = await send(client, upload)
                isOver.signal()
                #expect(stuck?.code == .timedOut, "\(String(describing: stuck))")
                return stuck?.phase == .send
            }
        }

        @Test("A connection without a response ends at the connect timeout")
        func connect() async throws {
            // A listener whose queue is full leaves further connections unanswered.
            let server = try FullListener()
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, "http://127.0.0.1:\(server.port)/")
            request.options.connectTimeout = .milliseconds(200)
            let (error, passed) = await time { await send(client, request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .connect)
            #expect(passed > .milliseconds(195) && passed < .seconds(20))
        }

        @Test("The idle time begins again when the connection is made")
        func idleAfterConnecting() async throws {
            let proxy = try FaultServer { connection in
                guard connection.head() != nil else { return }
                connection.pause(1.2)
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
                guard connection.request() != nil else { return }
                connection.pause(1.2)
                connection.write(answer(body: "ok"))
            }
            var configuration = ClientConfiguration()
            configuration.transport.addresses = ["slow.invalid": "127.0.0.1"]
            configuration.transport.proxy = try NetworkProxy(proxy.url)
            let client = try TransportKind.curl.client(configuration)
            var request = try client.request(.get, "http://slow.invalid:8080/")
            request.options.idleTimeout = .seconds(2)
            let sent = request
            try await repeatingOnce(if: "the proxy is late for the idle timeout") {
                (try? await client.send(sent).text()) == "ok"
            }
        }
    #endif

    @Test("A slow reader causes no idle timeout", arguments: TransportKind.allCases)
    func slowReader(kind: TransportKind) async throws {
        let total = 4 << 20
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            connection.write([UInt8](repeating: 7, count: total))
            _ = connection.waitForClose()
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.idleTimeout = .milliseconds(400)
        try await repeatingOnce(if: "the server is late for the idle timeout") {
            var count = 0
            do {
                let response = try await client.stream(request)
                while let chunk = try await response.body.next() {
                    if count == 0 { try await Task.sleep(for: .milliseconds(900)) }
                    count += chunk.count
                }
            } catch let error as NetworkError where error.code == .timedOut {
                return false
            }
            #expect(count == total)
            return true
        }
    }

    @Test("A slow upload causes no idle timeout", arguments: TransportKind.allCases)
    func slowUpload(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            guard connection.head() != nil else { return }
            for _ in 0..<64 {
                guard connection.take(1 << 20) != nil else { return }
                connection.pause(0.02)
            }
            connection.write(answer(body: "done"))
        }
        let client = try kind.client()
        var request = try client.request(.post, server.url, body: .bytes([UInt8](repeating: 1, count: 64 << 20)))
        // Longer than the server reads what the buffers of a connection hold, and shorter than the upload.
        request.options.idleTimeout = .milliseconds(600)
        try await repeatingOnce(if: "the server is late for the idle timeout") {
            do {
                let text = try await client.send(request).text()
                #expect(text == "done")
                return true
            } catch let error as NetworkError where error.code == .timedOut {
                return false
            }
        }
    }

    @Test("A closed port and an unknown name cause different errors", arguments: TransportKind.allCases)
    func unreachable(kind: TransportKind) async throws {
        let port = try FaultServer(raw: "").port  // closed at once
        let client = try kind.client()
        let refused = await send(client, try client.request(.get, "http://127.0.0.1:\(port)/"))
        #expect(refused?.code == .cannotConnect)
        #expect(refused?.phase == .connect)
        #expect(refused?.isTransient == true)
        let unknown = await send(client, try client.request(.get, "http://no-such-host.invalid/"))
        #expect(unknown?.code == .hostNotFound)
        #expect(unknown?.phase == .resolve)
    }
}
