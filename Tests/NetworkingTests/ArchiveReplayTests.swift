import AshlarNetworking
import Foundation
import Testing

private let notes = #"""
    {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [
      {"startedDateTime": "2026-11-20T13:00:00.000Z", "time": 12.5,
       "request": {"method": "GET", "url": "https://api.example.com/notes?tag=a", "headers": []},
       "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}],
                    "content": {"size": 2, "mimeType": "application/json", "text": "[1]"}}},
      {"request": {"method": "GET", "url": "https://api.example.com/notes?tag=a"},
       "response": {"status": 200, "content": {"text": "WzEsMl0=", "encoding": "base64"}}},
      {"request": {"method": "POST", "url": "https://api.example.com/notes?token=abc",
                   "postData": {"mimeType": "application/json", "text": "{\"title\": \"Milk\", \"password\": \"p1\"}"}},
       "response": {"status": 201, "headers": [{"name": "Location", "value": "/notes/3"}], "content": {"size": 0}}}
    ]}}
    """#

@Suite(.timeLimit(.minutes(1))) struct ArchiveReplayTests {
    private let archive: HARArchive

    init() throws { archive = try HARArchive(json: Array(notes.utf8), file: "notes.har") }

    private func get(_ url: String) throws -> NetworkRequest { NetworkRequest(.get, try HTTPURL(url)) }

    private func body(_ transport: ReplayTransport, _ request: NetworkRequest) async throws -> String {
        String(decoding: try await transport.send(request).collect().bytes, as: UTF8.self)
    }

    @Test("Recordings that match alike answer in order, the last again and again")
    func order() async throws {
        let transport = ReplayTransport(archive)
        #expect(transport.unused.count == 3)
        let request = try get("https://api.example.com/notes?tag=a")
        #expect(try await body(transport, request) == "[1]")
        #expect(try await body(transport, request) == "[1,2]")
        #expect(try await body(transport, request) == "[1,2]")
        #expect(transport.unused.count == 1)
        let once = ReplayTransport(archive, repeatsLast: false)
        _ = try await (body(once, request), body(once, request))
        let error = await #expect(throws: NetworkError.self) { try await body(once, request) }
        #expect(error?.message.hasSuffix("which has answered already") == true)
    }

    @Test("Secrets in URL and body do not stand in the way of a match, and status and fields come back")
    func secrets() async throws {
        let transport = ReplayTransport(archive)
        var request = NetworkRequest(.post, try HTTPURL("https://api.example.com/notes?token=other"))
        request.body = .bytes(Array(#"{"password":"p2","title":"Milk"}"#.utf8), contentType: "application/json")
        let answer = try await transport.send(request).collect()
        #expect(answer.status == 201 && answer.headers["Location"] == "/notes/3" && answer.bytes.isEmpty)
    }

    @Test(
        "A request that was not recorded names the nearest entry and what differs",
        arguments: [
            ("GET", "https://api.example.com/notes?tag=b", #"query: asked "tag=b", recorded "tag=a""#, 0),
            ("GET", "http://api.example.com/notes?tag=a", #"scheme: asked "http", recorded "https""#, 0),
            (
                "GET", "https://api.example.org/note?tag=a",
                #"host: asked "api.example.org", recorded "api.example.com"; path: asked "/note", recorded "/notes""#, 0
            ),
            ("DELETE", "https://api.example.com/notes?tag=a", #"method: asked "DELETE", recorded "GET""#, 0),
        ])
    func unmatched(method: String, url: String, difference: String, nearest: Int) async throws {
        let transport = ReplayTransport(archive)
        let request = NetworkRequest(HTTPMethod(rawValue: method), try HTTPURL(url))
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .notRecorded)
        #expect(error?.message.contains("the nearest is entry \(nearest), ") == true)
        #expect(error?.message.hasSuffix("which differs in " + difference) == true, "\(error?.message ?? "")")
        #expect(error?.file == "notes.har" && error?.line == 2)
    }

    @Test("Looser rules match on fewer parts")
    func looser() async throws {
        let request = try get("http://localhost:8080/notes?tag=a")
        #expect(try await body(ReplayTransport(archive, matching: .anyHost), request) == "[1]")
        #expect(try await body(ReplayTransport(archive, matching: .methodAndPath), get("http://x/notes?q")) == "[1]")
    }

    @Test(
        "A file that is no archive says which line and what was expected",
        arguments: [
            ("[]", 1, "$", #"expected an object "log", found nothing"#),
            (#"{"log": {"version": "2.0"}}"#, 1, "$.log.version", #"expected the version "1.2", found "2.0""#),
            (#"{"log": {"version": "1.2"}}"#, 1, "$.log", #"expected an array "entries", found nothing"#),
            (
                "{\"log\": {\"entries\": [\n{}]}}", 2, "$.log.entries[0]",
                #"expected an object "request", found nothing"#
            ),
            (
                "{\"log\":\n{\"entries\": [{\"request\": {\"url\": \"https://a/\"}, \"response\": {\"status\": 200}}]}}",
                2,
                "$.log.entries[0].request.method", #"expected a string "method", found none"#
            ),
            (
                "{\"log\": {\"entries\": [{\"request\": {\"method\": \"GET\",\n\"url\": \"ftp://a/\"}, \"response\": {\"status\": 200}}]}}",
                2,
                "$.log.entries[0].request.url", "expected an http(s) URL"
            ),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://a/"}, "response": {"status": 7}}]}}"#,
                1,
                "$.log.entries[0].response.status", #"expected a "status" from 100 to 999, found 7"#
            ),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://a/"}, "response": {"status": 200, "content": {"text": "%", "encoding": "base64"}}}]}}"#,
                1,
                "$.log.entries[0].response.content.text", "expected Base64"
            ),
            ("{\"log\": {\n\n]", 3, "$.log", "expected a key in quotes or '}', found ']'"),
        ])
    func unreadable(text: String, line: Int, path: String, message: String) {
        let error = #expect(throws: NetworkError.self) { try HARArchive(json: Array(text.utf8), file: "bad.har") }
        #expect(
            error?.code == .invalidArchive && error?.line == line && error?.path == path && error?.file == "bad.har")
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
}
