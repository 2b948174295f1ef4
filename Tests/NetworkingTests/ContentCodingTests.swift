import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

#if os(Linux)
    /// Responses with `Content-Encoding`: every coding, several codings, a missing coding, and damage.
    @Suite(.timeLimit(.minutes(5))) struct ContentCodingTests {
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            var fields: [String]
            var body: [UInt8]
            /// The decoded text, or the code of the error.
            var expected: Result<String, NetworkError>

            init(_ name: String, _ fields: [String], _ body: [UInt8], _ text: String = ContentCodingTests.text) {
                (testDescription, self.fields, self.body, expected) = (name, fields, body, .success(text))
            }

            init(_ name: String, _ fields: [String], _ body: [UInt8], failing code: NetworkError.Code) {
                (testDescription, self.fields, self.body) = (name, fields, body)
                expected = .failure(NetworkError(code))
            }
        }

        static let text = "hello hello hello hello"
        // The text as zlib and brotli compress it.
        private static let raw: [UInt8] = [203, 72, 205, 201, 201, 87, 200, 64, 39, 1]
        private static let zlib: [UInt8] = [120, 156] + raw + [104, 3, 8, 177]
        private static let gzip: [UInt8] =
            [31, 139, 8, 0, 0, 0, 0, 0, 2, 3] + raw + [227, 81, 61, 141, 23, 0, 0, 0]
        private static let brotli: [UInt8] = [
            27, 22, 0, 248, 141, 148, 110, 222, 68, 85, 134, 150, 108, 32, 111, 33, 79, 28, 224, 56,
        ]
        // One raw block in a frame of known size (RFC 8878, 3.1.1).
        private static let zstd: [UInt8] =
            [0x28, 0xB5, 0x2F, 0xFD, 0x20, 23, 23 << 3 | 1, 0, 0] + Array(text.utf8)
        private static let gzipThenDeflate: [UInt8] = [
            120, 156, 147, 239, 230, 96, 0, 1, 38, 230, 211, 30, 103, 79, 158, 12, 63, 225, 160, 206, 248, 56, 208,
            182, 87, 28, 40, 6, 0, 105, 241, 7, 198,
        ]

        static let cases: [Case] = [
            Case("identity", ["Content-Encoding: identity"], Array(text.utf8)),
            Case("an empty field", ["Content-Encoding:"], Array(text.utf8)),
            Case("gzip", ["Content-Encoding: gzip"], gzip), Case("in capitals", ["CONTENT-ENCODING: GZIP"], gzip),
            Case("x-gzip", ["Content-Encoding: x-gzip"], gzip),
            Case("gzip and identity", ["Content-Encoding: identity, gzip, identity"], gzip),
            Case("zlib", ["Content-Encoding: deflate"], zlib), Case("raw", ["Content-Encoding: deflate"], raw),
            Case("brotli", ["Content-Encoding: br"], brotli), Case("zstd", ["Content-Encoding: zstd"], zstd),
            Case("two in one field", ["Content-Encoding: gzip, deflate"], gzipThenDeflate),
            Case("two fields", ["Content-Encoding: gzip", "Content-Encoding: deflate"], gzipThenDeflate),
            Case("two members", ["Content-Encoding: gzip"], gzip + gzip, text + text),
            Case("nothing at all", ["Content-Encoding: gzip"], [], ""),
            Case("nothing, twice encoded", ["Content-Encoding: gzip, br"], [], ""),
            Case("the wrong order", ["Content-Encoding: deflate, gzip"], gzipThenDeflate, failing: .corrupted),
            Case("rubbish behind gzip", ["Content-Encoding: gzip"], gzip + [1, 2, 3], failing: .corrupted),
            Case("rubbish behind zlib", ["Content-Encoding: deflate"], zlib + [0], failing: .corrupted),
            Case("rubbish behind brotli", ["Content-Encoding: br"], brotli + [0], failing: .corrupted),
            Case("zlib, wrong sum", ["Content-Encoding: deflate"], zlib.dropLast() + [0], failing: .corrupted),
            Case("zlib, cut", ["Content-Encoding: deflate"], zlib.dropLast(5), failing: .truncated),
            Case("raw, cut", ["Content-Encoding: deflate"], raw.dropLast(3), failing: .truncated),
            Case("brotli, cut", ["Content-Encoding: br"], brotli.dropLast(4), failing: .truncated),
            Case("zstd, cut", ["Content-Encoding: zstd"], zstd.dropLast(4), failing: .truncated),
            Case("gzip, one byte", ["Content-Encoding: gzip"], [31], failing: .truncated),
            Case("a second member cut", ["Content-Encoding: gzip"], gzip + gzip.dropLast(9), failing: .truncated),
            Case(
                "the inner one cut", ["Content-Encoding: br, gzip"], Gzip.encode(brotli.dropLast(4)),
                failing: .truncated),
            Case("three codings", ["Content-Encoding: gzip, gzip, gzip"], Gzip.encode(Gzip.encode(gzip))),
            Case(
                "four codings", ["Content-Encoding: gzip, gzip, gzip, gzip"],
                Gzip.encode(Gzip.encode(Gzip.encode(gzip))), failing: .corrupted),
            Case("an unknown one", ["Content-Encoding: utf-8"], Array("plain".utf8), "plain"),
            Case("none", ["Content-Encoding: none"], Array("plain".utf8), "plain"),
            Case("one known, one unknown", ["Content-Encoding: gzip, aws-chunked"], Array("plain".utf8), "plain"),
        ]

        @Test("Bodies are decompressed or rejected, in one piece and byte by byte", arguments: cases)
        func inflates(input: Case) async throws {
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    connection.write(
                        (["HTTP/1.1 200 OK", "Content-Length: \(input.body.count)"] + input.fields + ["", ""])
                            .joined(separator: "\r\n"))
                    guard request.target == "/slowly" else {
                        connection.write(input.body)
                        continue
                    }
                    for byte in input.body {
                        connection.write([byte])
                        connection.pause(0.0005)
                    }
                }
            }
            let client = try TransportKind.curl.client()
            for path in ["/", "/slowly"] {
                let request = try client.request(.get, server.url + path)
                let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
                switch (input.expected, result) {
                case (.success(let text), .success(let response)): #expect(try response.text() == text)
                case (.failure(let error), .failure(let found)):
                    #expect(found.code == error.code, "\(found)")
                    #expect(found.status == 200 || found.code == .corrupted)
                default: Issue.record("\(result)")
                }
            }
        }

        @Test(
            "Responses without a body are accepted regardless of the announced coding",
            arguments: ["HEAD", "204", "304"])
        func bodiless(kind: String) async throws {
            let server = try FaultServer(answering: { request in
                let status = Int(request.target.dropFirst()) ?? 200
                // An unsupported coding, which has no effect without a body.
                return "HTTP/1.1 \(status) Status\r\nContent-Encoding: rot13\r\n"
                    + (status == 204 ? "" : "Content-Length: 50\r\n") + "\r\n"
            })
            let client = try TransportKind.curl.client()
            var request = try client.request(kind == "HEAD" ? .head : .get, server.url + "/" + kind)
            request.options.acceptedStatuses = nil
            for _ in 0..<2 { #expect(try await client.send(request).bytes.isEmpty) }
            #expect(server.connectionCount == 1)
        }

        @Test("A request with its own codings, a range or no decompression receives the bytes unchanged")
        func untouched() async throws {
            let body = Self.gzip
            let (seen, status) = (Mutex<[String?]>([]), Mutex("200 OK"))
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    seen.withLock { $0.append(request["Accept-Encoding"]) }
                    let status = status.withLock { $0 }
                    connection.write(
                        "HTTP/1.1 \(status)\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n")
                    connection.write(body)
                }
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            #expect(try await client.send(request).text() == Self.text)
            request.options.decompresses = false
            #expect(try await client.send(request).bytes == body)
            request.options.decompresses = true
            request.headers["Accept-Encoding"] = "gzip"
            #expect(try await client.send(request).bytes == body)
            status.withLock { $0 = "206 Partial Content" }
            request.headers = ["Range": "bytes=0-9"]
            #expect(try await client.send(request).bytes == body)
            let asked = seen.withLock { $0 }
            #expect(asked[0]?.contains("gzip, deflate") == true)
            #expect(asked[1...] == [nil, "gzip", nil])
        }
    }
#endif
