/// Finds ill-formed UTF-8 (Unicode 16, table 3-7).
package enum UTF8Validation {
    /// Returns the offset of the first byte of the first ill-formed sequence at or after `start`, or nil if there is none.
    ///
    /// ASCII is checked eight bytes at a time.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package static func firstInvalid(in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
        let words = bytes.bytes
        let count = bytes.count
        var at = start
        while at < count {
            if at + 8 <= count, words.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self) & highBits == 0 {
                at += 8
                continue
            }
            guard let length = sequenceLength(in: bytes, at: at) else { return at }
            at += length
        }
        return nil
    }

    /// Returns the offset of the first byte of the first ill-formed sequence of an array, or nil if there is none.
    package static func firstInvalid(in bytes: [UInt8], from start: Int = 0) -> Int? {
        // `Array.span` is newer than the deployment targets.
        bytes.withUnsafeBufferPointer { firstInvalid(in: $0, from: start) }
    }

    /// Returns the offset of the first byte of the first ill-formed sequence of a buffer, or nil if there is none.
    package static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
        firstInvalid(in: Span(_unsafeElements: bytes), from: start)
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The length of the well-formed sequence at an offset, or nil if it is ill-formed.
    private static func sequenceLength(in bytes: Span<UInt8>, at start: Int) -> Int? {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch bytes[start] {
        case 0..<0x80: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard start + length <= bytes.count, second.contains(bytes[start + 1]) else { return nil }
        for at in start + 2..<max(start + length, start + 2) where bytes[at] & 0xC0 != 0x80 { return nil }
        return length
    }
}
