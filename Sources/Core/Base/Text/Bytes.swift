extension UInt8 {
    /// Whether the byte is an ASCII digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is an ASCII letter.
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Whether the byte is a space, a tab, or one of the ASCII characters that end or separate lines.
    package var isSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0D).contains(self) }

    /// The byte, or the lowercase letter of an ASCII letter.
    package var asciiLowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    /// Whether the byte is one of some ASCII characters.
    package func isOne(of characters: StaticString) -> Bool { characters.withUTF8Buffer { $0.contains(self) } }

    /// The value of a hexadecimal digit in either case, or nil.
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension String {
    /// The text with lowercase letters for its uppercase ASCII letters.
    package var asciiLowercased: String { String(decoding: utf8.map { $0.asciiLowercased }, as: UTF8.self) }
}

extension StringProtocol {
    /// Returns the text without the ASCII characters at its ends that satisfy a condition.
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
