extension UInt8 {
    /// Whether the byte is an ASCII digit.
    @inlinable
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is an ASCII letter.
    @inlinable
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Whether the byte is a space, a tab, or one of the ASCII characters that end or separate lines.
    @inlinable
    package var isSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0D).contains(self) }

    /// The byte, or the lowercase letter of an ASCII letter.
    @inlinable
    package var asciiLowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit in either case, or nil.
    @inlinable
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The uppercase hexadecimal digit of a value below 16.
    @inlinable
    package static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension StringProtocol {
    /// Returns the text without the ASCII characters at its ends that satisfy a condition.
    @inlinable
    package func trimming(_ isTrimmed: (UInt8) -> Bool) -> String {
        let text = Substring(self)
        guard let first = text.utf8.firstIndex(where: { !isTrimmed($0) }) else { return "" }
        let last = text.utf8.lastIndex { !isTrimmed($0) } ?? first
        return String(text[first..<text.utf8.index(after: last)])
    }
}

extension BinaryInteger {
    /// Returns the number's digits, with leading zeros if they are fewer than `count`.
    ///
    /// The sign of a negative number precedes the zeros and isn't counted.
    package func digits(_ count: Int, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(magnitude, radix: radix, uppercase: uppercase)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits, two for each.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append(UInt8.hexDigit(byte >> 4).asciiLowercased)
            digits.append(UInt8.hexDigit(byte & 15).asciiLowercased)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.
extension RawSpan {
    /// Whether both spans contain the same bytes; whole words are compared if the length permits it.
    @inlinable @inline(__always)
    public func hasSameBytes(as other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        func differ<T: FixedWidthInteger & BitwiseCopyable>(_ at: Int, _: T.Type) -> Bool {
            unsafeLoadUnaligned(fromByteOffset: at, as: T.self)
                != other.unsafeLoadUnaligned(fromByteOffset: at, as: T.self)
        }
        // The last two words can overlap.
        if byteCount >= 8 {
            var at = 0
            while at + 8 < byteCount {
                if differ(at, UInt64.self) { return false }
                at += 8
            }
            return !differ(byteCount - 8, UInt64.self)
        }
        if byteCount >= 4 { return !differ(0, UInt32.self) && !differ(byteCount - 4, UInt32.self) }
        if byteCount >= 2 { return !differ(0, UInt16.self) && !differ(byteCount - 2, UInt16.self) }
        return byteCount == 0 || !differ(0, UInt8.self)
    }
}

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
