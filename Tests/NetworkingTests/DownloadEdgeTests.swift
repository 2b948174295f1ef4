import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Edge cases of downloads: misbehaving servers, existing files, full disks, cancellation.
@Suite(.timeLimit(.minutes(5))) struct DownloadEdgeTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        .path
    private var path: String { folder + "/file.bin" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }
    private var content: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }

    private func code(_ client: NetworkClient, _ request: NetworkRequest, resume: Bool = true) async -> NetworkError
        .Code?
    {
        await outcome { () async throws(NetworkError) in try await client.download(request, to: path, resume: resume) }
            .failure?.code
    }

    /// Responses that end after two bytes, followed by other responses.
    private func broken(_ validator: HTTPHeaders, then next: StubResponse...) -> (NetworkClient, StubTransport) {
        let step = Counter()
        let stub = StubTransport { _ in
            let number = step.next()
            guard number == 0 else { return next[min(number, next.count) - 1] }
            var response = StubResponse(headers: validator, chunks: [[1, 2]])
            response.head.headers["Content-Length"] = "4"
            response.bodyFailure = NetworkError(.truncated)
            return response
        }
        return (NetworkClient(transport: stub), stub)
    }

    @Test(
        "A download permits no compression, and compressed bytes are never stored as the content",
        arguments: [
            ("gzip", false), ("x-gzip", false), ("GZIP", false), ("identity, br", false), ("zstd", false),
            ("deflate", false), ("compress", false), ("identity", true), ("", true), ("utf-8", true),
        ])
    func encoded(coding: String, isStored: Bool) async throws {
        defer { clean() }
        let stub = StubTransport { _ in StubResponse(headers: ["Content-Encoding": coding], chunks: [[1, 2]]) }
        let request = try NetworkRequest(.get, "https://h/")
        #expect(await code(NetworkClient(transport: stub), request) == (isStored ? nil : .badResponse))
        #expect(content == (isStored ? [1, 2] : nil))
        #expect(files == (isStored ? ["file.bin"] : []))
        #expect(stub.requests.map { $0.headers.values(for: "Accept-Encoding") } == [["identity"]])
    }

    @Test("The rest of a download isn't accepted compressed, and the next download starts over", arguments: [200, 206])
    func encodedRest(status: Int) async throws {
        defer { clean() }
        let (client, stub) = broken(
            ["ETag": "\"1\""],
            then: StubResponse(
                status: status,
                headers: ["ETag": "\"1\"", "Content-Encoding": "gzip", "Content-Range": "bytes 2-3/4"],
                chunks: [[3, 4]]),
            StubResponse(headers: ["ETag": "\"1\""], chunks: [[1, 2, 3, 4]]))
        let request = try NetworkRequest(.get, "https://h/")
        #expect(await code(client, request) == .truncated)
        #expect(await code(client, request) == .badResponse)
        #expect(files == [])
        try await client.download(request, to: path)
        #expect(stub.requests.map { $0.headers.contains("Range") } == [false, true, false])
        #expect(content == [1, 2, 3, 4])
    }

    @Test("A request with its own codings stores the bytes as sent, and isn't resumed")
    func ownCodings() async throws {
        defer { clean() }
        let (client, stub) = broken(
            ["ETag": "\"1\"", "Content-Encoding": "gzip"],
            then: StubResponse(headers: ["ETag": "\"1\"", "Content-Encoding": "gzip"], chunks: [[1, 2, 3, 4]]))
        let request = try NetworkRequest(.get, "https://h/", headers: ["Accept-Encoding": "gzip"])
        #expect(await code(client, request) == .truncated)
        try await client.download(request, to: path)
        #expect(stub.requests.map { $0.headers["Accept-Encoding"] } == ["gzip", "gzip"])
        #expect(stub.requests.allSatisfy { !$0.headers.contains("Range") })
        #expect(content == [1, 2, 3, 4])
    }

    @Test("A partial response is accepted only if a range was requested")
    func unasked() async throws {
        defer { clean() }
        let part = StubResponse(status: 206, headers: ["Content-Range": "bytes 2-3/4"], chunks: [[3, 4]])
        let client = NetworkClient(transport: StubTransport { _ in part })
        var request = try client.request(.get, "http://h/")
        #expect(await code(client, request) == .badResponse)
        #expect(files == [])
        request.headers["Range"] = "bytes=2-3"
        #expect(await code(client, request) == nil)
        #expect(content == [3, 4])
    }

    @Test(
        "The rest is appended only if it has the version of the beginning",
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("\"a\"", "W/\"a\"", false), ("\"a\"", nil, false),
        ] as [(String, String?, Bool)])
    func versions(old: String, new: String?, fits: Bool) async throws {
        defer { clean() }
        var rest = StubResponse(status: 206, headers: ["Content-Range": "bytes 2-3/4"], chunks: [[3, 4]])
        if let new { rest.head.headers["etag"] = new }
        let (client, stub) = broken(["ETag": old], then: rest)
        let request = try client.request(.get, "http://h/")
        #expect(await code(client, request) == .truncated)
        #expect(files == ["file.bin.partial"])
        #expect(await code(client, request) == (fits ? nil : .badResponse))
        #expect(content == (fits ? [1, 2, 3, 4] : nil))
        #expect(stub.requests[1].headers["Range"] == "bytes=2-" && stub.requests[1].headers["If-Range"] == old)
    }

    @Test(
        "Without a strong tag, a download starts from zero and leaves nothing",
        arguments: [[:], ["Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"], ["ETag": "W/\"a\""]] as [HTTPHeaders])
    func weak(validator: HTTPHeaders) async throws {
        defer { clean() }
        let (client, stub) = broken(validator, then: StubResponse(chunks: [[9]]))
        let request = try client.request(.get, "http://h/")
        #expect(await code(client, request) == .truncated)
        #expect(files == [])
        #expect(await code(client, request) == nil)
        #expect(content == [9] && stub.requests.allSatisfy { !$0.headers.contains("Range") })
    }

    @Test("A partial file whose end has become zero starts over, even with its old time of modification")
    func zeroTail() async throws {
        defer { clean() }
        let (client, stub) = broken(["ETag": "\"a\""], then: StubResponse(chunks: [[1, 2, 3, 4]]))
        let request = try client.request(.get, "http://h/")
        #expect(await code(client, request) == .truncated)
        let partial = path + ".partial"
        let time = try #require(FileManager.default.attributesOfItem(atPath: partial)[.modificationDate])
        let handle = try #require(FileHandle(forWritingAtPath: partial))
        try handle.seek(toOffset: 1)
        try handle.write(contentsOf: [0])
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: partial)
        #expect(await code(client, request) == nil)
        #expect(content == [1, 2, 3, 4])
        #expect(stub.requests.allSatisfy { !$0.headers.contains("Range") })
    }

    #if os(Linux) || os(macOS)
        @Test("The partial download of another process is replaced")
        func otherProcess() async throws {
            defer { clean() }
            await #expect(processExitsWith: .success) { [path = path as String] in
                var response = StubResponse(headers: ["ETag": "\"a\""], chunks: [[1, 2]])
                response.bodyFailure = NetworkError(.truncated)
                let client = NetworkClient(transport: StubTransport { [response] _ in response })
                let request = try NetworkRequest(.get, "http://h/")
                let result = await outcome { () async throws(NetworkError) in
                    try await client.download(request, to: path)
                }
                try #require(result.failure?.code == .truncated)
            }
            #expect(files == ["file.bin.partial"])
            let stub = StubTransport { _ in StubResponse(headers: ["ETag": "\"a\""], chunks: [[9]]) }
            let client = NetworkClient(transport: stub)
            #expect(await code(client, try client.request(.get, "http://h/")) == nil)
            #expect(content == [9] && files == ["file.bin"] && stub.requests[0].headers["Range"] == nil)
        }
    #endif

    @Test("An unacceptable status, a rejected redirect and a broken body leave an existing file unchanged")
    func existing() async throws {
        defer { clean() }
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let answers: [StubResponse] = [
            .status(404), .redirect(302, to: "ftp://h/"), .failing(NetworkError(.connectionLost)),
        ]
        for answer in answers {
            let client = NetworkClient(transport: StubTransport { _ in answer })
            #expect(await code(client, try client.request(.get, "http://h/")) != nil)
            #expect(files == ["file.bin"] && content == Array("old".utf8))
        }
        let (client, _) = broken(["ETag": "\"a\""], then: StubResponse(chunks: [[7]]))
        #expect(await code(client, try client.request(.get, "http://h/")) == .truncated)
        #expect(content == Array("old".utf8))
        // A download without resume starts from zero and replaces the file at the end.
        #expect(await code(client, try client.request(.get, "http://h/"), resume: false) == nil)
        #expect(files == ["file.bin"] && content == [7])
    }

    @Test("A download needs a path for a file: not a folder, not below a file")
    func places() async throws {
        defer { clean() }
        let client = NetworkClient(transport: StubTransport { _ in StubResponse(chunks: [[1]]) })
        let request = try client.request(.get, "http://h/")
        try Data().write(to: URL(fileURLWithPath: folder + "/plain"))
        for place in [folder, folder + "/plain/x", folder + "/none/x"] {
            let error = await outcome { () async throws(NetworkError) in try await client.download(request, to: place) }
                .failure
            #expect(error?.code == .fileFailed)
            #expect(error?.file == place)
            #expect(error?.request?.method == .get)
        }
    }

    @Test("A cancelled download keeps its bytes and continues from there", arguments: TransportKind.allCases)
    func cancelled(kind: TransportKind) async throws {
        defer { clean() }
        let body = [UInt8](repeating: 7, count: 100_000)
        let asked = Recorder<String>()
        let server = try FaultServer { connection in
            while let request = connection.request() {
                asked.note(request["Range"] ?? "-")
                let start = Int((request["Range"] ?? "bytes=0-").dropFirst(6).dropLast()) ?? 0
                connection.write("HTTP/1.1 \(start > 0 ? 206 : 200) S\r\nETag: \"v\"\r\n")
                if start > 0 { connection.write("Content-Range: bytes \(start)-99999/100000\r\n") }
                connection.write("Content-Length: \(body.count - start)\r\n\r\n")
                connection.write(body[start..<max(start, start == 0 ? 40_000 : 100_000)])
                if start == 0 { _ = connection.waitForClose() }
            }
        }
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        let place = path
        let task = Task {
            await outcome { () async throws(NetworkError) in try await client.download(request, to: place) }
        }
        try await until {
            (try? FileManager.default.attributesOfItem(atPath: place + ".partial"))?[.size] as? Int == 40_000
        }
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        #expect(files == ["file.bin.partial"])
        try await client.download(request, to: path)
        #expect(content == body && files == ["file.bin"])
        #expect(asked.items == ["-", "bytes=40000-"])
    }

    @Test("A resumed download follows redirects with its range", arguments: TransportKind.allCases)
    func redirected(kind: TransportKind) async throws {
        defer { clean() }
        let server = try FaultServer { connection in
            while let request = connection.request() {
                if request.target == "/" {
                    connection.write(answer(302, ["Location: /real"]))
                } else if request["Range"] == "bytes=2-", request["If-Range"] == "\"v\"" {
                    connection.write(
                        "HTTP/1.1 206 P\r\nContent-Range: bytes 2-3/4\r\nContent-Length: 2\r\nETag: \"v\"\r\n\r\ncd")
                } else {
                    connection.write("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 4\r\n\r\nab")
                    return connection.finish()
                }
            }
        }
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        #expect(await code(client, request) == .truncated)
        #expect(await code(client, request) == nil)
        #expect(content == Array("abcd".utf8))
    }

    #if os(Linux)
        @Test("A download fails if a server compresses it all the same")
        func compressed() async throws {
            defer { clean() }
            let body = Gzip.encode(Array("hello".utf8))
            let asked = Recorder<String>()
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    asked.note(request["Accept-Encoding"] ?? "-")
                    connection.write(
                        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n")
                    connection.write(body)
                }
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            #expect(await code(client, request) == .badResponse)
            #expect(files == [])
            request.headers["Accept-Encoding"] = "gzip"
            try await client.download(request, to: path)
            #expect(content == body)
            #expect(asked.items == ["identity", "gzip"])
        }

        @Test("A full disk fails the download and names the file; the old file stays")
        func fullDisk() async {
            await #expect(processExitsWith: .success) {
                // A limit on the length of files simulates the full disk.
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let path = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
                    .path
                defer { for end in ["", ".partial"] { unlink(path + end) } }
                try Data("old".utf8).write(to: URL(fileURLWithPath: path))
                let body = [UInt8](repeating: 1, count: 300_000)
                let client = NetworkClient(transport: StubTransport { _ in StubResponse(chunks: [body]) })
                let request = try client.request(.get, "http://h/")
                let error = await outcome { () async throws(NetworkError) in
                    try await client.download(request, to: path)
                }.failure
                #expect(error?.code == .fileFailed && error?.file == path && error?.underlying != nil)
                #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
            }
        }
    #endif
}
