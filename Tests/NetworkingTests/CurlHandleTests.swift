import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import Foundation
    import Testing

    @testable import AshlarNetworking

    /// Handles of libcurl that many requests use, one after the other.
    @Suite(.timeLimit(.minutes(5))) struct CurlHandleTests {
        private static let bodies: [RequestBody] = [
            .empty, .bytes([], contentType: nil), .text("text"), .bytes([UInt8](repeating: 7, count: 100_000)),
            .stream {
                AsyncStream {
                    $0.yield([1, 2])
                    $0.finish()
                }
            },
        ]

        private func request(_ random: inout SeededRandom, _ url: String) throws -> NetworkRequest {
            let method = random.pick([HTTPMethod.get, .get, .head, .post, .put, .patch, .delete, "PROPFIND"])
            let target = random.pick(["/ok", "/ok", "/ok", "/none", "/chunks", "/folded", "/last", "/drop"])
            var request = try NetworkRequest(method, url + target)
            if method != .head, random.chance(60) { request.body = random.pick(Self.bodies) }
            if random.chance(30) { request.headers["X-Own"] = String(random.below(1000)) }
            if random.chance(20) { request.headers["Accept"] = random.pick(["*/*", "text/plain"]) }
            if random.chance(20) { request.headers["Range"] = "bytes=0-1" }
            if random.chance(10) { request.options.connectTimeout = .seconds(400) }
            if random.chance(20) { request.options.decompresses = false }
            return request
        }

        @Test("A request has the same bytes and the same result on a used handle as on a new one")
        func sameBytes() async throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("used handles: seed \(seed)")
            var random = SeededRandom(seed: seed)
            let received = Recorder<String>()
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    received.note("\(request.method) \(request.target) \(request.fields) \(request.body.hashValue)")
                    switch request.target {
                    case "/none": connection.write("HTTP/1.1 204 No Content\r\n\r\n")
                    case "/chunks":
                        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                        if request.method != "HEAD" { connection.write("2\r\nok\r\n0\r\n\r\n") }
                    case "/folded": connection.write("HTTP/1.1 200 OK\r\n a: b\r\nContent-Length: 0\r\n\r\n")
                    case "/last":
                        connection.write(answer(200, ["Connection: close"]))
                        return connection.finish()
                    case "/drop": return
                    default: connection.write(request.method == "HEAD" ? answer() : answer(body: "ok"))
                    }
                }
            }
            let used = try TransportKind.curl.client()
            for number in 0..<400 {
                let request = try request(&random, server.url)
                func result(_ client: NetworkClient) async -> (String, Set<String>) {
                    let before = received.items.count
                    let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
                    let text = (try? result.get()).map { "\($0.status) \($0.bytes)" }
                    return (text ?? result.failure?.code.rawValue ?? "", Set(received.items[before...]))
                }
                let (first, second) = (await result(used), await result(try TransportKind.curl.client()))
                #expect(first.0 == second.0 && first.1 == second.1, "seed \(seed), request \(number)")
                if request.url.path == "/folded" { #expect(first.0 == NetworkError.Code.badResponse.rawValue) }
            }
        }

        @Test("Whether a connection was unusable counts for one attempt of a request")
        func attempts() throws {
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            let transfer = try CurlTransfer(NetworkRequest(.get, "http://a.example/"), loop: loop)
            let handle = try CurlHandle(loop)
            defer { handle.destroy() }
            transfer.begin(on: handle)
            #expect(transfer.phase == .connecting)
            #expect(!transfer.proceeds(after: .connected(isStale: true, hasBody: false)))
            let (aborted, notConnected) = (Int32(42), Int32(7))
            #expect(transfer.sendsAgain(after: aborted))
            transfer.begin(on: handle)
            #expect(!transfer.sendsAgain(after: notConnected))
        }
    }
#endif
