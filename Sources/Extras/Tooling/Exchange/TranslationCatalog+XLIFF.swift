import AshlarCore
public import AshlarCustomization
import AshlarTrees

extension TranslationCatalog {
    /// A version of XLIFF, the XML format of translation tools (OASIS).
    public enum XLIFFVersion: Hashable, Sendable {
        /// XLIFF 1.2, which Xcode exports.
        case version1
        /// XLIFF 2.0.
        case version2
    }

    /// Returns the catalog as XLIFF for one language.
    ///
    /// A message has a unit for each of its strings: `key|==|plural.one`. A plural has the categories of the target
    /// language; for a category that the source lacks, the source string is that of `other`. Stale keys are omitted. A
    /// character that XML can't contain is replaced by U+FFFD and reported.
    ///
    /// - Parameters:
    ///   - version: The version of XLIFF.
    ///   - language: The language to translate into.
    /// - Returns: The file's text, and the problems.
    /// - Complexity: O(*n*) in the size of the strings.
    public func xliff(
        version: XLIFFVersion, language: LanguageTag
    ) -> (text: String, diagnostics: [CustomizationDiagnostic]) {
        var writer = XLIFFWriter(catalog: self, version: version, language: language)
        return (writer.write(), writer.diagnostics)
    }
}

/// Writes a catalog as XLIFF.
private struct XLIFFWriter {
    typealias State = TranslationCatalog.State

    let catalog: TranslationCatalog
    let version: TranslationCatalog.XLIFFVersion
    let language: LanguageTag
    private(set) var diagnostics: [CustomizationDiagnostic] = []

    mutating func write() -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let source = catalog.sourceLanguage
        switch version {
        case .version1: text += "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" version=\"1.2\">\n"
        case .version2:
            text += "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" version=\"2.0\" "
            text += "srcLang=\"\(source)\" trgLang=\"\(language)\">\n"
        }
        for (number, table) in catalog.tableNames.enumerated() {
            let units = catalog.units.filter { $0.table == table && !$0.isStale }
            var body = ""
            var count = 0
            for unit in units {
                for pair in pairs(unit) {
                    count += 1
                    body += self.unit(pair, of: unit, number: count)
                }
            }
            let name = escaped(table, "the name of a table", isAttribute: true)
            switch version {
            case .version1:
                text += "  <file original=\"\(name)\" source-language=\"\(source)\" target-language=\"\(language)\" "
                text += "datatype=\"plaintext\">\n    <body>\n\(body)    </body>\n  </file>\n"
            case .version2: text += "  <file id=\"f\(number + 1)\" original=\"\(name)\">\n\(body)  </file>\n"
            }
        }
        return text + "</xliff>\n"
    }

    private struct Pair {
        let path: String
        let source: String
        let target: String?
        let state: State
    }

    /// Returns the strings to translate: those of the source, in the plural categories of the target language.
    private func pairs(_ unit: TranslationCatalog.Unit) -> [Pair] {
        guard let source = unit.translations[catalog.sourceLanguage].flatMap({ TranslationParts($0.value) })
        else { return [] }
        let translation = unit.translations[language]
        let targets = translation.flatMap { TranslationParts($0.value) }?.parts ?? []
        let texts = Dictionary(targets.map { ($0.path, $0.text) }, uniquingKeysWith: { first, _ in first })
        var sources: [(path: String, text: String)] = []
        var known: Set<String> = []
        let categories = PluralRules(language).categories
        for part in source.parts {
            let words = part.path.split(separator: ".")
            guard words.count > 1, words[words.count - 2] == "plural" else {
                sources.append((part.path, part.text))
                continue
            }
            let path = words.dropLast().joined(separator: ".")
            guard known.insert(path).inserted else { continue }
            func text(_ category: PluralCategory) -> String? {
                source.parts.first { $0.path == "\(path).\(category)" }?.text
            }
            // `zero` also applies to exactly 0 in languages without that category.
            let all = PluralCategory.allCases.filter { categories.contains($0) || ($0 == .zero && text(.zero) != nil) }
            for category in all { sources.append(("\(path).\(category)", text(category) ?? text(.other) ?? "")) }
        }
        for part in targets where !sources.contains(where: { $0.path == part.path }) {
            sources.append((part.path, source.parts.first?.text ?? ""))
        }
        return sources.map { path, text in
            Pair(
                path: path, source: text, target: texts[path],
                state: texts[path] == nil ? .new : translation?.state ?? .new)
        }
    }

    private mutating func unit(_ pair: Pair, of unit: TranslationCatalog.Unit, number: Int) -> String {
        let name = unit.key + (pair.path.isEmpty ? "" : TranslationCatalog.pathMark + pair.path)
        let id = escaped(name, unit.key, isAttribute: true)
        let source = escaped(pair.source, unit.key)
        let target = pair.target.map { escaped($0, unit.key) }
        let note = unit.comment.map { escaped($0, unit.key) }
        switch version {
        case .version1:
            let states: [State: String] = [
                .new: "new", .needsReview: "needs-review-translation", .translated: "translated",
            ]
            var text = "      <trans-unit id=\"\(id)\" xml:space=\"preserve\">\n        <source>\(source)</source>\n"
            if let target { text += "        <target state=\"\(states[pair.state] ?? "new")\">\(target)</target>\n" }
            if let note { text += "        <note>\(note)</note>\n" }
            return text + "      </trans-unit>\n"
        case .version2:
            let states: [State: String] = [
                .new: "initial", .needsReview: "translated\" subState=\"ashlar:needs-review", .translated: "final",
            ]
            var text = "    <unit id=\"u\(number)\" name=\"\(id)\" xml:space=\"preserve\">\n"
            if let note { text += "      <notes><note>\(note)</note></notes>\n" }
            text += "      <segment state=\"\(states[pair.state] ?? "initial")\">\n        <source>\(source)</source>\n"
            if let target { text += "        <target>\(target)</target>\n" }
            return text + "      </segment>\n    </unit>\n"
        }
    }

    private mutating func escaped(_ text: String, _ key: String, isAttribute: Bool = false) -> String {
        if let scalar = text.unicodeScalars.first(where: { !XMLText.isLegal($0) }) {
            diagnostics.add(
                .warning, .exchangeLoss, "XML can't contain U+\(String(scalar.value, radix: 16, uppercase: true))",
                at: CustomizationLocation(file: "xliff"), key: key)
        }
        return XMLText.escaped(text, isAttribute: isAttribute, replacement: "\u{FFFD}")
    }
}

extension TranslationCatalog {
    /// The separator between a key and the path of a string.
    static let pathMark = "|==|"

    /// Reads XLIFF 1.2 or 2.0.
    ///
    /// Source strings become those of the source language, and targets become translations. A unit without a target has
    /// no translation. For inline markup, only the text is read, and the loss is reported.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes, UTF-8.
    ///   - file: The file's path, for locations.
    ///   - model: A catalog whose messages provide the types of variables.
    /// - Returns: The catalog, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        xliff bytes: [UInt8], file: String = "", model: TranslationCatalog? = nil
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        var reader = XLIFFReader(bytes, file: file)
        return (reader.read(model: model), reader.diagnostics)
    }
}

/// Reads XLIFF into a catalog.
private struct XLIFFReader {
    private let text: SourceText
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var collector = PartCollector()

    init(_ bytes: [UInt8], file: String) {
        text = SourceText(utf8: Array(String(decoding: bytes, as: UTF8.self).utf8), file: file)
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at offset: Int, key: String? = nil
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: offset), key: key)
    }

    mutating func read(model: TranslationCatalog?) -> TranslationCatalog {
        let document = XMLTree(parsing: String(decoding: text.utf8, as: UTF8.self))
        if let failure = document.failure { report(.error, .malformedFile, failure.message, at: failure.offset) }
        guard let root = document.root, root.localName == "xliff" else {
            if document.failure == nil { report(.error, .malformedFile, "expected the element xliff", at: 0) }
            return TranslationCatalog(sourceLanguage: model?.sourceLanguage ?? "en")
        }
        let isSecond = root["version"]?.hasPrefix("2") == true
        let first = root.elements(named: "file").first
        let source = (isSecond ? root["srcLang"] : first?["source-language"]).flatMap { LanguageTag($0) }
        if source == nil {
            report(.error, .malformedFile, "the source language is missing or not a language", at: root.offset)
        }
        for element in root.elements(named: "file") {
            let language = (isSecond ? root["trgLang"] : element["target-language"]).flatMap { LanguageTag($0) }
            guard let language else {
                report(.error, .malformedFile, "the target language is missing or not a language", at: element.offset)
                continue
            }
            let table = element["original"] ?? element["id"] ?? CustomizationLayer.defaultTable
            readUnits(of: element, in: File(table: table, source: source ?? "en", target: language))
        }
        var problems: [CustomizationDiagnostic] = []
        let catalog = collector.catalog(sourceLanguage: source ?? model?.sourceLanguage ?? "en", model: model) {
            problems.append($0)
        }
        diagnostics += problems
        return catalog
    }

    private struct File {
        let table: String
        let source: LanguageTag
        let target: LanguageTag
    }

    /// A string with its translation, whose parts are joined.
    private struct Unit {
        let id: String
        let note: String?
        let parts: [XMLTree.Element]
        /// The parts of the translation; nil if there is none.
        let targets: [XMLTree.Element?]?
        let state: TranslationCatalog.State
    }

    private mutating func readUnits(of element: XMLTree.Element, in file: File) {
        for child in element.elements where child.namespace == element.namespace {
            switch child.localName {
            case "trans-unit":
                guard let id = child["id"] else { continue }
                let note = child.child("note")?.text
                let goal = child.child("target")
                let states = [
                    "new": TranslationCatalog.State.new, "needs-translation": .new, "translated": .translated,
                    "final": .translated, "signed-off": .translated,
                ]
                let state = goal.flatMap { $0["state"] }.map { states[$0] ?? .needsReview }
                add(
                    Unit(
                        id: id, note: note, parts: [child], targets: goal.map { [$0] }, state: state ?? .translated),
                    to: file)
            case "unit":
                guard let id = child["name"] ?? child["id"] else { continue }
                let note = child.child("notes")?.elements.first?.text
                // Tools split a text into sentences; `ignorable` is the text between them.
                let parts = child.elements.filter {
                    $0.namespace == child.namespace && ["segment", "ignorable"].contains($0.localName)
                }
                let segments = parts.filter { $0.localName == "segment" }
                guard !segments.isEmpty else { continue }
                let isTranslated = segments.allSatisfy { $0.child("target") != nil }
                let targets = parts.map { $0.child("target") ?? $0.child("source") }
                add(
                    Unit(
                        id: id, note: note, parts: parts, targets: isTranslated ? targets : nil,
                        state: Self.state(of: segments)),
                    to: file)
            case "body", "group": readUnits(of: child, in: file)
            default: break
            }
        }
    }

    /// The progress of a unit of XLIFF 2.0: that of its least advanced segment.
    private static func state(of segments: [XMLTree.Element]) -> TranslationCatalog.State {
        if segments.contains(where: { $0["state"] == "initial" }) { return .new }
        return segments.contains { $0["subState"] == "ashlar:needs-review" } ? .needsReview : .translated
    }

    private mutating func add(_ unit: Unit, to file: File) {
        let (key, path) = PartCollector.split(unit.id)
        for element in unit.parts.flatMap(\.elements)
        where ["source", "target"].contains(element.localName) && !element.elements.isEmpty {
            report(.warning, .exchangeLoss, "inline markup is read as text", at: element.offset, key: key)
        }
        let place = PartCollector.Place(table: file.table, key: key, path: path, comment: unit.note)
        let sources = unit.parts.compactMap { $0.child("source")?.text }
        if !sources.isEmpty { collector.add(sources.joined(), state: .translated, in: file.source, at: place) }
        if let targets = unit.targets {
            let text = targets.map { $0?.text ?? "" }.joined()
            collector.add(text, state: unit.state, in: file.target, at: place)
        }
    }
}

extension XMLTree.Element {
    /// The first element inside with a name.
    fileprivate func child(_ name: String) -> XMLTree.Element? { elements(named: name).first }
}

extension CustomizationDiagnostic.Code {
    /// A part of a string that an exchange format can't represent.
    package static let exchangeLoss = Self("exchange-loss")
    /// Two different translations of a unit.
    package static let mergeConflict = Self("merge-conflict")
}
