internal import AshlarCore
public import AshlarCustomization

/// Writes values in the syntax of strings files.
enum StringsLiteral {
    /// Returns the string in quotes, with the necessary escapes.
    static func quoted(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case "\0"..."\u{1F}", "\u{7F}": literal += unicode(UInt16(scalar.value))
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Returns the text of a comment without the delimiters.
    static func comment(_ text: String) -> String {
        var comment = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let last = comment.last
            if last == "*" && scalar == "/" || last == "/" && scalar == "*" { comment.append(" ") }
            // Zero bytes would make a reader detect UTF-16.
            comment.append(scalar == "\0" ? "\u{FFFD}" : scalar)
        }
        return String(comment)
    }

    private static func unicode(_ unit: UInt16) -> String {
        "\\U" + unit.digits(4, radix: 16, uppercase: true)
    }

    /// Returns a value as a literal; numbers, booleans and colors become strings.
    static func value(_ value: CustomizationValue) -> String {
        switch value {
        case .list(let items): "(" + items.map(Self.value).joined(separator: ", ") + ")"
        case .dict(let members):
            "{ "
                + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)) = \(Self.value($0.value)); " }.joined()
                + "}"
        case .message(let message): Self.value(message.stringsDict)
        case .data(let bytes): "<" + bytes.hexadecimal + ">"
        case .alias(let key): quoted("$" + key)
        default: quoted(value.text ?? "")
        }
    }
}

extension StringsTable {
    /// Returns the table as a strings file: each comment, then `"key" = "value";`, with a blank line between entries.
    ///
    /// Only the entries and the comments directly before them are written; ``StringsFileEditor`` preserves the rest,
    /// too.
    ///
    /// - Parameter isSorted: Whether to sort the entries by key; otherwise they are in the order of the file.
    /// - Returns: The text. Parsing it returns a table with the same entries.
    /// - Complexity: O(*n*) in the bytes, O(*n* log *n*) in the entries if sorted.
    public func formatted(sorted isSorted: Bool = false) -> String {
        let entries = isSorted ? sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : Array(self)
        return entries.map { entry in
            let comment = entry.comment.map { "/* \(StringsLiteral.comment($0)) */\n" }
            return (comment ?? "") + "\(StringsLiteral.quoted(entry.key)) = \(StringsLiteral.value(entry.value));\n"
        }.joined(separator: "\n")
    }
}
