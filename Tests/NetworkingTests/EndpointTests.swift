import AshlarNetworking
import Foundation
import Testing

struct Note: Codable, Equatable, Sendable {
    let id: Int
    let title: String
}

private struct Get<Output: Sendable & Decodable>: Endpoint {
    var host: EndpointHost = "api.example.com"
    var path: EndpointPath = "notes"
    var query: HTTPQuery = [:]
}

private struct Text: Endpoint {
    typealias Output = String
    let host: EndpointHost = "http://127.0.0.1:8080/base/"
    let path: EndpointPath = "/notes"
}

private struct Bytes: Endpoint {
    typealias Output = [UInt8]
    let host: EndpointHost = "api.example.com"
    let path: EndpointPath = "notes"
}

private struct Raw: Endpoint {
    typealias Output = Data
    let host: EndpointHost = "api.example.com"
    let path: EndpointPath = "notes"
}

private struct Nothing: Endpoint {
    typealias Output = Void
    let host: EndpointHost = .canonical("api.example.com:8443", scheme: .http)
    let path: EndpointPath = ""
    let method: HTTPMethod = .delete
    func configure(_ options: inout RequestOptions) { options.acceptedStatuses = nil }
}

@Suite struct EndpointTests {
    @Test("Every interpolation stays within its segment")
    func paths() throws {
        let evil = "../a/b?c#d%e é\r\n"
        #expect(EndpointPath("x/y z/%41?").description == "x/y%20z/%41%3F")
        let path: EndpointPath = "users/\(evil)/n\(7)"
        #expect(path.description == "users/..%2Fa%2Fb%3Fc%23d%25e%20%C3%A9%0D%0A/n7")
    }

    @Test("A value that would change the path is rejected", arguments: ["", ".", ".."])
    func strayValue(value: String) {
        let endpoint = Get<Note>(path: "notes/\(value)/x")
        #expect(throws: NetworkError.self) { try endpoint.makeRequest() }
        let last = Get<Note>(path: "notes/\(value)")
        let error = #expect(throws: NetworkError.self) { try last.makeRequest() }
        #expect(error?.code == .invalidURL)
    }

    @Test("Malformed literal paths and hosts are rejected when the request is built")
    func broken() {
        for path in ["a%zz", "a%z4", "a%4z", "a%4/", "a%4", "a%", "%"] {
            let error = #expect(throws: NetworkError.self) {
                try Get<Note>(path: EndpointPath(stringLiteral: path)).makeRequest()
            }
            #expect(error?.code == .invalidURL && error?.message == "expected two hex digits after % in the path")
        }
        for host in ["", "a/b", "a b", "user@a", "a:99999", "a?b", "-ü.example"] {
            let error = #expect(throws: NetworkError.self) {
                try Get<Note>(host: .canonical(host)).makeRequest()
            }
            #expect(error?.code == .invalidURL)
        }
    }

    @Test("Host, path and query join with exactly one slash and one question mark")
    func joined() throws {
        #expect(try Text().makeRequest().url.description == "http://127.0.0.1:8080/base/notes")
        #expect(try Nothing().makeRequest().url.description == "http://api.example.com:8443/")
        let endpoint = Get<Note>(
            host: .url("http://a/x?fixed=1"), path: "y", query: ["q": "a&b=c d", "n": 3, "no": nil])
        #expect(try endpoint.makeRequest().url.description == "http://a/x/y?fixed=1&q=a%26b%3Dc%20d&n=3")
        #expect(
            try Get<Note>(query: ["t": ["a", "b"], "b": true]).makeRequest().url.target == "/notes?t=a&t=b&b=true")
        #expect(try Get<Note>().makeRequest().url.description == "https://api.example.com/notes")
    }

    @Test("A list repeats its name, and forms write a space as a plus")
    func queries() throws {
        let query: HTTPQuery = ["a": [1, 2], "c": [String](), "d": "\r\n\0 ü"]
        #expect(query.queryText == "a=1&a=2&d=%0D%0A%00%20%C3%BC")
        let form = try #require(RequestBody.form(query).inMemory)
        #expect(String(decoding: form, as: UTF8.self) == "a=1&a=2&d=%0D%0A%00+%C3%BC")
    }

    @Test("The response is decoded as the endpoint's output")
    func outputs() async throws {
        let stub = StubTransport([
            "GET /notes": .json(#"[{"id": 1, "title": "a"}]"#), "GET /base/notes": .text("héllo"),
            "DELETE /": .status(500),
        ])
        let client = NetworkClient(transport: stub)
        #expect(try await client.send(Get<[Note]>()) == [Note(id: 1, title: "a")])
        #expect(try await client.send(Text()) == "héllo")
        #expect(try await client.send(Bytes()) == Array(#"[{"id": 1, "title": "a"}]"#.utf8))
        #expect(try await client.send(Raw()) == Data(#"[{"id": 1, "title": "a"}]"#.utf8))
        try await client.send(Nothing())
        #expect(stub.requests.map { "\($0.method) \($0.url)" }.last == "DELETE http://api.example.com:8443/")
    }

    @Test("A decoding error names the JSON path")
    func decodeErrors() async {
        let client = NetworkClient(
            transport: StubTransport(["GET /notes": .json(#"[{"id": 1, "title": "a"}, {"id": "x"}]"#)]))
        let error = await #expect(throws: NetworkError.self) { try await client.send(Get<[Note]>()) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.path == "$[1].id")
        #expect(error?.phase == .decode)
        #expect(error?.status == 200)
        #expect(error?.request?.description == "GET https://api.example.com/notes")
        #expect(error?.bodyPrefix.isEmpty == false)
        let broken = NetworkClient(transport: StubTransport(["GET /notes": .json("{")]))
        let syntax = await #expect(throws: NetworkError.self) { try await broken.send(Get<[Note]>()) }
        #expect(syntax?.code == .invalidJSON)
        let text = NetworkClient(transport: StubTransport { _ in StubResponse(chunks: [[0x61, 0xC3, 0x28]]) })
        let invalid = await #expect(throws: NetworkError.self) { try await text.send(Text()) }
        #expect(invalid?.code == .invalidText)
        #expect(invalid?.offset == 1)
    }
}
