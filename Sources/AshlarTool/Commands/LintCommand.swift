import AshlarCore
import AshlarTooling

extension Command {
    /// The command `strings lint`.
    static let lintStrings: Command = Command(
        "lint", "Checks the strings, languages, brands and themes of a tree.",
        discussion: """
            Checks every language of the tree, the selected brand and themes, their files, and the flags of the
            configuration. The exit status is 1 if there are errors that the baseline doesn't contain.
            """,
        operands: [Operand("TREE", .folder)],
        options: Tree.options + [
            Option("--all", "a", help: "Prints every finding instead of one line for many findings of a rule."),
            Option(
                "--format", value: "FORMAT", kind: .choice(["text", "summary", "sarif"]),
                help: "Prints text, summary or sarif; text if omitted."),
            .json,
            Option("--only", value: "RULE", kind: rules, help: "Reports only the findings of a rule; repeatable."),
            Option("--ignore", value: "RULE", kind: rules, help: "Ignores a rule; repeatable."),
            Option("--baseline", value: "FILE", kind: .file, help: "Ignores the findings listed in a baseline file."),
            Option("--write-baseline", value: "FILE", kind: .file, help: "Writes all findings to a baseline file."),
        ]
    ) { invocation, output in
        let tree = try Tree(invocation, output)
        var report = output.working("Checking \(tree.folder)") {
            CustomizationReport(
                tree.strings.lint().diagnostics + tree.themeProblems + ConfigLint.flagDiagnostics(in: tree.folder))
        }
        report = report.ignoring(codes(invocation.values(of: "--ignore")))
        if invocation.has("--only") { report = report.only(codes(invocation.values(of: "--only"))) }
        let newBaseline = invocation.value(of: "--write-baseline")
        do throws(FileFailure) {
            if let newBaseline {
                try AtomicFile.replace(
                    newBaseline, with: Array(report.baseline.utf8), permissions: 0o644, isOwn: false)
            }
            if let baseline = invocation.value(of: "--baseline") {
                let bytes = try WholeFile.read(baseline)
                report = report.removing(baseline: String(decoding: bytes, as: UTF8.self))
            }
        } catch {
            throw ToolError.problem("\(error.path): \(error)")
        }
        switch invocation.has("--json") ? "json" : invocation.value(of: "--format") {
        case "json": output.list(listing(report), asJSON: true)
        case "sarif": output.document(report.sarif)
        case "summary": output.lines(String(report.summary.dropLast()))
        default: output.lines(String((invocation.has("--all") ? report.text : report.overview).dropLast()))
        }
        return report.hasErrors && newBaseline == nil ? .problems : .success
    }

    private static let rules = WordKind.choice(CustomizationReport.codes.map(\.rawValue).sorted())

    private static func codes(_ names: [String]) -> Set<CustomizationDiagnostic.Code> {
        Set(names.map { CustomizationDiagnostic.Code(rawValue: $0) })
    }

    private static func listing(_ report: CustomizationReport) -> Listing {
        var listing = Listing("severity", "rule", "key", "location", "text")
        for finding in report.diagnostics {
            listing.add(
                .string("\(finding.severity)"), .string(finding.code.rawValue),
                finding.key.map { .string($0) } ?? .null, .string("\(finding.location)"),
                .string("\(finding)"))
        }
        return listing
    }
}
