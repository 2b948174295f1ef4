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
    private var keys: Set<[UInt8]> = []

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

    func contains(_ key: String) -> Bool { keys.contains(Array(key.utf8)) }

    // MARK: Reading

    private mutating func read() {
        units = []
        let (document, errors) = JSONDocument.recovering(bytes)
        for error in errors {
            diagnostics.add(.error, .malformedFile, error.message, at: CustomizationLocation(file: file))
        }
        guard let document, document.kind(at: 0) == .object,
            let strings = document.object("strings", in: 0)
        else {
            return diagnostics.add(
                .error, .notATable, "expected a string catalog with the dictionary \"strings\"",
                at: CustomizationLocation(file: file))
        }
        let source = document.text("sourceLanguage", in: 0)
        if let language = source.flatMap({ LanguageTag($0) }) { sourceLanguage = language }
        for key in document.children(of: strings) where document.kind(at: key + 1) == .object {
            read(document, key)
        }
    }

    private mutating func read(_ document: JSONDocument, _ key: Int) {
        var model = TranslationUnit(table: table, key: document.string(at: key))
        model.note = document.text("comment", in: key + 1)
        model.extractionState = document.text("extractionState", in: key + 1)
        let flag = document.find("shouldTranslate", in: key + 1)
        model.shouldTranslate = flag.map { document.kind(at: $0 + 1) != .bool || document.isTrue(at: $0 + 1) } ?? true
        keys.insert(Array(model.key.utf8))
        var (own, numbers): ([TranslationUnit], [String: Int]) = ([], [:])
        let source = sourceLanguage
        let localizations = document.object("localizations", in: key + 1)
        for name in localizations.map({ Array(document.children(of: $0)) }) ?? [] {
            guard let language = LanguageTag(document.string(at: name)) else {
                report(
                    .warning, .unknownFolder, "\"\(document.string(at: name))\" is not a language", document, name,
                    model)
                continue
            }
            languages[language] = document.string(at: name)
            var model = model
            forEachUnit(document, name + 1, &model) { unit, target in
                if numbers[unit.form] == nil {
                    numbers[unit.form] = own.count
                    own.append(unit)
                }
                guard let number = numbers[unit.form] else { return }
                if unit.notation != .format { own[number].notation = unit.notation }
                own[number][language, source] = target
            }
        }
        units += own.isEmpty ? [model] : own
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ document: JSONDocument, _ index: Int, _ unit: TranslationUnit
    ) {
        let place = document.position(of: document.range(of: index).lowerBound)
        diagnostics.add(
            severity, code, message, at: CustomizationLocation(file: file, line: place.line), key: unit.key)
    }

    /// Calls `body` for each text of a localization.
    private mutating func forEachUnit(
        _ document: JSONDocument, _ node: Int, _ unit: inout TranslationUnit,
        _ body: (TranslationUnit, TranslationUnit.Target) -> Void
    ) {
        guard document.kind(at: node) == .object else { return }
        if let string = document.object("stringUnit", in: node), let text = document.text("value", in: string) {
            let state = TranslationUnit.State(catalog: document.text("state", in: string) ?? "translated")
            body(unit, .init(text, state: state))
        }
        if document.find("stringSet", in: node) != nil {
            report(.note, .catalogPartSkipped, "sets of phrases are not exchanged", document, node, unit)
        }
        let outer = unit
        for kind in ["variations", "substitutions"] {
            for group in document.object(kind, in: node).map({ Array(document.children(of: $0)) }) ?? [] {
                let name = document.string(at: group)
                unit.form = outer.form.isEmpty ? "" : outer.form + "."
                if kind == "substitutions" {
                    unit.form += "substitutions." + TranslationForms.escaped(name)
                    let position = document.find("argNum", in: group + 1).flatMap { document.int64(at: $0 + 1) }
                    unit.notation = .number(
                        variable: name, type: document.text("formatSpecifier", in: group + 1) ?? "lld",
                        position: position.flatMap { (1...1_000).contains($0) ? Int($0) : nil })
                    forEachUnit(document, group + 1, &unit, body)
                } else if document.kind(at: group + 1) == .object {
                    let path = unit.form + name + "."
                    for choice in document.children(of: group + 1) {
                        unit.form = path + TranslationForms.escaped(document.string(at: choice))
                        forEachUnit(document, choice + 1, &unit, body)
                    }
                }
                unit = outer
            }
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
                let name = TranslationForms.unescaped(name)
                path += kind == "substitutions" ? ["substitutions", name] : ["variations", String(kind), name]
                let prefix = "substitutions.\(TranslationForms.escaped(name))."
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

extension JSONDocument {
    fileprivate func object(_ name: String, in object: Int) -> Int? {
        guard kind(at: object) == .object, let key = find(name, in: object) else { return nil }
        return kind(at: key + 1) == .object ? key + 1 : nil
    }

    fileprivate func text(_ name: String, in object: Int) -> String? {
        guard kind(at: object) == .object, let key = find(name, in: object) else { return nil }
        return kind(at: key + 1) == .string ? string(at: key + 1) : nil
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
