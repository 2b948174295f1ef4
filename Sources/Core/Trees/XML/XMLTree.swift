/// The elements of an XML document.
///
/// Internal entities are expanded, up to 1 MiB; they can't contain markup. Other files are never read.
package struct XMLTree {
    /// The root element; in a malformed document, with the children before the failure.
    package private(set) var root: Element?
    /// The comments before the root element.
    package private(set) var comments: [String] = []
    package private(set) var failure: XMLError?

    private var scanner: XMLScanner
    private let maximumDepth: Int
    /// The open elements, outermost first, each with the namespaces of the prefixes in its scope.
    private var open: [(element: Element, namespaces: [String: String])] = []

    /// Parses a document.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package init(parsing text: String, maximumDepth: Int = 64) {
        scanner = XMLScanner(Array(text.utf8), declarations: .entities, normalizesLineEnds: true)
        self.maximumDepth = maximumDepth
        do throws(XMLError) {
            while !scanner.isAtEnd { try readNext() }
            if let last = open.last?.element {
                throw XMLError(offset: last.offset, reason: "element '\(last.name)' is not closed")
            }
            if root == nil { throw XMLError(offset: 0, reason: "no root element") }
        } catch {
            failure = error
            if root == nil { root = open.first?.element }
        }
        open = []
    }

    private mutating func readNext() throws(XMLError) {
        let start = scanner.at
        if scanner.has("<!--") {
            let comment = scanner.text(try scanner.readComment())
            if open.isEmpty { comments.append(comment) } else { add(.comment(comment, offset: start)) }
        } else if !scanner.isAtMarkup || scanner.has("<![CDATA[") {
            let text = try scanner.readText(endsAtComment: true)
            add(.text(String(decoding: text, as: UTF8.self)))
        } else if scanner.has("<?") {
            try scanner.skipInstruction()
        } else if scanner.has("<!") {
            try scanner.readDoctype()
        } else {
            try readTag(at: start)
        }
    }

    private mutating func add(_ child: Element.Child) {
        if !open.isEmpty { open[open.count - 1].element.children.append(child) }
    }

    private mutating func readTag(at start: Int) throws(XMLError) {
        let tag = try scanner.readTag(allowsAttributes: true)
        let name = scanner.text(tag.name)
        if name.isEmpty { throw XMLError(offset: start, reason: "expected a name") }
        if tag.isEnd {
            guard open.last?.element.name == name else {
                throw XMLError(offset: start, reason: "unmatched end tag </\(name)>")
            }
            return close(open.removeLast().element)
        }
        guard root == nil else { throw XMLError(offset: start, reason: "second root element") }
        var element = Element(name, offset: start)
        var namespaces = open.last?.namespaces ?? [:]
        for attribute in tag.attributes {
            let name = scanner.text(attribute.name)
            let value = try scanner.value(of: attribute)
            element.attributes.append(Element.Attribute(name: name, value: value))
            if name == "xmlns" || name.hasPrefix("xmlns:") { namespaces[String(name.dropFirst(6))] = value }
        }
        element.namespace = namespaces[name.contains(":") ? String(name.prefix { $0 != ":" }) : ""]
        if tag.isEmpty { return close(element) }
        guard open.count < maximumDepth else {
            throw XMLError(
                kind: .tooDeep, offset: start, reason: "elements are nested more than \(maximumDepth) deep")
        }
        open.append((element, namespaces))
    }

    private mutating func close(_ element: Element) {
        if open.isEmpty { root = element } else { add(.element(element)) }
    }
}

extension XMLTree {
    /// An element of an XML document with its content.
    package struct Element: Hashable, Sendable {
        package enum Child: Hashable, Sendable {
            case element(Element)
            case text(String)
            case comment(String, offset: Int)
        }

        package struct Attribute: Hashable, Sendable {
            package let name: String
            package let value: String

            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The name as it is written, with its prefix.
        package var name: String
        /// The namespace of the prefix, or the default namespace; nil if none is declared.
        package var namespace: String?
        package var attributes: [Attribute] = []
        package var children: [Child] = []
        /// The byte offset of the start tag.
        package let offset: Int

        package init(_ name: String, attributes: [Attribute] = [], children: [Child] = [], offset: Int = 0) {
            self.name = name
            self.attributes = attributes
            self.children = children
            self.offset = offset
        }

        package subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

        /// Sets an attribute at its place, or adds it as the last one.
        package mutating func set(_ name: String, to value: String) {
            let new = Attribute(name: name, value: value)
            if let index = attributes.firstIndex(where: { $0.name == name }) {
                attributes[index] = new
            } else {
                attributes.append(new)
            }
        }

        /// The name without its prefix.
        package var localName: Substring {
            name[(name.firstIndex(of: ":").map { name.index(after: $0) } ?? name.startIndex)...]
        }

        package var elements: [Element] {
            children.compactMap { child in
                if case .element(let element) = child { element } else { nil }
            }
        }

        /// Returns the child elements of the same namespace that have a name.
        package func elements(named name: String) -> [Element] {
            elements.filter { $0.localName == name && $0.namespace == namespace }
        }

        /// The text of the element and of all elements in it.
        package var text: String {
            children.reduce(into: "") { text, child in
                switch child {
                case .text(let piece): text += piece
                case .element(let element): text += element.text
                case .comment: break
                }
            }
        }

        /// The element as XML.
        package var xml: String {
            let attributes = attributes.map { " \($0.name)=\"\(XMLText.escaped($0.value, isAttribute: true))\"" }
            let open = "<" + name + attributes.joined()
            return children.isEmpty ? open + "/>" : open + ">" + content + "</\(name)>"
        }

        /// The content of the element as XML.
        package var content: String {
            children.map { child in
                switch child {
                case .element(let element): element.xml
                case .text(let text): XMLText.escaped(text)
                case .comment(let text, _): "<!--\(text)-->"
                }
            }.joined()
        }
    }
}

extension XMLText {
    /// Returns the text with references in place of the characters that a reader would not read back.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isAttribute: Whether the text is the value of an attribute in double quotes.
    ///   - replacement: The scalar to write in place of those that are not legal; nil leaves them as they are.
    /// - Returns: The text as a reader of XML expects it.
    package static func escaped(
        _ text: String, isAttribute: Bool = false, replacement: Unicode.Scalar? = nil
    ) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            case "\"" where isAttribute: result += "&quot;"
            case "\t" where isAttribute: result += "&#9;"
            case "\n" where isAttribute: result += "&#10;"
            default: result.unicodeScalars.append(isLegal(scalar) ? scalar : replacement ?? scalar)
            }
        }
    }
}
