import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// A connection that ends after each byte of a response.
@Suite(.timeLimit(.minutes(5))) struct EarlyCloseTests {
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    ]

    @Test(
        "Every end before the last byte is an error, by close or reset", arguments: TransportKind.allCases,
        [false, true])
    func everyByte(kind: TransportKind, reset: Bool) async throws {
        let cut = Mutex((answer: "", count: 0))
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            let (answer, count) = cut.withLock { $0 }
            connection.write(answer.utf8.prefix(count))
            if reset {
                connection.pause(0.01)  // lets the bytes be read before the reset throws them away
                connection.reset()
            } else {
                connection.finish()
            }
        }
        let client = try kind.client()
        var checked = 0
        for answer in Self.answers {
            let whole = answer.utf8.count
            // The last chunk and the CR of the empty trailer complete the body.
            let enough = answer.contains("chunked") ? whole - 1 : whole
            for count in 0...whole {
                cut.withLock { $0 = (answer, count) }
                let request = try client.request(.get, server.url)
                let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
                checked += 1
                switch result {
                case .success(let response):
                    let isWhole = count >= enough
                    #expect(
                        isWhole,
                        "a success at byte \(count) of \(whole): \(String(decoding: response.bytes, as: UTF8.self))")
                    #expect(response.bytes == Array("hello".utf8))
                case .failure(let error):
                    #expect(count < whole || reset, "\(error)")
                    #expect([.truncated, .connectionLost].contains(error.code), "byte \(count): \(error)")
                }
            }
        }
        #expect(checked > 20)
    }
}
