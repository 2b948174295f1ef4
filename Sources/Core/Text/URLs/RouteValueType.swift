/// The built-in types of route parameters, in the order in which they are tried.
package enum RouteValueType: String, CaseIterable, Sendable {
    case bool, uint, int, uuid, double, slug

    /// Returns whether a nonempty value has this type.
    package func accepts(_ text: String) -> Bool {
        switch self {
        case .bool: text == "true" || text == "false"
        // Decimal digits that fit into 64 bits. The standard library also accepts a plus sign.
        case .uint: text.utf8.first?.isDigit == true && UInt64(text) != nil
        case .int: text.utf8.first != UInt8(ascii: "+") && Int64(text) != nil
        case .uuid: Self.isUUID(text)
        case .double: Self.isFiniteDecimal(text)
        // As in Django's converter of this name.
        case .slug: text.utf8.allSatisfy(Self.isNameByte)
        }
    }

    /// Whether the name of a type can contain a byte.
    package static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// Returns whether a text is hexadecimal digits in either case, grouped 8-4-4-4-12 (RFC 9562).
    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { at, byte in
                [8, 13, 18, 23].contains(at) ? byte == UInt8(ascii: "-") : byte.hexValue != nil
            }
    }

    /// Returns whether a text is a finite decimal number such as `-1.5e3`, but not `nan`, a hexadecimal number or `1.`.
    private static func isFiniteDecimal(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        // The standard library also accepts a plus sign, names, and a point without digits on both sides.
        guard digits.first?.isDigit == true, digits.last?.isDigit == true,
            digits.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) })
        else { return false }
        let endsInPoint = zip(digits, digits.dropFirst()).contains {
            $0 == UInt8(ascii: ".") && $1.asciiLowercased == UInt8(ascii: "e")
        }
        return !endsInPoint && Double(text)?.isFinite == true
    }
}
