import AshlarTooling

/// Exports a tree as Android resources, and checks whether Android resources can be imported.
struct AndroidCommand: ToolCommand {
    static let name = "android"
    static let summary = "Exports a tree as Android resources, or checks that a res folder can be imported."
    static let synopsis = "export TREE FOLDER | check FOLDER"
    static let discussion = """
        export writes a tree of .lproj folders as resource files into FOLDER, such as app/src/main. check reads the
        resource files in FOLDER and reports the data that an import loses, with key, file and line.
        """
    static let options = [
        ToolOption("--base", value: "TAG", "The language of the folder res/values; en if omitted.")
    ]

    private let words: [String]
    private let base: LanguageTag

    init(_ arguments: ToolArguments) throws(UsageError) {
        words = try arguments.words("export or check", "FOLDER", optional: 1)
        guard ["export", "check"].contains(words[0]) else {
            throw UsageError("unknown action '\(words[0])'", words[0], among: ["export", "check"])
        }
        guard words.count == (words[0] == "export" ? 3 : 2) else {
            throw UsageError(words[0] == "export" ? "missing argument FOLDER" : "unexpected argument '\(words[2])'")
        }
        let text = arguments.value(of: "--base") ?? "en"
        guard let tag = LanguageTag(text) else { throw UsageError("'\(text)' is not a language tag") }
        base = tag
    }

    func run(_ output: ToolOutput) -> ToolStatus {
        guard output.checkFolder(words[1]) else { return .problems }
        var problems: [CustomizationDiagnostic]
        if words[0] == "export" {
            let resources = AndroidResources(Customization(path: words[1], base: base))
            problems = resources.diagnostics
            do throws(CustomizationError) {
                try resources.write(toFolder: words[2])
            } catch {
                output.problem("error: \(error)")
                return .problems
            }
            for file in resources.files { output.line(words[2] + "/" + file.path) }
        } else {
            let resources = AndroidResources(folder: words[1])
            let (layers, found) = resources.layers(base: base)
            problems = resources.diagnostics + found
            let rows = layers.map {
                [$0.id, "\($0.role)", "\($0.tables.values.reduce(0) { $0 + $1.count }) resources"]
            }
            for line in aligned(rows) { output.line(line) }
        }
        problems = CustomizationReport(problems).diagnostics
        for problem in problems { output.problem("\(problem)") }
        return problems.contains { $0.severity == .error } ? .problems : .success
    }
}
