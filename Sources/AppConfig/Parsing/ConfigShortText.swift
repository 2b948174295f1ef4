/// A text of up to 15 bytes in the two words of a `String` itself, as the standard library holds short texts.
///
/// Asked for the bytes of such a text, a string writes its words to the stack first; loading eight bytes from the middle
/// of them right after that waits for the writes, which takes longer than all of the hash. The words as they are do not.
struct ConfigShortText {
    private let low: UInt64
    private let high: UInt64
    let count: Int

    /// Nil if the text is longer or held otherwise; must not be relied on unless `isAsKnown`.
    @inline(__always)
    init?(_ text: String) {
        #if _pointerBitWidth(_64) && _endian(little)
            (low, high) = unsafeBitCast(text, to: (UInt64, UInt64).self)
            count = Int(truncatingIfNeeded: high &>> 56) & 15
            if high &>> 61 & 1 == 0 { return nil }
        #else
            return nil
        #endif
    }

    /// The hash of a text of at least eight bytes; nil of others.
    @inline(__always)
    func hash(seed: UInt64) -> UInt32? {
        count < 8 ? nil : ConfigHash.hash(low, high, count: count, seed: seed)
    }

    /// Whether these are the bytes, of which there are `count`.
    @inline(__always)
    func isEqual(to bytes: UnsafePointer<UInt8>) -> Bool {
        let bytes = UnsafeRawPointer(bytes)
        if count >= 8 {
            // The last eight bytes begin in the lower word.
            let shift = UInt64(truncatingIfNeeded: count &- 8) &* 8
            let tail = low &>> shift | (high &<< 1) &<< (63 &- shift)
            return bytes.loadUnaligned(as: UInt64.self) == low
                && bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) == tail
        }
        if count >= 4 {
            let tail = low &>> (UInt64(truncatingIfNeeded: count &- 4) &* 8)
            return bytes.loadUnaligned(as: UInt32.self) == UInt32(truncatingIfNeeded: low)
                && bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self) == UInt32(truncatingIfNeeded: tail)
        }
        var rest = low
        for at in 0..<count {
            if bytes.load(fromByteOffset: at, as: UInt8.self) != UInt8(truncatingIfNeeded: rest) { return false }
            rest &>>= 8
        }
        return true
    }

    /// Whether this standard library holds texts as described here: tried with texts of all lengths, once.
    static let isAsKnown: Bool = {
        for letter: Unicode.Scalar in ["a", "é", "水", "🔥"] {
            var text = ""
            for _ in 0...20 {
                let bytes = Array(text.utf8)
                let isRight = bytes.withUnsafeBufferPointer { bytes in
                    guard let short = ConfigShortText(text) else { return true }
                    guard short.count == bytes.count else { return false }
                    if let base = bytes.baseAddress, !short.isEqual(to: base) { return false }
                    return short.hash(seed: 1).map { $0 == ConfigHash.hash(bytes, seed: 1) } ?? true
                }
                if !isRight { return false }
                text.unicodeScalars.append(letter)
            }
        }
        return true
    }()
}
