internal import AshlarCore

/// Hashes and compares bytes and finds marks for the route tree, eight bytes at a time.
///
/// Functions read only inside the given range. `fold` makes ASCII letters equal in both cases.
enum RouteBytes {
    private static let everyByte: UInt64 = 0x0101_0101_0101_0101
    private static let low7: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15

    /// Reads at most eight bytes from `start` as a little-endian word; missing bytes are zero.
    @inline(__always)
    static func word(_ bytes: borrowing Span<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        let raw = bytes.bytes
        if count >= 8 {
            return UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        if count >= 4 {
            let low = raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self)
            let high = raw.unsafeLoadUnaligned(fromByteOffset: start + count - 4, as: UInt32.self)
            return UInt64(UInt32(littleEndian: low)) | UInt64(UInt32(littleEndian: high)) << UInt64(8 * (count - 4))
        }
        if count == 0 { return 0 }
        let (first, middle, last) = (bytes[start], bytes[start + count / 2], bytes[start + count - 1])
        return UInt64(first) | UInt64(middle) << UInt64(8 * (count / 2)) | UInt64(last) << UInt64(8 * (count - 1))
    }

    /// Reads a word of an array; `Array.span` is newer than the deployment targets.
    @inline(__always)
    static func word(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        bytes.withUnsafeBufferPointer { word($0.span, start, count) }
    }

    /// Mixes two words by folding the high and low halves of their product.
    @inline(__always)
    static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = (a ^ multiplier).multipliedFullWidth(by: b ^ 0xe703_7ed1_a0b4_28db)
        return product.high ^ product.low
    }

    /// Hashes `count` bytes from `start`.
    ///
    /// The hash needs no secret: keys are an app's own patterns, so a hostile path can only fail to match.
    @inline(__always)
    static func hash(_ bytes: borrowing Span<UInt8>, _ start: Int, _ count: Int, fold: Bool) -> UInt64 {
        var (hash, at) = (UInt64(truncatingIfNeeded: count), 0)
        while count - at > 8 {
            hash = mix(hash, folded(word(bytes, start + at, 8), fold))
            at += 8
        }
        return mix(hash, folded(word(bytes, start + at, count - at), fold))
    }

    /// Returns whether `count` bytes are equal in two strings.
    @inline(__always)
    static func equal(
        _ a: borrowing Span<UInt8>, _ startA: Int, _ b: [UInt8], _ startB: Int, _ count: Int, fold: Bool
    ) -> Bool {
        var at = 0
        while count - at > 8 {
            if folded(word(a, startA + at, 8), fold) != folded(word(b, startB + at, 8), fold) { return false }
            at += 8
        }
        return folded(word(a, startA + at, count - at), fold) == folded(word(b, startB + at, count - at), fold)
    }

    /// Returns text with lowercase letters for its uppercase ASCII letters, as hosts are compared.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Converts the uppercase ASCII letters of a word to lowercase if `fold` is set.
    @inline(__always)
    static func folded(_ word: UInt64, _ fold: Bool) -> UInt64 {
        guard fold else { return word }
        let ascii = ~word & highBits
        let sevenBits = word & low7
        let fromA = sevenBits &+ everyByte &* (0x80 - 0x41)
        let pastZ = sevenBits &+ everyByte &* (0x80 - 0x5b)
        return word | (fromA & ~pastZ & ascii) >> 2
    }

    /// Returns the high bits of `/`, `?`, `#` and `%` in a word; the result can also contain `!` and `'`.
    @inline(__always)
    static func marks(_ word: UInt64) -> UInt64 {
        // '/' and '?' differ only in bit 4; '#' and '%' are two of the four values that share all but bits 1 and 2.
        zeros((word & (everyByte &* 0xef)) ^ (everyByte &* 0x2f))
            | zeros((word & (everyByte &* 0xf9)) ^ (everyByte &* 0x21))
    }

    /// Sets the high bit of exactly the bytes that are zero.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 {
        ~(((word & low7) &+ low7) | word | low7)
    }
}

/// The ASCII characters with a special meaning in routes.
extension UInt8 {
    static let slash = UInt8(ascii: "/")
    static let percent = UInt8(ascii: "%")
    static let question = UInt8(ascii: "?")
    static let hashMark = UInt8(ascii: "#")
    static let colon = UInt8(ascii: ":")
}
