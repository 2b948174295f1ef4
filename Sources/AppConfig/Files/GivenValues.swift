/// Reads the environment variables with a prefix: `APP_HTTP__TIMEOUT` sets `http.timeout`.
enum VariablesReader {
    static func read(
        _ variables: [String: ConfigVariable], prefix: String, known: ConfigKnownPaths
    ) -> (tree: ConfigTree?, diagnostics: [ConfigDiagnostic], errors: [ConfigError]) {
        var assignments = ConfigAssignments()
        var diagnostics: [ConfigDiagnostic] = []
        var errors: [ConfigError] = []
        for (name, variable) in variables.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { continue }
            let location = variable.location
            let words = split(String(name.dropFirst(prefix.count)))
            guard words.count <= ConfigKnownPaths.maximumDepth, !words.contains("") else {
                diagnostics.append(
                    ConfigDiagnostic(.unknownKey, location: location, message: "the variable does not name a path"))
                continue
            }
            let match = known.match(variable: words)
            if !match.isKnown {
                diagnostics.append(
                    ConfigDiagnostic(
                        .unknownKey, key: ConfigPath(match.steps), location: location,
                        message: "the variable sets an unknown key"))
            }
            do throws(ConfigError) {
                let value = try ConfigGivenText.value(
                    variable.text, like: match.node.map { known.tree.kind(of: $0) }, location)
                try assignments.set(value, at: match.steps, from: location, over: known.tree)
            } catch {
                errors.append(error)
            }
        }
        return (
            assignments.isEmpty ? nil : assignments.tree(of: ConfigLocation(file: "environment")), diagnostics, errors
        )
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

/// Parses the text of a variable or argument.
enum ConfigGivenText {
    /// Returns the text itself, or parses it as JSON if a lower layer has an array or dictionary.
    static func value(_ text: String, like kind: ConfigKind?, _ place: ConfigLocation) throws(ConfigError)
        -> ConfigValue
    {
        guard let kind, kind.isContainer else { return .string(text) }
        let context = ConfigReaderContext(location: place)
        let wrapped = Array("{\"value\":\(text)}".utf8)
        let reading: ConfigReading? = try? FormatRecognition.read(wrapped, context)
        guard let tree = reading?.tree, tree.count(of: 0) == 1, let value = tree.child(of: 0, key: "value"),
            tree.kind(of: value) == kind
        else {
            let example = kind == .array ? #"a JSON array such as ["a", "b"]"# : #"a JSON object such as {"a": 1}"#
            throw ConfigError(
                .malformedSource, location: place, expected: example, found: "other text")
        }
        return tree.value(of: value)
    }
}

/// Reads arguments: `--set path=value` and, for known paths, `--path=value`; `--` ends them.
enum ArgumentsReader {
    static func read(
        _ arguments: [String], known: ConfigKnownPaths
    ) -> (tree: ConfigTree?, diagnostics: [ConfigDiagnostic], errors: [ConfigError]) {
        var assignments = ConfigAssignments()
        var diagnostics: [ConfigDiagnostic] = []
        var errors: [ConfigError] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { break }
            var text = ""
            var isSet = argument == "--set"
            if argument.hasPrefix("--set="), !known.match(argument: "set").isKnown {
                isSet = true
                text = String(argument.dropFirst(6))
            } else if isSet {
                guard let next = rest.popFirst() else {
                    errors.append(malformed("nothing"))
                    break
                }
                text = next
            } else if argument.hasPrefix("--"), argument.contains("=") {
                text = String(argument.dropFirst(2))
            } else {
                continue
            }
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                errors.append(malformed("no path"))
                continue
            }
            let path = String(text[..<equals])
            let name = isSet ? "--set \(path)" : "--\(path)"
            let isRootKey = known.tree.child(of: 0, key: path) != nil
            let match = known.match(argument: isRootKey ? ConfigPath(components: [path]) : ConfigPath(path))
            guard isSet || match.isKnown else {
                diagnostics.append(
                    ConfigDiagnostic(
                        .unknownKey, key: ConfigPath(path), location: ConfigLocation(file: name),
                        message: "ignored argument: unknown key"))
                continue
            }
            do throws(ConfigError) {
                guard match.steps.first?.key != nil, match.steps.count <= ConfigKnownPaths.maximumDepth else {
                    throw ConfigError(
                        .malformedSource, key: ConfigPath(path), location: ConfigLocation(file: name),
                        expected: "a path of 1 to \(ConfigKnownPaths.maximumDepth) steps that begins with a key",
                        found: "another path")
                }
                let value = try ConfigGivenText.value(
                    String(text[text.index(after: equals)...]), like: match.node.map { known.tree.kind(of: $0) },
                    ConfigLocation(file: name))
                try assignments.set(value, at: match.steps, from: ConfigLocation(file: name), over: known.tree)
            } catch {
                errors.append(error)
            }
        }
        return (
            assignments.isEmpty ? nil : assignments.tree(of: ConfigLocation(file: "command line")), diagnostics, errors
        )
    }

    private static func malformed(_ found: String) -> ConfigError {
        ConfigError(.malformedSource, location: ConfigLocation(file: "--set"), expected: "path=value", found: found)
    }
}
