import AshlarNetworking
import Testing

#if os(Linux)
    @Suite(.enabled(if: MessageDeflater.isAvailable, "zlib is not installed")) struct MessageCompressionTests {
        private func inflated(_ bytes: [UInt8], _ inflater: MessageInflater, most: Int = .max) -> [UInt8]? {
            var output: [UInt8] = []
            let isIntact = (bytes + MessageInflater.end).withUnsafeBytes { bytes in
                inflater.inflate(bytes) { piece in
                    output += piece
                    return output.count < most
                }
            }
            return isIntact ? output : nil
        }

        @Test("Messages of every length are inflated to the same bytes", arguments: [9, 15])
        func roundTrip(windowBits: Int) throws {
            let deflater = try #require(MessageDeflater(windowBits: windowBits))
            let inflater = try #require(MessageInflater())
            for count in [0, 1, 2, 63, 64, 1000, 16 << 10, 16 << 10 + 1, 100_000] {
                let noise = (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
                for message in [noise, [UInt8](repeating: 7, count: count)] {
                    let compressed = try #require(message.withUnsafeBytes { deflater.deflate($0) })
                    #expect(!compressed.isEmpty && compressed.suffix(4) != MessageInflater.end[...])
                    #expect(inflated(compressed, inflater) == message, "\(count) bytes")
                }
            }
        }

        @Test("A message refers to the previous ones")
        func sharedWindow() throws {
            let deflater = try #require(MessageDeflater(windowBits: 15))
            let message = (0..<1000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
            let sizes = (0..<2).map { _ in message.withUnsafeBytes { deflater.deflate($0) }?.count ?? 0 }
            #expect(sizes[1] > 0 && sizes[1] < sizes[0] / 10, "\(sizes)")
        }

        @Test("Damaged bytes are detected, and inflating ends when no more is wanted")
        func ends() throws {
            #expect(inflated([0xFF, 0xFF, 0xFF], try #require(MessageInflater())) == nil)
            let deflater = try #require(MessageDeflater(windowBits: 15))
            let zeros = [UInt8](repeating: 0, count: 1 << 20)
            let compressed = try #require(zeros.withUnsafeBytes { deflater.deflate($0) })
            #expect(inflated(compressed, try #require(MessageInflater()), most: 1)?.count == 16 << 10)
        }
    }
#endif
