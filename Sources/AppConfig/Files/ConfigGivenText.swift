/// Reads the text of a variable or an argument as a value.
enum ConfigGivenText {
    /// Returns the value that a text means for its declared type, or otherwise for the value of the weaker layers.
    ///
    /// An array is JSON, or, if it is declared, elements between commas. A dictionary is JSON. Any other value is the
    /// text itself, which is converted when it is read.
    static func value(
        _ text: String, of match: ConfigKnownPaths.Match, in tree: ConfigTree, _ place: ConfigLocation
    ) throws(ConfigError) -> ConfigValue {
        let kind = match.node.map { tree.kind(of: $0) }
        switch match.shape {
        case .text, .boolean:
            // A typed key of another part of the program may have the same name.
            if let kind, kind.isContainer, let value = try? json(text, kind, place) { return value }
            return .string(text)
        case .array(let element):
            if isJSON(text, "[") { return try json(text, .array, place) }
            switch element {
            case .text, .boolean, .unknown: return .array(elements(of: text))
            case .array, .dictionary, .structure: throw malformed(.array, place)
            }
        case .dictionary, .structure: return try json(text, .dictionary, place)
        case .unknown, nil: break
        }
        if let kind, kind.isContainer { return try json(text, kind, place) }
        if match.shape != nil {
            if isJSON(text, "["), let value = try? json(text, .array, place) { return value }
            if isJSON(text, "{"), let value = try? json(text, .dictionary, place) { return value }
        }
        return .string(text)
    }

    /// The text between commas, without the spaces around it; no elements for an empty text.
    static func elements(of text: String) -> [ConfigValue] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let start = part.drop { $0 == " " || $0 == "\t" }
            return String(start.prefix(start.count - start.reversed().prefix { $0 == " " || $0 == "\t" }.count))
        }
        return parts == [""] ? [] : parts.map { .string($0) }
    }

    private static func isJSON(_ text: String, _ bracket: Character) -> Bool {
        text.first { !" \t\r\n".contains($0) } == bracket
    }

    private static func json(_ text: String, _ kind: ConfigKind, _ place: ConfigLocation) throws(ConfigError)
        -> ConfigValue
    {
        let wrapped = Array("{\"value\":\(text)}".utf8)
        let reading: ConfigReading? = try? FormatRecognition.read(wrapped, ConfigReaderContext(location: place))
        guard let tree = reading?.tree, tree.count(of: 0) == 1, let value = tree.child(of: 0, key: "value"),
            tree.kind(of: value) == kind
        else { throw malformed(kind, place) }
        return tree.value(of: value)
    }

    private static func malformed(_ kind: ConfigKind, _ place: ConfigLocation) -> ConfigError {
        let example = kind == .array ? #"a JSON array such as ["a", "b"]"# : #"a JSON object such as {"a": 1}"#
        return ConfigError(.malformedSource, location: place, expected: example, found: "other text")
    }
}
