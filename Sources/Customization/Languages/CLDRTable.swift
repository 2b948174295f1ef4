/// Reads the tables of ``CLDRLanguageData``.
enum CLDRTable {
    /// The `key=value` pairs of a table; a value may be empty.
    static func read(_ text: String) -> [String: String] {
        let pairs = text.split(whereSeparator: \.isWhitespace).map { pair in
            let key = pair.prefix { $0 != "=" }
            return (String(key), String(pair.dropFirst(key.count + 1)))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
