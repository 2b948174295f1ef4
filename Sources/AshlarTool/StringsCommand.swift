import AshlarTooling

/// Shows the strings of a tree as a person would see them, and where each comes from.
struct StringsCommand: ToolCommand {
    static let name = "strings"
    static let usage = """
        ashlar strings FOLDER [KEY] [--language TAG]... [--brand NAME] [--theme NAME] [--themes FILE] [--table NAME]
            Every string with its file and line, or the whole story of one key. Languages in order of preference; the
            brand of Info.plist unless another is given.
        """

    private let strings: Customization
    private let faults: [CustomizationDiagnostic]
    private let key: String?
    private let table: String?

    init(_ arguments: inout ToolArguments) throws(UsageError) {
        var languages: [LanguageTag] = []
        for text in try arguments.values(of: "--language") {
            guard let tag = LanguageTag(text) else { throw UsageError(message: "\(text) is no language tag") }
            languages.append(tag)
        }
        let brand = try arguments.value(of: "--brand")
        let theme = try arguments.value(of: "--theme")
        let themes = try arguments.value(of: "--themes").map { Theme.load($0) }
        table = try arguments.value(of: "--table")
        let folder = try arguments.word("the folder")
        key = arguments.word()
        try arguments.finish()
        strings = Customization(
            path: folder, languages: languages.isEmpty ? nil : languages,
            brand: brand.map { .named($0) } ?? .fromInfoPlist, themes: themes?.themes ?? [], theme: theme)
        // What reading a theme met is told by the theme too, if it is in use; the report leaves repeats out.
        faults = CustomizationReport(strings.diagnostics + (themes?.diagnostics ?? [])).diagnostics
    }

    func run(_ write: (String) -> Void) -> Int32 {
        var found = true
        if let key {
            let story = strings.explain(key, table: table)
            found = story.winner != nil
            write("\(story)")
        } else {
            let rows = strings.keys(table: table).map { key in
                let place = strings.explain(key, table: table).winner.map { "\($0.location)" } ?? ""
                return [key, strings.string(key, table: table).split(separator: "\n").joined(separator: "\\n"), place]
            }
            for line in aligned(rows) { write(line) }
        }
        for fault in faults { write("\(fault)") }
        return found && !faults.contains { $0.severity == .error } ? 0 : 1
    }
}
