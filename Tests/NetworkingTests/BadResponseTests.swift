import AshlarNetworking
import AshlarNetworkingTestSupport
import Foundation
import Testing

/// Malformed and hostile responses on every transport: each ends with its error, not with success, a hang or a crash.
@Suite(.timeLimit(.minutes(5))) struct BadResponseTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let codes: Set<NetworkError.Code>

        init(_ name: String, _ text: String, _ codes: Set<NetworkError.Code>) {
            self.init(name, Array(text.utf8), codes)
        }

        init(_ name: String, _ bytes: [UInt8], _ codes: Set<NetworkError.Code>) {
            testDescription = name
            self.bytes = bytes
            self.codes = codes
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let many = (0..<201).map { "F\($0): x\r\n" }.joined()
    private static let storm = String(repeating: "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n", count: 2000)

    static let cases: [Case] = [
        Case("not HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n", [.badResponse]),
        Case("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", [.badResponse]),
        Case("a status of letters", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n", [.badResponse]),
        Case(
            "two lengths that differ", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc", [.badResponse]),
        Case("two lengths in one field", ok + "Content-Length: 2, 3\r\n\r\nabc", [.badResponse]),
        Case("a length that is no number", ok + "Content-Length: x\r\n\r\nabc", [.badResponse]),
        Case("a negative length", ok + "Content-Length: -1\r\n\r\nabc", [.badResponse]),
        Case(
            "a length beyond 64 bits", ok + "Content-Length: 99999999999999999999\r\n\r\nabc", [.badResponse]),
        Case(
            "NUL in a field", Array((ok + "X: a").utf8) + [0] + Array("b\r\nContent-Length: 0\r\n\r\n".utf8),
            [.badResponse]),
        Case(
            "a control character in a field", ok + "X: a\u{1}b\r\nContent-Length: 0\r\n\r\n", [.badResponse]),
        Case("a space in a field's name", ok + "X y: a\r\nContent-Length: 0\r\n\r\n", [.badResponse]),
        Case("a field without a colon", ok + "Nonsense\r\nContent-Length: 0\r\n\r\n", [.badResponse]),
        Case(
            "a field of 70 KiB", ok + "X: " + String(repeating: "a", count: 70_000) + "\r\nContent-Length: 0\r\n\r\n",
            [.badResponse]),
        Case("201 fields", ok + many + "Content-Length: 0\r\n\r\n", [.badResponse]),
        Case("an endless head", ok + String(repeating: "X: y\r\n", count: 40_000), [.badResponse]),
        Case("2000 interim answers", storm + ok + "Content-Length: 0\r\n\r\n", [.badResponse]),
        Case(
            "only an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", [.truncated, .connectionLost, .badResponse]),
        Case("half a head", ok + "Content-Le", [.truncated, .connectionLost]),
        Case("nothing", "", [.connectionLost]),
        Case("a length of 63 bits", ok + "Content-Length: 9223372036854775807\r\n\r\nabc", [.bodyTooLarge]),
        Case("a body shorter than its length", ok + "Content-Length: 9\r\n\r\nabc", [.truncated]),
        Case(
            "a chunk size of letters", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n", [.corrupted]),
        Case(
            "a chunk size too small", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", [.corrupted]),
        Case(
            "a chunk size beyond 64 bits",
            ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n0\r\n\r\n", [.corrupted]),
        Case("chunks without an end", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", [.truncated]),
        Case("a chunk cut short", ok + "Transfer-Encoding: chunked\r\n\r\n9\r\nabc", [.truncated]),
        Case(
            "gzip that is none", ok + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", [.corrupted]),
        Case("gzip with a wrong checksum", gzip { $0[$0.count - 8] ^= 1 }, [.corrupted]),
        Case("gzip with a wrong length", gzip { $0[$0.count - 1] ^= 1 }, [.corrupted]),
        Case("gzip cut before its checksum", gzip { $0.removeLast(8) }, [.corrupted, .truncated]),
        Case("gzip cut in its data", gzip { $0.removeLast(30) }, [.corrupted, .truncated]),
    ]

    private static func gzip(_ damage: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = Gzip.encode(Array(String(repeating: "hello ", count: 100).utf8))
        damage(&bytes)
        return Array((ok + "Content-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n").utf8) + bytes
    }

    @Test("A malformed response throws the matching error", arguments: TransportKind.allCases, cases)
    func broken(kind: TransportKind, input: Case) async throws {
        let server = try FaultServer(raw: input.bytes)
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.totalTimeout = .seconds(2)
        let sent = request
        let result = await outcome { () async throws(NetworkError) in try await client.send(sent) }
        let failure = try #require(result.failure, "it succeeded")
        #expect(input.codes.contains(failure.code), "\(failure)")
        #expect(failure.attempts == 1)
        #expect(failure.request != nil)
    }
}
