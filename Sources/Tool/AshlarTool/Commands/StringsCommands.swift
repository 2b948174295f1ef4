import AshlarCore
import AshlarTexts
import AshlarTooling

extension Command {
    /// The command `strings`.
    static let strings: Command = Command(
        "strings", "Lists, explains, checks and counts the strings of a tree of .lproj folders.",
        commands: [show, explain, lintStrings, coverage])

    private static let tree = Operand("TREE", .folder)
    private static let table = Option("--table", "t", value: "NAME", help: "Reads a table other than Localizable.")

    private static let show = Command(
        "show", "Lists the strings of a table with their file and line.", operands: [tree],
        options: Tree.options + [table, .json],
        examples: ["strings show Resources --language fr --brand acme"]
    ) { invocation, output in
        let tree = try Tree(invocation, output)
        let table = try tree.table(invocation)
        var listing = Listing("key", "value", "location", limit: 60)
        for key in tree.strings.keys(table: table) {
            let place = tree.strings.explain(key, table: table).winner.map { "\($0.location)" } ?? ""
            let value = try? tree.strings.value(CustomizationKey<CustomizationValue>(key, table: table))
            listing.add(.string(key), value?.json ?? .null, .string(place))
        }
        output.list(listing, asJSON: invocation.has("--json"))
        return tree.reportProblems(output)
    }

    private static let explain = Command(
        "explain", "Prints the origin of a string, and the values that it overrides.",
        discussion: "With --json, prints a list that begins with the string in use.",
        operands: [tree, Operand("KEY", .text)], options: Tree.options + [table, .json],
        examples: ["strings explain Resources note.share --language fr-CA"]
    ) { invocation, output in
        let tree = try Tree(invocation, output)
        let (table, key) = (try tree.table(invocation), invocation.operands[1])
        let story = tree.strings.explain(key, table: table)
        guard story.winner != nil else {
            // The key can be in a part of a file that isn't read.
            _ = tree.reportProblems(output)
            let hint = ToolError.hint(key, among: tree.strings.keys(table: table))
            throw ToolError.problem("no string for '\(key)' in table \(table ?? "Localizable")\(hint)")
        }
        var listing = Listing("layer", "value", "location")
        for candidate in story.candidates.reversed() {
            listing.add(.string(candidate.layer), candidate.value.json, .string("\(candidate.location)"))
        }
        invocation.has("--json") ? output.list(listing, asJSON: true) : output.lines("\(story)")
        return tree.reportProblems(output)
    }

    private static let coverage = Command(
        "coverage", "Counts the translated strings of each language and brand.",
        discussion: """
            A row is a language. The column 'strings' is the number of keys that the language translates, of the keys of
            the base language; a text of fr is one of fr-CA, too. The column of a brand is the number of the brand's own
            strings in that language; with --json, the object 'brands' has these numbers.
            """,
        operands: [tree],
        options: [
            .base, Option("--missing", help: "Lists the keys that a language lacks instead of their number."), .json,
        ],
        examples: ["strings coverage Resources", "strings coverage Resources --missing"]
    ) { invocation, output in
        try output.checkFolder(invocation.operands[0])
        let base = invocation.languages(of: "--base").last ?? "en"
        let strings = Customization(path: invocation.operands[0], base: base)
        let coverage = StringsCoverage(strings)
        let isJSON = invocation.has("--json")
        output.list(invocation.has("--missing") ? coverage.missing : coverage.matrix(asJSON: isJSON), asJSON: isJSON)
        return output.report(strings.fileErrors)
    }
}

extension CustomizationValue {
    /// The value with its type; a message is described.
    fileprivate var json: ConfigValue {
        switch self {
        case .int(let number): .integer(number)
        case .double(let number): .real(number)
        case .bool(let flag): .boolean(flag)
        case .list(let items): .array(items.map(\.json))
        case .dict(let members): .dictionary(members.mapValues(\.json))
        default: .string(text ?? "\(self)")
        }
    }
}

extension StringsCoverage {
    /// The number of keys of each language and brand; in JSON, the brands are an object, because of their names.
    fileprivate func matrix(asJSON: Bool) -> Listing {
        var listing = Listing(["language", "strings", "missing"] + (asJSON ? ["brands"] : brands))
        listing.hasTitles = true
        for language in languages {
            let counts = [count(language), total - count(language)].map { ConfigValue.integer(Int64($0)) }
            let own = brands.map { ConfigValue.integer(Int64(count(language, brand: $0))) }
            let object = ConfigValue.dictionary(Dictionary(zip(brands, own)) { $1 })
            listing.add([.string("\(language)")] + counts + (asJSON ? [object] : own))
        }
        return listing
    }

    /// The keys of the base language that other languages lack.
    fileprivate var missing: Listing {
        var listing = Listing("language", "table", "key")
        for language in languages {
            for key in missing(language) { listing.add(.string("\(language)"), .string(key.table), .string(key.key)) }
        }
        return listing
    }
}

/// The tree of a command with the layers that its options select.
struct Tree {
    static let options = [
        Option(
            "--language", "l", value: "TAG", kind: .language,
            help: "Prefers a language; repeatable, in the order of preference."),
        Option(
            "--brand", "b", value: "NAME",
            kind: .known { $0.first.map { CustomizationTree(path: $0).availableBrands } ?? [] },
            help: "Uses a brand instead of the one in Info.plist."),
        Option("--themes", value: "FILE", kind: .file, help: "Reads a file of themes."),
        Option("--theme", value: "NAME", help: "Uses a theme of the file instead of its default theme."),
    ]

    /// The languages of the first operand's tree, for completion.
    static func languages(_ operands: [String]) -> [String] {
        operands.first.map { CustomizationTree(path: $0).availableLanguages.map { "\($0)" } } ?? []
    }

    let folder: String
    let strings: Customization
    /// The problems of themes, also of those that aren't selected.
    let themeProblems: [CustomizationDiagnostic]

    init(_ invocation: Invocation, _ output: ToolOutput) throws(ToolError) {
        folder = invocation.operands[0]
        try output.checkFolder(folder)
        let brands = CustomizationTree(path: folder).availableBrands
        let brand = invocation.value(of: "--brand")
        if let brand, !brands.contains(brand) { throw .unknown("brand", brand, among: brands) }
        let themes = invocation.value(of: "--themes").map { Theme.load($0) }
        let names = themes?.themes.map(\.name) ?? []
        let theme = invocation.value(of: "--theme")
        if let theme, !names.contains(theme) { throw .unknown("theme", theme, among: names) }
        let languages = invocation.languages(of: "--language")
        strings = Customization(
            path: folder, languages: languages.isEmpty ? nil : languages,
            brand: brand.map { .named($0) } ?? .fromInfoPlist, themes: themes?.themes ?? [], theme: theme)
        themeProblems = themes?.diagnostics ?? []
    }

    /// The table of the option `--table`; nil if it was omitted.
    func table(_ invocation: Invocation) throws(ToolError) -> String? {
        let table = invocation.value(of: "--table")
        if let table, !strings.tableNames.contains(table) {
            throw .unknown("table", table, among: strings.tableNames)
        }
        return table
    }

    /// Prints the problems of the selected layers and themes, and the errors of the whole tree.
    func reportProblems(_ output: ToolOutput) -> ToolStatus {
        // Some problems are in several lists; the report removes duplicates.
        output.report(strings.diagnostics + strings.fileErrors + themeProblems)
    }
}

extension ToolOutput {
    /// Prints problems without duplicates.
    func report(_ problems: [CustomizationDiagnostic]) -> ToolStatus {
        let problems = CustomizationReport(problems).diagnostics
        // The code is for programs; --json of 'strings lint' has it.
        for found in problems { problem(String("\(found)".dropLast(" [\(found.code)]".count))) }
        return problems.contains { $0.severity == .error } ? .problems : .success
    }

    /// Throws an error if a path isn't a folder that can be listed.
    func checkFolder(_ path: String) throws(ToolError) {
        guard FolderListing.names(in: path) == nil else { return }
        let reason = FileStatus(path) == nil ? "no such folder" : "not a folder that can be listed"
        throw .problem("\(path): \(reason)")
    }
}

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
        ],
        examples: ["strings lint Resources --ignore extra-key"]
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
        Set(names.map { CustomizationDiagnostic.Code($0) })
    }

    private static func listing(_ report: CustomizationReport) -> Listing {
        var listing = Listing("severity", "rule", "language", "key", "location", "text")
        for finding in report.diagnostics {
            listing.add(
                .string("\(finding.severity)"), .string(finding.code.rawValue),
                finding.language.map { .string("\($0)") } ?? .null,
                finding.key.map { .string($0) } ?? .null, .string("\(finding.location)"),
                .string("\(finding)"))
        }
        return listing
    }
}
