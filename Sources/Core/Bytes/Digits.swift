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
