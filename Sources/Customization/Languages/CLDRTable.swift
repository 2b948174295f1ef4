/// Reads the tables of ``CLDRLanguageData``.
enum CLDRTable {
    /// The `key=value` pairs of a table, parted by white space; a value may be empty.
    static func read(_ text: String) -> [String: String] {
        // Bytes, because a table is read on the first use of a language: characters would cost milliseconds.
        var pairs: [String: String] = [:]
        for pair in text.utf8.split(whereSeparator: { $0 <= UInt8(ascii: " ") }) {
            let key = pair.prefix { $0 != UInt8(ascii: "=") }
            pairs[String(Substring(key))] = String(Substring(pair[key.endIndex...].dropFirst()))
        }
        return pairs
    }
}
