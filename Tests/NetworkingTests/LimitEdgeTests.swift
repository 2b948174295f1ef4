import AshlarNetworking
import AshlarNetworkingTestSupport
import Foundation
import Testing

/// Limits at their exact value, and announced lengths without bytes.
@Suite(.timeLimit(.minutes(5))) struct LimitEdgeTests {
    private func code(_ client: NetworkClient, _ request: NetworkRequest) async -> NetworkError.Code? {
        await outcome { () async throws(NetworkError) in try await client.send(request) }.failure?.code
    }

    @Test(
        "A body of exactly the limit passes, one byte more does not", arguments: TransportKind.allCases,
        ["length", "chunks", "close"])
    func body(kind: TransportKind, framing: String) async throws {
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            let text = String(repeating: "x", count: 1000)
            switch framing {
            case "length": connection.write(answer(body: text))
            case "chunks":
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3E8\r\n\(text)\r\n0\r\n\r\n")
            default: connection.write("HTTP/1.1 200 OK\r\n\r\n" + text)
            }
            connection.finish()
        }
        let client = try kind.client()
        for (limit, passes) in [(1000, true), (999, false), (0, false)] {
            var request = try client.request(.get, server.url)
            request.options.maximumBodyBytes = limit
            #expect(await code(client, request) == (passes ? nil : .bodyTooLarge))
            request.options.maximumBodyBytes = nil
            request.options.maximumCollectedBytes = limit
            #expect(await code(client, request) == (passes ? nil : .bodyTooLarge))
        }
    }

    @Test(
        "HEAD and 304 announce no body, so no limit applies", arguments: TransportKind.allCases,
        ["HEAD", "304"])
    func announced(kind: TransportKind, what: String) async throws {
        let server = try FaultServer(answering: { _ in
            "HTTP/1.1 \(what == "HEAD" ? 200 : 304) S\r\nContent-Length: 99999999999\r\n\r\n"
        })
        let client = try kind.client()
        var request = try client.request(what == "HEAD" ? .head : .get, server.url)
        request.options.acceptedStatuses = nil
        request.options.maximumBodyBytes = 10
        request.options.maximumCollectedBytes = 10
        let response = try await client.send(request)
        #expect(response.bytes.isEmpty && response.headers["Content-Length"] == "99999999999")
        let streamed = try await client.stream(request)
        #expect(try await streamed.collect(upTo: 10).bytes.isEmpty)
    }

    @Test(
        "A huge announced length allocates nothing", arguments: TransportKind.allCases,
        ["9223372036854775807", "99999999999999"])
    func hostileLength(kind: TransportKind, length: String) async throws {
        let server = try FaultServer(raw: "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nfew")
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.maximumCollectedBytes = nil
        let unlimited = request
        let error = await outcome { () async throws(NetworkError) in try await client.send(unlimited) }.failure
        #expect(error?.code == .truncated)
        #expect(error?.bodyPrefix == Array("few".utf8))
        request.options.maximumCollectedBytes = 1000
        #expect(await code(client, request) == .bodyTooLarge)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)").path
        let files = [path, path + ".partial"]
        defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
        let download = request
        let broken = await outcome { () async throws(NetworkError) in try await client.download(download, to: path) }
        #expect(broken.failure?.code == .truncated)
    }

    #if os(Linux)
        @Test("A head of exactly the limits passes", arguments: [true, false])
        func head(isAtLimit: Bool) async throws {
            let start = "HTTP/1.1 200 OK\r\n"
            let fields = (0..<(isAtLimit ? 199 : 200)).map { "F\($0): x\r\n" }.joined() + "Content-Length: 0\r\n\r\n"
            let client = try TransportKind.curl.client()
            let many = try FaultServer(raw: start + fields)
            #expect(await code(client, try client.request(.get, many.url)) == (isAtLimit ? nil : .badResponse))
            let rest = start.utf8.count + "Content-Length: 0\r\n".utf8.count + "X: \r\n".utf8.count + 2
            let value = String(repeating: "v", count: (64 << 10) - rest + (isAtLimit ? 0 : 1))
            let long = try FaultServer(raw: start + "X: \(value)\r\nContent-Length: 0\r\n\r\n")
            #expect(await code(client, try client.request(.get, long.url)) == (isAtLimit ? nil : .badResponse))
            // Interim heads have their own limit of 32.
            let hint = "HTTP/1.1 103 Early\r\nLink: </\(String(repeating: "a", count: 3000))>\r\n\r\n"
            let interim = String(repeating: hint, count: isAtLimit ? 32 : 33)
            let storm = try FaultServer(raw: interim + answer())
            #expect(await code(client, try client.request(.get, storm.url)) == (isAtLimit ? nil : .badResponse))
        }
    #endif

    @Test("Chunks take precedence over a length", arguments: TransportKind.allCases)
    func chunksWin(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        })
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        #expect(try await client.send(request).text() == "hello")
        request.options.maximumBodyBytes = 4
        #expect(await code(client, request) == .bodyTooLarge)
    }

    @Test("A stub applies the limit of a body like a network")
    func stub() async throws {
        let client = NetworkClient(transport: StubTransport { _ in StubResponse(chunks: [[1, 2], [3, 4]]) })
        var request = try client.request(.get, "http://h/")
        request.options.maximumBodyBytes = 4
        #expect(try await client.send(request).bytes == [1, 2, 3, 4])
        request.options.maximumBodyBytes = 3
        let response = try await client.stream(request)
        #expect(try await response.body.next() == [1, 2])
        let error = await #expect(throws: NetworkError.self) { try await response.body.next() }
        #expect(error?.code == .bodyTooLarge && error?.limit == 3)
    }
}
