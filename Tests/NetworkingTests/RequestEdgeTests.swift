import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

private struct At: Endpoint {
    typealias Output = String
    var host: EndpointHost
    var path: EndpointPath = ""
    var query: HTTPQuery = [:]
    var method: HTTPMethod = .get
    var headers: HTTPHeaders = [:]
    var body: RequestBody = .empty
}

/// Sent requests: paths, queries, fields and credentials in every spelling, as the server receives them.
@Suite(.timeLimit(.minutes(5))) struct RequestEdgeTests {
    private static let target: @Sendable (ServedRequest) -> String = { answer(body: $0.target) }

    @Test(
        "Any interpolated value arrives as one segment", arguments: TransportKind.allCases,
        [
            ("/", "%2F"), ("?", "%3F"), ("#", "%23"), ("%", "%25"), ("...", "..."), (" ", "%20"), ("%2F", "%252F"),
            ("a%20b", "a%2520b"), ("ü/日本", "%C3%BC%2F%E6%97%A5%E6%9C%AC"),
            ("\u{1F468}\u{200D}", "%F0%9F%91%A8%E2%80%8D"),
            ("e\u{301}", "e%CC%81"), ("\0", "%00"), ("\r\nX: y", "%0D%0AX%3A%20y"), ("../..", "..%2F.."),
            ("a:b@c", "a%3Ab%40c"),
            ("+&=;,$!'()*", "%2B%26%3D%3B%2C%24%21%27%28%29%2A"), ("\\", "%5C"), ("-._~", "-._~"), (".%2e", ".%252e"),
            ("\u{202E}", "%E2%80%AE"),
        ])
    func segments(kind: TransportKind, input: (value: String, written: String)) async throws {
        let (value, written) = input
        let server = try FaultServer(answering: Self.target)
        let client = try kind.client()
        let text = try await client.send(At(host: .url(server.url + "/base/"), path: "a/\(value)/z"))
        #expect(text == "/base/a/\(written)/z")
    }

    @Test("Values that would leave their segment are rejected in every position", arguments: ["", ".", ".."])
    func strays(value: String) async throws {
        let client = NetworkClient(transport: StubTransport { _ in .status(200) })
        let paths: [EndpointPath] = [
            "\(value)", "/\(value)", "\(value)/x", "a/\(value)", "a/\(value)/", "a/\(value)/b",
        ]
        for path in paths {
            let error = await outcome { () async throws(NetworkError) in
                try await client.send(At(host: "h", path: path))
            }
            #expect(error.failure?.code == .invalidURL)
        }
        // With text next to it, the segment is different.
        #expect(try At(host: "h", path: "a/x\(value)/b").makeRequest().url.path == "/a/x\(value)/b")
        // Two values that are harmless alone but lead elsewhere together.
        #expect(throws: NetworkError.self) { try At(host: "h", path: "a/\(".")\(".")/b").makeRequest() }
    }

    @Test(
        "A query preserves order, repeated names and empty values; no value can end it",
        arguments: TransportKind.allCases)
    func queries(kind: TransportKind) async throws {
        let server = try FaultServer(answering: Self.target)
        let client = try kind.client()
        var query: HTTPQuery = [
            "b": 1, "a": "", "b": "+ &=#?/", "n": nil, "list": ["x", "y"], "none": [String](), "t": true,
        ]
        query.append("flag")
        query.append("", "empty name")
        query.append("c", "1,2,3")
        query.append("ü\r\n\0", "日")
        let expected =
            "b=1&a=&b=%2B%20%26%3D%23%3F%2F&list=x&list=y&t=true&flag&=empty%20name&c=1%2C2%2C3&%C3%BC%0D%0A%00=%E6%97%A5"
        #expect(try await client.send(At(host: .url(server.url + "/p"), query: query)) == "/p?" + expected)
        #expect(try await client.send(At(host: .url(server.url + "/p?x=a+b&"), query: ["q": 1])) == "/p?x=a+b&&q=1")
        #expect(try await client.send(At(host: .url(server.url + "/p?"), query: ["q": 1])) == "/p?q=1")
        #expect(try await client.send(At(host: .url(server.url + "/p"), query: [:])) == "/p")
        #expect(HTTPQuery([.init("", nil), .init("a", "1")]).queryText == "&a=1")
    }

    @Test("The defaults are as documented")
    func defaults() {
        let (configuration, options) = (ClientConfiguration(), RequestOptions())
        #expect(options.connectTimeout == nil)
        #expect(options.idleTimeout == .seconds(24))
        #expect(options.totalTimeout == .seconds(300) && options.redirects == 10)
        #expect(options.decompresses)
        #expect(options.maximumCollectedBytes == 16 << 20 && options.maximumBodyBytes == nil)
        #expect(options.maximumDecompressionRatio == 100)
        #expect(configuration.transport.connectionsPerHost == 8 && configuration.transport.connections == 128)
        #expect(
            configuration.transport.connectionIdleTime == .seconds(55)
                && !configuration.transport.usesEnvironmentProxies)
    }

    @Test("A form is written as by browsers")
    func forms() {
        let query: HTTPQuery = ["a b": "*-._~", "ü": "+&=%", "line": "1\r\n2", "q": "\"'()!"]
        #expect(
            RequestBody.form(query).inMemory.map { String(decoding: $0, as: UTF8.self) }
                == "a+b=*-._%7E&%C3%BC=%2B%26%3D%25&line=1%0D%0A2&q=%22%27%28%29%21")
        #expect(query.queryText == "a%20b=%2A-._~&%C3%BC=%2B%26%3D%25&line=1%0D%0A2&q=%22%27%28%29%21")
    }

    @Test(
        "No part of a request can split it",
        arguments: ["name", "value", "client", "method", "content type", "sensitive", "latin", "host field", "length"])
    func injection(place: String) async throws {
        for end in ["\r\nX-Evil: 1", "\n", "\r", "\0", "\u{1}", "\u{7F}"] {
            let server = try FaultServer(answering: { _ in answer() })
            var configuration = ClientConfiguration()
            if place == "client" { configuration.headers["X"] = "a" + end }
            let inner: [any NetworkTransport] = try TransportKind.allCases.map {
                try $0.client(configuration).transport
            }
            let stub = StubTransport { _ in .status(200) }
            let all = inner + [stub]
            for transport in all {
                let client = NetworkClient(configuration, transport: transport)
                var request = try client.request(.post, server.url)
                switch place {
                case "name": request.headers.append("X" + end, "1")
                case "value": request.headers.append("X", "1" + end)
                case "method": request.method = HTTPMethod(rawValue: "GET" + end)
                case "content type": request.body = .text("x", contentType: "text/plain" + end)
                case "sensitive": request.headers.append("X", end + "1", isSensitive: true)
                case "latin": request.headers.append("X", "\u{100}\(end.count)")
                case "host field": request.headers.append("hOsT", "evil.example")
                case "length": request.headers.append("Content-length", "0")
                default: break
                }
                let sent = request
                let error = await outcome { () async throws(NetworkError) in try await client.send(sent) }.failure
                #expect(error?.code == .invalidHeader, "\(place) \(end.debugDescription) \(type(of: transport))")
                #expect(error?.attempts == 0)
                if place != "client", place != "method", place != "content type" {
                    // The transports also check this themselves.
                    let alone = await outcome { () async throws(NetworkError) in try await transport.send(sent) }
                        .failure
                    if !(transport is StubTransport) {
                        #expect(alone?.code == .invalidHeader)
                    }
                }
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test(
        "A URL with user information is rejected before anything is sent, and the error hides it",
        arguments: ["name:word", "name", ":word", "na%40me:wo%3Ard", "%C3%BC:%E2%82%AC", "a1:b2:c3"])
    func userInfo(written: String) async throws {
        let stub = StubTransport { _ in .status(200) }
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "http://\(written)@a/")
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .invalidURL && error?.description.contains(written) == false)
        #expect(stub.requests.isEmpty)
    }

    @Test(
        "Different spellings of a host and port are the same",
        arguments: [
            ("HTTP://LOCALHOST:PORT/x", "localhost:PORT"), ("http://127.0.0.1:PORT?q", "127.0.0.1:PORT"),
            ("http://127.0.0.1:0PORT/", "127.0.0.1:PORT"),
        ])
    func hosts(text: String, field: String) async throws {
        let server = try FaultServer(answering: { answer(body: $0["Host"] ?? "-") })
        func filled(_ text: String) -> String {
            text.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(server.port)")
        }
        for kind in TransportKind.allCases {
            let client = try kind.client()
            guard filled(text).split(separator: ":").last.map({ $0.prefix { $0.isNumber }.count <= 5 }) == true else {
                continue
            }
            let host = try await client.send(client.request(.get, filled(text))).text()
            #expect(host == filled(field))
        }
    }

    @Test(
        "An invalid name and a malformed address are rejected with their offset",
        arguments: [
            ("http://ü.example/", "xn--"), ("http://a..b/", "empty parts"),
            ("http://a.example../", "empty parts"),
            ("http://[::1%lo]/", "zone"), ("http://[v1.x]/", "IPv6"),
            ("http://a b/", "space"),
            ("http://[1:2:3:4:5:6:7::]:x/", "port"), ("http://a:65536/", "65536"), ("http://a:+80/", "digits"),
        ])
    func refusedHosts(text: String, word: String) {
        let error = #expect(throws: NetworkError.self) { try HTTPURL(text) }
        #expect(error?.code == .invalidURL && error?.phase == .prepare && error?.offset != nil)
        #expect(error?.message.contains(word) == true, "\(String(describing: error))")
    }

    @Test("Progress is reported while a body arrives", arguments: TransportKind.allCases)
    func earlyProgress(kind: TransportKind) async throws {
        let isReported = DispatchSemaphore(value: 0)
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            #expect(isReported.wait(timeout: .now() + 60) == .success)
            connection.write("later")
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.progress = { if $0.received == 5, $0.toReceive == 10 { isReported.signal() } }
        #expect(try await client.send(request).text() == "firstlater")
    }

    @Test(
        "Progress never decreases and ends at the transferred bytes, with or without a known length",
        arguments: TransportKind.allCases,
        [true, false])
    func progress(kind: TransportKind, isKnown: Bool) async throws {
        let total = 600_000
        let server = try FaultServer { connection in
            while let request = connection.request() {
                let body = [UInt8](repeating: 1, count: total)
                connection.write("HTTP/1.1 200 OK\r\n")
                connection.write(isKnown ? "Content-Length: \(total)\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: total, by: 50_000) {
                    if !isKnown { connection.write("C350\r\n") }
                    connection.write(body[start..<(start + 50_000)])
                    if !isKnown { connection.write("\r\n") }
                }
                if !isKnown { connection.write("0\r\n\r\n") }
                _ = request
            }
        }
        let client = try kind.client()
        let seen = Mutex<[TransferProgress]>([])
        let stream: @Sendable () -> AsyncStream<[UInt8]> = {
            AsyncStream { continuation in
                for _ in 0..<10 { continuation.yield([UInt8](repeating: 2, count: 30_000)) }
                continuation.finish()
            }
        }
        var request = try client.request(.post, server.url, body: .stream(length: isKnown ? 300_000 : nil, stream))
        request.options.progress = { now in seen.withLock { $0.append(now) } }
        _ = try await client.send(request)
        try await until { seen.withLock { $0.last?.received } == total }
        let all = seen.withLock { $0 }
        #expect(all.map(\.sent) == all.map(\.sent).sorted() && all.last?.sent == 300_000)
        #expect(all.map(\.received) == all.map(\.received).sorted())
        if isKnown {
            #expect(all.last?.toReceive == total && all.last?.toSend == 300_000)
        } else {
            #expect(all.allSatisfy { $0.toReceive == nil })
        }
    }
}
