import AshlarCore
import AshlarTooling

/// Prints the values of a merged configuration and their origins.
struct ConfigCommand: ToolCommand {
    static let name = "config"
    static let summary = "Lists or explains the values of a configuration."
    static let synopsis = "FOLDER [KEY]"
    static let discussion = """
        Lists the values of a configuration with their file and line. With the key of a value, explains the value; with
        the key of a section, lists the section.
        """
    static let options = [
        ToolOption("--environment", value: "NAME", "Applies the files of an environment; repeatable, the last wins."),
        ToolOption("--bundle-id", value: "ID", "Applies the sections of a bundle identifier."),
    ]

    private let folder: String
    private let plan: ConfigPlan
    private let key: String?

    init(_ arguments: ToolArguments) throws(UsageError) {
        let words = try arguments.words("FOLDER", optional: 1)
        folder = words[0]
        key = words.count > 1 ? words[1] : nil
        var plan = ConfigPlan.directory(
            folder, environments: arguments.values(of: "--environment").map { ConfigEnvironment($0) },
            bundleIdentifier: arguments.value(of: "--bundle-id"))
        plan.requiresBase = true
        self.plan = plan
    }

    func run(_ output: ToolOutput) throws(UsageError) -> ToolStatus {
        guard output.checkFolder(folder) else { return .problems }
        let report = ApplicationConfig.loadReport(plan)
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
