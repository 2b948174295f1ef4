import AshlarCore
import AshlarTrees

/// The text of Android's string resources: escapes, quotes and whitespace by the rules of aapt2.
enum AndroidText {
    /// Returns the text with escapes, without U+0000, which Android doesn't support.
    ///
    /// - Parameters:
    ///   - text: A string, or a part of one between markup.
    ///   - isFirst: Whether the text starts the string.
    ///   - isLast: Whether the text ends the string.
    /// - Returns: The escaped text.
    static func escaped(_ text: String, isFirst: Bool = true, isLast: Bool = true) -> String {
        var result = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\0": continue
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "\\", "'", "\"",
                "@" where index == 0 && isFirst, "?" where index == 0 && isFirst:
                result.append("\\")
                result.append(scalar)
            case _ where XMLText.isLegal(scalar) && scalar != "\r": result.append(scalar)
            default:
                result.append(contentsOf: ("\\u" + scalar.value.digits(4, radix: 16)).unicodeScalars)
            }
        }
        let text = String(result)
        let losesSpaces =
            isFirst && text.hasPrefix(" ") || isLast && text.hasSuffix(" ")
            || zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: " ") && $1 == UInt8(ascii: " ") }
        return losesSpaces ? "\"\(text)\"" : text
    }

    /// Collects the parts of a string between markup.
    struct Reader {
        private(set) var text = ""
        private var isQuoted = false

        private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
            scalar == " " || (0x09...0x0D).contains(scalar.value)
        }

        /// Appends markup without changes.
        mutating func append(markup: String) { text += markup }

        /// Appends a part: a run of whitespace outside of quotes becomes one space, or none at the edges of the string.
        mutating func append(_ raw: String, isFirst: Bool, isLast: Bool) {
            var (result, hasSpace) = (String.UnicodeScalarView(), false)
            var rest = raw.unicodeScalars[...]
            if isFirst { rest = rest.drop(while: Self.isSpace) }
            while let scalar = rest.popFirst() {
                if Self.isSpace(scalar), !isQuoted {
                    hasSpace = true
                    continue
                }
                if hasSpace { result.append(" ") }
                hasSpace = false
                switch scalar {
                case "\"": isQuoted.toggle()
                case "\\":
                    guard let letter = rest.popFirst() else { break }
                    guard letter == "u", let unit = Self.unit(rest) else {
                        result.append(letter == "n" ? "\n" : letter == "t" ? "\t" : letter)
                        break
                    }
                    rest = rest.dropFirst(4)
                    // Two escapes can be a surrogate pair.
                    var units = [unit]
                    while rest.starts(with: "\\u".unicodeScalars), let unit = Self.unit(rest.dropFirst(2)) {
                        units.append(unit)
                        rest = rest.dropFirst(6)
                    }
                    result.append(contentsOf: String(decoding: units, as: UTF16.self).unicodeScalars)
                default: result.append(scalar)
                }
            }
            if hasSpace, !isLast { result.append(" ") }
            text += String(result)
        }

        /// The value of four hexadecimal digits.
        private static func unit(_ text: Substring.UnicodeScalarView) -> UInt16? {
            let digits = text.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.properties.isHexDigit }) else { return nil }
            return UInt16(String(digits), radix: 16)
        }
    }
}

/// Converts strings with markup, such as `Read <a href="…">this</a>`, from and to XML.
enum AndroidMarkup {
    /// The text between markup, and the tags, of a string.
    private struct Pieces {
        private(set) var pieces: [(text: String, isTag: Bool)] = []

        mutating func add(_ text: some StringProtocol, isTag: Bool = false) {
            if !isTag, let last = pieces.indices.last, !pieces[last].isTag {
                pieces[last].text += text
            } else if !text.isEmpty {
                pieces.append((String(text), isTag))
            }
        }

        /// Calls a function for each piece; the edges of the string lose their whitespace.
        func visit(_ body: (_ text: String, _ isTag: Bool, _ isFirst: Bool, _ isLast: Bool) -> Void) {
            let first = pieces.firstIndex { $0.isTag } ?? pieces.count
            let last = pieces.lastIndex { $0.isTag } ?? -1
            for (index, piece) in pieces.enumerated() { body(piece.text, piece.isTag, index < first, index > last) }
        }
    }

    /// Returns the text of an element including its markup; markup for translators is omitted.
    static func text(_ element: XMLTree.Element) -> String {
        var pieces = Pieces()
        collect(element, &pieces)
        var reader = AndroidText.Reader()
        pieces.visit { text, isTag, isFirst, isLast in
            if isTag {
                reader.append(markup: text)
            } else {
                reader.append(text, isFirst: isFirst, isLast: isLast)
            }
        }
        return reader.text
    }

    private static func collect(_ element: XMLTree.Element, _ pieces: inout Pieces) {
        for child in element.children {
            switch child {
            case .comment: continue
            case .text(let text): pieces.add(text)
            case .element(let inner) where inner.isTranslationMark: collect(inner, &pieces)
            case .element(let inner):
                var tag = inner
                tag.children = []
                pieces.add(inner.children.isEmpty ? tag.xml : tag.xml.dropLast(2) + ">", isTag: true)
                collect(inner, &pieces)
                if !inner.children.isEmpty { pieces.add("</\(inner.name)>", isTag: true) }
            }
        }
    }

    /// Whether an element has markup other than markup for translators.
    static func hasMarkup(_ element: XMLTree.Element) -> Bool {
        element.elements.contains { !$0.isTranslationMark || hasMarkup($0) }
    }

    /// Returns the content of a resource for a string with markup; `nil` if it has none or its tags don't match.
    static func content(_ text: String) -> [XMLTree.Element.Child]? {
        var (pieces, rest) = (Pieces(), text[...])
        while let start = rest.firstIndex(of: "<") {
            pieces.add(rest[..<start])
            let end = rest[start...].firstIndex(of: ">") ?? start
            let isTag = isTag(rest[start...end])
            pieces.add(isTag ? rest[start...end] : rest[start...start], isTag: isTag)
            rest = rest[rest.index(after: isTag ? end : start)...]
        }
        pieces.add(rest)
        var xml = ""
        pieces.visit { text, isTag, isFirst, isLast in
            xml += isTag ? text : XMLText.escaped(AndroidText.escaped(text, isFirst: isFirst, isLast: isLast))
        }
        let tree = XMLTree(parsing: "<x>\(xml)</x>")
        return tree.failure == nil && tree.root?.elements.isEmpty == false ? tree.root?.children : nil
    }

    private static func isTag(_ text: Substring) -> Bool {
        if text.hasPrefix("</") { return true }
        let name = text.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) }
        guard name.first?.isLetter == true else { return false }
        return XMLTree(parsing: text.hasSuffix("/>") ? String(text) : "\(text)</\(name)>").failure == nil
    }
}
