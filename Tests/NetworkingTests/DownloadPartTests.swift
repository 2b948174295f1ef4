import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Downloads of servers that send another part than requested, and of several URLs or clients to one file.
@Suite(.timeLimit(.minutes(5))) struct DownloadPartTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        .path
    private var path: String { folder + "/file" }
    private static let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }
    private var found: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }

    private func download(_ stub: StubTransport, _ url: String = "http://h/") async -> Result<
        NetworkResponse, NetworkError
    > {
        await outcome { () async throws(NetworkError) in
            let client = NetworkClient(transport: stub)
            return try await client.download(client.request(.get, url), to: path)
        }
    }

    /// The first response ends after 100 bytes; later ones have at most `most` bytes and state the total if `isKnown`.
    private func parts(of most: Int, isKnown: Bool) -> StubTransport {
        let content = Self.content
        return StubTransport { request in
            guard let text = request.headers["Range"], let start = Int(text.dropFirst(6).dropLast()) else {
                var first = StubResponse(headers: ["ETag": "\"a\""], chunks: [Array(content.prefix(100))])
                if isKnown { first.head.headers["Content-Length"] = "1000" }
                first.bodyFailure = NetworkError(.truncated)
                return first
            }
            let total = isKnown ? "1000" : "*"
            guard start < content.count else {
                return StubResponse(status: 416, headers: ["Content-Range": "bytes */1000"])
            }
            let end = min(start + most, content.count)
            return StubResponse(
                status: 206, headers: ["ETag": "\"a\"", "Content-Range": "bytes \(start)-\(end - 1)/\(total)"],
                chunks: [Array(content[start..<end])])
        }
    }

    @Test("Only the whole rest continues a download", arguments: [(900, true), (333, true), (900, false)])
    func shortParts(most: Int, isKnown: Bool) async throws {
        defer { clean() }
        let stub = parts(of: most, isKnown: isKnown)
        #expect(await download(stub).failure?.code == .truncated)
        if most == 900, isKnown {
            _ = try await download(stub).get()
            #expect(found == Self.content)
            #expect(files == ["file"])
        } else {
            #expect(await download(stub).failure?.code == .badResponse)
            #expect(files == [])
            #expect(await download(stub).failure?.code == .truncated)
            #expect(stub.requests.map { $0.headers.contains("Range") } == [false, true, false])
        }
    }

    @Test("A partial file of another URL isn't continued, even with the same validator")
    func otherURL() async throws {
        defer { clean() }
        let stub = StubTransport { request in
            let text: [UInt8] = request.url.path == "/a" ? Array("aaaaaaaa".utf8) : Array("bbbbbbbb".utf8)
            if request.headers.contains("Range") {
                return StubResponse(
                    status: 206, headers: ["ETag": "\"a\"", "Content-Range": "bytes 4-7/8"],
                    chunks: [Array(text[4...])])
            }
            var answer = StubResponse(
                headers: ["ETag": "\"a\"", "Content-Length": "8"], chunks: [Array(text[..<4])])
            if request.url.path == "/a" {
                answer.bodyFailure = NetworkError(.truncated)
            } else {
                answer.chunks = [text]
            }
            return answer
        }
        #expect(await download(stub, "http://h/a").failure?.code == .truncated)
        _ = try await download(stub, "http://h/b").get()
        #expect(found == Array("bbbbbbbb".utf8))
        #expect(!stub.requests[1].headers.contains("Range"))
    }

    @Test(
        "A part that doesn't fit its Content-Range or the first response is rejected",
        arguments: [
            "bytes 99-999/1000", "bytes 100-998/1000", "bytes 100-999/1001", "bytes 100-1000/1000", "bytes 100-99/1000",
            "bytes 100-/1000", "bytes 100-999", "items 100-999/1000", "bytes +100-999/1000",
            "bytes 100-9999999999999999999/*",
        ])
    func wrongRange(range: String) async throws {
        defer { clean() }
        let content = Self.content
        let stub = StubTransport { request in
            guard request.headers.contains("Range") else {
                var first = StubResponse(
                    headers: ["ETag": "\"a\"", "Content-Length": "1000"], chunks: [Array(content.prefix(100))])
                first.bodyFailure = NetworkError(.truncated)
                return first
            }
            return StubResponse(
                status: 206, headers: ["ETag": "\"a\"", "Content-Range": range], chunks: [Array(content[100...])])
        }
        #expect(await download(stub).failure?.code == .truncated)
        #expect(await download(stub).failure?.code == .badResponse, "\(range)")
        #expect(stub.requests.map { $0.headers["Range"] } == [nil, "bytes=100-"])
        #expect(found == nil && files == [])
    }

    @Test("Bytes behind a part's Content-Range aren't continued; the next download starts over")
    func longPart() async throws {
        defer { clean() }
        let content = Self.content
        let stub = StubTransport { request in
            guard let text = request.headers["Range"], let start = Int(text.dropFirst(6).dropLast()) else {
                return StubResponse(headers: ["ETag": "\"a\""], chunks: [content])
            }
            return StubResponse(
                status: 206, headers: ["ETag": "\"a\"", "Content-Range": "bytes \(start)-999/1000"],
                chunks: [Array(content[start...]), [1, 2, 3]])
        }
        _ = await download(parts(of: 900, isKnown: true))
        #expect(await download(stub).failure?.code == .badResponse)
        #expect(files == [])
        _ = try await download(stub).get()
        #expect(found == content)
    }

    @Test("A limit applies to the whole content, not to each part")
    func limit() async throws {
        defer { clean() }
        let stub = parts(of: 900, isKnown: true)
        _ = await download(stub)
        let client = NetworkClient(transport: stub)
        var request = try client.request(.get, "http://h/")
        request.options.maximumBodyBytes = 999
        let error = await outcome { [path] () async throws(NetworkError) in
            try await client.download(request, to: path)
        }.failure
        #expect(error?.code == .bodyTooLarge && error?.limit == 999)
        #expect(found == nil)
        request.options.maximumBodyBytes = 1000
        try await client.download(request, to: path)
        #expect(found == Self.content)
    }

    @Test("Only a GET without a body is continued: others have other content", arguments: [HTTPMethod.post, .get])
    func otherBody(method: HTTPMethod) async throws {
        defer { clean() }
        let stub = StubTransport { request in
            var answer = StubResponse(
                headers: ["ETag": "\"a\"", "Content-Length": "4"],
                chunks: [Array(repeating: request.body.inMemory?.first ?? 0, count: 4)])
            if request.body.inMemory == [1] {
                answer.chunks = [[1, 1]]
                answer.bodyFailure = NetworkError(.truncated)
            }
            return answer
        }
        let client = NetworkClient(transport: stub)
        for byte in [1, 2] as [UInt8] {
            let request = try client.request(method, "http://h/", body: .bytes([byte]))
            let result = await outcome { [path] () async throws(NetworkError) in
                try await client.download(request, to: path)
            }
            #expect(result.failure?.code == (byte == 1 ? .truncated : nil))
        }
        #expect(found == [2, 2, 2, 2])
        #expect(stub.requests.allSatisfy { !$0.headers.contains("Range") })
    }

    @Test("A path without a name fails before the request is sent", arguments: ["", "\0", "a\0b"])
    func unusablePath(name: String) async throws {
        defer { clean() }
        let stub = parts(of: 900, isKnown: true)
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "http://h/")
        let place = name.isEmpty ? "" : folder + "/" + name
        let error = await outcome { () async throws(NetworkError) in try await client.download(request, to: place) }
            .failure
        #expect(error?.code == .fileFailed && error?.file == place)
        #expect(stub.requests.isEmpty && files == [])
    }

    @Test("Of two downloads to one path, one fails and leaves nothing, and the other one is whole")
    func twoAtOnce() async throws {
        defer { clean() }
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 1000\r\n\r\n")
            connection.write(Self.content.prefix(500))
            connection.pause(0.3)
            connection.write(Self.content.dropFirst(500))
        }
        let client = NetworkClient()
        let request = try client.request(.get, server.url)
        let place = path
        let codes = await withTaskGroup(of: NetworkError.Code?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await outcome { () async throws(NetworkError) in try await client.download(request, to: place) }
                        .failure?.code
                }
            }
            return await group.reduce(into: [NetworkError.Code?]()) { $0.append($1) }
        }
        #expect(Set(codes) == [nil, .fileFailed])
        #expect(found == Self.content)
        #expect(files == ["file"])
    }

    @Test("Only regular files are replaced: no folder, pipe or device, and no link or second name of a partial file")
    func irregular() async throws {
        defer { clean() }
        let stub = StubTransport { _ in StubResponse(chunks: [[1]]) }
        #expect(mkfifo(path, 0o600) == 0)
        #expect(await download(stub).failure?.code == .fileFailed)
        #expect(files == ["file"])
        unlink(path)
        let other = folder + "/other"
        #expect(FileManager.default.createFile(atPath: other, contents: Data([7])))
        for makeLink in [symlink, link] {
            #expect(makeLink(other, path + ".partial") == 0)
            #expect(await download(stub).failure?.code == .fileFailed)
            #expect(FileManager.default.contents(atPath: other) == Data([7]))
            unlink(path + ".partial")
        }
        _ = try await download(stub).get()
        #expect(found == [1])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("A caller's own range is sent unchanged and never continued")
    func ownRange() async throws {
        defer { clean() }
        let stub = parts(of: 900, isKnown: true)
        _ = await download(stub)
        let client = NetworkClient(transport: stub)
        var request = try client.request(.get, "http://h/")
        request.headers["Range"] = "bytes=500-"
        try await client.download(request, to: path)
        #expect(found == Array(Self.content[500...]))
        #expect(stub.requests.last?.headers["If-Range"] == nil)
    }
}
