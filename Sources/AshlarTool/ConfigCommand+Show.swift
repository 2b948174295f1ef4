import AshlarCore
import AshlarRemote
import AshlarTooling

// The listing and the explanation of values.
extension ConfigCommand {
    /// Lists the values, or explains the value of the key.
    func show(_ output: ToolOutput) -> ToolStatus {
        let report = ApplicationConfig.loadReport(plan(environments))
        let config = report.config
        // A misspelled environment is the same error for each action.
        if report.errors.contains(where: { $0.code == .missingSource }) {
            for error in report.errors { output.problems("error: \(error)") }
            return .problems
        }
        var isFound = true
        let paths = config.paths()
        if let key {
            let path = ConfigPath(key)
            let rows = paths.filter {
                $0.components.count > path.components.count && $0.components.starts(with: path.components)
            }
            let story = config.explain(path)
            isFound = story.text != nil
            if action == .show, !rows.isEmpty {
                list(rows, of: config, output)
            } else if isFound {
                if isJSON { document(json(story, config), output) } else { output.lines("\(story)") }
            } else {
                let sections = Set(paths.flatMap { Self.prefixes(of: $0) })
                let hint = NearestName.find(key, among: sections.sorted()).map { "; did you mean '\($0)'?" } ?? ""
                output.problem("error: no value at '\(key)'\(hint)")
                if story.removed != nil { output.problems("\(story)") }
            }
        } else {
            list(paths, of: config, output)
        }
        for problem in config.flagProblems() { output.problem("warning: \(problem)") }
        for diagnostic in config.diagnostics { output.problem("note: \(diagnostic)") }
        for error in report.errors { output.problems("error: \(error)") }
        return isFound && report.errors.isEmpty ? .success : .problems
    }

    /// The length up to which an array is listed with its elements.
    private static let longestList = 60

    private func list(_ paths: [ConfigPath], of config: ApplicationConfig, _ output: ToolOutput) {
        if isJSON {
            let rows = paths.map { path -> ConfigValue in
                let story = config.explain(path)
                var row: [String: ConfigValue] = ["path": .string("\(path)"), "value": value(at: path, of: config)]
                row["location"] = story.winner.map { .string("\($0.location)") }
                row["layer"] = story.winner.map { .string("\($0.layer)") }
                return .dictionary(row)
            }
            return document(.array(rows), output)
        }
        let rows = paths.map { path in
            let story = config.explain(path)
            var text = story.text ?? ""
            if !story.isSecret, let elements = value(at: path, of: config).array {
                let list = JSONWriter(isPretty: false).text(.array(elements))
                if list.count <= Self.longestList { text = list }
            }
            return ["\(path)", text, story.winner.map { "\($0.location)" } ?? ""]
        }
        for line in aligned(rows) { output.line(line) }
    }

    /// The value at a path without secrets.
    private func value(at path: ConfigPath, of config: ApplicationConfig) -> ConfigValue {
        config.locate(path).map { $0.isSecret ? .string(SecretNames.placeholder) : $0.shownValue } ?? .null
    }

    func document(_ value: ConfigValue, _ output: ToolOutput) {
        output.document(JSONWriter(isPretty: true).text(value) + "\n")
    }

    private func json(_ story: ConfigExplanation, _ config: ApplicationConfig) -> ConfigValue {
        func entry(_ entry: ConfigExplanation.Entry) -> ConfigValue {
            [
                "location": .string("\(entry.location)"), "layer": .string("\(entry.layer)"),
                "text": .string(entry.text),
            ]
        }
        var members: [String: ConfigValue] = ["path": .string("\(story.path)")]
        if let text = story.text { members["text"] = .string(text) }
        if story.isSecret { members["isSecret"] = true }
        if let winner = story.winner { members["winner"] = entry(winner) }
        if !story.merged.isEmpty { members["merged"] = .array(story.merged.map(entry)) }
        if !story.shadowed.isEmpty { members["shadowed"] = .array(story.shadowed.map(entry)) }
        if !story.parts.isEmpty { members["parts"] = .array(story.parts.map { json($0, config) }) }
        return .dictionary(members)
    }

    /// A path and the paths of its enclosing sections, as text.
    private static func prefixes(of path: ConfigPath) -> [String] {
        path.components.indices.map { "\(ConfigPath(Array(path.components[...$0])))" }
    }
}
