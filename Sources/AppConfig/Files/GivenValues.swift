/// Reads the environment variables with a prefix: `APP_HTTP__TIMEOUT` sets `http.timeout`.
///
/// `APP_SERVERS__0` sets one element of an array, and the declared type decides how a text is read.
enum VariablesReader {
    static func read(
        _ variables: [String: ConfigVariable], prefix: String, known: ConfigKnownPaths
    ) -> (tree: ConfigTree?, diagnostics: [ConfigDiagnostic], errors: [ConfigError]) {
        var assignments = ConfigAssignments(settingElements: true)
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
                let value = try ConfigGivenText.value(variable.text, of: match, in: known.tree, location)
                try assignments.set(value, at: match.steps, from: location)
            } catch {
                errors.append(error)
            }
        }
        errors += assignments.removeDetachedElements(over: known.tree)
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
