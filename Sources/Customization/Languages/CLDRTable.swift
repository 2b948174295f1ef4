/// Reads the generated tables, which are lists of `key=value` pairs separated by whitespace.
enum CLDRTable {
    /// Returns the pairs of a table; a value can be empty.
    static func read(_ text: String) -> [String: String] {
        Dictionary(pairs(text)) { _, last in last }
    }

    /// Returns the pairs of a table in order.
    static func pairs(_ text: String) -> [(String, String)] {
        // Bytes, because splitting characters would take milliseconds on the first use of a language.
        text.utf8.split { $0 <= UInt8(ascii: " ") }.map { pair in
            let key = pair.prefix { $0 != UInt8(ascii: "=") }
            return (String(Substring(key)), String(Substring(pair[key.endIndex...].dropFirst())))
        }
    }

    /// Returns the keys of a table of `value=key+key` groups with their values.
    static func readGroups(_ text: String) -> [String: String] {
        var table: [String: String] = [:]
        for (value, keys) in pairs(text) {
            for key in keys.utf8.split(separator: UInt8(ascii: "+")) { table[String(Substring(key))] = value }
        }
        return table
    }

    /// Returns the value of a language, of its closest parent in the same language, of the bare language, or of its
    /// closest parent in another language.
    static func lookUp<Value>(_ language: LanguageTag, in table: [String: Value]) -> Value? {
        let fallbacks = language.fallbacks
        let tags = fallbacks.filter { $0.language == language.language }.map(\.description)
        return (tags + [language.language] + fallbacks.map(\.description)).lazy.compactMap { table[$0] }.first
    }
}
