import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarOriginals
import AshlarTestSupport
import Foundation
import Testing

/// The documented calls of FTAsyncRequest and of SquidKit's endpoints, one by one.
@Suite(.timeLimit(.minutes(5))) struct NetworkingParityTests {
    // MARK: FTAsyncRequest

    private let queue = DispatchQueue(label: "callbacks")

    /// Runs a request of FTAsyncRequest and returns the arguments of its closure.
    private func outcome(
        _ url: String, _ start: (FTAsyncRequest) -> Void
    ) async -> (data: Data?, code: Int?, error: NetworkError?) {
        let calls = Counter()
        let result = await withCheckedContinuation { continuation in
            let request = FTAsyncRequest(
                url: url,
                onSuccess: { data in
                    if calls.next() == 0 {
                        continuation.resume(returning: (data as Data?, nil as Int?, nil as NetworkError?))
                    }
                },
                onFailure: { code, error in
                    if calls.next() == 0 { continuation.resume(returning: (nil, code, error)) }
                })
            request.queue = queue
            start(request)
        }
        #expect(calls.next() == 1)
        return result
    }

    @Test("initWithUrl:delegate:onSuccess:onFailure: and getAsynchronously")
    func get() async throws {
        let server = try FaultServer(answering: { answer(body: "\($0.method) \($0.target)") })
        let result = await outcome(server.url + "/GetProfil/") { $0.getAsynchronously() }
        #expect(result.data == Data("GET /GetProfil/".utf8))
        #expect(result.code == nil)
    }

    @Test("postAsynchronously: with the defaults 24 s, UTF-8, text/plain; charset=utf-8")
    func post() async throws {
        let server = try FaultServer(answering: { answer(body: "\($0.method) \($0["Content-Type"] ?? "-") \($0.text)") }
        )
        let result = await outcome(server.url) { request in
            #expect(request.timeout == 24)
            #expect(request.encoding == .utf8)
            #expect(request.contentType == "text/plain; charset=utf-8")
            request.postAsynchronously(Data("hé".utf8))
        }
        #expect(result.data == Data("POST text/plain; charset=utf-8 hé".utf8))
        let json = await outcome(server.url) { request in
            request.contentType = "application/json; charset=utf-8"
            request.timeout = 15
            request.postText(#"{"userFirstName": "Boris"}"#)
        }
        #expect(json.data == Data(#"POST application/json; charset=utf-8 {"userFirstName": "Boris"}"#.utf8))
        let latin = await outcome(server.url) { request in
            request.encoding = .ascii
            request.postText("日本")
        }
        #expect(latin.error?.code == .encodingFailed)
    }

    @Test("The failure has one number: the status, or the code of the URL error")
    func failure() async throws {
        let server = try FaultServer(answering: { answer(Int($0.target.dropFirst()) ?? 200, body: "x") })
        #expect(await outcome(server.url + "/404") { $0.getAsynchronously() }.code == 404)
        #expect(await outcome(server.url + "/500") { $0.getAsynchronously() }.code == 500)
        #expect(await outcome(server.url + "/204") { $0.getAsynchronously() }.data?.isEmpty == true)
        #expect(await outcome("http://127.0.0.1:1/") { $0.getAsynchronously() }.code == -1004)
        #expect(await outcome("http://no-such-host.invalid/") { $0.getAsynchronously() }.code == -1003)
        #expect(await outcome("nonsense") { $0.getAsynchronously() }.code == -1000)
    }

    @Test("The timeout is in whole seconds without any byte")
    func timeout() async throws {
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            _ = connection.waitForClose()
        }
        let start = ContinuousClock.now
        let result = await outcome(server.url) { request in
            request.timeout = 1
            request.getAsynchronously()
        }
        #expect(result.code == -1001)
        #expect(ContinuousClock.now - start >= .milliseconds(990))
    }

    @Test(
        "The timeout is 24 s by default and for 0",
        arguments: [(nil, 24), (15, 15), (0, 24), (-3, 24)] as [(Int?, Int)])
    func timeouts(set: Int?, sent: Int) async {
        let stub = StubTransport { _ in .text("x") }
        await withCheckedContinuation { continuation in
            let request = FTAsyncRequest(
                url: "http://h/", client: NetworkClient(transport: stub), onSuccess: { _ in continuation.resume() },
                onFailure: { _, _ in continuation.resume() })
            request.queue = DispatchQueue(label: "test")
            if let set { request.timeout = set }
            request.getAsynchronously()
        }
        #expect(stub.requests.map(\.options.idleTimeout) == [.seconds(sent)])
    }

    @Test("A query after the path of a class precedes the parameters")
    func queryInPath() async {
        final class Search: JSONResponseEndpoint, @unchecked Sendable {
            override func hostProtocol() -> String { "https" }
            override func host() -> String { "h.example" }
            override func path() -> String { "find it?q=a+b%26c&flag&q=" }
            override func params() -> ([String: any Sendable]?, HTTPMethod) { (["page": 2], .get) }
            override func callbackQueue() -> DispatchQueue { DispatchQueue(label: "test") }
        }
        let stub = StubTransport { _ in .json("{}") }
        await Search(client: NetworkClient(transport: stub)).connect { _, _ in }.value
        #expect(stub.requests.map(\.url.requestText) == ["https://h.example/find%20it?q=a%20b%26c&flag&q=&page=2"])
    }

    // MARK: SquidKit

    final class TestEndpoint: JSONResponseEndpoint, @unchecked Sendable {
        let server: String
        let place: String
        let method: HTTPMethod
        let parameters: [String: any Sendable]?
        let queue: DispatchQueue

        init(
            _ server: String, _ path: String, _ method: HTTPMethod, _ params: [String: any Sendable]?,
            _ queue: DispatchQueue, client: NetworkClient = .shared
        ) {
            (self.server, place, self.method, parameters, self.queue) = (server, path, method, params, queue)
            super.init(client: client)
        }

        override func host() -> String { server }
        override func path() -> String { place }
        override func params() -> ([String: any Sendable]?, HTTPMethod) { (parameters, method) }
        override func basicAuthPair() -> (user: String, password: String)? { ("u", "p") }
        override func callbackQueue() -> DispatchQueue { queue }
    }

    private func connect(_ endpoint: TestEndpoint) async -> (json: JSONEntity, status: String) {
        await withCheckedContinuation { continuation in
            endpoint.connect { json, status in continuation.resume(returning: (json, "\(status)")) }
        }
    }

    private static func echo(_ request: ServedRequest) -> String {
        let code = Int(request.target.split(separator: "/").last ?? "") ?? 200
        let body =
            request.target.hasPrefix("/scalar")
            ? "17"
            : request.target.hasPrefix("/text")
                ? "no json"
                : #"{"line": "\#(request.method) \#(request.target)", "type": "\#(request["Content-Type"] ?? "-")", "auth": "\#(request["Authorization"] ?? "-")", "body": \#(request.text.isEmpty ? "null" : request.text)}"#
        return answer(code, code == 418 ? ["Error": "teapot"].map { "\($0): \($1)" } : [], body: body)
    }

    @Test("host, path, params: GET and all others but POST in the query, POST as JSON")
    func parameters() async throws {
        let server = try FaultServer(answering: Self.echo)
        let host = "127.0.0.1:\(server.port)"
        let get = await connect(
            TestEndpoint(host, "get", .get, ["foo": "bar", "list": [1, 2], "yes": true, "d": ["k": "v w"]], queue))
        #expect(get.status == "OK")
        #expect(get.json["line"].string() == "GET /get?d%5Bk%5D=v%20w&foo=bar&list%5B%5D=1&list%5B%5D=2&yes=1")
        #expect(get.json["auth"].string() == "Basic dTpw")
        let put = await connect(TestEndpoint(host, "/x", .put, ["a": 1], queue))
        #expect(put.json["line"].string() == "PUT /x?a=1")
        let post = await connect(TestEndpoint(host, "p/q", .post, ["a": 1, "b": ["x", "y"]], queue))
        #expect(post.json["line"].string() == "POST /p/q")
        #expect(post.json["type"].string() == "application/json")
        #expect(post.json["body"]["b"].count == 2)
        let none = await connect(TestEndpoint(host, "get", .get, nil, queue))
        #expect(none.json["line"].string() == "GET /get")
    }

    final class Encoded: JSONResponseEndpoint, @unchecked Sendable {
        let server: String
        let scheme: String
        let way: EndpointEncoding?
        let queue: DispatchQueue

        init(_ server: String, _ scheme: String, _ way: EndpointEncoding?, _ queue: DispatchQueue) {
            (self.server, self.scheme, self.way, self.queue) = (server, scheme, way, queue)
            super.init()
        }

        override func hostProtocol() -> String { scheme }
        override func host() -> String { server }
        override func path() -> String { "p" }
        override func params() -> ([String: any Sendable]?, HTTPMethod) { (["a": "x y"], .put) }
        override func encoding() -> EndpointEncoding? { way }
        override func callbackQueue() -> DispatchQueue { queue }
    }

    @Test("encoding and hostProtocol can be overridden; schemes other than http(s) are rejected")
    func encodings() async throws {
        let server = try FaultServer(answering: { request in
            answer(body: #"{"got": "\#(request.target) \#(request.text.filter { $0 != "\"" })"}"#)
        })
        func got(_ scheme: String, _ way: EndpointEncoding?) async -> String {
            await withCheckedContinuation { continuation in
                Encoded("127.0.0.1:\(server.port)", scheme, way, queue).connect { json, status in
                    continuation.resume(returning: json["got"].string("\(status)"))
                }
            }
        }
        #expect(await got("http", nil) == "/p?a=x%20y ")
        #expect(await got("HTTP://", .query) == "/p?a=x%20y ")
        #expect(await got("http://", .form) == "/p a=x+y")
        #expect(await got("http://", .json) == "/p {a:x y}")
        #expect(await got("ftp://", nil).hasPrefix("UnknownError("))
    }

    @Test("The seven statuses")
    func statuses() async throws {
        let server = try FaultServer(answering: Self.echo)
        let host = "127.0.0.1:\(server.port)"
        func status(_ path: String, host: String) async -> String {
            await connect(TestEndpoint(host, path, .get, nil, queue)).status
        }
        #expect(await status("x", host: host) == "OK")
        #expect(await status("404", host: host) == #"HTTPError(code: 404, message: nil)"#)
        #expect(await status("418", host: host) == #"HTTPError(code: 418, message: Optional("teapot"))"#)
        #expect(await status("scalar", host: host) == "ResponseFormatError")
        #expect(await status("text", host: host) == "ResponseFormatError")
        #expect(await status("x", host: "127.0.0.1:1") == "HostConnectionError")
        #expect(await status("x", host: "no-such-host.invalid") == "HostConnectionError")
        #expect("\(NetworkError(.notConnected).responseStatus)" == "NotConnectedError")
        #expect("\(NetworkError(.fileFailed).responseStatus)" == "ResourceUnavailableError")
        #expect("\(NetworkError(.timedOut).responseStatus)".hasPrefix("UnknownError("))
    }

    @Test("Endpoints work with host environments without more code")
    func environments() async throws {
        let server = try FaultServer(answering: Self.echo)
        let client = NetworkClient { host, scheme in
            guard host == "httpbin.example", scheme == "http" else { return nil }
            return ProtocolHostPair(scheme: nil, host: "127.0.0.1:\(server.port)")
        }
        let result = await connect(TestEndpoint("httpbin.example", "get", .get, nil, queue, client: client))
        #expect(result.json["line"].string() == "GET /get")
    }
}
