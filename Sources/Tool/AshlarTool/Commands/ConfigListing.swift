import AshlarCore
import AshlarTooling

/// The listing and the explanation of the values of a configuration.
struct ConfigListing {
    private let config: ApplicationConfig
    private let errors: [ConfigError]
    private let output: ToolOutput

    init(_ invocation: Invocation, _ output: ToolOutput) throws(ToolError) {
        let sources = try ConfigSources(invocation, output)
        let report = ApplicationConfig.loadReport(sources.plan(sources.environments))
        // A misspelled environment is the same error for each command.
        if report.errors.contains(where: { $0.code == .missingSource }) {
            for error in report.errors { output.problems("error: \(error)") }
            throw .reported
        }
        config = report.config
        errors = report.errors
        self.output = output
    }

    /// Lists all values, the values of a section, or one value.
    func show(_ key: String?, asJSON: Bool) -> ToolStatus {
        let paths = config.paths()
        guard let key else {
            list(paths, asJSON)
            return status(true)
        }
        let path = ConfigPath(key)
        let rows = paths.filter {
            $0.components.count > path.components.count && $0.components.starts(with: path.components)
        }
        if rows.isEmpty { return explain(key, asJSON: asJSON) }
        list(rows, asJSON)
        return status(true)
    }

    /// Prints a value alone.
    func value(_ key: String) -> ToolStatus {
        let story = config.explain(ConfigPath(key))
        if story.text == nil {
            reportMissing(story, key)
        } else if story.isSecret {
            output.problem("error: the value at '\(key)' is secret")
        } else {
            output.document(value(at: story.path).text)
        }
        return status(story.text != nil && !story.isSecret)
    }

    private func reportMissing(_ story: ConfigExplanation, _ key: String) {
        let sections = Set(config.paths().flatMap { Self.prefixes(of: $0) })
        let hint = NearestName.find(key, among: sections.sorted()).map { "; did you mean '\($0)'?" } ?? ""
        output.problem("error: no value at '\(key)'\(hint)")
        if story.removed != nil { output.problems("\(story)") }
    }

    /// Explains a value.
    func explain(_ key: String, asJSON: Bool) -> ToolStatus {
        let story = config.explain(ConfigPath(key))
        if story.text == nil {
            reportMissing(story, key)
        } else if asJSON {
            output.json(json(story))
        } else {
            output.lines("\(story)")
        }
        return status(story.text != nil)
    }

    private func status(_ isFound: Bool) -> ToolStatus {
        for diagnostic in config.diagnostics { output.problem("note: \(diagnostic)") }
        for error in errors { output.problems("error: \(error)") }
        return isFound && errors.isEmpty ? .success : .problems
    }

    /// The length up to which an array is listed with its elements.
    private static let longestList = 60

    private func list(_ paths: [ConfigPath], _ asJSON: Bool) {
        var listing = Listing("path", "value", "location", "layer")
        var table = Listing("path", "value", "location")
        for path in paths {
            let story = config.explain(path)
            let place = story.winner.map { ConfigValue.string("\($0.location)") } ?? .null
            let layer = story.winner.map { ConfigValue.string("\($0.layer)") } ?? .null
            var text = story.text ?? ""
            if !story.isSecret, let elements = value(at: path).array {
                let list = JSONWriter(isPretty: false).text(.array(elements))
                if list.count <= Self.longestList { text = list }
            }
            listing.add(.string("\(path)"), value(at: path), place, layer)
            table.add(.string("\(path)"), .string(text), place)
        }
        output.list(asJSON ? listing : table, asJSON: asJSON)
    }

    /// The value at a path without secrets.
    private func value(at path: ConfigPath) -> ConfigValue {
        config.locate(path).map { $0.isSecret ? .string(SecretNames.placeholder) : $0.shownValue } ?? .null
    }

    private func json(_ story: ConfigExplanation) -> ConfigValue {
        func entry(_ entry: ConfigExplanation.Entry) -> ConfigValue {
            [
                "location": .string("\(entry.location)"), "layer": .string("\(entry.layer)"),
                "value": Self.value(entry.text),
            ]
        }
        var members: [String: ConfigValue] = ["path": .string("\(story.path)")]
        // A variable that a reference uses isn't a value of the configuration.
        if let text = story.text {
            let value = value(at: story.path)
            members["value"] = value == .null ? Self.value(text) : value
        }
        if story.isSecret { members["isSecret"] = true }
        if let winner = story.winner { members["winner"] = entry(winner) }
        if !story.merged.isEmpty { members["merged"] = .array(story.merged.map(entry)) }
        if !story.shadowed.isEmpty { members["shadowed"] = .array(story.shadowed.map(entry)) }
        if !story.parts.isEmpty { members["parts"] = .array(story.parts.map(json)) }
        return .dictionary(members)
    }

    /// The value of an explanation's text: a number, a Boolean, a string, or the text itself.
    private static func value(_ text: String) -> ConfigValue {
        if let number = Int64(text) { return .integer(number) }
        if let number = UInt64(text) { return .unsigned(number) }
        if let number = Double(text) { return .real(number) }
        if let flag = Bool(text) { return .boolean(flag) }
        return .string((try? JSONEntity(parsing: text))?.string() ?? text)
    }

    /// A path and the paths of its enclosing sections, as text.
    private static func prefixes(of path: ConfigPath) -> [String] {
        path.components.indices.map { "\(ConfigPath(Array(path.components[...$0])))" }
    }
}

/// The check of the files of a configuration.
struct ConfigCheck {
    private struct Finding: Hashable {
        let severity: String
        let text: String
        let key: String?
        let location: String?
    }

    private let sources: ConfigSources

    init(_ sources: ConfigSources) { self.sources = sources }

    /// Reports the problems of the selected environments together, or of the base files and each environment alone.
    func run(_ output: ToolOutput, asJSON: Bool) -> ToolStatus {
        let environments = sources.environments
        let combinations =
            environments.isEmpty
            ? [[]] + ConfigSources.environments(in: sources.folder).map { [$0] } : [environments]
        var findings: [Finding] = []
        for environments in combinations {
            for finding in self.findings(environments) where !findings.contains(finding) { findings.append(finding) }
        }
        if asJSON {
            var listing = Listing("severity", "text", "key", "location")
            for finding in findings {
                listing.add(
                    .string(finding.severity), .string(finding.text), finding.key.map { .string($0) } ?? .null,
                    finding.location.map { .string($0) } ?? .null)
            }
            output.list(listing, asJSON: true)
        } else {
            for finding in findings { output.problems("\(finding.severity): \(finding.text)") }
        }
        return findings.contains { $0.severity == "error" } ? .problems : .success
    }

    private func findings(_ environments: [String]) -> [Finding] {
        var plan = sources.plan(environments)
        // Other commands than the listing have no use for the notes on files that needn't exist.
        if !environments.isEmpty { plan.requiredLayers.remove(.base) }
        let report = ApplicationConfig.loadReport(plan)
        var findings = report.errors.map { error in
            Finding(
                severity: "error", text: "\(error)", key: error.key?.description,
                location: error.location?.description)
        }
        findings += report.config.diagnostics.filter { $0.code != .missingSource }.map { diagnostic in
            Finding(
                severity: "note", text: "\(diagnostic)", key: diagnostic.key?.description,
                location: diagnostic.location?.description)
        }
        return findings
    }
}
