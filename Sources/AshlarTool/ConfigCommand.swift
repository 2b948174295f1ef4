import AshlarCore
import AshlarTooling

/// Prints the values of a merged configuration and their origins, exports them, or compares two environments.
struct ConfigCommand: ToolCommand {
    static let name = "config"
    static let summary = "Lists, explains, exports or compares the values of a configuration."
    static let synopsis = "FOLDER [KEY] | export FOLDER | diff FOLDER"
    static let discussion = """
        Lists the values of a configuration with their file and line. With the key of a value, explains the value; with
        the key of a section, lists the section.

        export prints the effective values as one file. Secret values are left out, and credentials inside URLs are
        redacted. diff prints the values that differ between two environments; without --from or --to, that side has no
        environment. Write ./export or ./diff for folders of these names.
        """
    static let options = [
        ToolOption("--environment", value: "NAME", "Applies the files of an environment; repeatable, the last wins."),
        ToolOption("--from", value: "NAME", "Compares this environment; repeatable, the last wins."),
        ToolOption("--to", value: "NAME", "Compares with this environment; repeatable, the last wins."),
        ToolOption("--bundle-id", value: "ID", "Applies the sections of a bundle identifier."),
        ToolOption("--format", value: "FORMAT", "Exports json or plist; prints a diff as text or json."),
        ToolOption("--include-secrets", "Exports secret values and credentials, too."),
        ToolOption("--exit-code", "Exits with 1 if diff finds differences."),
    ]

    private enum Action: String, CaseIterable {
        case show, export, diff

        /// The options that only this action has.
        var ownOptions: [String] {
            switch self {
            case .show: []
            case .export: ["--include-secrets"]
            case .diff: ["--from", "--to", "--exit-code"]
            }
        }

        var formats: [String] {
            switch self {
            case .show: []
            case .export: ["json", "plist"]
            case .diff: ["text", "json"]
            }
        }
    }

    private let action: Action
    private let folder: String
    private let key: String?
    private let format: String
    private let includesSecrets: Bool
    private let setsExitCode: Bool
    private let environments: [String]
    private let sides: (from: [String], to: [String])
    private let bundleIdentifier: String?

    init(_ arguments: ToolArguments) throws(UsageError) {
        var words = try arguments.words("FOLDER", optional: 1)
        action = words[0] == "export" ? .export : words[0] == "diff" ? .diff : .show
        if action != .show {
            guard words.count == 2 else { throw UsageError("missing argument FOLDER") }
            words.removeFirst()
        }
        folder = words[0]
        key = words.count > 1 ? words[1] : nil
        for other in Action.allCases where other != action {
            for option in other.ownOptions where arguments.has(option) {
                throw UsageError("\(option) needs the action \(other.rawValue)")
            }
        }
        if action == .diff, arguments.has("--environment") {
            throw UsageError("diff compares --from with --to; it does not take --environment")
        }
        let given = arguments.value(of: "--format")
        if let given, action == .show { throw UsageError("--format \(given) needs the action export or diff") }
        if let given, !action.formats.contains(given) {
            throw UsageError("unknown format '\(given)'", given, among: action.formats)
        }
        format = given ?? action.formats.first ?? ""
        includesSecrets = arguments.has("--include-secrets")
        setsExitCode = arguments.has("--exit-code")
        environments = arguments.values(of: "--environment")
        sides = (arguments.values(of: "--from"), arguments.values(of: "--to"))
        bundleIdentifier = arguments.value(of: "--bundle-id")
    }

    func run(_ output: ToolOutput) -> ToolStatus {
        guard output.checkFolder(folder) else { return .problems }
        switch action {
        case .show: return show(output)
        case .export:
            guard let config = load(environments, output) else { return .problems }
            let text = config.exported(
                as: format == "plist" ? .propertyList : .json, includesSecrets: includesSecrets)
            output.document(text)
            return .success
        case .diff:
            guard let old = load(sides.from, output), let new = load(sides.to, output) else { return .problems }
            let diff = ConfigDiff(from: old, to: new)
            if format == "json" { output.document(diff.json) } else { list(diff, output) }
            return setsExitCode && !diff.isEmpty ? .problems : .success
        }
    }

    /// Loads the configuration of some environments, whose files must exist; reports every error.
    private func load(_ environments: [String], _ output: ToolOutput) -> ApplicationConfig? {
        var plan = plan(environments)
        plan.requiredEnvironments = Set(plan.environments)
        let report = ApplicationConfig.loadReport(plan)
        for error in report.errors { output.problem("error: \(error)") }
        return report.errors.isEmpty ? report.config : nil
    }

    private func plan(_ environments: [String]) -> ConfigPlan {
        var plan = ConfigPlan.directory(
            folder, environments: environments.map { ConfigEnvironment($0) }, bundleIdentifier: bundleIdentifier)
        plan.requiresBase = true
        return plan
    }

    private func list(_ diff: ConfigDiff, _ output: ToolOutput) {
        let rows = diff.changes.map { change in
            [
                "\(change.path)", "\(change.old ?? "nothing") → \(change.new ?? "nothing")",
                [change.oldLocation, change.newLocation].compactMap { $0.map { "\($0)" } }.joined(separator: " → "),
            ]
        }
        for line in aligned(rows) { output.line(line) }
    }
}

extension ConfigCommand {
    /// Lists the values, or explains the value of the key.
    private func show(_ output: ToolOutput) -> ToolStatus {
        let report = ApplicationConfig.loadReport(plan(environments))
        let config = report.config
        var isFound = true
        let paths = config.paths()
        if let key {
            let path = ConfigPath(key)
            let rows = paths.filter {
                $0.components.count > path.components.count && $0.components.starts(with: path.components)
            }
            let story = config.explain(path)
            isFound = story.text != nil
            if !rows.isEmpty {
                list(rows, of: config, output)
            } else if isFound {
                output.line("\(story)")
            } else {
                let sections = Set(paths.flatMap { Self.prefixes(of: $0) })
                let hint = NearestName.find(key, among: sections.sorted()).map { "; did you mean '\($0)'?" } ?? ""
                output.problem("error: no value at '\(key)'\(hint)")
                if story.removed != nil { output.problem("\(story)") }
            }
        } else {
            list(paths, of: config, output)
        }
        for diagnostic in config.diagnostics { output.problem("note: \(diagnostic)") }
        for error in report.errors { output.problem("error: \(error)") }
        return isFound && report.errors.isEmpty ? .success : .problems
    }

    private func list(_ paths: [ConfigPath], of config: ApplicationConfig, _ output: ToolOutput) {
        let rows = paths.map { path in
            let story = config.explain(path)
            return ["\(path)", story.text ?? "", story.winner.map { "\($0.location)" } ?? ""]
        }
        for line in aligned(rows) { output.line(line) }
    }

    /// A path and the paths of its enclosing sections, as text.
    private static func prefixes(of path: ConfigPath) -> [String] {
        path.components.indices.map { "\(ConfigPath(Array(path.components[...$0])))" }
    }
}

extension ToolOutput {
    /// Whether a path is a folder that can be listed; reports an error otherwise.
    func checkFolder(_ path: String) -> Bool {
        guard FolderListing.names(in: path) == nil else { return true }
        let reason = FileStatus(path) == nil ? "no such folder" : "not a folder that can be listed"
        problem("error: \(path): \(reason)")
        return false
    }
}
