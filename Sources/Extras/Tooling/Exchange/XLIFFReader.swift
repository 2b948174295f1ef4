import AshlarCore
public import AshlarCustomization
import AshlarTrees

extension TranslationCatalog {
    /// Reads XLIFF 1.2 or 2.0.
    ///
    /// Source texts become those of the source language, and targets become translations. Inline elements are a part of
    /// the texts; see ``TranslationUnit/hasMarkup``. A unit with an ID that another unit of its file has is reported and
    /// retained. The parts of a file that a catalog can't represent are reported.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes, UTF-8.
    ///   - file: The file's path, for locations and for the language of `messages.fr.xlf` or `app_fr.xlf`.
    ///   - language: The language of the translations in a file that doesn't state it.
    /// - Returns: The catalog, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        xliff bytes: [UInt8], file: String = "", language: LanguageTag? = nil
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        var reader = XLIFFReader(bytes, file: file, language: language)
        return (reader.read(), reader.diagnostics)
    }
}

/// Reads XLIFF into a catalog.
struct XLIFFReader {
    private let source: SourceText
    private let language: LanguageTag?
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var catalog = TranslationCatalog(sourceLanguage: "en")
    /// The tables and names of the units, as bytes, because Swift compares strings by canonical equivalence.
    private var names: Set<[UInt8]> = []
    private var prefixes: [XMLTree.Element.Attribute] = []

    init(_ bytes: [UInt8], file: String, language: LanguageTag?) {
        source = SourceText(utf8: Array(String(decoding: bytes, as: UTF8.self).utf8), file: file)
        // `messages.fr.xlf`, `app_fr.xlf`, `fr.xliff`
        let name = file.split(separator: "/").last?.split(separator: ".").dropLast().last ?? ""
        let tail = name.split(separator: "_", maxSplits: 1).last.map(String.init)
        self.language = language ?? tail.flatMap { LanguageTag($0) }
        if let offset = UTF8Validation.firstInvalid(in: bytes) {
            report(.error, .invalidEncoding, "the file is not UTF-8; other bytes are read as U+FFFD", at: offset)
        }
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at offset: Int, key: String? = nil
    ) {
        diagnostics.add(severity, code, message, at: source.location(ofByte: offset), key: key)
    }

    mutating func read() -> TranslationCatalog {
        let document = XMLTree(parsing: String(decoding: source.utf8, as: UTF8.self))
        if let failure = document.failure { report(.error, .malformedFile, failure.message, at: failure.offset) }
        guard let root = document.root, root.localName == "xliff" else {
            if document.failure == nil { report(.error, .malformedFile, "expected the element xliff", at: 0) }
            return catalog
        }
        prefixes = root.attributes.filter { $0.name.hasPrefix("xmlns:") && $0.value != XLIFFText.namespace }
        let isSecond = root["version"]?.hasPrefix("2") == true
        let files = root.elements(named: "file")
        if let source = (isSecond ? root["srcLang"] : files.first?["source-language"]).flatMap({ LanguageTag($0) }) {
            catalog.sourceLanguage = source
        } else {
            report(.error, .malformedFile, "the source language is missing or not a language", at: root.offset)
        }
        for element in files {
            let stated = (isSecond ? root["trgLang"] : element["target-language"]).flatMap { LanguageTag($0) }
            let target = stated ?? language ?? "und"
            let count = catalog.units.count
            readUnits(of: element, table: element["original"] ?? element["id"] ?? "Localizable", target)
            if target == "und", catalog.units[count...].contains(where: { !$0.targets.isEmpty }) {
                report(.warning, .malformedFile, "the target language is missing or not a language", at: element.offset)
            }
        }
        return catalog
    }

    private mutating func readUnits(of element: XMLTree.Element, table: String, _ language: LanguageTag) {
        for child in element.elements {
            switch child.localName {
            case "trans-unit", "unit": read(child, table: table, language)
            case "body": readUnits(of: child, table: table, language)
            default:
                let isGroup = child.localName == "group"
                if !isGroup || !child.attributes.isEmpty {
                    report(
                        .note, .exchangeLoss, "the element \(child.name)\(isGroup ? " around units" : "") is left out",
                        at: child.offset, key: child["id"])
                }
                if isGroup { readUnits(of: child, table: table, language) }
            }
        }
    }

    private mutating func read(_ element: XMLTree.Element, table: String, _ language: LanguageTag) {
        let isFirst = element.localName == "trans-unit"
        guard let name = isFirst ? element["id"] ?? element["resname"] : element["name"] ?? element["id"] else {
            return report(.error, .malformedFile, "a unit without an ID is left out", at: element.offset)
        }
        var unit = TranslationUnit(table: table, name: name)
        if !names.insert(Array("\(table)\0\(name)".utf8)).inserted {
            report(
                .warning, .duplicateKey, "another unit of the file has the ID \"\(name)\"", at: element.offset,
                key: unit.key)
        }
        let holders = Self.holders(element)
        guard !holders.isEmpty else {
            return report(
                .warning, .exchangeLoss, "a unit without texts is left out", at: element.offset, key: unit.key)
        }
        if holders.count > 1 {
            report(.note, .exchangeLoss, "the segments are read as one text", at: element.offset, key: unit.key)
        }
        unit.hasMarkup = holders.flatMap(\.elements).contains { part in
            ["source", "target"].contains(part.localName) && part.elements.contains { $0.localName != "cp" }
        }
        let sources = holders.compactMap { $0.elements(named: "source").first }
        if !sources.isEmpty { unit.source = sources.map { Self.text($0, unit.hasMarkup) }.joined() }
        let (text, state) = Self.target(of: element, hasMarkup: unit.hasMarkup)
        if let text, let state, language != catalog.sourceLanguage {
            unit.targets[language] = .init(text, state: state)
            unit.targets[language]?.exported = element.attributes.first { $0.name.hasSuffix(":exported") }?.value
        } else if let text, !text.isEmpty, text != unit.source {
            report(
                .warning, .exchangeLoss, "the target in the source language is left out", at: element.offset,
                key: unit.key)
        }
        let notes = isFirst ? element.elements(named: "note") : element.elements(named: "notes").flatMap(\.elements)
        unit.note = notes.first?.text
        unit.shouldTranslate = element["translate"] != "no"
        if !Self.isPlain(element) {
            unit.element = element
            if element.xml.contains(":") {
                unit.element?.attributes += prefixes.filter { element[$0.name] == nil }
            }
        }
        catalog.units.append(unit)
    }

    /// The elements with the texts of a unit; tools divide a text into segments, and `ignorable` is the text between.
    private static func holders(_ element: XMLTree.Element) -> [XMLTree.Element] {
        if element.localName == "trans-unit" { return [element] }
        let parts = element.elements.filter { ["segment", "ignorable"].contains($0.localName) }
        return parts.contains { $0.localName == "segment" } ? parts : []
    }

    private static func text(_ element: XMLTree.Element, _ hasMarkup: Bool) -> String {
        hasMarkup ? element.content : XLIFFText.plain(element)
    }

    /// The translation of a unit; nil if it has none.
    static func target(
        of element: XMLTree.Element, hasMarkup: Bool
    ) -> (text: String?, state: TranslationUnit.State?) {
        let holders = holders(element)
        let segments = holders.filter { $0.localName != "ignorable" }
        guard !segments.isEmpty, segments.allSatisfy({ !$0.elements(named: "target").isEmpty }) else {
            return (nil, nil)
        }
        let text = holders.compactMap { $0.elements(named: "target").first ?? $0.elements(named: "source").first }
            .map { Self.text($0, hasMarkup) }.joined()
        let source = holders.compactMap { $0.elements(named: "source").first?.text }.joined()
        if element.localName == "trans-unit" {
            let name = element.elements(named: "target").first?["state"]
            let states: [String: TranslationUnit.State] = [
                "new": .new, "needs-translation": .new, "translated": .translated, "final": .translated,
                "signed-off": .translated,
            ]
            let isMissing = name == nil && text.isEmpty && !source.isEmpty
            return (text, name.map { states[$0] ?? .needsReview } ?? (isMissing ? .new : .translated))
        }
        // The progress of the least advanced segment.
        if segments.contains(where: { $0["state"] == "initial" }) { return (text, .new) }
        let isMissing = text.isEmpty && !source.isEmpty && segments.contains { $0["state"] == nil }
        if isMissing { return (text, .new) }
        return (text, segments.contains { $0["subState"] == XLIFFText.review } ? .needsReview : .translated)
    }

    /// The attributes of elements that a unit contains.
    private static let plainAttributes: [Substring: Set<String>] = [
        "trans-unit": ["id", "xml:space"], "unit": ["id", "name", "xml:space"], "notes": [], "note": [],
        "segment": ["state", "subState"], "source": [], "target": ["state"],
    ]

    /// Whether a unit contains everything of its element.
    private static func isPlain(_ element: XMLTree.Element) -> Bool {
        func hasOnlyKnown(_ element: XMLTree.Element) -> Bool {
            guard let known = plainAttributes[element.localName],
                element.attributes.allSatisfy({ known.contains($0.name) || $0.name.hasSuffix(":exported") }),
                Set(element.elements.map(\.localName)).count == element.elements.count
            else { return false }
            return ["source", "target", "note"].contains(element.localName) || element.elements.allSatisfy(hasOnlyKnown)
        }
        guard element["xml:space"] == "preserve", hasOnlyKnown(element) else { return false }
        guard element.localName == "trans-unit" else {
            return element["name"] != nil && element["id"]?.dropFirst().allSatisfy(\.isNumber) == true
                && element.elements.allSatisfy { $0["state"] != "reviewed" && $0.localName != "target" }
        }
        let target = element.elements(named: "target").first
        return target.map { target in XLIFFText.states.contains { $0.first == target["state"] } } ?? true
    }
}
