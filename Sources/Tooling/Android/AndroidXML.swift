import AshlarCore

/// An element of a values file with its content.
struct AndroidXML: Hashable {
    enum Child: Hashable {
        case element(AndroidXML)
        case text(String)
        case comment(String, offset: Int)
    }

    struct Attribute: Hashable {
        let name: String
        let value: String
    }

    /// A reason why a file is not well-formed.
    struct Failure: Error {
        let message: String
        let offset: Int
    }

    var name: String
    var attributes: [Attribute] = []
    var children: [Child] = []
    let offset: Int

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

    var elements: [AndroidXML] {
        children.compactMap { child in
            if case .element(let element) = child { element } else { nil }
        }
    }

    /// The text of the element and of all elements in it.
    var text: String {
        children.reduce(into: "") { text, child in
            switch child {
            case .text(let piece): text += piece
            case .element(let element): text += element.text
            case .comment: break
            }
        }
    }

    // MARK: Namespaces

    /// The prefixes and namespaces that an export declares.
    static let namespaces = [
        ("tools", "http://schemas.android.com/tools"), ("xliff", "urn:oasis:names:tc:xliff:document:1.2"),
    ]

    /// Whether the element only marks text that must not be translated.
    var isTranslationMark: Bool { name.hasPrefix("xliff:") }

    /// Returns the element with the prefixes that an export declares; other prefixes are declared in the element.
    func normalizingPrefixes(declaredBy root: AndroidXML) -> AndroidXML {
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
            if let known = Self.namespaces.first(where: { $0.1 == uri }) { return known.0 + name[colon...] }
            used.insert(prefix)
            return name
        }
        for prefix in used.sorted() {
            guard let uri = declared[prefix] else { continue }
            element.attributes.append(Attribute(name: "xmlns:" + prefix, value: uri))
        }
        return element
    }

    private func renaming(_ name: (String) -> String) -> AndroidXML {
        var element = self
        element.name = name(self.name)
        element.attributes = attributes.map { Attribute(name: name($0.name), value: $0.value) }
        element.children = children.map { child in
            if case .element(let inner) = child { .element(inner.renaming(name)) } else { child }
        }
        return element
    }

    // MARK: Writing

    var xml: String {
        let open =
            "<" + name + attributes.map { " \($0.name)=\"\(XMLText.escaped($0.value, isAttribute: true))\"" }.joined()
        if children.isEmpty { return open + "/>" }
        let content = children.map { child in
            switch child {
            case .element(let element): element.xml
            case .text(let text): XMLText.escaped(text)
            case .comment(let text, _): "<!--\(text)-->"
            }
        }
        return open + ">" + content.joined() + "</\(name)>"
    }
}
