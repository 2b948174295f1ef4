import AshlarCore
import AshlarTooling

/// Lists the strings of a tree and explains their origins.
struct StringsCommand: ToolCommand {
    static let name = "strings"
    static let summary = "Lists or explains the strings of a tree of .lproj folders."
    static let synopsis = "FOLDER [KEY]"
    static let discussion = """
        Lists the strings of a table with their file and line, or explains one key.
        """
    static let options =
        TreeOptions.options + [
            ToolOption("--table", value: "NAME", "Reads a table other than Localizable.")
        ]

    private let tree: TreeOptions
    private let key: String?
    private let table: String?

    init(_ arguments: ToolArguments) throws(UsageError) {
        let words = try arguments.words("FOLDER", optional: 1)
        tree = try TreeOptions(folder: words[0], arguments)
        key = words.count > 1 ? words[1] : nil
        table = arguments.value(of: "--table")
    }

    func run(_ output: ToolOutput) throws(UsageError) -> ToolStatus {
        guard output.checkFolder(tree.folder) else { return .problems }
        let (strings, themeProblems) = try tree.load()
        if let table, !strings.tableNames.contains(table) {
            throw UsageError("no table '\(table)'", table, among: strings.tableNames)
        }
        var isFound = true
        if let key {
            let story = strings.explain(key, table: table)
            isFound = story.winner != nil
            if isFound {
                output.lines("\(story)")
            } else {
                let hint = NearestName.find(key, among: strings.keys(table: table)).map { "; did you mean '\($0)'?" }
                output.problem("error: no string for '\(key)' in table \(table ?? "Localizable")\(hint ?? "")")
            }
        } else {
            let rows = strings.keys(table: table).map { key in
                let place = strings.explain(key, table: table).winner.map { "\($0.location)" } ?? ""
                return [key, strings.string(key, table: table), place]
            }
            for line in aligned(rows, limit: 60) { output.line(line) }
        }
        // The current theme's problems are in both lists; the report removes duplicates.
        let problems = CustomizationReport(strings.diagnostics + themeProblems).diagnostics
        for problem in problems { output.problem("\(problem)") }
        return isFound && !problems.contains { $0.severity == .error } ? .success : .problems
    }
}

/// The options that select the layers of a tree.
struct TreeOptions {
    static let options = [
        ToolOption("--language", value: "TAG", "Prefers a language; repeatable, in the order of preference."),
        ToolOption("--brand", value: "NAME", "Uses a brand instead of the one in Info.plist."),
        ToolOption("--themes", value: "FILE", "Reads a file of themes."),
        ToolOption("--theme", value: "NAME", "Uses a theme of the file instead of its default theme."),
    ]

    let folder: String
    private let languages: [LanguageTag]
    private let brand: String?
    private let themesFile: String?
    private let theme: String?

    init(folder: String, _ arguments: ToolArguments) throws(UsageError) {
        self.folder = folder
        languages = try arguments.values(of: "--language").map { text throws(UsageError) in
            guard let tag = LanguageTag(text) else { throw UsageError("'\(text)' is not a language tag") }
            return tag
        }
        (brand, theme) = (arguments.value(of: "--brand"), arguments.value(of: "--theme"))
        themesFile = arguments.value(of: "--themes")
    }

    /// Loads the layers; also returns the problems of themes that aren't selected.
    func load() throws(UsageError) -> (strings: Customization, themeProblems: [CustomizationDiagnostic]) {
        let brands = CustomizationTree(path: folder).availableBrands
        if let brand, !brands.contains(brand) { throw UsageError("no brand '\(brand)'", brand, among: brands) }
        let themes = themesFile.map { Theme.load($0) }
        let names = themes?.themes.map(\.name) ?? []
        if let theme, !names.contains(theme) { throw UsageError("no theme '\(theme)'", theme, among: names) }
        let strings = Customization(
            path: folder, languages: languages.isEmpty ? nil : languages,
            brand: brand.map { .named($0) } ?? .fromInfoPlist, themes: themes?.themes ?? [], theme: theme)
        return (strings, themes?.diagnostics ?? [])
    }
}
