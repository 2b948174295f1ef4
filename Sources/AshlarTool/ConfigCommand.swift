import AshlarTooling

/// Shows a merged configuration and where each value comes from.
struct ConfigCommand: ToolCommand {
    static let name = "config"
    static let usage = """
        ashlar config FOLDER [KEY] [--environment NAME]... [--bundle-id ID]
            Every value with its file and line, or the whole story of one key. Environments apply in the order given.
        """

    private let plan: ConfigPlan
    private let key: String?

    init(_ arguments: inout ToolArguments) throws(UsageError) {
        let environments = try arguments.values(of: "--environment").map { ConfigEnvironment($0) }
        let bundle = try arguments.value(of: "--bundle-id")
        plan = .directory(try arguments.word("the folder"), environments: environments, bundleIdentifier: bundle)
        key = arguments.word()
        try arguments.finish()
    }

    func run(_ write: (String) -> Void) -> Int32 {
        let report = ApplicationConfig.loadReport(plan)
        let config = report.config
        if let key {
            let story = config.explain(ConfigPath(key))
            write("\(story)")
            for error in report.errors { write("error: \(error)") }
            return story.text == nil || !report.errors.isEmpty ? 1 : 0
        }
        let rows = config.paths().map { path in
            let story = config.explain(path)
            return ["\(path)", story.text ?? "", story.winner.map { "\($0.origin)" } ?? ""]
        }
        for line in aligned(rows) { write(line) }
        for diagnostic in config.diagnostics { write("note: \(diagnostic)") }
        for error in report.errors { write("error: \(error)") }
        return report.errors.isEmpty ? 0 : 1
    }
}
