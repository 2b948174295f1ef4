import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Forms whose files change during the transfer, and unusual names.
@Suite(.timeLimit(.minutes(5))) struct MultipartEdgeTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)").path

    @Test(
        "A file that changes its length or disappears during the transfer fails the request",
        arguments: TransportKind.allCases,
        ["grows", "shrinks", "vanishes", "becomes a folder"])
    func changing(kind: TransportKind, how: String) async throws {
        let file = file
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(count: 200_000).write(to: URL(fileURLWithPath: file))
        let whole = Counter()
        let server = try FaultServer { connection in
            while connection.request() != nil {
                _ = whole.next()
                connection.write(answer())
            }
        }
        // The part before the file is a file as well: a pipe whose other end changes the second file once it is read.
        var form = MultipartForm()
        form.append("first", [UInt8](repeating: 1, count: 300_000))
        form.append("f", file: file)
        let inner = RequestBody.multipart(form)
        let length = try #require(try inner.measuredLength())
        let reader = try inner.makeReader()
        let body = RequestBody.stream(length: length) {
            AsyncThrowingStream<[UInt8], any Error> {
                let piece = try await reader.next()
                if piece?.count == 300_000 {
                    try FileManager.default.removeItem(atPath: file)
                    switch how {
                    case "grows": try Data(count: 200_001).write(to: URL(fileURLWithPath: file))
                    case "shrinks": try Data(count: 199_999).write(to: URL(fileURLWithPath: file))
                    case "vanishes": break
                    default: try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
                    }
                }
                return piece
            }
        }
        let client = try kind.client()
        let request = try client.request(.post, server.url, body: body)
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(
            error?.code == (how == "vanishes" || how == "becomes a folder" ? .fileFailed : .invalidBody),
            "\(String(describing: error))")
        #expect(error?.phase == .send || error?.phase == .prepare)
        #expect(whole.value == 0)
    }

    @Test(
        "Every name arrives as one name", arguments: TransportKind.allCases,
        [
            ("plain", "plain"), ("a\"b", "a%22b"), ("x\r\ny", "x%0D%0Ay"), ("日本 語;=", "日本 語;="), ("\\", "\\"), ("", ""),
            ("%22", "%22"), ("\u{1F600}", "\u{1F600}"), ("a\u{0}b", "a\u{0}b"), ("\r\n--B--", "%0D%0A--B--"),
        ])
    func names(kind: TransportKind, input: (name: String, written: String)) async throws {
        let (name, written) = input
        let server = try FaultServer(answering: { answer(body: $0.text) })
        let client = try kind.client()
        var form = MultipartForm()
        let mark = "--" + form.boundary
        form.append(name, "v")
        form.append("f", [1], filename: name, contentType: nil)
        let text = try await client.send(client.request(.post, server.url, body: .multipart(form))).text()
        #expect(
            text == "\(mark)\r\nContent-Disposition: form-data; name=\"\(written)\"\r\n\r\nv\r\n"
                + "\(mark)\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(written)\"\r\n\r\n\u{1}\r\n"
                + "\(mark)--\r\n"
        )
    }

    @Test(
        "A content type with a line end is rejected, and nothing is sent",
        arguments: ["a\r\nX: y", "\n", "a\0", "\u{7F}"])
    func contentType(type: String) async throws {
        var form = MultipartForm()
        form.append("fine", "x")
        form.append("p\r\n", [1], contentType: type)
        let stub = StubTransport { request throws(NetworkError) in
            _ = try request.body.makeReader()
            return .status(200)
        }
        let body = RequestBody.multipart(form)
        let error = #expect(throws: NetworkError.self) { try body.measuredLength() }
        #expect(
            error?.code == .invalidBody && error?.message.contains("\"p\\\\r\\\\n\"") == true,
            "\(String(describing: error))")
        let client = NetworkClient(transport: stub)
        let request = try client.request(.post, "http://h/", body: body)
        let sent = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(sent?.code == .invalidBody)
    }
}
