import AshlarCore
import AshlarTooling

/// Prints the values of a merged configuration and their origins, checks, exports, compares or documents them.
struct ConfigCommand: ToolCommand {
    static let name = "config"
    static let summary = "Lists, explains, checks, exports or compares the values of a configuration."
    static let synopsis =
        "FOLDER [KEY] | explain FOLDER KEY | check FOLDER | export FOLDER | diff FOLDER | docs SCHEMA"
    static let discussion = """
        Lists the values of a configuration with their file and line. With the key of a value, explains the value; with
        the key of a section, lists the section.

        explain prints the origin of a value or section. check reports every problem of the files, their flags and, with
        --schema or a file ApplicationConfig.schema.json in the folder, their keys and values; without --environment, it
        checks the base files and each environment. export prints the effective values as one file. Secret values are
        left out, and credentials inside texts are redacted. diff prints the values that differ between two environments;
        without --from or --to, that side has no environment. docs prints the keys of a schema as a table in Markdown.
        Write ./export or ./diff for folders of these names.

        The values are those of production with the same sources: --local-file, --env-file, the environment variables with
        --prefix, and the program's arguments after a final --, such as -- --http.timeout=5.
        """
    static let options = [
        ToolOption("--environment", value: "NAME", "Applies the files of an environment; repeatable, the last wins."),
        ToolOption("--from", value: "NAME", "Compares this environment; repeatable, the last wins."),
        ToolOption("--to", value: "NAME", "Compares with this environment; repeatable, the last wins."),
        ToolOption("--bundle-id", value: "ID", "Applies the sections of a bundle identifier."),
        ToolOption("--local-file", value: "FILE", "Applies the local file of a machine or developer."),
        ToolOption("--env-file", value: "FILE", "Reads variables from a .env file; repeatable, the last wins."),
        ToolOption("--prefix", value: "PREFIX", "Applies the environment variables with a prefix, such as APP_."),
        ToolOption("--schema", value: "FILE", "Checks keys and values by a JSON schema."),
        ToolOption("--json", "Prints values, explanations, problems or differences as JSON."),
        ToolOption("--format", value: "FORMAT", "Exports json or plist; prints a diff as text or json."),
        ToolOption("--include-secrets", "Exports secret values and credentials, too."),
        ToolOption("--exit-code", "Exits with 1 if diff finds differences."),
    ]
    static let takesProgramArguments = true

    enum Action: String, CaseIterable {
        case show, explain, check, export, diff, docs

        /// The options that only this action has.
        var ownOptions: [String] {
            switch self {
            case .show, .explain, .docs: []
            case .check: ["--schema"]
            case .export: ["--include-secrets"]
            case .diff: ["--from", "--to", "--exit-code"]
            }
        }

        var formats: [String] {
            switch self {
            case .show, .explain, .check, .docs: []
            case .export: ["json", "plist"]
            case .diff: ["text", "json"]
            }
        }
    }

    let action: Action
    /// The folder, or the schema of `docs`.
    let folder: String
    let key: String?
    let format: String
    let isJSON: Bool
    let schemaFile: String?
    let environments: [String]
    private let includesSecrets: Bool
    private let setsExitCode: Bool
    private let sides: (from: [String], to: [String])
    private let bundleIdentifier: String?
    private let localFile: String?
    private let variableFiles: [String]
    private let prefix: String?
    private let programArguments: [String]

    init(_ arguments: ToolArguments) throws(UsageError) {
        // Only an action can have a third word.
        let first = try arguments.words("FOLDER", optional: 2)[0]
        let named = Action(rawValue: first).flatMap { $0 == .show ? nil : $0 }
        action = named ?? .show
        var words: [String]
        switch action {
        case .show: words = try arguments.words("FOLDER", optional: 1)
        case .explain: words = try arguments.words("ACTION", "FOLDER", "KEY")
        case .docs: words = try arguments.words("ACTION", "SCHEMA")
        case .check, .export, .diff: words = try arguments.words("ACTION", "FOLDER")
        }
        if action != .show { words.removeFirst() }
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
        if let given, action.formats.isEmpty { throw UsageError("--format \(given) needs the action export or diff") }
        if let given, !action.formats.contains(given) {
            throw UsageError("unknown format '\(given)'", given, among: action.formats)
        }
        isJSON = arguments.has("--json")
        if isJSON, action == .docs { throw UsageError("docs prints Markdown only") }
        if isJSON, let given, given != "json" { throw UsageError("--json and --format \(given) exclude each other") }
        format = isJSON && !action.formats.isEmpty ? "json" : given ?? action.formats.first ?? ""
        schemaFile = arguments.value(of: "--schema")
        includesSecrets = arguments.has("--include-secrets")
        setsExitCode = arguments.has("--exit-code")
        environments = arguments.values(of: "--environment")
        sides = (arguments.values(of: "--from"), arguments.values(of: "--to"))
        bundleIdentifier = arguments.value(of: "--bundle-id")
        localFile = arguments.value(of: "--local-file")
        variableFiles = arguments.values(of: "--env-file")
        prefix = arguments.value(of: "--prefix")
        programArguments = arguments.programArguments
    }

    func run(_ output: ToolOutput) -> ToolStatus {
        if action == .docs {
            guard let schema = schema(folder, output) else { return .problems }
            output.document(schema.markdown)
            return .success
        }
        guard output.checkFolder(folder) else { return .problems }
        for file in variableFiles where FileStatus(file)?.kind != .regular {
            output.problem("error: \(file): no such file")
            return .problems
        }
        switch action {
        case .show, .explain: return show(output)
        case .check: return check(output)
        case .docs: return .success
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
        let report = ApplicationConfig.loadReport(plan(environments))
        for error in report.errors { output.problems("error: \(error)") }
        return report.errors.isEmpty ? report.config : nil
    }

    /// The plan of a program in some environments, whose files must exist.
    func plan(_ environments: [String]) -> ConfigPlan {
        var plan = ConfigPlan.directory(
            folder, environments: environments.map { ConfigEnvironment($0) }, bundleIdentifier: bundleIdentifier)
        plan.requiresBase = true
        plan.requiredEnvironments = Set(plan.environments)
        plan.localFile = localFile
        plan.requiresLocalFile = localFile != nil
        plan.variableFiles = variableFiles
        plan.variablePrefix = prefix
        plan.arguments = programArguments
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

extension ToolOutput {
    /// Whether a path is a folder that can be listed; reports an error otherwise.
    func checkFolder(_ path: String) -> Bool {
        guard FolderListing.names(in: path) == nil else { return true }
        let reason = FileStatus(path) == nil ? "no such folder" : "not a folder that can be listed"
        problem("error: \(path): \(reason)")
        return false
    }
}
