import AshlarCore
import AshlarTooling

/// Exchanges strings with translators.
struct TranslationsCommand: ToolCommand {
    static let name = "translations"
    static let summary = "Exchanges the strings of a tree with translators, and finds the keys in source code."
    static let synopsis = "export TREE | import TREE FILE | extract TREE SOURCE..."
    static let discussion = """
        export prints the strings of a tree. import writes the translations of a file (.xliff, .csv or .xcstrings) into the
        tree and reports conflicts by key. extract prints the keys that Swift source files use but the tree lacks, and the
        keys of the tree that the source files do not use.
        """
    static let options = [
        ToolOption("--base", value: "TAG", "The source language; en if omitted."),
        ToolOption("--language", value: "TAG", "The target language; required for XLIFF."),
        ToolOption("--format", value: "FORMAT", "Exports xliff12, xliff20, csv or xcstrings; xliff12 if omitted."),
        ToolOption("--table", value: "NAME", "The table of an .xcstrings file; Localizable if omitted."),
    ]

    private let words: [String]
    private let base: LanguageTag
    private let language: LanguageTag?
    private let format: String
    private let table: String

    init(_ arguments: ToolArguments) throws(UsageError) {
        words = try arguments.words("export, import or extract", "TREE", optional: 1_000)
        let counts = ["export": 2...2, "import": 3...3, "extract": 3...1_002]
        guard let count = counts[words[0]] else {
            throw UsageError("unknown action '\(words[0])'", words[0], among: counts.keys.sorted())
        }
        guard count.contains(words.count) else {
            throw UsageError(
                words.count < count.lowerBound ? "missing argument FILE" : "unexpected argument '\(words[2])'")
        }
        func tag(_ option: String) throws(UsageError) -> LanguageTag? {
            guard let text = arguments.value(of: option) else { return nil }
            guard let tag = LanguageTag(text) else { throw UsageError("'\(text)' is not a language tag") }
            return tag
        }
        base = try tag("--base") ?? "en"
        language = try tag("--language")
        format = arguments.value(of: "--format") ?? "xliff12"
        let formats = ["xliff12", "xliff20", "csv", "xcstrings"]
        if !formats.contains(format) { throw UsageError("unknown format '\(format)'", format, among: formats) }
        if words[0] == "export", format.hasPrefix("xliff"), language == nil {
            throw UsageError("missing option --language")
        }
        table = arguments.value(of: "--table") ?? CustomizationLayer.defaultTable
    }

    func run(_ output: ToolOutput) throws(UsageError) -> ToolStatus {
        guard output.checkFolder(words[1]) else { return .problems }
        let catalog = TranslationCatalog(Customization(path: words[1], base: base))
        switch words[0] {
        case "export": return export(catalog, output)
        case "import": return importFile(catalog, output)
        default: return extract(catalog, output)
        }
    }

    private func export(_ catalog: TranslationCatalog, _ output: ToolOutput) -> ToolStatus {
        let text: String
        switch format {
        case "csv": text = catalog.csv
        case "xcstrings": text = catalog.stringCatalog(table: table)
        default:
            let (xliff, problems) = catalog.xliff(
                version: format == "xliff12" ? .version1 : .version2, language: language ?? base)
            for problem in problems { output.problem("\(problem)") }
            text = xliff
        }
        output.document(text)
        return .success
    }

    private func importFile(_ catalog: TranslationCatalog, _ output: ToolOutput) -> ToolStatus {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try WholeFile.read(words[2])
        } catch {
            output.problem("error: can't read \(words[2]): \(error)")
            return .problems
        }
        let (read, problems) =
            words[2].hasSuffix(".csv")
            ? TranslationCatalog.parse(csv: bytes, file: words[2], sourceLanguage: base, model: catalog)
            : words[2].hasSuffix(".xcstrings")
                ? TranslationCatalog.parse(stringCatalog: bytes, table: table, file: words[2])
                : TranslationCatalog.parse(xliff: bytes, file: words[2], model: catalog)
        for problem in problems { output.problem("\(problem)") }
        guard !problems.contains(where: { $0.severity == .error }) else { return .problems }
        let result = catalog.merging(read)
        for problem in result.diagnostics { output.problem("\(problem)") }
        for language in read.languages where self.language == nil || language == self.language {
            do throws(CustomizationError) {
                for path in try result.catalog.write(language, toTree: words[1]) { output.line(path) }
            } catch {
                output.problem("error: \(error)")
                return .problems
            }
        }
        return result.diagnostics.contains { $0.code == .mergeConflict } ? .problems : .success
    }

    private func extract(_ catalog: TranslationCatalog, _ output: ToolOutput) -> ToolStatus {
        var uses: [SwiftKeys.Use] = []
        for file in words.dropFirst(2) {
            do throws(FileFailure) {
                let keys = SwiftKeys(String(decoding: try WholeFile.read(file), as: UTF8.self), file: file)
                uses += keys.uses
                for note in keys.diagnostics { output.problem("\(note)") }
            } catch {
                output.problem("error: can't read \(file): \(error)")
                return .problems
            }
        }
        var updated = catalog
        updated.update(uses: uses)
        let places = Dictionary(
            uses.map { ($0.table + "\u{0}" + $0.key, $0.location) }, uniquingKeysWith: { first, _ in first })
        for unit in updated.units.dropFirst(catalog.units.count) {
            output.line(
                "missing \(unit.table) \(unit.key) \(places[unit.table + "\u{0}" + unit.key].map { "\($0)" } ?? "")")
        }
        for unit in updated.units where unit.isStale { output.line("unused \(unit.table) \(unit.key)") }
        return updated.units.count > catalog.units.count ? .problems : .success
    }
}
