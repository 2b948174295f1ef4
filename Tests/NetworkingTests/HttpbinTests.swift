import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Conformance against httpbin on this machine: each case runs on every transport.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled("httpbin can't be had; the log has the reason") { await Httpbin.isThere() })
struct HttpbinTests {
    /// A request and its expected response.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var method = HTTPMethod.get
        var path: String
        var headers: HTTPHeaders = [:]
        var body = RequestBody.empty
        var status = 200
        var totalTimeout: Duration?
        var check: @Sendable (NetworkResponse) throws -> Void = { _ in }

        init(
            _ name: String, _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:],
            body: RequestBody = .empty, status: Int = 200,
            check: @escaping @Sendable (NetworkResponse) throws -> Void = { _ in }
        ) {
            (testDescription, self.method, self.path, self.headers, self.body) = (name, method, path, headers, body)
            (self.status, self.check) = (status, check)
        }
    }

    private func run(_ kind: TransportKind, _ input: Case, _ client: NetworkClient? = nil) async throws {
        let client = try client ?? kind.client()
        let base = try #require(await Httpbin.shared.value.url)
        var request = try client.request(input.method, base + input.path, headers: input.headers, body: input.body)
        request.options.acceptedStatuses = nil
        request.options.totalTimeout = input.totalTimeout ?? request.options.totalTimeout
        let sent = request
        let result = await outcome { () async throws(NetworkError) in try await client.send(sent) }
        let response = try result.get()
        #expect(response.status == input.status)
        try input.check(response)
    }

    // MARK: Methods and echo

    static let methods: [Case] = [verbs, anything, others].flatMap { $0 }

    private static let verbs: [Case] = [HTTPMethod.get, .post, .put, .patch, .delete].map { method -> Case in
        Case("/\(method.rawValue.lowercased())", method, "/\(method.rawValue.lowercased())?a=1&a=2&b=%C3%BC") {
            response in
            let json = try response.json()
            #expect(json["args"]["a"][1].string() == "2")
            #expect(json["args"]["b"].string() == "ü")
            #expect(json["headers"]["User-Agent"].string() == "Ashlar")
        }
    }

    private static let anything: [Case] = [HTTPMethod.get, .post, .put, .patch, .delete, "TRACE"].map {
        method -> Case in
        Case("/anything \(method)", method, "/anything/a%2Fb?q=%26", headers: ["X-One": "1"]) { response in
            let json = try response.json()
            #expect(json["method"].string() == method.rawValue)
            #expect(json["headers"]["X-One"].string() == "1")
            #expect(json["args"]["q"].string() == "&")
        }
    }

    private static let others: [Case] = [
        Case("HEAD /get", .head, "/get") { #expect($0.bytes.isEmpty && $0.headers.contains("Content-Length")) },
        Case("OPTIONS /get", .options, "/get") { #expect($0.headers.list(for: "Allow").contains("GET")) },
        Case("/headers", .get, "/headers") { r throws in #expect(try r.json()["headers"]["Accept"].string() == "*/*") },
        Case("/ip", .get, "/ip") { r throws in #expect(try r.json()["origin"].string() == "127.0.0.1") },
        Case("/user-agent", .get, "/user-agent") { r throws in #expect(try r.json()["user-agent"].string() == "Ashlar")
        },
        Case("/uuid", .get, "/uuid") { r throws in #expect(try r.json()["uuid"].string()?.count == 36) },
        Case("405", .put, "/get", status: 405), Case("404", .get, "/nowhere", status: 404),
    ]

    @Test("Methods and echo", arguments: TransportKind.allCases, methods)
    func sendsMethods(kind: TransportKind, input: Case) async throws { try await run(kind, input) }

    // MARK: Bodies

    static let bodies: [Case] = [HTTPMethod.post, .put, .patch, .delete].flatMap { method -> [Case] in
        let path = "/anything"
        return [
            Case("\(method) text", method, path, body: .text("hé")) { r throws in
                #expect(try r.json()["data"].string() == "hé")
            },
            Case("\(method) json", method, path, body: .json(["a": [1, 2]])) { r throws in
                #expect(try r.json()["json"]["a"][1].int() == 2)
                #expect(try r.json()["headers"]["Content-Type"].string() == "application/json")
            },
            Case("\(method) form", method, path, body: .form(["a": "x y&", "b": ["1", "2"]])) { r throws in
                #expect(try r.json()["form"]["a"].string() == "x y&")
                #expect(try r.json()["form"]["b"].count == 2)
            },
            Case("\(method) multipart", method, path, body: .multipart(form)) { r throws in
                #expect(try r.json()["form"]["title"].string() == "ü")
                #expect(try r.json()["files"]["file"].string() == "content")
            },
            Case("\(method) chunked", method, path, body: .stream { pieces }) { r throws in
                #expect(try r.json()["data"].string() == "onetwo")
            },
            Case("\(method) empty", method, path) { r throws in #expect(try r.json()["data"].string() == "") },
        ]
    }

    private static var form: MultipartForm {
        var form = MultipartForm()
        form.append("title", "ü")
        form.append("file", Array("content".utf8), filename: "a\"b.txt", contentType: "text/plain")
        return form
    }

    private static var pieces: AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(Array("one".utf8))
            continuation.yield(Array("two".utf8))
            continuation.finish()
        }
    }

    @Test("Bodies of every kind", arguments: TransportKind.allCases, bodies)
    func sendsBodies(kind: TransportKind, input: Case) async throws { try await run(kind, input) }

    // MARK: Authentication

    #if os(Linux)
        @Test(
            "Digest, basic and bearer credentials are accepted, and wrong ones rejected",
            arguments: [
                ("digest-auth/auth/u/p", .digest(user: "u", password: "p"), 200),
                ("digest-auth/auth/u/p/MD5", .digest(user: "u", password: "p"), 200),
                ("digest-auth/auth/u/p/SHA-256", .digest(user: "u", password: "p"), 200),
                ("digest-auth/both/u/p/SHA-256", .digest(user: "u", password: "p"), 200),
                ("digest-auth/auth/u/p/SHA-256/2", .digest(user: "u", password: "p"), 200),
                ("digest-auth/auth/u/p/SHA-256", .digest(user: "u", password: "q"), 401),
                // Plain SHA-512 isn't supported.
                ("digest-auth/auth/u/p/SHA-512", .digest(user: "u", password: "p"), 401),
                ("basic-auth/u/p", .basic(user: "u", password: "p"), 200),
                ("basic-auth/u/p", .basic(user: "u", password: "q"), 401),
                ("bearer", .bearer("t"), 200),
            ] as [(String, NetworkAuthentication, Int)])
        func authenticates(path: String, authentication: NetworkAuthentication, status: Int) async throws {
            var configuration = ClientConfiguration()
            configuration.authentication = authentication
            configuration.authentication?.allowsEveryHost = true
            let client = NetworkClient(configuration)
            let base = try #require(await Httpbin.shared.value.url)
            for attempt in 1...4 {
                let result = await outcome { () async throws(NetworkError) in
                    try await client.send(NetworkRequest(.get, "\(base)/\(path)"))
                }
                let found = result.failure?.status ?? (try? result.get())?.status
                #expect(found == status, "request \(attempt)")
            }
        }
    #endif

    // MARK: Statuses

    static let statuses: [Int] = [
        200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 304, 305, 306, 400, 401, 402, 403, 404, 405, 406, 407,
        408, 409,
        410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 500, 501, 502,
        503, 504,
        505, 506, 507, 508, 510, 511, 599,
    ]

    @Test("Statuses are returned unchanged and checked", arguments: TransportKind.allCases, statuses)
    func judgesStatuses(kind: TransportKind, status: Int) async throws {
        var input = Case("\(status)", .get, "/status/\(status)", status: status)
        input.totalTimeout = .seconds(3)
        try await run(kind, input)
        let client = try kind.client()
        let base = try #require(await Httpbin.shared.value.url)
        let request = try client.request(.get, base + "/status/\(status)")
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect((error == nil) == (200...299).contains(status))
        #expect(error == nil || error?.status == status)
    }

    // MARK: Redirects, cookies, credentials

    static let ways: [Case] = [counted, statusWays, sessions].flatMap { $0 }

    private static let counted: [Case] = [1, 5, 10].flatMap { count -> [Case] in
        ["/redirect/", "/relative-redirect/", "/absolute-redirect/"].map { path -> Case in
            Case("\(path)\(count)", .get, path + "\(count)") {
                #expect($0.history.count == count && $0.url.path == "/get")
            }
        }
    }

    private static let statusWays: [Case] = [301, 302, 303, 307, 308].flatMap { status -> [Case] in
        [HTTPMethod.get, .post, .put, .patch, .delete].map { method -> Case in
            let turns = status == 303 ? method != .get : (status == 301 || status == 302) && method == .post
            let body = method == .get ? RequestBody.empty : .text("payload")
            return Case(
                "/redirect-to \(status) \(method)", method, "/redirect-to?url=/anything&status_code=\(status)",
                body: body
            ) {
                let json = try $0.json()
                #expect(json["method"].string() == (turns ? "GET" : method.rawValue))
                #expect(json["data"].string() == (turns || method == .get ? "" : "payload"))
            }
        }
    }

    private static let sessions: [Case] = [
        Case("/cookies/set", .get, "/cookies/set?a=1&b=2") { r throws in
            #expect(try r.json()["cookies"]["a"].string() == "1")
            #expect(try r.json()["cookies"]["b"].string() == "2")
        },
        Case("/cookies/set/x/y", .get, "/cookies/set/x/y") { r throws in
            #expect(try r.json()["cookies"]["x"].string() == "y")
        },
        Case("/cookies with an own field", .get, "/cookies", headers: ["Cookie": "own=1"]) { r throws in
            #expect(try r.json()["cookies"]["own"].string() == "1")
        },
        Case(
            "/basic-auth", .get, "/basic-auth/u/p%20w",
            headers: ["Authorization": BasicCredentials(user: "u", password: "p w").field]
        ) { r throws in #expect(try r.json()["authenticated"].bool() == true) },
        Case("/hidden-basic-auth without", .get, "/hidden-basic-auth/u/p", status: 404),
        Case(
            "/hidden-basic-auth", .get, "/hidden-basic-auth/u/p",
            headers: ["Authorization": BasicCredentials(user: "u", password: "p").field]),
        Case("/bearer", .get, "/bearer", headers: ["Authorization": "Bearer abc"]) { r throws in
            #expect(try r.json()["token"].string() == "abc")
        },
    ]

    @Test("Redirects, cookies and credentials", arguments: TransportKind.allCases, ways)
    func goesWays(kind: TransportKind, input: Case) async throws { try await run(kind, input) }

    @Test("Cookies are set, sent and deleted by one client", arguments: TransportKind.allCases)
    func cookies(kind: TransportKind) async throws {
        let client = try kind.client()
        try await run(kind, Case("set", .get, "/cookies/set/a/1"), client)
        try await run(
            kind, Case("show", .get, "/cookies") { r throws in #expect(try r.json()["cookies"]["a"].string() == "1") },
            client)
        try await run(
            kind, Case("delete", .get, "/cookies/delete?a") { r throws in #expect(try r.json()["cookies"].count == 0) },
            client)
    }

    @Test("Credentials for 127.0.0.1 aren't sent to localhost", arguments: TransportKind.allCases)
    func crossOrigin(kind: TransportKind) async throws {
        let base = try #require(await Httpbin.shared.value.url)
        let other = base.split(separator: "127.0.0.1").joined(separator: "localhost")
        let input = Case(
            "cross", .get, "/redirect-to?url=\(other)/headers", headers: ["Authorization": "Bearer x", "X-Keep": "1"]
        ) { r throws in
            #expect(try r.json()["headers"]["Authorization"].isValid == false)
            #expect(try r.json()["headers"]["X-Keep"].string() == "1")
        }
        try await run(kind, input)
    }

    // MARK: Content

    static let content: [Case] = [sizes, streamed, lines, kinds].flatMap { $0 }

    private static let sizes: [Case] = [0, 1, 2, 100, 65_535, 65_536, 100_000].map { count -> Case in
        Case("/bytes/\(count)", .get, "/bytes/\(count)?seed=7") { #expect($0.bytes.count == count) }
    }

    private static let streamed: [Case] = [0, 1, 100_000].map { count -> Case in
        Case("/stream-bytes/\(count)", .get, "/stream-bytes/\(count)?seed=7&chunk_size=999") {
            #expect($0.bytes.count == count)
        }
    }

    private static let lines: [Case] = [1, 20, 100].map { count -> Case in
        Case("/stream/\(count)", .get, "/stream/\(count)") { response in
            let lines = try response.text().split(separator: "\n")
            #expect(lines.count == count)
            #expect(lines.last?.contains("\"id\": \(count - 1)") == true)
        }
    }

    private static let kinds: [Case] = [
        Case("/gzip", .get, "/gzip") { r throws in #expect(try r.json()["gzipped"].bool() == true) },
        Case("/deflate", .get, "/deflate") { r throws in #expect(try r.json()["deflated"].bool() == true) },
        Case("/brotli", .get, "/brotli") { r throws in
            #expect(try r.json()["brotli"].bool() == true)
        },
        Case("/encoding/utf8", .get, "/encoding/utf8") { r throws in #expect(try r.text().contains("∮ E⋅da = Q")) },
        Case("/json", .get, "/json") { r throws in #expect(try r.json()["slideshow"]["slides"].count == 2) },
        Case("/html", .get, "/html") { r throws in #expect(try r.text().contains("Moby-Dick")) },
        Case("/xml", .get, "/xml") { r throws in #expect(try r.text().hasPrefix("<?xml")) },
        Case("/robots.txt", .get, "/robots.txt") { r throws in #expect(try r.text().contains("Disallow: /deny")) },
        Case("/image/png", .get, "/image/png") { #expect($0.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])) },
        Case("/image/jpeg", .get, "/image/jpeg") { #expect($0.bytes.starts(with: [0xFF, 0xD8])) },
        Case("/links", .get, "/links/3/0") { r throws in #expect(try r.text().contains("/links/3/1")) },
        Case("/base64", .get, "/base64/aMOp") { r throws in #expect(try r.text() == "hé") },
        Case("/etag matching", .get, "/etag/abc", headers: ["If-None-Match": "\"abc\""], status: 304),
        Case("/etag other", .get, "/etag/abc", headers: ["If-None-Match": "\"x\""]),
        Case("/etag precondition", .get, "/etag/abc", headers: ["If-Match": "\"x\""], status: 412),
        Case(
            "/cache", .get, "/cache", headers: ["If-Modified-Since": "Wed, 21 Oct 2015 07:28:00 GMT"], status: 304),
        Case("/cache/60", .get, "/cache/60") { #expect($0.headers["Cache-Control"] == "public, max-age=60") },
        Case("/range", .get, "/range/100", headers: ["Range": "bytes=10-19"], status: 206) {
            #expect($0.bytes == Array("klmnopqrst".utf8))
            #expect($0.headers["Content-Range"] == "bytes 10-19/100")
        },
        Case("/range beyond", .get, "/range/100", headers: ["Range": "bytes=200-"], status: 416),
        Case("/response-headers", .get, "/response-headers?X-A=1&X-A=2&X-B=c%20d") {
            #expect($0.headers.values(for: "x-a") == ["1", "2"])
            #expect($0.headers["X-B"] == "c d")
        },
        Case("/delay", .get, "/delay/1"),
        Case("/drip", .get, "/drip?duration=0.5&numbytes=5&delay=0") { #expect($0.bytes == Array("*****".utf8)) },
        Case("/forms/post", .get, "/forms/post") { r throws in #expect(try r.text().contains("<form")) },
        Case("/deny", .get, "/deny") { r throws in #expect(try r.text().contains("YOU SHOULDN'T BE HERE")) },
    ]

    @Test("Content of every kind", arguments: TransportKind.allCases, content)
    func readsContent(kind: TransportKind, input: Case) async throws { try await run(kind, input) }

    @Test("Timeouts and cancellation while httpbin delays", arguments: TransportKind.allCases)
    func late(kind: TransportKind) async throws {
        let client = try kind.client()
        let base = try #require(await Httpbin.shared.value.url)
        var idle = try client.request(.get, base + "/delay/3")
        idle.options.idleTimeout = .milliseconds(300)
        var total = try client.request(.get, base + "/drip?duration=3&numbytes=30&delay=0")
        total.options.totalTimeout = .milliseconds(700)
        for request in [idle, total] {
            let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect(error?.code == .timedOut)
        }
        let sent = Counter()
        var configuration = ClientConfiguration()
        configuration.observers = [NetworkObserver { if $0.kind == .sent { _ = sent.next() } }]
        let observed = try kind.client(configuration)
        let slow = try observed.request(.get, base + "/delay/5")
        let task = Task { await outcome { () async throws(NetworkError) in try await observed.send(slow) }.failure }
        try await until { sent.value == 1 }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test("There are at least 120 cases per transport")
    func count() {
        let tables = [Self.methods, Self.bodies, Self.ways, Self.content].map(\.count)
        #expect(tables.reduce(Self.statuses.count, +) >= 120)
    }
}
