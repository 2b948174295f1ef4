import AshlarCore
import AshlarTooling

extension Command {
    /// The command `strings lint`.
    static let lintStrings: Command = Command(
        "lint", "Checks the strings, languages, brands and themes of a tree.",
        discussion: """
            Checks every language of the tree, the selected brand and themes, and their files: missing, extra and
            duplicate keys, and placeholders that differ. The exit status is 1 if there are errors.
            """,
        operands: [Operand("TREE", .folder)],
        options: Tree.options + [
            .json,
            Option("--only", value: "RULE", kind: rules, help: "Reports only the findings of a rule; repeatable."),
            Option("--ignore", value: "RULE", kind: rules, help: "Ignores a rule; repeatable."),
        ]
    ) { invocation, output in
        let tree = try Tree(invocation, output)
        var report = output.working("Checking \(tree.folder)") {
            CustomizationReport(tree.strings.lint().diagnostics + tree.themeProblems)
        }
        report = report.ignoring(codes(invocation.values(of: "--ignore")))
        if invocation.has("--only") { report = report.only(codes(invocation.values(of: "--only"))) }
        if invocation.has("--json") {
            output.list(listing(report), asJSON: true)
        } else {
            output.lines(String(report.text.dropLast()))
        }
        return report.hasErrors ? .problems : .success
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
