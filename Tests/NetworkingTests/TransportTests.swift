import AshlarNetworking
import AshlarNetworkingTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    private static func echo(_ request: ServedRequest) -> String {
        let fields = request.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        return answer(body: "\(request.method) \(request.target)\n\(fields)\n\n\(request.text)")
    }

    @Test("The server receives the request as written", arguments: TransportKind.allCases)
    func asking(kind: TransportKind) async throws {
        let server = try FaultServer(answering: Self.echo)
        let client = try kind.client()
        let response = try await client.send(
            client.request(
                .get, server.url + "/a/../b//c%2F?q=%20&r",
                headers: ["X-One": "1", "X-Empty": "", "X-Latin": "caf\u{E9}"]))
        let text = String(decoding: response.bytes, as: UTF8.self)
        #expect(text.hasPrefix("GET /a/../b//c%2F?q=%20&r\n"))
        #expect(text.contains("Host: 127.0.0.1:\(server.port)\n"))
        #expect(text.contains("X-One: 1\n"))
        #expect(text.contains("X-Empty: \n"))
        #if os(Linux)
            #expect(text.contains("X-Latin: caf\u{E9}\n"))
        #endif
        #expect(text.contains("User-Agent: Ashlar\n"))
        #expect(!text.contains("Content-Type") && !text.contains("Expect"))
    }

    @Test("Several fields of one name arrive", arguments: TransportKind.allCases)
    func repeatedFields(kind: TransportKind) async throws {
        let server = try FaultServer(answering: Self.echo)
        var request = try NetworkRequest(.get, server.url)
        request.headers = HTTPHeaders([HTTPField("Accept", "*/*"), HTTPField("Accept", "text/plain")])
        let text = try await kind.client().send(request).text()
        // The system's session joins them.
        let forms = ["Accept: */*\nAccept: text/plain\n", "Accept: */*,text/plain\n"]
        #expect(forms.contains { text.contains($0) }, "\(text)")
    }

    @Test(
        "Every method arrives with its body", arguments: TransportKind.allCases,
        ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func methods(kind: TransportKind, method: String) async throws {
        let server = try FaultServer(answering: Self.echo)
        let client = try kind.client()
        for body in ["", "hello"] {
            var request = try client.request(HTTPMethod(rawValue: method), server.url + "/x")
            if !body.isEmpty { request.body = .text(body) }
            let text = try await client.send(request).text()
            #expect(text.hasPrefix("\(method) /x\n"), "\(text)")
            #expect(text.hasSuffix("\n\n\(body)"))
            if !body.isEmpty {
                #expect(text.contains("Content-Length: 5\n"))
                #expect(text.contains("Content-Type: text/plain; charset=utf-8\n"))
            } else if ["POST", "PUT", "PATCH"].contains(method) {
                #expect(text.contains("Content-Length: 0\n"))
            }
        }
    }

    @Test("HEAD has a length and no body", arguments: TransportKind.allCases)
    func head(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            while connection.request() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nX: y\r\n\r\n")
            }
        }
        let client = try kind.client()
        for _ in 0..<2 {
            let response = try await client.send(client.request(.head, server.url))
            #expect(response.bytes.isEmpty)
            #expect(response.headers["x"] == "y")
        }
    }

    @Test("A connection is reused", arguments: TransportKind.allCases)
    func reuse(kind: TransportKind) async throws {
        let server = try FaultServer(answering: Self.echo)
        let client = try kind.client()
        for _ in 0..<5 { _ = try await client.send(client.request(.get, server.url)) }
        #expect(server.connectionCount == 1)
    }

    @Test("Bodies of every kind arrive completely, with a length or in chunks", arguments: TransportKind.allCases)
    func bodies(kind: TransportKind) async throws {
        let server = try FaultServer { connection in
            while let request = connection.request() {
                let sum = request.body.reduce(UInt64(17)) { $0 &* 31 &+ UInt64($1) }
                connection.write(answer(body: "\(request.body.count) \(sum) \(request["Content-Length"] ?? "chunked")"))
            }
        }
        let client = try kind.client()
        let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 8) }
        let sum = bytes.reduce(UInt64(17)) { $0 &* 31 &+ UInt64($1) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let pieces = stride(from: 0, to: bytes.count, by: 10_007).map {
            Array(bytes[$0..<min($0 + 10_007, bytes.count)])
        }
        let stream: @Sendable () -> AsyncStream<[UInt8]> = {
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            }
        }
        let bodies: [(RequestBody, String)] = [
            (.bytes(bytes), "700001"), (.file(file.path), "700001"), (.stream(length: bytes.count, stream), "700001"),
            (.stream(stream), "chunked"),
            (.once(length: bytes.count, stream()), "700001"),
        ]
        for (body, framing) in bodies {
            let text = try await client.send(client.request(.post, server.url, body: body)).text()
            #expect(text == "\(bytes.count) \(sum) \(framing)")
        }
    }

    @Test(
        "A body with another length than announced fails the request", arguments: TransportKind.allCases,
        [[3], [5], [4, 1], [2, 1], [2, 3]])
    func wrongLength(kind: TransportKind, pieces: [Int]) async throws {
        let server = try FaultServer(answering: Self.echo)
        let client = try kind.client()
        let body = RequestBody.stream(length: 4) {
            AsyncStream<[UInt8]> { continuation in
                for count in pieces { continuation.yield([UInt8](repeating: 1, count: count)) }
                continuation.finish()
            }
        }
        let error = await #expect(throws: NetworkError.self) {
            try await client.send(client.request(.post, server.url, body: body))
        }
        #expect(error?.code == .invalidBody, "\(String(describing: error))")
        let missing = await #expect(throws: NetworkError.self) {
            try await client.send(client.request(.post, server.url, body: .file("/nonexistent/file")))
        }
        #expect(missing?.code == .fileFailed)
        #expect(missing?.file == "/nonexistent/file")
    }

    @Test("A stream arrives piece by piece, its head first", arguments: TransportKind.allCases)
    func streaming(kind: TransportKind) async throws {
        let goOn = DispatchSemaphore(value: 0)
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in ["one", "two"] {
                _ = goOn.wait(timeout: .now() + 30)
                connection.write("3\r\n\(piece)\r\n")
            }
            _ = goOn.wait(timeout: .now() + 30)
            connection.write("0\r\n\r\n")
        }
        let client = try kind.client()
        let response = try await client.stream(client.request(.get, server.url))
        #expect(response.status == 200)
        goOn.signal()
        #expect(try await response.body.next() == Array("one".utf8))
        goOn.signal()
        #expect(try await response.body.next() == Array("two".utf8))
        goOn.signal()
        #expect(try await response.body.next() == nil)
        #expect(try await response.body.next() == nil)
    }

    @Test("Fields preserve order, repeats and bytes", arguments: TransportKind.allCases)
    func fields(kind: TransportKind) async throws {
        let head = Array("HTTP/1.1 200 OK\r\nB: 1\r\nA:2\r\nB:  3  \r\nL: caf".utf8) + [0xE9]
        let server = try FaultServer(raw: head + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
        let client = try kind.client()
        let response = try await client.send(client.request(.get, server.url))
        #expect(response.headers.values(for: "b").joined(separator: ", ") == "1, 3")
        #expect(response.headers["a"] == "2")
        #expect(response.headers["L"] == "caf\u{E9}")
    }
}
