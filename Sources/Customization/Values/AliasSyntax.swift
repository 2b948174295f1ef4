/// The notation of a text that is an alias of another key.
enum AliasSyntax {
    /// The key that `$key` or `{a.b}` names; nil for any other text.
    static func alias(_ text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "$") {
            let key = text.dropFirst()
            return key.isEmpty || key.utf8.first == UInt8(ascii: "$") ? nil : String(key)
        }
        guard text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else { return nil }
        let key = text.dropFirst().dropLast()
        return key.isEmpty || key.contains("{") || key.contains(" ") ? nil : String(key)
    }

    /// The text without the first `$` of a leading `$$`.
    static func unescaped(_ text: String) -> String { text.hasPrefix("$$") ? String(text.dropFirst()) : text }
}
