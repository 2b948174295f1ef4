import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)").path
    private var files: [String] { [path, path + ".partial"] }

    private func clean() { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    private func content(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
    private var present: [Bool] { files.map { FileManager.default.fileExists(atPath: $0) } }

    static let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Serves `body`; the first response ends in the middle.
    private static func server(tag: @escaping @Sendable (Int) -> String, log: Recorder<String>) throws -> FaultServer {
        let counter = Counter()
        return try FaultServer { connection in
            guard let request = connection.request() else { return }
            let number = counter.next()
            log.note("\(request["Range"] ?? "-") \(request["If-Range"] ?? "-")")
            let now = tag(number)
            var start = 0
            if let range = request["Range"], request["If-Range"] == now, let from = Int(range.dropFirst(6).dropLast()) {
                start = from
            }
            let rest = body[start...]
            let status = start > 0 ? "206 Partial" : "200 OK"
            connection.write("HTTP/1.1 \(status)\r\nETag: \(now)\r\nContent-Length: \(rest.count)\r\n")
            if start > 0 { connection.write("Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n") }
            connection.write("\r\n")
            connection.write(number == 0 ? rest.prefix(40_000) : rest)
            connection.finish()
        }
    }

    @Test("An interrupted download continues where it stopped", arguments: TransportKind.allCases)
    func resume(kind: TransportKind) async throws {
        defer { clean() }
        let log = Recorder<String>()
        let server = try Self.server(tag: { _ in "\"v1\"" }, log: log)
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        let error = await outcome { () async throws(NetworkError) in try await client.download(request, to: path) }
            .failure
        #expect(error?.code == .truncated)
        #expect(present == [false, true])
        let seen = Recorder<String>()
        let response = try await client.download(request, to: path) {
            seen.note("\($0.received)/\($0.toReceive ?? -1)")
        }
        #expect(response.status == 206)
        #expect(content(path) == Self.body)
        #expect(present == [true, false])
        #expect(log.items == ["- -", "bytes=40000- \"v1\""])
        #expect(seen.items.last == "100000/100000")
        #expect(seen.items.allSatisfy { $0.hasSuffix("/100000") })
    }

    @Test(
        "Another version starts from zero, as does a download without resume", arguments: TransportKind.allCases,
        [true, false])
    func changed(kind: TransportKind, resume: Bool) async throws {
        defer { clean() }
        let log = Recorder<String>()
        let server = try Self.server(tag: { "\"v\($0)\"" }, log: log)
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        _ = await outcome { () async throws(NetworkError) in try await client.download(request, to: path) }
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let response = try await client.download(request, to: path, resume: resume)
        #expect(response.status == 200)
        #expect(content(path) == Self.body)
        #expect(log.items.last == (resume ? "bytes=40000- \"v0\"" : "- -"))
    }

    @Test("After a response with another range, the next download starts from zero")
    func wrongRange() async throws {
        defer { clean() }
        let step = Counter()
        let stub = StubTransport { request in
            switch step.next() {
            case 0:
                var broken = StubResponse(headers: ["ETag": "\"a\"", "Content-Length": "4"], chunks: [[1, 2]])
                broken.bodyFailure = NetworkError(.truncated)
                return broken
            case 1:
                return StubResponse(
                    status: 206, headers: ["ETag": "\"a\"", "Content-Range": "bytes 0-3/4"], chunks: [[1, 2, 3, 4]])
            default: return StubResponse(chunks: [[1, 2], [3, 4]])
            }
        }
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "http://h/")
        for code in [NetworkError.Code.truncated, .badResponse] {
            let error = await outcome { () async throws(NetworkError) in try await client.download(request, to: path) }
                .failure
            #expect(error?.code == code)
        }
        try await client.download(request, to: path)
        #expect(content(path) == [1, 2, 3, 4])
        #expect(stub.requests.map { $0.headers["Range"] ?? "-" } == ["-", "bytes=2-", "-"])
    }

    @Test("A weak tag is not a validator, and an error names a missing folder")
    func unresumable() async throws {
        defer { clean() }
        let stub = StubTransport { _ in
            var broken = StubResponse(headers: ["ETag": "W/\"a\"", "Content-Length": "4"], chunks: [[1, 2]])
            broken.bodyFailure = NetworkError(.truncated)
            return broken
        }
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "http://h/")
        for _ in 0..<2 {
            _ = await outcome { () async throws(NetworkError) in try await client.download(request, to: path) }
        }
        #expect(stub.requests.allSatisfy { !$0.headers.contains("Range") })
        let error = await outcome { () async throws(NetworkError) in
            try await client.download(request, to: "/nonexistent/folder/x")
        }.failure
        #expect(error?.code == .fileFailed)
        #expect(error?.file == "/nonexistent/folder/x")
    }
}
