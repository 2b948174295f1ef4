internal import AshlarCore

/// The rules for reading strings as numbers and booleans.
public enum NumberSpelling: Hashable, Sendable {
    /// The whole string must be a number or boolean; any other string is malformed.
    case strict
    /// Reads the longest numeric prefix and never fails, like `NSString`'s `integerValue`, `doubleValue` and
    /// `boolValue`.
    case nsstring
}

/// Reads numbers and booleans from text, without a locale.
package enum NumberReading {
    typealias Bytes = UnsafeBufferPointer<UInt8>.SubSequence

    /// Parses `[+-]digits` or `0x…`, ignoring whitespace around it, if it fits into 64 bits.
    package static func integer(_ text: String) -> Int64? {
        let text = text.trimmingSpace()
        guard text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8) else { return Int64(text) }
        let digits = text.dropFirst(2)
        // Swift also reads a sign here.
        return digits.utf8.allSatisfy { $0.hexValue != nil } ? Int64(digits, radix: 16) : nil
    }

    /// Parses a finite decimal number with `.` as its point, ignoring whitespace around it.
    package static func double(_ text: String) -> Double? {
        text.withKeyBytes { double(ColorReading.trimmed($0)) }
    }

    static func double(_ bytes: Bytes) -> Double? {
        guard let end = endOfDouble(bytes), end == bytes.endIndex else { return nil }
        guard let number = Double(Substring(decoding: bytes, as: UTF8.self)), number.isFinite else { return nil }
        return number
    }

    /// Returns the end of the longest decimal number at the start of the bytes; nil if there is none.
    private static func endOfDouble(_ bytes: Bytes) -> Int? {
        var i = bytes.startIndex
        let end = bytes.endIndex
        if i < end, bytes[i] == UInt8(ascii: "-") || bytes[i] == UInt8(ascii: "+") { i += 1 }
        var digits = 0
        while i < end, bytes[i].isDigit { (i, digits) = (i + 1, digits + 1) }
        if i < end, bytes[i] == UInt8(ascii: ".") {
            var j = i + 1
            while j < end, bytes[j].isDigit { (j, digits) = (j + 1, digits + 1) }
            if digits > 0 { i = j }
        }
        guard digits > 0 else { return nil }
        if i < end, bytes[i] | 0x20 == UInt8(ascii: "e") {
            var j = i + 1
            if j < end, bytes[j] == UInt8(ascii: "-") || bytes[j] == UInt8(ascii: "+") { j += 1 }
            if j < end, bytes[j].isDigit {
                while j < end, bytes[j].isDigit { j += 1 }
                i = j
            }
        }
        return i
    }

    /// Parses the words that `NSString.boolValue` reads in the same way: yes, true, y, t, 1, no, false, n, f, 0 in any
    /// case.
    static func bool(_ text: String) -> Bool? {
        switch text.trimmingSpace().lowercased() {
        case "yes", "true", "y", "t", "1": true
        case "no", "false", "n", "f", "0": false
        default: nil
        }
    }
}

// MARK: - NSString's behavior

extension NumberReading {
    /// Returns the bytes after whitespace, which for NSString includes the no-break space.
    private static func dropBlanks(_ bytes: Bytes) -> Bytes {
        var bytes = bytes
        while let c = bytes.first {
            if c.isSpace {
                bytes = bytes.dropFirst()
            } else if c == 0xC2, bytes.dropFirst().first == 0xA0 {
                bytes = bytes.dropFirst(2)
            } else {
                break
            }
        }
        return bytes
    }

    /// Returns whether the number is negative, and the bytes after its sign and the whitespace around it.
    private static func signed(_ bytes: UnsafeBufferPointer<UInt8>) -> (isNegative: Bool, rest: Bytes) {
        let start = dropBlanks(bytes[...])
        guard let sign = start.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
            return (false, start)
        }
        return (sign == UInt8(ascii: "-"), dropBlanks(start.dropFirst()))
    }

    /// Parses like `NSString.integerValue`: the digits at the start, saturating; 0 if there are none.
    package static func nsInteger(_ text: String) -> Int64 {
        text.withKeyBytes { bytes in
            let (isNegative, rest) = signed(bytes)
            let digits = rest.prefix(while: \.isDigit)
            let number = Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
            return digits.isEmpty ? 0 : number ?? (isNegative ? .min : .max)
        }
    }

    /// Parses like `NSString.doubleValue`: the decimal number at the start; 0 if there is none.
    package static func nsDouble(_ text: String) -> Double {
        text.withKeyBytes { bytes in
            let (isNegative, rest) = signed(bytes)
            guard rest.first != UInt8(ascii: "-"), rest.first != UInt8(ascii: "+"), let end = endOfDouble(rest) else {
                return 0
            }
            let value = Double(Substring(decoding: rest[..<end], as: UTF8.self)) ?? 0
            return isNegative ? -value : value
        }
    }

    /// Parses like `NSString.boolValue`: true if the string starts with Y, y, T, t or, after a sign and zeros, a digit
    /// from 1 to 9.
    package static func nsBool(_ text: String) -> Bool {
        text.withKeyBytes { bytes in
            let start = dropBlanks(bytes[...])
            if let c = start.first, c | 0x20 == UInt8(ascii: "y") || c | 0x20 == UInt8(ascii: "t") { return true }
            let digits = signed(bytes).rest.drop { $0 == UInt8(ascii: "0") }
            return digits.first.map { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } ?? false
        }
    }
}
