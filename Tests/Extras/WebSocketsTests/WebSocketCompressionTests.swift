import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarWebSockets

#if os(Linux)
    /// `permessage-deflate`: what is agreed, and messages in both directions without a connection.
    @Suite(.timeLimit(.minutes(5))) struct WebSocketCompressionTests {
        struct Answer: CustomTestStringConvertible, Sendable {
            let testDescription: String
            var offer = WebSocketCompression()
            var agreement: WebSocketAgreement?

            init(
                _ answer: String, _ agreement: WebSocketAgreement? = nil,
                offer change: (inout WebSocketCompression) -> Void = { _ in }
            ) {
                testDescription = answer
                self.agreement = agreement
                change(&offer)
            }
        }

        static let standard = WebSocketAgreement(minimumBytes: 128)

        static let answers: [Answer] = {
            func agreed(_ change: (inout WebSocketAgreement) -> Void) -> WebSocketAgreement {
                var agreement = standard
                change(&agreement)
                return agreement
            }
            let name = "permessage-deflate"
            return [
                Answer(name, standard), Answer("PerMessage-Deflate", standard), Answer(" \(name) ", standard),
                Answer("\(name); client_no_context_takeover", agreed { $0.clientContextTakeover = false }),
                Answer("\(name);server_no_context_takeover", agreed { $0.serverContextTakeover = false }),
                Answer("\(name); client_max_window_bits=9", agreed { $0.clientWindowBits = 9 }),
                Answer("\(name); client_max_window_bits=\"10\"", agreed { $0.clientWindowBits = 10 }),
                Answer("\(name); client_max_window_bits=8", agreed { $0.clientWindowBits = 8 }),
                Answer("\(name); server_max_window_bits=8", standard),
                Answer(
                    "\(name); server_no_context_takeover; client_no_context_takeover ; client_max_window_bits = 15",
                    agreed {
                        $0.clientContextTakeover = false
                        $0.serverContextTakeover = false
                    }),
                // The client may do more than the server asks for.
                Answer(name, agreed { $0.clientContextTakeover = false }) { $0.clientContextTakeover = false },
                Answer("\(name); server_no_context_takeover", agreed { $0.serverContextTakeover = false }) {
                    $0.serverContextTakeover = false
                },
                // Not what was offered.
                Answer("permessage-bzip2"), Answer(""), Answer("\(name); x"), Answer("\(name);"),
                Answer("\(name); client_max_window_bits"), Answer("\(name); client_max_window_bits=7"),
                Answer("\(name); client_max_window_bits=16"), Answer("\(name); client_max_window_bits=09"),
                Answer("\(name); client_max_window_bits=9; client_max_window_bits=9"),
                Answer("\(name); server_max_window_bits"), Answer("\(name); server_no_context_takeover=1"),
                Answer("\(name); server_no_context_takeover; server_no_context_takeover"),
                Answer(name) { $0.serverContextTakeover = false },
                Answer("\(name); server_max_window_bits=16"),
            ]
        }()

        @Test("An answer to the offer is an agreement, or rejected", arguments: answers)
        func negotiation(input: Answer) {
            #expect(input.offer.agreement(input.testDescription) == input.agreement)
        }

        @Test("The offer contains what the options ask for")
        func offers() {
            var compression = WebSocketCompression()
            #expect(compression.offer == "permessage-deflate; client_max_window_bits")
            compression.clientContextTakeover = false
            compression.serverContextTakeover = false
            #expect(
                compression.offer == "permessage-deflate; client_max_window_bits; client_no_context_takeover; "
                    + "server_no_context_takeover")
            var options = WebSocketOptions()
            #expect(WebSocketHandshake(options).fields.contains { $0.name == "Sec-WebSocket-Extensions" })
            options.compression = nil
            #expect(!WebSocketHandshake(options).fields.contains { $0.name == "Sec-WebSocket-Extensions" })
        }

        /// The same frame as a server sends it, without a mask.
        private func unmasked(_ frame: [UInt8]) -> [UInt8] {
            let length = Int(frame[1] & 0x7F)
            let head = length == 127 ? 10 : length == 126 ? 4 : 2
            let key = Array(frame[head..<(head + 4)])
            var result = Array(frame[..<head])
            result[1] &= 0x7F
            return result + frame[(head + 4)...].enumerated().map { $1 ^ key[$0 & 3] }
        }

        @Test("Random messages come back unchanged in pieces of any size, with and without context", arguments: 8...15)
        func messages(bits: Int) throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("compressed messages: seed \(seed)")
            var generator = SeededRandom(seed: seed)
            for takeover in [true, false] {
                var agreement = Self.standard
                agreement.clientWindowBits = bits
                agreement.clientContextTakeover = takeover
                agreement.serverContextTakeover = takeover
                var writer = WebSocketWriter(agreement)
                var reader = WebSocketReader(limit: 1 << 20, agreement)
                var compressed = 0
                for number in 0..<60 {
                    let count = [0, 1, 127, 128, 1000, 70_000].randomElement(using: &generator) ?? 0
                    let letters = number % 2 == 0 ? 0...255 : 97...99 as ClosedRange<UInt8>
                    let bytes = (0..<count).map { _ in UInt8.random(in: letters, using: &generator) }
                    let message =
                        number % 2 == 0 ? WebSocketMessage.binary(bytes) : .text(String(decoding: bytes, as: UTF8.self))
                    let frame = unmasked(writer.frame(message))
                    if frame[0] & 0x40 != 0 { compressed += 1 }
                    #expect((frame[0] & 0x40 != 0) == (count >= 128 && bits > 8))
                    if number % 2 == 1, count >= 1000, bits > 8 { #expect(frame.count < count / 2) }
                    let size = Int.random(in: 1...5000, using: &generator)
                    var received: [WebSocketEvent] = []
                    for start in stride(from: 0, to: frame.count, by: size) {
                        reader.append(Array(frame[start..<min(start + size, frame.count)]))
                        while let event = try reader.next() { received.append(event) }
                    }
                    #expect(received == [.message(message)])
                    #expect(!reader.isWithinMessage)
                }
                #expect((compressed > 0) == (bits > 8))
            }
        }

        @Test("A message that inflates beyond the limit is rejected before it is inflated further")
        func bomb() throws {
            let ratio = try growth(from: 1 << 20, to: 64 << 20, limit: 20) { count in
                let deflater = try #require(MessageDeflater(windowBits: 15))
                let zeros = [UInt8](repeating: 0, count: count)
                let payload = try #require(zeros.withUnsafeBytes { deflater.deflate($0) })
                #expect(payload.count < count / 600)
                var reader = WebSocketReader(limit: 1000, Self.standard)
                reader.append(WebSocketFrameTests.frame(0xC2, payload))
                return reader
            } _: { filled in
                var reader = filled
                let error = #expect(throws: WebSocketReader.Violation.self) { try reader.next() }
                #expect(error?.code == .tooLarge)
            }
            // A whole inflation would take 64 times as long for 64 times as many bytes.
            #expect(ratio < 20)
        }

        @Test(
            "Damaged compression and misplaced bits are violations, and never trap",
            arguments: [
                ([0xC1, 3, 0xFF, 0xFF, 0xFF], WebSocketCloseCode.protocolError),
                ([0xC9, 0], .protocolError), ([0xC8, 0], .protocolError), ([0xA1, 0], .protocolError),
                ([0x91, 0], .protocolError), ([0xE1, 0], .protocolError), ([0x01, 0, 0xC0, 0], .protocolError),
            ] as [([UInt8], WebSocketCloseCode)])
        func damages(bytes: [UInt8], code: WebSocketCloseCode) {
            for compression in [Self.standard, nil] {
                var reader = WebSocketReader(limit: 1000, compression)
                reader.append(bytes)
                let error = #expect(throws: WebSocketReader.Violation.self) { while try reader.next() != nil {} }
                #expect(error?.code == code)
            }
        }

        @Test("A text is rejected with its first wrong byte, before its frame is complete")
        func early() throws {
            let valid = Array("κόσμε".utf8)
            for wrong: [UInt8] in [[0xF4, 0x90], [0xED, 0xA0], [0xC0], [0x80], [0xF5], [0xE0, 0x80], [0xF0, 0x8F]] {
                var reader = WebSocketReader(limit: 1000)
                reader.append([0x81, 100] + valid + wrong.dropLast())
                #expect(try reader.next() == nil)
                reader.append([wrong.last ?? 0])
                let error = #expect(throws: WebSocketReader.Violation.self) { try reader.next() }
                #expect(error?.code == .invalidText, "\(wrong)")
            }
        }
    }
#endif
