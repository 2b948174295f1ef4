import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import AshlarTesting
import Foundation
import Testing

/// Recording and replaying in combination: over a network, with redirects, cookies, binary bodies, faults and secrets.
@Suite(.timeLimit(.minutes(5))) struct ReplayEdgeTests {
    private struct Post: Endpoint {
        typealias Output = [UInt8]
        var host: EndpointHost
        let path: EndpointPath = "echo"
        let method: HTTPMethod = .post
        var query: HTTPQuery = [:]
        var headers: HTTPHeaders = [:]
        var body: RequestBody
    }

    @Test("The replay of a network session returns the same responses", arguments: TransportKind.allCases)
    func session(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            while let request = connection.request() {
                switch request.target {
                case "/login":
                    connection.write(
                        answer(302, ["Set-Cookie: sid=secret-1; Path=/", "Location: /home?token=secret-2"]))
                case "/home?token=secret-2": connection.write(answer(body: request["Cookie"] == nil ? "out" : "in"))
                default:
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                    connection.write(request.body.reversed())
                }
            }
        }
        let network = try kind.client()
        let recording = RecordingTransport(network.transport)
        let binary: [UInt8] = [0, 255, 128, 10, 13]
        func run(_ client: NetworkClient) async throws -> [String] {
            let home = try await client.send(client.request(.get, server.url + "/login"))
            let echo = try await client.send(Post(host: .url(server.url), body: .bytes(binary)))
            let text = try await client.send(
                Post(host: .url(server.url), body: .form(["password": "secret-3", "a": "b"])))
            return ["\(home.status) \(try home.text()) \(home.history.count)", "\(echo)", "\(text.count)"]
        }
        let live = try await run(NetworkClient(transport: recording))
        #expect(live[0] == "200 in 1" && live[1] == "\(Array(binary.reversed()))")
        let json = recording.archive.bytes()
        #expect(!String(decoding: json, as: UTF8.self).contains("secret-"))
        let replay = ReplayTransport(try HARArchive(json: json))
        #expect(try await run(NetworkClient(transport: replay)) == live)
        #expect(replay.unused.isEmpty)
    }

    @Test("No part of a request can split it", arguments: ["name", "value", "sensitive", "host field"])
    func injection(place: String) async throws {
        let stub = StubTransport { _ in .status(200) }
        for transport in [RecordingTransport(stub), ReplayTransport(HARArchive())] as [any NetworkTransport] {
            let client = NetworkClient(transport: transport)
            var request = try client.request(.post, "https://a.example/")
            switch place {
            case "name": request.headers.append("X\r\nX-Evil: 1", "1")
            case "value": request.headers.append("X", "1\n")
            case "sensitive": request.headers.append("X", "\0 1", isSensitive: true)
            default: request.headers.append("hOsT", "evil.example")
            }
            let sent = request
            let error = await outcome { () async throws(NetworkError) in try await client.send(sent) }.failure
            #expect(error?.code == .invalidHeader && error?.attempts == 0)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("The error for a different request names the most similar recording and the differences, without secrets")
    func mismatch() async throws {
        func entry(_ url: String, _ body: String) throws -> HAREntry {
            HAREntry(
                request: HARRequest(
                    .post, try HTTPURL(url), headers: ["Content-Type": "application/json"], body: Array(body.utf8)),
                response: HARResponse(status: 200))
        }
        let archive = HARArchive([
            try entry("https://other.example/far?x=1", "{}"),
            try entry("https://api.example.com/near?api_key=old-secret&page=2", #"{"a":1}"#),
        ])
        let client = NetworkClient(transport: ReplayTransport(archive))
        let request = try client.request(
            .post, "https://api.example.com/near?api_key=new-secret&page=3",
            headers: ["Authorization": "Bearer other-secret"],
            body: .bytes(Array(#"{ "a": 1.0, "password": "json-secret" }"#.utf8), contentType: "application/json"))
        let error = try #require(
            await outcome { () async throws(NetworkError) in try await client.send(request) }.failure)
        #expect(error.code == .notRecorded)
        let message = error.message
        #expect(message.contains("nearest is entry 1, POST https://api.example.com/near?api_key=<redacted>&page=2"))
        let query = try #require(message.range(of: "query: asked \"api_key=<redacted>&page=3\""))
        let body = try #require(message.range(of: "body: asked"))
        #expect(query.lowerBound < body.lowerBound)
        #expect(!"\(error)".contains("secret"), "\(error)")
    }

    @Test("Faults of a replay cause the same errors as those of a network")
    func faults() async throws {
        let url = try HTTPURL("https://h/")
        let archive = HARArchive([
            HAREntry(
                request: HARRequest(.get, url),
                response: HARResponse(status: 200, headers: ["Content-Length": "5"], body: Array("hello".utf8)))
        ])
        let calls = Counter()
        let transport = ReplayTransport(archive) { _, _, response throws(NetworkError) in
            switch calls.next() {
            case 0: throw NetworkError(.connectionLost, phase: .wait)
            case 1:
                response.chunks = [[1, 2]]
                response.bodyFailure = NetworkError(.truncated, phase: .receive)
            case 2:
                response.chunks = []
                response.bodyFailure = NetworkError(.truncated, phase: .receive)
            case 3: response.delay = .milliseconds(1)
            default: response.delay = .seconds(1000)
            }
        }
        let client = NetworkClient(transport: transport)
        var seen: [String] = []
        for number in 0..<5 {
            let result = await outcome { () async throws(NetworkError) in
                var request = try client.request(.get, "https://h/")
                if number == 4 { request.options.totalTimeout = .milliseconds(500) }
                return try await client.send(request)
            }
            switch result {
            case .success(let response): seen.append("\(response.bytes.count)")
            case .failure(let error):
                let phase = error.phase.map { "\($0)" } ?? "no phase"
                seen.append("\(error.code) in \(phase) \(error.bodyPrefix.count)")
            }
        }
        #expect(
            seen == [
                "connectionLost in wait 0", "truncated in receive 2", "truncated in receive 0", "5",
                "timedOut in wait 0",
            ])
    }

    @Test("Replay rejects invalid requests; fields and hosts can be ignored or compared")
    func matching() async throws {
        let url = try HTTPURL("https://a.example/x?q=1")
        let archive = HARArchive([
            HAREntry(
                request: HARRequest(.get, url, headers: ["Accept": "a", "X-Token": "<redacted>"]),
                response: HARResponse(status: 201))
        ])
        func status(_ matching: HARMatching, _ url: String, _ headers: HTTPHeaders = [:]) async throws -> Int? {
            let request = NetworkRequest(.get, try HTTPURL(url), headers: headers)
            let transport = ReplayTransport(archive, matching: matching)
            return try? await outcome { () async throws(NetworkError) in try await transport.send(request) }.get()
                .status
        }
        #expect(try await status(.strict, "https://a.example/x?q=1") == 201)
        #expect(try await status(.strict, "http://a.example/x?q=1") == nil)
        #expect(try await status(.strict, "https://a.example:8443/x?q=1") == nil)
        #expect(try await status(.strict, "https://a.example:443/x?q=1#part") == 201)
        #expect(try await status(.anyHost, "http://b.example:81/x?q=1") == 201)
        #expect(try await status(.anyHost, "http://b.example:81/x?q=2") == nil)
        #expect(try await status(.methodAndPath, "http://b.example/x") == 201)
        let fields = HARMatching([.path], headers: ["accept", "X-TOKEN"])
        #expect(try await status(fields, "http://b/x", ["ACCEPT": "a", "x-token": "mine"]) == 201)
        #expect(try await status(fields, "http://b/x", ["Accept": "b", "x-token": "mine"]) == nil)
        #expect(try await status(fields, "http://b/x", ["Accept": "a"]) == nil)
        #expect(try await status(.methodAndPath, "http://b/x", ["X": "a\r\nb"]) == nil)
    }

    @Test("A stream that ends by cancellation is not recorded as complete")
    func cancelledStream() async throws {
        let stub = StubTransport { _ in .status(200) }
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        continuation.yield([1])
        for transport in [RecordingTransport(stub), ReplayTransport(HARArchive())] as [any NetworkTransport] {
            let request = NetworkRequest(.post, try HTTPURL("http://h/"), body: .once(stream))
            let error = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await outcome { () async throws(NetworkError) in try await transport.send(request) }.failure
            }.value
            #expect(error?.code == .cancelled)
        }
        #expect(stub.requests.isEmpty)
        continuation.finish()
    }
}
