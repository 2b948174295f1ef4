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
            let start = comment.ranges(of: AndroidMarker.prefix).map(\.lowerBound).last(where: {
                $0 == comment.startIndex || comment[comment.index(before: $0)].isNewline
            }),
            case .list(let texts)? = AndroidMarker(comment: String(comment[start...]))?["android"]
        else { return }
        elements = texts.compactMap { value in
            guard case .string(let xml) = value else { return nil }
            let read = XMLTree(parsing: xml)
            return read.failure == nil ? read.root : nil
        }
        let people = String(comment[..<start]).trimmingSpace()
        self.comment = people.isEmpty ? nil : people
    }

    /// The entry's comment.
    var text: String? {
        guard !elements.isEmpty else { return comment }
        let marker = AndroidMarker([("android", .list(elements.map { .string($0.xml) }))]).comment
        return comment.map { $0 + "\n" + marker } ?? marker
    }

    /// Whether an export of a value alone would restore an element.
    static func isImplied(_ node: XMLTree.Element, by value: CustomizationValue, name: String) -> Bool {
        // A lone surrogate isn't restored.
        let text = node.text
        if text.utf8.contains(UInt8(ascii: "\\")), text.contains("\\ud") || text.contains("\\uD") { return false }
        return XMLTree.Element(value, name: name)?.isSameResource(as: node) == true
    }
}

extension XMLTree.Element {
    /// The prefixes and namespaces that an export declares.
    static let androidNamespaces = [
        Attribute(name: "xmlns:tools", value: "http://schemas.android.com/tools"),
        Attribute(name: "xmlns:xliff", value: "urn:oasis:names:tc:xliff:document:1.2"),
    ]

    /// Whether the element only marks text that must not be translated.
    var isTranslationMark: Bool { name.hasPrefix("xliff:") || namespace == Self.androidNamespaces[1].value }

    /// Returns the element with the namespaces of its file that it uses and an export doesn't declare.
    func declaringNamespaces(of root: XMLTree.Element) -> XMLTree.Element {
        let others = root.attributes.filter { $0.name.hasPrefix("xmlns:") && !Self.androidNamespaces.contains($0) }
        var element = self
        element.attributes += others.filter { xml.contains($0.name.dropFirst("xmlns:".count) + ":") }
        return element
    }
}
