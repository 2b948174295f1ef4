/// The notation of a string that is an alias of another key.
enum AliasSyntax {
    /// Returns the key in `$key` or `{a.b}`; nil for any other string.
    static func alias(_ text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "$") {
            let key = text.dropFirst()
            return key.isEmpty || key.utf8.first == UInt8(ascii: "$") ? nil : String(key)
        }
        guard text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else { return nil }
        let key = text.dropFirst().dropLast()
        return key.isEmpty || key.contains("{") || key.contains(" ") ? nil : String(key)
    }

    /// Returns the string without the first `$` of a leading `$$`.
    static func unescaped(_ text: String) -> String { text.hasPrefix("$$") ? String(text.dropFirst()) : text }
}
