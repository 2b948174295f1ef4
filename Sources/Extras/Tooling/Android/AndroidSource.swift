import AshlarCustomization
import AshlarTrees

/// The XML that an entry was imported from, stored in the entry's comment if the value alone can't restore it.
///
/// The marker is the comment's last line, `ashlar: {"android":["<string …>"]}`, so strings files preserve the XML, too.
/// An export writes the XML unless the value has changed.
struct AndroidSource {
    /// The comment without the marker.
    var comment: String?
    /// The elements, all with the same name: the element of the value, then variants for products and other types.
    var elements: [XMLTree.Element] = []

    init(comment: String? = nil, elements: [XMLTree.Element]) {
        self.comment = comment
        self.elements = elements
    }

    /// Reads an entry's comment.
    init(_ comment: String?) {
        self.comment = comment
        guard let comment, comment.utf8.contains(UInt8(ascii: "{")),
            let start = comment.range(ofMarker: AndroidMarker.prefix),
            case .list(let texts)? = AndroidMarker(comment: String(comment[start...]))?["android"]
        else { return }
        elements = texts.compactMap { value in
            guard case .string(let xml) = value else { return nil }
            let read = XMLTree(parsing: xml)
            return read.failure == nil ? read.root : nil
        }
        let people = comment[..<start].trimmingSpace()
        self.comment = people.isEmpty ? nil : people
    }

    /// The entry's comment.
    var text: String? {
        guard !elements.isEmpty else { return comment }
        let marker = AndroidMarker([("android", .list(elements.map { .string($0.xml) }))]).comment
        return comment.map { $0 + "\n" + marker } ?? marker
    }

    /// The elements as indented XML.
    var xml: String { elements.map { "    " + $0.xml + "\n" }.joined() }

    /// Whether an export of a value alone would restore an element.
    static func isImplied(_ node: XMLTree.Element, by value: CustomizationValue, name: String) -> Bool {
        // A lone surrogate isn't restored.
        if node.text.contains("\\ud") || node.text.contains("\\uD") { return false }
        return XMLTree.Element(value, name: name)?.isSameResource(as: node) == true
    }
}

extension StringProtocol {
    /// The start of the last line that begins with a marker.
    fileprivate func range(ofMarker prefix: String) -> Index? {
        var start = startIndex
        var found: Index?
        while start < endIndex {
            if self[start...].hasPrefix(prefix) { found = start }
            guard let end = self[start...].firstIndex(where: \.isNewline) else { break }
            start = index(after: end)
        }
        return found
    }

    fileprivate func trimmingSpace() -> String { String(self).trimmingSpace() }
}

/// The namespaces of values files.
extension XMLTree.Element {
    /// The prefixes and namespaces that an export declares.
    static let androidNamespaces = [
        ("tools", "http://schemas.android.com/tools"), ("xliff", "urn:oasis:names:tc:xliff:document:1.2"),
    ]

    /// Whether the element only marks text that must not be translated.
    var isTranslationMark: Bool { name.hasPrefix("xliff:") }

    /// Returns the element with the prefixes that an export declares; other prefixes are declared in the element.
    func normalizingPrefixes(declaredBy root: XMLTree.Element) -> XMLTree.Element {
        var declared: [String: String] = [:]
        for attribute in root.attributes where attribute.name.hasPrefix("xmlns:") {
            declared[String(attribute.name.dropFirst(6))] = attribute.value
        }
        var used: Set<String> = []
        var element = renaming { name in
            guard let colon = name.firstIndex(of: ":"), !name.hasPrefix("xmlns:"), !name.hasPrefix("xml:") else {
                return name
            }
            let prefix = String(name[..<colon])
            let uri = declared[prefix]
            if let known = Self.androidNamespaces.first(where: { $0.1 == uri }) { return known.0 + name[colon...] }
            used.insert(prefix)
            return name
        }
        for prefix in used.sorted() {
            guard let uri = declared[prefix] else { continue }
            element.attributes.append(Attribute(name: "xmlns:" + prefix, value: uri))
        }
        return element
    }

    private func renaming(_ name: (String) -> String) -> XMLTree.Element {
        var element = self
        element.name = name(self.name)
        element.attributes = attributes.map { Attribute(name: name($0.name), value: $0.value) }
        element.children = children.map { child in
            if case .element(let inner) = child { .element(inner.renaming(name)) } else { child }
        }
        return element
    }
}
