internal import AshlarTrees

/// The values that variables or arguments set, in order.
struct ConfigGivenValues {
    struct Value {
        let steps: [ConfigPath.Component]
        let value: ConfigValue
        let location: ConfigLocation
    }

    var values: [Value] = []
    var diagnostics: [ConfigDiagnostic] = []
    var errors: [ConfigError] = []
}

/// Reads the environment variables with a prefix: `APP_HTTP__TIMEOUT` sets `http.timeout`.
///
/// `APP_SERVERS__0` sets one element of an array, and the declared type decides how a text is read.
enum VariablesReader {
    /// The number of unknown variables for which a known path is searched.
    private static let suggestions = 16

    static func read(
        _ variables: [String: ConfigVariable], prefix: String, known: ConfigKnownPaths
    ) -> ConfigGivenValues {
        var known = known
        var given = ConfigGivenValues()
        var unknown = 0
        for (name, variable) in variables.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { continue }
            let location = variable.location
            let words = split(String(name.dropFirst(prefix.count)))
            guard words.count <= ConfigKnownPaths.maximumDepth, !words.contains("") else {
                given.diagnostics.append(
                    ConfigDiagnostic(.unknownKey, location: location, message: "the variable does not name a path"))
                continue
            }
            let match = known.match(variable: words)
            if !match.isKnown {
                // The search tries many divisions of a name.
                unknown += 1
                let hint = unknown > suggestions ? nil : nearest(words, &known)
                given.diagnostics.append(
                    ConfigDiagnostic(
                        .unknownKey, key: ConfigPath(match.steps), location: location,
                        message: "the variable sets an unknown key"
                            + (hint.map { "; did you mean \(prefix)\($0)?" } ?? "")))
            }
            do throws(ConfigError) {
                let value = try ConfigGivenText.value(variable.text, of: match, location)
                given.values.append(.init(steps: match.steps, value: value, location: location))
            } catch {
                given.errors.append(error)
            }
        }
        return given
    }

    /// Returns the name of a known path that a name spells with single underscores between keys.
    private static func nearest(_ words: [String], _ known: inout ConfigKnownPaths) -> String? {
        let parts = words.joined(separator: "_").split(separator: "_", omittingEmptySubsequences: false).map(
            String.init)
        // Each set of places for double underscores is tried, those with the fewest first.
        guard parts.count > 1, parts.count <= 8, !parts.contains("") else { return nil }
        let divisions = (0..<(1 << (parts.count - 1))).sorted { $0.nonzeroBitCount < $1.nonzeroBitCount }
        for division in divisions {
            var candidate = [parts[0]]
            for (place, part) in parts.dropFirst().enumerated() {
                if division & 1 << place == 0 {
                    candidate[candidate.count - 1] += "_" + part
                } else {
                    candidate.append(part)
                }
            }
            if known.match(variable: candidate).isKnown { return candidate.joined(separator: "__") }
        }
        return nil
    }

    /// Returns the words between double underscores.
    private static func split(_ name: String) -> [String] {
        var words = [""]
        var rest = Substring(name)
        while let first = rest.first {
            if rest.hasPrefix("__"), !rest.hasPrefix("___") {
                words.append("")
                rest = rest.dropFirst(2)
            } else {
                words[words.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return words
    }
}

/// Reads the text of a variable or an argument as a value.
enum ConfigGivenText {
    /// Returns the value that a text means for its declared type, or otherwise for the value of the weaker layers.
    ///
    /// An array is JSON, or, if it is declared, elements between commas. A dictionary is JSON. Any other value is the
    /// text itself, which is converted when it is read.
    static func value(
        _ text: String, of match: ConfigKnownPaths.Match, _ place: ConfigLocation
    ) throws(ConfigError) -> ConfigValue {
        let kind = match.node?.kind
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
        // By scalars: CR LF is one character.
        text.unicodeScalars.first { !" \t\r\n".unicodeScalars.contains($0) }.map { Character($0) } == bracket
    }

    private static func json(_ text: String, _ kind: ConfigKind, _ place: ConfigLocation) throws(ConfigError)
        -> ConfigValue
    {
        let wrapped = Array("{\"value\":\(text)}".utf8)
        let tree: ConfigTree? = try? FormatRecognition.read(wrapped, ConfigReaderContext(location: place))
        guard let tree, tree.root.members?.count == 1, let value = tree.root["value"], value.kind == kind
        else { throw malformed(kind, place) }
        return value.value
    }

    private static func malformed(_ kind: ConfigKind, _ place: ConfigLocation) -> ConfigError {
        let example = kind == .array ? #"a JSON array such as ["a", "b"]"# : #"a JSON object such as {"a": 1}"#
        return ConfigError(.malformedSource, location: place, expected: example, found: "other text")
    }
}
