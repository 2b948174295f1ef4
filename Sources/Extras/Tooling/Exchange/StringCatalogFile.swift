import AshlarCore
public import AshlarCustomization
import AshlarTrees

/// A string catalog (`.xcstrings`) as units, whose bytes change only where a unit changes.
struct StringCatalogFile {
    private(set) var bytes: [UInt8]
    let file: String
    let table: String
    private(set) var units: [TranslationUnit] = []
    private(set) var sourceLanguage: LanguageTag = "en"
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    /// The spelling of each language.
    private var languages: [LanguageTag: String] = [:]

    /// The string catalogs directly in a folder, in the order of their names; unreadable files are omitted.
    static func files(in folder: String) -> [StringCatalogFile] {
        let names = FolderListing.names(in: folder)?.filter { $0.hasSuffix(".xcstrings") } ?? []
        return names.compactMap { name in
            let path = folder + "/" + name
            return (try? WholeFile.read(path)).map { .init($0, table: String(name.dropLast(10)), file: path) }
        }
    }

    init(_ bytes: [UInt8], table: String, file: String) {
        (self.bytes, self.table, self.file) = (bytes, table, file)
        read()
    }

    private mutating func read() {
        units = []
        let catalog = StringCatalog(bytes, file: file)
        diagnostics = catalog.diagnostics
        let source = catalog.sourceLanguage ?? sourceLanguage
        sourceLanguage = source
        for key in catalog.keys {
            let model = TranslationUnit(
                table: table, key: key.name, note: key.comment, shouldTranslate: key.shouldTranslate,
                extractionState: key.extractionState)
            var (own, numbers): ([TranslationUnit], [String: Int]) = ([], [:])
            for localization in key.localizations {
                languages[localization.language] = localization.name
                for form in localization.forms {
                    let number = numbers[form.path] ?? own.count
                    if number == own.count {
                        numbers[form.path] = number
                        own.append(model)
                        own[number].form = form.path
                    }
                    if form.notation != .format { own[number].notation = form.notation }
                    own[number][localization.language, source] = .init(
                        form.text, state: .init(catalog: form.state ?? "translated"))
                }
            }
            units += own.isEmpty ? [model] : own
        }
    }

    // MARK: Writing

    /// Changes the translations of a language to those of units; only the bytes of changed texts and states change.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - units: All units of the keys that can have changed.
    /// - Throws: `JSONSyntaxError` if the file is malformed; its bytes don't change then.
    mutating func set(_ language: LanguageTag, to units: [TranslationUnit]) throws(JSONSyntaxError) {
        let name = languages[language] ?? "\(language)"
        let (old, new) = (UnitIndex(self.units), UnitIndex(units))
        var strings: [String: JSONEdit] = [:]
        for first in new.keys {
            let key = units[first].key
            let before = old.forms(table, key).map { self.units[$0] }.filter { $0.targets[language] != nil }
            let all = new.forms(units[first].table, key).map { units[$0] }.filter { $0.targets[language] != nil }
            let translated = all.filter { $0.targets[language]?.isTranslated == true }
            let after = translated.isEmpty ? all : translated
            let isExtension = before.allSatisfy { form in after.contains { $0.form == form.form } }
            let changes = after.filter { unit in
                guard isExtension, let known = before.first(where: { $0.form == unit.form }) else { return true }
                let (a, b) = (known.targets[language], unit.targets[language])
                return a?.text != b?.text || a?.state != b?.state
            }
            guard !changes.isEmpty else { continue }
            let node = Self.node(changes, language, declares: !isExtension ? nil : before)
            strings[key] = .object(["localizations": .object([name: isExtension ? node : node.replacing])])
        }
        guard !strings.isEmpty else { return }
        bytes = try JSONEdit.object(["strings": .object(strings)]).applied(to: bytes)
        read()
    }

    /// Returns the members of a localization with the texts of a language.
    private static func node(
        _ units: [TranslationUnit], _ language: LanguageTag, source: LanguageTag? = nil,
        declares known: [TranslationUnit]?
    ) -> JSONEdit {
        var root = JSONEdit.object([:])
        for unit in units {
            guard let target = unit[language, source ?? "und"] else { continue }
            var path: [String] = []
            var words = unit.form.split(separator: ".")[...]
            while let kind = words.popFirst(), let name = words.popFirst() {
                let name = MessageForms.unescaped(name)
                path += kind == "substitutions" ? ["substitutions", name] : ["variations", String(kind), name]
                let prefix = "substitutions.\(MessageForms.escaped(name))."
                guard kind == "substitutions", case .number(_, let type, let position) = unit.notation,
                    known?.contains(where: { $0.form.contains(prefix) }) != true
                else { continue }
                root.set(path + ["formatSpecifier"], .string(type))
                if let position { root.set(path + ["argNum"], .scalar("\(position)")) }
            }
            let before = known?.first { $0.form == unit.form }?.targets[language]
            if before?.state != target.state {
                root.set(path + ["stringUnit", "state"], .string(target.state.catalog))
            }
            if before?.text != target.text { root.set(path + ["stringUnit", "value"], .string(target.text)) }
        }
        return root
    }

    /// Returns the text of a new file.
    static func text(of catalog: TranslationCatalog, table: String) -> String {
        let units = catalog.units.filter { $0.table == table }
        let index = UnitIndex(units)
        var strings: [String: JSONEdit] = [:]
        for first in index.keys {
            let unit = units[first]
            let forms = index.forms(table, unit.key).map { units[$0] }
            var members: [String: JSONEdit] = [:]
            if let note = unit.note { members["comment"] = .string(note) }
            if let state = unit.extractionState { members["extractionState"] = .string(state) }
            if !unit.shouldTranslate { members["shouldTranslate"] = .scalar("false") }
            var localizations: [String: JSONEdit] = [:]
            for language in [catalog.sourceLanguage] + catalog.languages {
                let own = forms.filter { $0[language, catalog.sourceLanguage] != nil }
                if own.isEmpty { continue }
                localizations["\(language)"] = node(own, language, source: catalog.sourceLanguage, declares: nil)
            }
            if !localizations.isEmpty { members["localizations"] = .object(localizations) }
            strings[unit.key] = .object(members)
        }
        let root: [String: JSONEdit] = [
            "sourceLanguage": .string("\(catalog.sourceLanguage)"), "strings": .object(strings),
            "version": .string("1.0"),
        ]
        let bytes = try? JSONEdit.replacement(root).applied(to: Array("{}".utf8))
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}

extension TranslationUnit.State {
    private static let names: [Self: String] = [.new: "new", .needsReview: "needs_review", .translated: "translated"]

    init(catalog name: String) { self = Self.names.first { $0.value == name }?.key ?? .needsReview }

    var catalog: String { Self.names[self] ?? "new" }
}

extension JSONEdit {
    /// The same members as a new object.
    fileprivate var replacing: JSONEdit { if case .object(let members) = self { .replacement(members) } else { self } }

    fileprivate mutating func set(_ path: some Collection<String>, _ value: JSONEdit) {
        guard let name = path.first else {
            self = value
            return
        }
        guard case .object(var members) = self else { return }
        self = .scalar("null")  // Makes `members` unique.
        members[name, default: .object([:])].set(path.dropFirst(), value)
        self = .object(members)
    }
}

extension TranslationCatalog {
    /// Returns a table of the catalog as an `.xcstrings` file, in Xcode's layout.
    ///
    /// - Parameter table: The name of the table.
    /// - Returns: The text, which is JSON.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func stringCatalog(table: String = CustomizationLayer.defaultTable) -> String {
        StringCatalogFile.text(of: self, table: table)
    }

    /// Reads an `.xcstrings` file with its states.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - table: The name of the table.
    ///   - file: The file's path, for locations.
    /// - Returns: The catalog, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        stringCatalog bytes: [UInt8], table: String = CustomizationLayer.defaultTable, file: String = ""
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        let file = StringCatalogFile(bytes, table: table, file: file)
        return (TranslationCatalog(sourceLanguage: file.sourceLanguage, units: file.units), file.diagnostics)
    }
}
