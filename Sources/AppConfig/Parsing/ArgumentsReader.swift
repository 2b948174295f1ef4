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
