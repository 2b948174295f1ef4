/// Finds ill-formed UTF-8 (Unicode 16, table 3-7), in a whole text or in pieces that may divide characters.
package struct UTF8Validation {
    /// The number of continuation bytes that must follow.
    private var missing = 0
    /// The values of the next one; the first one excludes overlong forms, surrogates and numbers that are too large.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    package init() {}

    /// Whether the text may end here.
    package var isComplete: Bool { missing == 0 }

    /// Returns whether the text can be well-formed with the next bytes.
    package mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.withMemoryRebound(to: UInt8.self) { bytes in
            var sequence = 0
            return check(Span(_unsafeElements: bytes), from: 0, &sequence)
        }
    }

    /// Returns the offset of the first byte of the first ill-formed sequence at or after `start`, or nil if there is none.
    ///
    /// ASCII is checked eight bytes at a time.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
        var (text, sequence) = (UTF8Validation(), start)
        return text.check(Span(_unsafeElements: bytes), from: start, &sequence) && text.isComplete ? nil : sequence
    }

    /// Returns the offset of the first byte of the first ill-formed sequence of an array, or nil if there is none.
    package static func firstInvalid(in bytes: [UInt8], from start: Int = 0) -> Int? {
        bytes.withUnsafeBufferPointer { firstInvalid(in: $0, from: start) }
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Checks bytes, and sets the offset of the first byte of the last sequence.
    private mutating func check(_ bytes: Span<UInt8>, from start: Int, _ sequence: inout Int) -> Bool {
        let words = bytes.bytes
        let count = bytes.count
        var at = start
        while at < count {
            if missing == 0 {
                if at + 8 <= count,
                    words.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self) & Self.highBits == 0
                {
                    at += 8
                    continue
                }
                sequence = at
            }
            guard accepts(bytes[at]) else { return false }
            at += 1
        }
        return true
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard next.contains(byte) else { return false }
            missing -= 1
            next = 0x80...0xBF
            return true
        }
        switch byte {
        case ..<0x80: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, next) = (2, 0xA0...0xBF)
        case 0xED: (missing, next) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, next) = (3, 0x90...0xBF)
        case 0xF4: (missing, next) = (3, 0x80...0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
