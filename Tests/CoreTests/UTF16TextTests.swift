import AshlarCore
import AshlarTestSupport
import Testing

@Suite struct UTF16TextTests {
    private func bytes(_ units: [UInt16], isBigEndian: Bool) -> [UInt8] {
        units.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
    }

    @Test("Random text converts as in the standard library, in both orders of bytes", arguments: [true, false])
    func agreesWithTheStandardLibrary(isBigEndian: Bool) {
        var random = SeededRandom(seed: 61)
        let alphabet: [UInt16] = [
            0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF,
        ]
        for _ in 0..<5_000 {
            let units = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            let encoded = bytes(units, isBigEndian: isBigEndian)
            let result = UTF16Text.utf8(from: encoded, startingAt: 0, isBigEndian: isBigEndian)
            #expect(result.utf8 == Array(String(decoding: units, as: UTF16.self).utf8), "\(units)")
        }
    }

    @Test("The places of unpaired surrogates are offsets in the result; a mark and half a unit are omitted")
    func unpaired() {
        let units: [UInt16] = [0xFEFF, 0x41, 0xD800, 0xE9, 0xDE00, 0xD83D, 0xDE00, 0xD83D]
        let result = UTF16Text.utf8(
            from: bytes(units, isBigEndian: true) + [0], startingAt: 2, isBigEndian: true)
        #expect(String(decoding: result.utf8, as: UTF8.self) == "A\u{FFFD}é\u{FFFD}😀\u{FFFD}")
        #expect(result.unpaired == [1, 6, 13])
        let empty = UTF16Text.utf8(from: [], startingAt: 0, isBigEndian: false)
        #expect(empty.utf8.isEmpty && empty.unpaired.isEmpty)
    }
}
