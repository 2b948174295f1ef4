public import AshlarCustomization

/// Writes texts as a strings file does.
enum StringsLiteral {
    /// The text between quotes, with escapes where they are needed and nowhere else.
    static func quoted(_ text: String, encoding: StringsEncoding = .utf8) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case "\0"..."\u{1F}", "\u{7F}": literal += unicode(UInt16(scalar.value))
            default:
                if encoding.canWrite(scalar) {
                    literal.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 { literal += unicode(unit) }
                }
            }
        }
        return literal + "\""
    }

    /// The text of a comment, which cannot hold its own end, nor be mistaken for one that swallowed another.
    static func comment(_ text: String) -> String {
        var comment = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let last = comment.last
            if last == "*" && scalar == "/" || last == "/" && scalar == "*" { comment.append(" ") }
            // Zero bytes are how UTF-16 is told from UTF-8.
            comment.append(scalar == "\0" ? "\u{FFFD}" : scalar)
        }
        return String(comment)
    }

    private static func unicode(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: true)
        return "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Any value as a strings file writes it; what is neither text nor container becomes a text.
    static func value(_ value: CustomizationValue) -> String {
        switch value {
        case .list(let items): "(" + items.map(Self.value).joined(separator: ", ") + ")"
        case .dict(let members):
            "{ "
                + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)) = \(Self.value($0.value)); " }.joined()
                + "}"
        case .data(let bytes): "<" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ">"
        case .alias(let key): quoted("$" + key)
        default: quoted(value.text ?? "")
        }
    }
}

extension StringsTable {
    /// The table as a strings file in one form: each comment, then `"key" = "value";`, a blank line between entries.
    ///
    /// This loses whatever was not an entry or the comment right before one; ``StringsFileEditor`` does not.
    ///
    /// - Parameter isSorted: Whether entries come in the order of their keys, or else in the file's.
    /// - Returns: The text; reading it gives a table with the same entries.
    /// - Complexity: O(*n*) in the bytes, O(*n* log *n*) in the entries if sorted.
    public func formatted(sorted isSorted: Bool = false) -> String {
        let entries = isSorted ? sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : Array(self)
        return entries.map { entry in
            let comment = entry.comment.map { "/* \(StringsLiteral.comment($0)) */\n" }
            return (comment ?? "") + "\(StringsLiteral.quoted(entry.key)) = \(StringsLiteral.value(entry.value));\n"
        }.joined(separator: "\n")
    }
}
