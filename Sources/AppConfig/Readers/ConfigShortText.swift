/// A text of 8 to 15 bytes in the two words of a `String` itself, as the standard library holds short texts.
///
/// Asked for the bytes of such a text, a string writes its words to the stack first; loading eight bytes from the middle
/// of them right after that waits for the writes, which takes longer than all of the hash. The words as they are do not.
struct ConfigShortText {
    private let low: UInt64
    private let high: UInt64
    private let count: Int

    /// Nil if the text is longer, shorter, or held otherwise; must not be relied on unless `isAsKnown`.
    @inline(__always)
    init?(_ text: String) {
        #if _pointerBitWidth(_64) && _endian(little)
            (low, high) = unsafeBitCast(text, to: (UInt64, UInt64).self)
            count = Int(truncatingIfNeeded: high &>> 56) & 15
            if high &>> 61 & 1 == 0 || count < 8 { return nil }
        #else
            return nil
        #endif
    }

    @inline(__always)
    func hash(seed: UInt64) -> UInt32 { ConfigHash.hash(low, high, count: count, seed: seed) }

    /// Whether this standard library holds texts as described here: tried with texts of all lengths, once.
    static let isAsKnown: Bool = {
        for letter: Unicode.Scalar in ["a", "é", "水", "🔥"] {
            var text = ""
            for _ in 0...20 {
                let bytes = Array(text.utf8)
                let expected = bytes.withUnsafeBufferPointer { ConfigHash.hash($0, seed: 1) }
                if let short = ConfigShortText(text), short.hash(seed: 1) != expected { return false }
                text.unicodeScalars.append(letter)
            }
        }
        return true
    }()
}
