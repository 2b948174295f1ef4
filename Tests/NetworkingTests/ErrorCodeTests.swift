import AshlarNetworkingTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc
    import Testing

    /// Error codes that determine retries, for malformed heads, chunks and proxies.
    @Suite(.timeLimit(.minutes(5))) struct ErrorCodeTests {
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let bytes: String
            let code: NetworkError.Code

            init(_ name: String, _ bytes: String, _ code: NetworkError.Code) {
                (testDescription, self.bytes, self.code) = (name, bytes, code)
            }
        }

        private static func chunked(_ text: String) -> String {
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text
        }

        static let cases: [Case] = [
            Case("a chunk size in C's notation", chunked("0x5\r\nhello\r\n0\r\n\r\n"), .corrupted),
            Case("a chunk size with a sign", chunked("+5\r\nhello\r\n0\r\n\r\n"), .corrupted),
            Case("a chunk size behind a space", chunked(" 5\r\nhello\r\n0\r\n\r\n"), .corrupted),
            Case("an empty chunk size", chunked("\r\nhello\r\n0\r\n\r\n"), .corrupted),
            Case("a chunk size of 17 digits", chunked("00000000000000005\r\nhello\r\n0\r\n\r\n"), .corrupted),
            Case("no line end behind a chunk", chunked("5\r\nhelloX\r\n0\r\n\r\n"), .corrupted),
            Case("an endless chunk extension", chunked("5;" + String(repeating: "a", count: 70_000)), .corrupted),
            Case("a folded first line", "HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 0\r\n\r\n", .badResponse),
            Case("HTTP/2 as text", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", .badResponse),
            Case("HTTP/2 as text without a minor", "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n", .badResponse),
            Case("HTTP/3.7", "HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n", .badResponse),
            Case("HTTP/0.9 in a status line", "HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n", .badResponse),
            Case("101 without an upgrade", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", .badResponse),
            Case(
                "chunks by HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                .badResponse),
            Case(
                "a transfer coding that was not asked for",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .badResponse),
            Case(
                "two transfer codings", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                .badResponse),
            Case(
                "a head line of 200 KB", "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 200_000), .badResponse
            ),
        ]

        @Test("A malformed response has the code of its defect", arguments: cases)
        func code(input: Case) async throws {
            let server = try FaultServer(raw: input.bytes)
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.totalTimeout = .seconds(5)
            let sent = request
            let result = await outcome { () async throws(NetworkError) in try await client.send(sent) }
            #expect(result.failure?.code == input.code, "\(result)")
        }

        @Test("Chunk extensions, uppercase digits and trailers are accepted", .timeLimit(.minutes(5)))
        func wellFormedChunks() async throws {
            let server = try FaultServer(
                raw: Self.chunked("A;name=value\r\n0123456789\r\n00002 ;x\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n"))
            let client = try TransportKind.curl.client()
            #expect(try await client.send(client.request(.get, server.url)).text() == "0123456789ab")
        }

        @Test(
            "A proxy that refuses or is unreachable is reported as a failed proxy", arguments: [407, 403, 502, 0],
            ["https", "http"])
        func proxy(status: Int, scheme: String) async throws {
            if scheme == "http", status != 0 { return }  // A refusal there is an ordinary answer.
            let server = try FaultServer(answering: { _ in answer(status, ["Proxy-Authenticate: Basic realm=\"x\""]) })
            let gone = try FaultServer(raw: "").port  // closed again at once
            let port = status == 0 ? gone : server.port
            await #expect(processExitsWith: .success) { [port = port as Int, scheme = scheme as String] in
                setenv("\(scheme)_proxy", "http://127.0.0.1:\(port)", 1)
                unsetenv("no_proxy")
                unsetenv("NO_PROXY")
                var configuration = ClientConfiguration()
                configuration.transport.usesEnvironmentProxies = true
                let client = try TransportKind.curl.client(configuration)
                let request = try client.request(.get, "\(scheme)://server.example/")
                let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
                #expect(result.failure?.code == .proxyFailed, "\(result)")
                #expect(result.failure?.isTransient == false)
            }
        }
    }
#endif
