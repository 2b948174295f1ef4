import AshlarCore
import AshlarTooling

/// Checks the strings of a tree.
struct LintCommand: ToolCommand {
    static let name = "lint"
    static let summary = "Checks the strings, languages, brands and themes of a tree."
    static let synopsis = "FOLDER"
    static let discussion = """
        Checks every language of a tree, the selected brand and themes, their files, and the flags of the configuration.
        The exit status is 1 if there are errors that the baseline does not contain.
        """
    static let options =
        TreeOptions.options + [
            ToolOption("--all", "Prints every finding instead of one line for many findings of a rule."),
            ToolOption("--format", value: "FORMAT", "Prints text, summary or sarif; text if omitted."),
            ToolOption("--only", value: "RULE", "Reports only the findings of a rule; repeatable."),
            ToolOption("--ignore", value: "RULE", "Ignores a rule; repeatable."),
            ToolOption("--baseline", value: "FILE", "Ignores the findings listed in a baseline file."),
            ToolOption("--write-baseline", value: "FILE", "Writes all findings to a baseline file."),
        ]

    private let tree: TreeOptions
    private let format: String
    private let printsAll: Bool
    private let only: Set<CustomizationDiagnostic.Code>
    private let ignored: Set<CustomizationDiagnostic.Code>
    private let baseline: String?
    private let newBaseline: String?

    init(_ arguments: ToolArguments) throws(UsageError) {
        tree = try TreeOptions(folder: try arguments.words("FOLDER")[0], arguments)
        printsAll = arguments.has("--all")
        format = arguments.value(of: "--format") ?? "text"
        let formats = ["text", "summary", "sarif"]
        if !formats.contains(format) { throw UsageError("unknown format '\(format)'", format, among: formats) }
        func codes(_ option: String) throws(UsageError) -> Set<CustomizationDiagnostic.Code> {
            let known = CustomizationReport.codes.map(\.rawValue).sorted()
            var codes: Set<CustomizationDiagnostic.Code> = []
            for name in arguments.values(of: option) {
                guard known.contains(name) else { throw UsageError("unknown rule '\(name)'", name, among: known) }
                codes.insert(CustomizationDiagnostic.Code(rawValue: name))
            }
            return codes
        }
        (only, ignored) = (try codes("--only"), try codes("--ignore"))
        (baseline, newBaseline) = (arguments.value(of: "--baseline"), arguments.value(of: "--write-baseline"))
    }

    func run(_ output: ToolOutput) throws(UsageError) -> ToolStatus {
        guard output.checkFolder(tree.folder) else { return .problems }
        let (strings, themeProblems) = try tree.load()
        var report = CustomizationReport(
            strings.lint().diagnostics + themeProblems + ConfigLint.flagDiagnostics(in: tree.folder)
        ).ignoring(ignored)
        if !only.isEmpty { report = report.only(only) }
        do throws(FileFailure) {
            if let newBaseline {
                try AtomicFile.replace(
                    newBaseline, with: Array(report.baseline.utf8), permissions: 0o644, isOwn: false)
            }
            if let baseline {
                let bytes = try WholeFile.read(baseline)
                report = report.removing(baseline: String(decoding: bytes, as: UTF8.self))
            }
        } catch {
            output.problem("error: \(error.path): \(error)")
            return .problems
        }
        switch format {
        case "sarif": output.raw(String(report.sarif.dropLast()))
        case "summary": output.lines(String(report.summary.dropLast()))
        default: output.lines(String((printsAll ? report.text : report.overview).dropLast()))
        }
        return report.hasErrors && newBaseline == nil ? .problems : .success
    }
}
