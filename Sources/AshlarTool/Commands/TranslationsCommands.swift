import AshlarCore
import AshlarTooling

extension Command {
    /// The command `translations`.
    static let translations: Command = Command(
        "translations", "Exchanges the strings of a tree with translators.",
        commands: [exportTranslations, importTranslations])

    private static let tree = Operand("TREE", .folder)
    private static let base = Option(
        "--base", value: "TAG", kind: .language, help: "The source language; en if omitted.")
    private static let language = Option(
        "--language", "l", value: "TAG", kind: .language, help: "The target language; required for an export as XLIFF.")
    private static let table = Option(
        "--table", "t", value: "NAME", help: "The table of an .xcstrings file; Localizable if omitted.")

    private static let exportTranslations = Command(
        "export", "Prints the strings of a tree.", operands: [tree],
        options: [
            base, language, table,
            Option(
                "--format", "f", value: "FORMAT", kind: .choice(["xliff12", "xliff20", "csv", "xcstrings"]),
                help: "Exports xliff12, xliff20, csv or xcstrings; xliff12 if omitted."),
        ]
    ) { invocation, output in
        let exchange = try Exchange(invocation, output)
        switch invocation.value(of: "--format") ?? "xliff12" {
        case "csv": output.document(exchange.catalog.csv)
        case "xcstrings": output.document(exchange.catalog.stringCatalog(table: exchange.table))
        case let format:
            guard let language = exchange.language else { throw ToolError.misuse("missing option --language") }
            let (xliff, problems) = exchange.catalog.xliff(
                version: format == "xliff12" ? .version1 : .version2, language: language)
            for problem in problems { output.problem("\(problem)") }
            output.document(xliff)
        }
        return .success
    }

    private static let importTranslations = Command(
        "import", "Writes the translations of a file (.xliff, .xlf, .csv or .xcstrings) into a tree.",
        discussion: """
            Reports changes and conflicts. A translation conflicts if it differs from the tree's, and the tree's has
            changed since the export.
            """,
        operands: [tree, Operand("FILE", .file)],
        options: [
            base, language, table,
            Option(
                "--ancestor", value: "FILE", kind: .file,
                help: "The exported file, if the file to import lost its state."),
            Option("--theirs", help: "Takes the file's translation in a conflict."),
            Option("--ours", help: "Keeps the tree's translation in a conflict, without an error."),
        ]
    ) { invocation, output in
        if invocation.has("--ours"), invocation.has("--theirs") {
            throw ToolError.misuse("--ours and --theirs exclude each other")
        }
        let side: TranslationMerge.Side? =
            invocation.has("--ours") ? .ours : invocation.has("--theirs") ? .theirs : nil
        let exchange = try Exchange(invocation, output)
        let (read, problems) = try exchange.read(invocation.operands[1])
        for problem in problems { output.problem("\(problem)") }
        let ancestor = try invocation.value(of: "--ancestor").map { try exchange.read($0).catalog }
        let result = exchange.catalog.merging(read.only(exchange.language), ancestor: ancestor, preferring: side)
        for problem in result.diagnostics { output.problem("\(problem)") }
        var isWritten = true
        for language in read.only(exchange.language).languages {
            do throws(CustomizationError) {
                for path in try result.catalog.write(language, toTree: exchange.folder) { output.line(path) }
            } catch {
                output.problem("error: \(error)")
                isWritten = false
            }
        }
        output.line(result.summary)
        let hasErrors = (result.diagnostics + problems).contains {
            $0.severity == .error || $0.code == .mergeConflict
        }
        return hasErrors || !isWritten ? .problems : .success
    }
}

/// The tree of an exchange with translators.
private struct Exchange {
    let folder: String
    let catalog: TranslationCatalog
    let language: LanguageTag?
    let table: String
    private let base: LanguageTag

    init(_ invocation: Invocation, _ output: ToolOutput) throws(ToolError) {
        folder = invocation.operands[0]
        base = invocation.languages(of: "--base").last ?? "en"
        language = invocation.languages(of: "--language").last
        table = invocation.value(of: "--table") ?? CustomizationLayer.defaultTable
        try output.checkFolder(folder)
        let (folder, base) = (folder, base)
        catalog = output.working("Reading \(folder)") { TranslationCatalog(Customization(path: folder, base: base)) }
    }

    /// Reads a file of translators.
    func read(_ file: String) throws(ToolError) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic])
    {
        let bytes = try ToolOutput.contents(file)
        if file.hasSuffix(".csv") { return TranslationCatalog.parse(csv: bytes, file: file, sourceLanguage: base) }
        if file.hasSuffix(".xcstrings") {
            return TranslationCatalog.parse(stringCatalog: bytes, table: table, file: file)
        }
        return TranslationCatalog.parse(xliff: bytes, file: file, language: language)
    }
}

extension TranslationCatalog {
    /// The catalog with the translations of one language; of all, if it is nil.
    fileprivate func only(_ language: LanguageTag?) -> TranslationCatalog {
        guard let language else { return self }
        var catalog = self
        for number in units.indices {
            catalog.units[number].targets = units[number].targets.filter { $0.key == language }
        }
        return catalog
    }
}

extension ToolOutput {
    /// Reads a file.
    static func contents(_ file: String) throws(ToolError) -> [UInt8] {
        do throws(FileFailure) { return try WholeFile.read(file) } catch {
            throw .problem("can't read \(error.path): \(error)")
        }
    }
}
