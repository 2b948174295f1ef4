extension UInt8 {
    /// The uppercase hexadecimal digit of a value below 16.
    package static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
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
