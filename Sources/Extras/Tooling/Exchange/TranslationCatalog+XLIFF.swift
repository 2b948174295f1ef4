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
    /// The file contains ``units(for:)``; a form has the name `key|==|plural.one`. A unit with a translation has the
    /// attribute `ashlar:exported` with the translation's digest, so that an import recognizes changes. Units that were
    /// read from XLIFF of the same version retain their inline elements, attributes and other elements. A character that
    /// XML can't contain is an element `cp` in version 2.0; in version 1.2, it is replaced by U+FFFD and reported.
    ///
    /// - Parameters:
    ///   - version: The version of XLIFF.
    ///   - language: The language to translate into.
    /// - Returns: The file's text, and the problems.
    /// - Complexity: O(*n*) in the size of the texts.
    public func xliff(
        version: XLIFFVersion, language: LanguageTag
    ) -> (text: String, diagnostics: [CustomizationDiagnostic]) {
        var writer = XLIFFWriter(catalog: self, version: version, language: language)
        return (writer.write(), writer.diagnostics)
    }
}

/// The texts of XLIFF.
enum XLIFFText {
    static let namespace = "urn:ashlar:xliff"
    static let states: [(state: TranslationUnit.State, first: String, second: String)] = [
        (.new, "new", "initial"), (.needsReview, "needs-review-translation", "translated"),
        (.translated, "translated", "final"),
    ]
    static let review = "ashlar:needs-review"

    /// Returns the text of XML content; an inline element without text is replaced by the code that it represents.
    static func plain(_ content: String) -> String {
        XMLTree(parsing: "<x>" + content + "</x>", maximumDepth: 128).root.map(plain) ?? content
    }

    static func plain(_ element: XMLTree.Element) -> String {
        element.children.map { child in
            switch child {
            case .text(let text): return text
            case .comment: return ""
            case .element(let inner) where inner.localName == "cp":
                return inner["hex"].flatMap { UInt32($0, radix: 16) }.flatMap(Unicode.Scalar.init).map { "\($0)" } ?? ""
            case .element(let inner):
                let code = inner.children.isEmpty ? inner["equiv-text"] ?? inner["equiv"] ?? inner["disp"] : nil
                return code ?? plain(inner)
            }
        }.joined()
    }
}

/// Writes a catalog as XLIFF.
private struct XLIFFWriter {
    let catalog: TranslationCatalog
    let version: TranslationCatalog.XLIFFVersion
    let language: LanguageTag
    private(set) var diagnostics: [CustomizationDiagnostic] = []

    mutating func write() -> String {
        let source = catalog.sourceLanguage
        let number = version == .version1 ? "1.2" : "2.0"
        var text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff xmlns=\"urn:oasis:names:tc:xliff:document:\(number)\" "
        text += "xmlns:ashlar=\"\(XLIFFText.namespace)\" version=\"\(number)\""
        text += version == .version1 ? ">\n" : " srcLang=\"\(source)\" trgLang=\"\(language)\">\n"
        let tables = Dictionary(grouping: catalog.units(for: language), by: \.table)
        for (number, table) in tables.sorted(by: { $0.key < $1.key }).enumerated() {
            let name = escaped(table.key, "the name of a table", isAttribute: true)
            var body = ""
            for (number, unit) in table.value.enumerated() { body += self.unit(unit, number: number + 1) }
            switch version {
            case .version1:
                text += "  <file original=\"\(name)\" source-language=\"\(source)\" target-language=\"\(language)\" "
                text += "datatype=\"plaintext\">\n    <body>\n\(body)    </body>\n  </file>\n"
            case .version2: text += "  <file id=\"f\(number + 1)\" original=\"\(name)\">\n\(body)  </file>\n"
            }
        }
        return text + "</xliff>\n"
    }

    private mutating func unit(_ unit: TranslationUnit, number: Int) -> String {
        func content(_ text: String) -> String { unit.hasMarkup ? text : escaped(text, unit.key) }
        let target = unit.targets[language]
        let (source, goal) = (content(unit.source ?? unit.key), target.map { content($0.text) })
        let states = XLIFFText.states.first { $0.state == target?.state ?? .new } ?? XLIFFText.states[0]
        if let element = unit.element {
            let isSame = element.localName == (version == .version1 ? "trans-unit" : "unit")
            if isSame { return known(element, unit, goal, states.first, states.second) }
            report("the attributes and elements of \"\(unit.key)\" in its file are left out", unit)
        }
        let id = escaped(unit.name, unit.key, isAttribute: true)
        let note = unit.note.map { escaped($0, unit.key) }
        let exported = target.map { " ashlar:exported=\"\($0.digest)\"" } ?? ""
        switch version {
        case .version1:
            var text =
                "      <trans-unit id=\"\(id)\" xml:space=\"preserve\"\(exported)>\n        <source>\(source)</source>\n"
            if let goal { text += "        <target state=\"\(states.first)\">\(goal)</target>\n" }
            if let note { text += "        <note>\(note)</note>\n" }
            return text + "      </trans-unit>\n"
        case .version2:
            let review = target?.state == .needsReview ? " subState=\"\(XLIFFText.review)\"" : ""
            var text = "    <unit id=\"u\(number)\" name=\"\(id)\" xml:space=\"preserve\"\(exported)>\n"
            if let note { text += "      <notes><note>\(note)</note></notes>\n" }
            text += "      <segment state=\"\(states.second)\"\(review)>\n        <source>\(source)</source>\n"
            if let goal { text += "        <target>\(goal)</target>\n" }
            return text + "      </segment>\n    </unit>\n"
        }
    }

    private mutating func report(_ message: String, _ unit: TranslationUnit) {
        diagnostics.add(.warning, .exchangeLoss, message, at: CustomizationLocation(file: unit.table), key: unit.key)
    }

    /// Returns the element that a unit was read from with the unit's translation.
    private mutating func known(
        _ element: XMLTree.Element, _ unit: TranslationUnit, _ goal: String?, _ first: String, _ second: String
    ) -> String {
        var element = element
        let isFirst = version == .version1
        let read = XLIFFReader.target(of: element, hasMarkup: unit.hasMarkup)
        let isUnchanged = read.text == unit.targets[language]?.text && read.state == unit.targets[language]?.state
        if let goal, !isUnchanged {
            if element.children.count(where: { $0.isElement("segment") }) > 1 {
                report("the segments of \"\(unit.key)\" are joined", unit)
                var isLater = false
                element.children.removeAll { child in
                    defer { isLater = isLater || child.isElement("segment") }
                    return child.isElement("ignorable") || isLater && child.isElement("segment")
                }
            }
            let state = isFirst ? " state=\"\(first)\"" : ""
            let new = XMLTree(parsing: "<target\(state)>\(goal)</target>", maximumDepth: 128).root
            let holder = element.children.firstIndex { $0.isElement("segment") }
            if let holder, case .element(var segment) = element.children[holder] {
                segment.set("state", to: second)
                let source = unit.source.map { unit.hasMarkup ? $0 : escaped($0, unit.key) } ?? ""
                segment.replace("source", XMLTree(parsing: "<source>\(source)</source>", maximumDepth: 128).root)
                segment.replace("target", new)
                element.children[holder] = .element(segment)
            } else {
                element.replace("target", new)
            }
        }
        return "      " + element.xml + "\n"
    }

    private mutating func escaped(_ text: String, _ key: String, isAttribute: Bool = false) -> String {
        guard let first = text.unicodeScalars.first(where: { !XMLText.isLegal($0) }) else {
            return XMLText.escaped(text, isAttribute: isAttribute)
        }
        if version == .version2, !isAttribute {
            return text.unicodeScalars.reduce(into: "") { result, scalar in
                result +=
                    XMLText.isLegal(scalar)
                    ? XMLText.escaped(String(scalar)) : "<cp hex=\"\(scalar.value.digits(4, radix: 16))\"/>"
            }
        }
        diagnostics.add(
            .warning, .exchangeLoss, "XML can't contain U+\(String(first.value, radix: 16, uppercase: true))",
            at: CustomizationLocation(file: "xliff"), key: key)
        return XMLText.escaped(text, isAttribute: isAttribute, replacement: "\u{FFFD}")
    }
}

extension XMLTree.Element.Child {
    /// Whether the child is an element with a name.
    func isElement(_ name: String) -> Bool {
        if case .element(let element) = self { element.localName == name } else { false }
    }
}

extension XMLTree.Element {
    /// Replaces a child element, or inserts it after the source.
    fileprivate mutating func replace(_ name: String, _ element: XMLTree.Element?) {
        guard let element else { return }
        if let index = children.firstIndex(where: { $0.isElement(name) }), case .element(var old) = children[index] {
            for attribute in element.attributes { old.set(attribute.name, to: attribute.value) }
            old.children = element.children
            children[index] = .element(old)
        } else {
            let place = children.lastIndex { $0.isElement("source") || $0.isElement("seg-source") }
            children.insert(.element(element), at: place.map { $0 + 1 } ?? children.count)
        }
    }
}
