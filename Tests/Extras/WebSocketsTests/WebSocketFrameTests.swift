import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarWebSockets

/// Frames and handshakes of WebSockets, without a connection.
@Suite(.timeLimit(.minutes(5))) struct WebSocketFrameTests {
    /// A frame as a server sends it.
    static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        switch payload.count {
        case ..<126: [first, UInt8(payload.count)] + payload
        case ..<65_536: [first, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
        default:
            [first, 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) } + payload
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        var events: [WebSocketEvent] = []
        var code: WebSocketCloseCode?
    }

    static let cases: [Case] = {
        func text(_ string: String) -> [UInt8] { Array(string.utf8) }
        func close(_ code: Int, _ reason: [UInt8] = []) -> [UInt8] {
            frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
        }
        let long = [UInt8](repeating: 7, count: 70_000)
        return [
            Case(testDescription: "text", bytes: frame(0x81, text("hé")), events: [.message(.text("hé"))]),
            Case(testDescription: "empty text", bytes: frame(0x81, []), events: [.message(.text(""))]),
            Case(testDescription: "binary", bytes: frame(0x82, [0, 255]), events: [.message(.binary([0, 255]))]),
            Case(
                testDescription: "125 bytes", bytes: frame(0x82, Array(long.prefix(125))),
                events: [.message(.binary(Array(long.prefix(125))))]),
            Case(
                testDescription: "126 bytes", bytes: frame(0x82, Array(long.prefix(126))),
                events: [.message(.binary(Array(long.prefix(126))))]),
            Case(testDescription: "70,000 bytes", bytes: frame(0x82, long), events: [.message(.binary(long))]),
            Case(
                testDescription: "fragments that divide a character",
                bytes: frame(0x01, [0x68, 0xC3]) + frame(0x00, []) + frame(0x80, [0xA9]),
                events: [.message(.text("hé"))]),
            Case(
                testDescription: "a ping between fragments",
                bytes: frame(0x01, text("a")) + frame(0x89, text("p")) + frame(0x80, text("b")),
                events: [.ping(text("p")), .message(.text("ab"))]),
            Case(testDescription: "pong", bytes: frame(0x8A, [1]), events: [.pong([1])]),
            Case(testDescription: "close", bytes: close(1001, text("bye")), events: [.close(.goingAway, "bye")]),
            Case(testDescription: "close without a code", bytes: frame(0x88, []), events: [.close(nil, "")]),
            Case(
                testDescription: "nothing behind a close", bytes: close(1000) + frame(0x81, text("x")),
                events: [.close(.normal, "")]),
            Case(testDescription: "reserved bit", bytes: frame(0xC1, []), code: .protocolError),
            Case(testDescription: "125 bytes in two bytes", bytes: [0x82, 126, 0, 125], code: .protocolError),
            Case(
                testDescription: "65,535 bytes in eight bytes", bytes: [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
                code: .protocolError),
            Case(
                testDescription: "65,535 bytes", bytes: frame(0x82, Array(long.prefix(65_535))),
                events: [.message(.binary(Array(long.prefix(65_535))))]),
            Case(
                testDescription: "65,536 bytes", bytes: frame(0x82, Array(long.prefix(65_536))),
                events: [.message(.binary(Array(long.prefix(65_536))))]),
            Case(testDescription: "opcode 3", bytes: frame(0x83, []), code: .protocolError),
            Case(testDescription: "opcode 11", bytes: frame(0x8B, []), code: .protocolError),
            Case(testDescription: "a mask", bytes: [0x81, 0x80, 0, 0, 0, 0], code: .protocolError),
            Case(testDescription: "a fragmented ping", bytes: frame(0x09, []), code: .protocolError),
            Case(testDescription: "a long ping", bytes: frame(0x89, Array(long.prefix(126))), code: .protocolError),
            Case(testDescription: "a continuation of nothing", bytes: frame(0x80, []), code: .protocolError),
            Case(
                testDescription: "a text within fragments", bytes: frame(0x01, []) + frame(0x81, []),
                code: .protocolError),
            Case(testDescription: "invalid UTF-8", bytes: frame(0x81, [0xC3]), code: .invalidText),
            Case(testDescription: "a surrogate", bytes: frame(0x81, [0xED, 0xA0, 0x80]), code: .invalidText),
            Case(
                testDescription: "invalid UTF-8 in fragments", bytes: frame(0x01, [0xC3]) + frame(0x80, [0x28]),
                code: .invalidText),
            Case(
                testDescription: "100,000 bytes", bytes: frame(0x82, long + Array(long.prefix(30_000))),
                events: [.message(.binary(long + Array(long.prefix(30_000))))]),
            Case(
                testDescription: "100,001 bytes", bytes: [0x82, 127, 0, 0, 0, 0, 0, 1, 0x86, 0xA1], code: .tooLarge),
            Case(
                testDescription: "100,001 bytes in fragments",
                bytes: frame(0x02, long) + [0x80, 126, 0x75, 0x31], code: .tooLarge),
            Case(testDescription: "2^63 bytes", bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], code: .tooLarge),
            Case(testDescription: "close of one byte", bytes: frame(0x88, [3]), code: .protocolError),
            Case(testDescription: "close with 999", bytes: close(999), code: .protocolError),
            Case(testDescription: "close with 1005", bytes: close(1005), code: .protocolError),
            Case(testDescription: "close with 1006", bytes: close(1006), code: .protocolError),
            Case(testDescription: "close with 5000", bytes: close(5000), code: .protocolError),
            Case(testDescription: "close with 4999", bytes: close(4999), events: [.close(.init(rawValue: 4999), "")]),
            Case(testDescription: "an invalid reason", bytes: close(1000, [0xFF]), code: .invalidText),
        ]
    }()

    /// Reads bytes in pieces of a size.
    static func read(_ bytes: [UInt8], by size: Int) -> (events: [WebSocketEvent], code: WebSocketCloseCode?) {
        var reader = WebSocketReader(limit: 100_000)
        var events: [WebSocketEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
            do throws(WebSocketReader.Violation) {
                while let event = try reader.next() { events.append(event) }
            } catch {
                return (events, error.code)
            }
        }
        return (events, nil)
    }

    @Test("Frames in pieces of any size are read as messages, or rejected with a close code", arguments: cases)
    func reading(input: Case) {
        for size in [1, 2, 3, 7, 1000, 1 << 20] where size > 3 || input.bytes.count < 1000 {
            let (events, code) = Self.read(input.bytes, by: size)
            if input.code == nil { #expect(events == input.events, "pieces of \(size)") }
            #expect(code == input.code, "pieces of \(size)")
        }
    }

    @Test("A client's frame is masked and contains its payload", arguments: [0, 1, 125, 126, 65_535, 65_536])
    func writing(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let frame = WebSocketFrame.encode(.binary, payload, mask: 0x1234_5678)
        let head = count < 126 ? 2 : count < 65_536 ? 4 : 10
        #expect(frame.count == head + 4 + count)
        #expect(frame[0] == 0x82)
        #expect(frame[1] & 0x80 == 0x80)
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        #expect(Array(frame[head..<(head + 4)]) == key)
        #expect(frame[(head + 4)...].enumerated().map { $1 ^ key[$0 % 4] } == payload)
        if count > 0 { #expect(Set((0..<20).map { _ in WebSocketFrame.encode(.binary, [0]) }).count > 10) }
    }

    @Test("A reason for closing has at most 123 bytes and ends with a whole character")
    func reasons() {
        let frame = WebSocketFrame.close(.normal, String(repeating: "é", count: 100))
        #expect(frame[1] & 0x7F == 2 + 122)
    }

    @Test("The handshake has the example's key, and rejects responses that don't belong to it")
    func handshake() throws {
        // RFC 6455, section 1.3.
        #expect(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        var options = WebSocketOptions()
        options.protocols = ["a"]
        let handshake = WebSocketHandshake(options)
        let good: HTTPHeaders = [
            "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Accept": WebSocketHandshake.accept(handshake.key),
        ]
        #expect(try handshake.check(ResponseHead(status: 101, headers: good)) == nil)
        for (name, value) in [
            ("Upgrade", "h2c"), ("Connection", "close"), ("Sec-WebSocket-Accept", "x"),
            ("Sec-WebSocket-Extensions", "permessage-bzip2"),
            ("Sec-WebSocket-Extensions", "permessage-deflate, permessage-deflate"), ("Sec-WebSocket-Protocol", "b"),
            ("Sec-WebSocket-Protocol", "a, a"),
        ] {
            var bad = good
            bad.set(name, value)
            #expect(throws: NetworkError.self, "\(name)") {
                try handshake.check(ResponseHead(status: 101, headers: bad))
            }
        }
    }

    @Test("Random bytes never trap, and are read equally in pieces of any size")
    func random() {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("random frames: seed \(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let first =
                    [0x81, 0x82, 0x01, 0x80, 0x00, 0x89, 0x8A, 0x88, UInt8.random(in: 0...255, using: &generator)]
                    .randomElement(using: &generator) ?? 0
                let payload = (0..<Int.random(in: 0...130, using: &generator)).map { _ in
                    UInt8.random(in: 0x20...0xC4, using: &generator)
                }
                bytes += Self.frame(first, payload)
            }
            let (whole, pieces) = (Self.read(bytes, by: bytes.count), Self.read(bytes, by: 3))
            #expect(whole.events == pieces.events && whole.code == pieces.code)
        }
    }
}
