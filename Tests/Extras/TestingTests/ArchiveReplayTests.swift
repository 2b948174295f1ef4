import AshlarNetworking
import AshlarTestSupport
import AshlarTesting
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

@Suite(.timeLimit(.minutes(5))) struct ArchiveReplayTests {
    private let archive: HARArchive

    init() throws { archive = try HARArchive(json: Array(notes.utf8), file: "notes.har") }

    private func get(_ url: String) throws -> NetworkRequest { NetworkRequest(.get, try HTTPURL(url)) }

    private func body(_ transport: ReplayTransport, _ request: NetworkRequest) async throws -> String {
        String(decoding: try await transport.send(request).collect().bytes, as: UTF8.self)
    }

    @Test(
        "An entry without a response or over another protocol, as browsers write, is omitted with a warning",
        arguments: [
            ("https://ads.example/", #"{"status": 0}"#), ("https://ads.example/", #"{"status": -1}"#),
            ("https://ads.example/", "null"), ("wss://chat.example/", #"{"status": 101}"#),
            ("data:image/png;base64,AAAA", #"{"status": 200}"#), ("blob:https://a.example/1", #"{"status": 200}"#),
        ])
    func blocked(url: String, response: String) throws {
        let blocked = #"{"request": {"method": "GET", "url": "\#(url)"}, "response": \#(response)}"#
        let good = #"{"request": {"method": "GET", "url": "https://a.example/"}, "response": {"status": 200}}"#
        let archive = try HARArchive(json: Array("{\"log\": {\"entries\": [\n\(blocked),\n\(good)]}}".utf8))
        #expect(archive.entries.map(\.response.status) == [200])
        #expect(archive.warnings.count == 1 && archive.warnings[0].hasPrefix("line 2: "))
    }

    @Test("Equally good recordings answer in order, and the last one repeats")
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

    @Test("Secrets in URL and body don't prevent a match, and status and fields are replayed")
    func secrets() async throws {
        let transport = ReplayTransport(archive)
        var request = NetworkRequest(.post, try HTTPURL("https://api.example.com/notes?token=other"))
        request.body = .bytes(Array(#"{"password":"p2","title":"Milk"}"#.utf8), contentType: "application/json")
        let answer = try await transport.send(request).collect()
        #expect(answer.status == 201 && answer.headers["Location"] == "/notes/3" && answer.bytes.isEmpty)
    }

    @Test(
        "The error for an unrecorded request names the nearest entry and the difference",
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
        "An invalid archive throws an error with the line and the expectation",
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
                "{\"log\": {\"entries\": [{\"request\": {\"method\": \"GET\",\n\"url\": \"https://a b/\"}, \"response\": {\"status\": 200}}]}}",
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
            ("{\"log\": {\n\n]", 3, "$.log", "expected a quoted key or '}', found ']'"),
        ])
    func unreadable(text: String, line: Int, path: String, message: String) {
        let error = #expect(throws: NetworkError.self) { try HARArchive(json: Array(text.utf8), file: "bad.har") }
        #expect(
            error?.code == .invalidArchive && error?.line == line && error?.path == path && error?.file == "bad.har")
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
}

@Suite(.timeLimit(.minutes(5))) struct ArchiveFaultTests {
    private func transport(_ change: @escaping @Sendable (inout StubResponse) -> Void) throws -> ReplayTransport {
        let entry = HAREntry(
            request: HARRequest(.get, try HTTPURL("https://a.example/")),
            response: HARResponse(status: 200, body: Array("0123456789".utf8)))
        return ReplayTransport(HARArchive([entry])) { _, _, response in change(&response) }
    }

    private func get() throws -> NetworkRequest { NetworkRequest(.get, try HTTPURL("https://a.example/")) }

    @Test("A dropped connection fails before the head")
    func drop() async throws {
        let transport = try transport { $0.failure = NetworkError(.connectionLost) }
        let error = await #expect(throws: NetworkError.self) { try await transport.send(get()) }
        #expect(error?.code == .connectionLost && error?.isTransient == true)
    }

    @Test("A truncated body yields its beginning and then fails")
    func truncate() async throws {
        let transport = try transport {
            $0.chunks = [Array($0.chunks[0].prefix(3))]
            $0.bodyFailure = NetworkError(.truncated)
        }
        let body = try await transport.send(get()).body
        var bytes: [UInt8] = []
        let error = await #expect(throws: NetworkError.self) {
            while let chunk = try await body.next() { bytes += chunk }
        }
        #expect(error?.code == .truncated)
        #expect(bytes == Array("012".utf8))
    }

    @Test("A delay ends at the request's own limits")
    func delay() async throws {
        #expect(try await transport { $0.delay = .milliseconds(1) }.send(get()).status == 200)
        var request = try get()
        request.options.idleTimeout = .milliseconds(2)
        let (slow, hasty) = (try transport { $0.delay = .seconds(1000) }, request)
        let error = await #expect(throws: NetworkError.self) { try await slow.send(hasty) }
        #expect(error?.code == .timedOut && error?.phase == .wait)
    }

    @Test("Cancelling the task ends a delay immediately")
    func cancelledDelay() async throws {
        let transport = try transport { $0.delay = .seconds(1000) }
        let request = try get()
        let task = Task { () async -> NetworkError.Code? in
            do throws(NetworkError) {
                _ = try await transport.send(request)
                return nil
            } catch {
                return error.code
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("Faults can depend on the request and the entry")
    func scripted() async throws {
        let url = try HTTPURL("https://a.example/")
        let entries = [1, 2, 3].map {
            HAREntry(request: HARRequest(.get, url), response: HARResponse(status: 200 + $0))
        }
        let transport = ReplayTransport(HARArchive(entries)) { _, entry, _ throws(NetworkError) in
            if entry == 1 { throw NetworkError(.connectionLost) }
        }
        #expect(try await transport.send(get()).status == 201)
        await #expect(throws: NetworkError.self) { try await transport.send(get()) }
        #expect(try await transport.send(get()).status == 203)
    }

    @Test("A body over the limit of the request is rejected")
    func limit() async throws {
        var request = try get()
        request.options.maximumBodyBytes = 9
        let (transport, small) = (try transport { _ in }, request)
        let error = await #expect(throws: NetworkError.self) { try await transport.send(small).collect() }
        #expect(error?.code == .bodyTooLarge && error?.limit == 9)
    }
}

@Suite(.timeLimit(.minutes(5))) struct ArchiveRecordingTests {
    private func send(
        _ method: HTTPMethod, _ url: String, _ body: RequestBody = .empty, headers: HTTPHeaders = [:],
        over transport: some NetworkTransport
    ) async throws -> NetworkResponse {
        try await transport.send(NetworkRequest(method, HTTPURL(url), headers: headers, body: body)).collect()
    }

    @Test("A recording is replayed, and its file contains no secret")
    func roundTrip() async throws {
        let base = StubTransport { request in
            var answer = StubResponse(
                status: 201,
                headers: [
                    "Set-Cookie": "session=s3cret", "Content-Type": "application/json",
                    "Location": "/next?token=s3cret&page=2",
                ],
                chunks: [Array("{\"access_token\": \"s3cret\",".utf8), Array(" \"user\": {\"name\": \"Ada\"}}".utf8)])
            if request.url.path == "/binary" {
                answer = StubResponse(status: 200, headers: [:], chunks: [[0xFF, 0, 0x80]])
            }
            return answer
        }
        let recording = RecordingTransport(base, now: { Date(timeIntervalSince1970: 1_795_180_778.25) })
        let live = try await send(
            .post, "https://user:s3cret@api.example.com/login?api_key=s3cret&a=%20b#frag",
            .bytes(Array(#"{"name":"Ada","password":"s3cret"}"#.utf8), contentType: "application/json"),
            headers: ["Authorization": "Bearer s3cret", "Accept": "*/*"], over: recording)
        #expect(String(decoding: live.bytes, as: UTF8.self).contains("s3cret"), "the caller gets the answer as it came")
        _ = try await send(
            .post, "https://api.example.com/form",
            .bytes(Array("user=a&password=s3cret".utf8), contentType: "application/x-www-form-urlencoded"),
            over: recording)
        _ = try await send(.put, "https://api.example.com/binary", .bytes([0xFE, 1, 2]), over: recording)

        let bytes = recording.archive.bytes()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("s3cret") && !text.contains("frag"))
        #expect(text.contains("2026-11-20T13:19:38.250Z"))
        let archive = try HARArchive(json: bytes)
        #expect(archive.entries.count == 3 && archive.bytes() == bytes)

        let replay = ReplayTransport(archive)
        let again = try await send(
            .post, "https://api.example.com/login?api_key=other&a=%20b",
            .bytes(Array(#"{ "password": "other", "name": "Ada" }"#.utf8), contentType: "application/json"),
            over: replay)
        #expect(again.status == 201 && again.headers["Location"]?.hasSuffix("&page=2") == true)
        #expect(try JSONEntity(parsing: again.bytes) == ["access_token": "<redacted>", "user": ["name": "Ada"]])
        #expect(
            try await send(.put, "https://api.example.com/binary", .bytes([0xFE, 1, 2]), over: replay).bytes == [
                0xFF, 0, 0x80,
            ])
        await #expect(throws: NetworkError.self) {
            try await self.send(.put, "https://api.example.com/binary", .bytes([0xFE]), over: replay)
        }
        #expect(replay.unused.count == 1)
    }

    @Test("Dates and durations don't change when an archive is read and written")
    func times() throws {
        let first = try #require(try HARArchive(json: Array(notes.utf8)).entries.first)
        let entries = (0..<1_000).map { number in
            var entry = first
            entry.started = Date(timeIntervalSince1970: 1_795_180_778 + Double(number) / 1_000)
            entry.duration = .microseconds(7_900 + number * 7)
            return entry
        }
        let bytes = HARArchive(entries).bytes()
        let read = try HARArchive(json: bytes)
        #expect(read.entries.map { $0.duration } == entries.map { $0.duration })
        #expect(read.bytes() == bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains("2026-11-20T13:19:38.002Z"))
    }

    @Test("Entries are in the order of requests; failed and cancelled requests are not recorded")
    func order() async throws {
        let base = StubTransport { request throws(NetworkError) in
            if request.url.path == "/fail" { throw NetworkError(.connectionLost) }
            return .text(request.url.path)
        }
        let recording = RecordingTransport(base)
        let first = try await recording.send(NetworkRequest(.get, HTTPURL("https://a.example/1")))
        _ = try await send(.get, "https://a.example/2", over: recording)
        #expect(recording.archive.entries.map(\.request.url.path) == ["/2"])
        _ = try await first.collect()
        await #expect(throws: NetworkError.self) {
            try await self.send(.get, "https://a.example/fail", over: recording)
        }
        let given = try await recording.send(NetworkRequest(.get, HTTPURL("https://a.example/3")))
        given.body.cancel()
        #expect(recording.archive.entries.map(\.request.url.path) == ["/1", "/2"])
    }

    @Test("A one-shot stream is recorded and sent completely")
    func stream() async throws {
        let base = StubTransport { request in .text("\(request.body.inMemory?.count ?? -1)") }
        let recording = RecordingTransport(base)
        let chunks = AsyncStream<[UInt8]> { continuation in
            for byte in 0..<5 { continuation.yield([UInt8(byte)]) }
            continuation.finish()
        }
        let answer = try await send(.post, "https://a.example/", .once(chunks), over: recording)
        #expect(String(decoding: answer.bytes, as: UTF8.self) == "5")
        #expect(recording.archive.entries.map(\.request.body) == [[0, 1, 2, 3, 4]])
    }

    @Test("A file is replaced as a whole")
    func file() async throws {
        let path = NSTemporaryDirectory() + "r-\(UUID()).har"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let recording = RecordingTransport(StubTransport { _ in .text("x") })
        _ = try await send(.get, "https://a.example/", over: recording)
        try recording.archive.write(toFile: path)
        try recording.archive.write(toFile: path)
        #expect(try HARArchive(contentsOfFile: path).entries[0].response.body == Array("x".utf8))
        #expect(!FileManager.default.fileExists(atPath: path + ".tmp"))
        let error = #expect(throws: NetworkError.self) { try recording.archive.write(toFile: "/nonexistent/x.har") }
        #expect(error?.code == .fileFailed && error?.file == "/nonexistent/x.har")
    }

    @Test("A parameter without a name keeps its value")
    func namelessParameter() throws {
        let url = try HTTPURL("https://a.example/?=x&b=")
        let archive = HARArchive([HAREntry(request: HARRequest(.get, url), response: HARResponse(status: 200))])
        let query = try JSONEntity(parsing: archive.bytes())["log"]["entries"][0]["request"]["queryString"]
        #expect(query == [["name": "", "value": "x"], ["name": "b", "value": ""]])
    }
}
