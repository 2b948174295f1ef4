import AshlarNetworking

extension Pattern {
    /// What a server sends.
    static let exchanges: [Pattern] = [
        Pattern("cookie: attributes", 150) { size in cookies(["a=b;" + repeated(" x#=y;", size)]) },
        Pattern("cookie: semicolons", 400) { size in cookies(["a=b" + repeated(";", size)]) },
        Pattern("cookies", 30) { size in cookies((0..<size).map { "a\($0)=b; Path=/p\($0)" }) },
        exchange("cache: directives", 60) { ["Cache-Control": repeated("max-age=#", $0, separator: ",")] },
        exchange("cache: quotes", 200) { ["Cache-Control": repeated("a=\"\\\"", $0)] },
        exchange("cache: Vary", 60) { ["Cache-Control": "max-age=60", "Vary": repeated("x-#", $0, separator: ",")] },
        exchange("header: fields", 30) { size in
            HTTPHeaders((0..<size).map { HTTPField("x-\($0)", "a") })
        },
        stream("lines: short", 80, "a\n") { body in for try await _ in body.lines() {} },
        stream("lines: in small pieces", 80, "abc", pieces: true) { body in for try await _ in body.lines() {} },
        stream("lines: carriage returns", 80, "\r") { body in for try await _ in body.lines() {} },
        stream("events: fields", 60, "data: a\n") { body in for try await _ in body.events() {} },
        stream("events: one line in small pieces", 80, "dat", pieces: true) { body in
            for try await _ in body.events() {}
        },
        stream("body in small pieces", 80, "abc", pieces: true) { body in _ = try await body.collect() },
        exchange("redirect: dot segments", 60, status: 302) { ["Location": repeated("../b/", $0)] },
    ]

    private static func cookies(_ fields: [String]) -> Reading {
        let headers = HTTPHeaders(fields.map { HTTPField("Set-Cookie", $0) })
        return {
            guard let url = try? HTTPURL("https://a.example/p") else { return }
            let jar = CookieJar()
            jar.store(headers, from: url)
            _ = jar.header(for: url)
        }
    }

    private static func exchange(
        _ name: String, _ size: Int, status: Int = 200, _ headers: @escaping @Sendable (Int) -> HTTPHeaders
    ) -> Pattern {
        Pattern(
            name, size,
            exchange: { size in
                let headers = headers(size)
                return {
                    var configuration = ClientConfiguration()
                    configuration.cache = .memory()
                    let stub = StubTransport { _ in StubResponse(status: status, headers: headers, chunks: [[1]]) }
                    let client = NetworkClient(configuration, transport: stub)
                    for _ in 0..<2 { _ = try? await client.send(NetworkRequest(.get, "https://a.example/")) }
                }
            })
    }

    private static func stream(
        _ name: String, _ size: Int, _ part: String, pieces: Bool = false,
        _ read: @escaping @Sendable (ResponseBody) async throws -> Void
    ) -> Pattern {
        Pattern(
            name, size,
            exchange: { size in
                let chunks = pieces ? (0..<size).map { _ in part.bytes } : [repeated(part, size).bytes]
                return {
                    let stub = StubTransport { _ in StubResponse(chunks: chunks) }
                    let client = NetworkClient(ClientConfiguration(), transport: stub)
                    guard let response = try? await client.stream(NetworkRequest(.get, "https://a/")) else { return }
                    try? await read(response.body)
                }
            })
    }
}
