import AshlarCore
import AshlarTooling

/// Exchanges strings with translators.
struct TranslationsCommand: ToolCommand {
    static let name = "translations"
    static let summary = "Exchanges the strings of a tree with translators, and finds the keys in source code."
    static let synopsis = "export TREE | import TREE FILE | extract TREE SOURCE..."
    static let discussion = """
        export prints the strings of a tree. import writes the translations of a file (.xliff, .xlf, .csv or .xcstrings)
        into the tree, and reports changes and conflicts. A translation conflicts if it differs from the tree's, and the
        tree's has changed since the export. extract prints the keys that source files and interface files (.swift, .m,
        .xib, .storyboard, or folders of them) use but the tree lacks, and the keys that they do not use.
        """
    static let options = [
        ToolOption("--base", value: "TAG", "The source language; en if omitted."),
        ToolOption("--language", value: "TAG", "The target language; required for XLIFF."),
        ToolOption("--format", value: "FORMAT", "Exports xliff12, xliff20, csv or xcstrings; xliff12 if omitted."),
        ToolOption("--ancestor", value: "FILE", "The exported file, if the file to import lost its state."),
        ToolOption("--theirs", "Takes the file's translation in a conflict."),
        ToolOption("--ours", "Keeps the tree's translation in a conflict, without an error."),
        ToolOption("--table", value: "NAME", "The table of an .xcstrings file; Localizable if omitted."),
    ]

    private let words: [String]
    private let base: LanguageTag
    private let language: LanguageTag?
    private let format: String
    private let table: String
    private let ancestor: String?
    private let side: TranslationMerge.Side?

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
        ancestor = arguments.value(of: "--ancestor")
        if arguments.has("--ours"), arguments.has("--theirs") {
            throw UsageError("--ours and --theirs exclude each other")
        }
        side = arguments.has("--ours") ? .ours : arguments.has("--theirs") ? .theirs : nil
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
        do throws(FileFailure) {
            let (read, problems) = try self.read(words[2])
            for problem in problems { output.problem("\(problem)") }
            var old: TranslationCatalog?
            if let ancestor { old = try self.read(ancestor).catalog }
            let result = catalog.merging(read.only(language), ancestor: old, preferring: side)
            for problem in result.diagnostics { output.problem("\(problem)") }
            var isWritten = true
            for language in read.only(language).languages {
                do throws(CustomizationError) {
                    for path in try result.catalog.write(language, toTree: words[1]) { output.line(path) }
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
        } catch {
            output.problem("error: can't read \(error.path): \(error)")
            return .problems
        }
    }

    /// Reads a file of translators.
    private func read(
        _ file: String
    ) throws(FileFailure) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        let bytes = try WholeFile.read(file)
        if file.hasSuffix(".csv") { return TranslationCatalog.parse(csv: bytes, file: file, sourceLanguage: base) }
        if file.hasSuffix(".xcstrings") {
            return TranslationCatalog.parse(stringCatalog: bytes, table: table, file: file)
        }
        return TranslationCatalog.parse(xliff: bytes, file: file, language: language)
    }

    private func extract(_ catalog: TranslationCatalog, _ output: ToolOutput) -> ToolStatus {
        var keys: [SwiftKeys] = []
        for file in words.dropFirst(2).flatMap({ Self.sources($0) }) {
            do throws(FileFailure) {
                let text = String(decoding: try WholeFile.read(file), as: UTF8.self)
                let isInterface = file.hasSuffix(".xib") || file.hasSuffix(".storyboard")
                keys.append(isInterface ? SwiftKeys(interface: text, file: file) : SwiftKeys(text, file: file))
                for note in keys.last?.diagnostics ?? [] { output.problem("\(note)") }
            } catch {
                output.problem("error: can't read \(file): \(error)")
                return .problems
            }
        }
        var updated = catalog
        updated.update(keys)
        var places: [String: CustomizationLocation] = [:]
        for use in keys.flatMap(\.uses) {
            places[use.table + "\0" + use.key] = places[use.table + "\0" + use.key] ?? use.location
        }
        for unit in updated.units.dropFirst(catalog.units.count) {
            output.line(
                "missing \(unit.table) \(unit.key) \(places[unit.table + "\0" + unit.key].map { "\($0)" } ?? "")")
        }
        var last: [String] = []
        for unit in updated.units where unit.isStale && last != [unit.table, unit.key] {
            output.line("unused \(unit.table) \(unit.key)")
            last = [unit.table, unit.key]
        }
        return updated.units.count > catalog.units.count ? .problems : .success
    }

    /// The source and interface files in a folder, or the file itself.
    private static func sources(_ path: String, depth: Int = 0) -> [String] {
        guard depth < 32, FileStatus(path)?.kind == .directory else { return [path] }
        let suffixes = [".swift", ".m", ".mm", ".xib", ".storyboard"]
        return (FolderListing.names(in: path) ?? []).filter { !$0.hasPrefix(".") }.flatMap { name in
            let inner = path + "/" + name
            let isFolder = FileStatus(inner)?.kind == .directory
            return isFolder ? sources(inner, depth: depth + 1) : suffixes.contains(where: name.hasSuffix) ? [inner] : []
        }
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
