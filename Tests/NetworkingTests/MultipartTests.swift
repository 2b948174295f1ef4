import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct MultipartTests {
    private func bytes(_ body: RequestBody) async throws -> [UInt8] {
        let reader = try body.makeReader()
        var all: [UInt8] = []
        while let piece = try await reader.next() { all += piece }
        return all
    }

    @Test("The parts are written as by browsers, with escaped names and file names")
    func written() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString).txt")
        try Data("from disk".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var form = MultipartForm()
        let mark = "--" + form.boundary
        form.append("title", "ü\r\n--B")
        form.append("a\"b\r\nc", [1, 2], filename: "x\"y\n.bin")
        form.append("f", file: file.path, filename: nil, contentType: "text/plain")
        let body = RequestBody.multipart(form)
        let expected =
            "\(mark)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nü\r\n--B\r\n"
            + "\(mark)\r\nContent-Disposition: form-data; name=\"a%22b%0D%0Ac\"; filename=\"x%22y%0A.bin\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n\u{1}\u{2}\r\n"
            + "\(mark)\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(file.lastPathComponent)\"\r\n"
            + "Content-Type: text/plain\r\n\r\nfrom disk\r\n\(mark)--\r\n"
        #expect(String(decoding: try await bytes(body), as: UTF8.self) == expected)
        #expect(try body.measuredLength() == expected.utf8.count)
        #expect(body.contentType == "multipart/form-data; boundary=\(form.boundary)")
        let empty = MultipartForm()
        #expect(try await bytes(.multipart(empty)) == Array("--\(empty.boundary)--\r\n".utf8))
    }

    @Test("Each form has a boundary of its own, which needs no quotes")
    func boundary() {
        let boundaries = (0..<100).map { _ in MultipartForm().boundary }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.utf8.count == 31 && $0.utf8.dropFirst(7).allSatisfy(\.isLetterOrDigit) })
    }

    @Test(
        "A form with a large file arrives completely, with its length and without being loaded into memory",
        arguments: TransportKind.allCases)
    func sent(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { request in
            answer(body: "\(request.body.count) \(request["Content-Length"] ?? "-") \(request["Content-Type"] ?? "-")")
        })
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString).bin")
        try Data(count: 3_000_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var form = MultipartForm()
        form.append("f", file: file.path)
        let body = RequestBody.multipart(form)
        let length = try #require(try body.measuredLength())
        let client = try kind.client()
        let progress = Mutex<[TransferProgress]>([])
        var request = try client.request(.post, server.url, body: body)
        request.options.progress = { now in progress.withLock { $0.append(now) } }
        #expect(
            try await client.send(request).text()
                == "\(length) \(length) multipart/form-data; boundary=\(form.boundary)")
        let sent = progress.withLock { $0.map(\.sent) }
        #expect(sent == sent.sorted() && !sent.isEmpty)
        #expect(progress.withLock { $0.allSatisfy { $0.toSend == length } })
    }

    @Test("A missing file fails the request and names the file", arguments: TransportKind.allCases)
    func missing(kind: TransportKind) async throws {
        let client = try kind.client()
        var form = MultipartForm()
        form.append("f", file: "/nonexistent/x")
        let request = try client.request(.post, "http://127.0.0.1:1/", body: .multipart(form))
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .fileFailed)
        #expect(error?.file == "/nonexistent/x")
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        let character = Character(Unicode.Scalar(self))
        return character.isASCII && (character.isLetter || character.isNumber)
    }
}
