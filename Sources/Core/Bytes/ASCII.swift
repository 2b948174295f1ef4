extension UInt8 {
    /// Whether the byte is an ASCII digit.
    @inlinable
    package var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is an ASCII letter.
    @inlinable
    package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// Whether the byte is a space, a tab, or one of the ASCII characters that end or separate lines.
    @inlinable
    package var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// The byte, or the lowercase letter of an ASCII letter.
    @inlinable
    package var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit in either case, or nil.
    @inlinable
    package var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    /// The uppercase hexadecimal digit of a value below 16.
    @inlinable
    package static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}

extension StringProtocol {
    /// Returns the text without the ASCII characters at its ends that satisfy a condition.
    @inlinable
    package func trimming(_ isTrimmed: (UInt8) -> Bool) -> String {
        let text = Substring(self)
        guard let first = text.utf8.firstIndex(where: { !isTrimmed($0) }) else { return "" }
        let last = text.utf8.lastIndex { !isTrimmed($0) } ?? first
        return String(text[first...last])
    }
}
