import AshlarCore
import AshlarTrees

/// The text of Android's string resources: escapes, quotes and whitespace by the rules of aapt2.
enum AndroidText {
    // MARK: Writing

    /// Returns the escaped content of a resource, without U+0000, which Android doesn't support.
    static func escaped(_ text: String) -> String { escaped(text, isFirst: true, isLast: true) }

    /// Escapes a part of a string between markup.
    static func escaped(_ text: String, isFirst: Bool, isLast: Bool) -> String {
        var result = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\0": continue
            case "\\", "'", "\"":
                result.append("\\")
                result.append(scalar)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "@" where index == 0 && isFirst, "?" where index == 0 && isFirst:
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
        let xml = XMLText.escaped(text)
        return losesSpaces ? "\"\(xml)\"" : xml
    }

    // MARK: Reading

    /// Returns the text of a resource from its escaped content.
    static func unescaped(_ raw: String) -> String {
        var reader = Reader()
        reader.append(raw, isFirst: true, isLast: true)
        return reader.text
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
            var result = String.UnicodeScalarView()
            var hasSpace = false
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
                case "\\": Self.escape(&rest, &result)
                default: result.append(scalar)
                }
            }
            if hasSpace, !isLast { result.append(" ") }
            text += String(result)
        }

        /// Reads an escape after its backslash.
        private static func escape(_ rest: inout Substring.UnicodeScalarView, _ result: inout String.UnicodeScalarView)
        {
            guard let letter = rest.popFirst() else { return }
            switch letter {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "u":
                guard let unit = unit(rest) else { return result.append(letter) }
                rest = rest.dropFirst(4)
                var units = [unit]
                if unit & 0xFC00 == 0xD800, rest.starts(with: "\\u".unicodeScalars),
                    let low = self.unit(rest.dropFirst(2)), low & 0xFC00 == 0xDC00
                {
                    units.append(low)
                    rest = rest.dropFirst(6)
                }
                result.append(contentsOf: String(decoding: units, as: UTF16.self).unicodeScalars)
            default: result.append(letter)
            }
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
    /// Returns the text of an element including its markup; markup for translators is omitted.
    static func text(_ element: XMLTree.Element) -> String {
        var pieces: [Piece] = []
        collect(element, &pieces)
        let isFirst = pieces.firstIndex { !$0.isText } ?? pieces.count
        let isLast = pieces.lastIndex { !$0.isText } ?? -1
        var reader = AndroidText.Reader()
        for (index, piece) in pieces.enumerated() {
            if piece.isText {
                reader.append(piece.text, isFirst: index < isFirst, isLast: index > isLast)
            } else {
                reader.append(markup: piece.text)
            }
        }
        return reader.text
    }

    /// Whether an element has markup other than markup for translators.
    static func hasMarkup(_ element: XMLTree.Element) -> Bool {
        element.elements.contains { !$0.isTranslationMark || hasMarkup($0) }
    }

    /// Returns the content of a resource for a string with markup; `nil` if its tags don't match.
    static func xml(_ text: String) -> String? {
        guard let pieces = pieces(text) else { return nil }
        let isFirst = pieces.firstIndex { !$0.isText } ?? pieces.count
        let isLast = pieces.lastIndex { !$0.isText } ?? -1
        return pieces.enumerated().map { index, piece in
            piece.isText
                ? AndroidText.escaped(piece.text, isFirst: index < isFirst, isLast: index > isLast) : piece.text
        }.joined()
    }

    private struct Piece {
        var text: String
        let isText: Bool
    }

    private static func collect(_ element: XMLTree.Element, _ pieces: inout [Piece]) {
        for child in element.children {
            switch child {
            case .comment: continue
            case .text(let text):
                if pieces.last?.isText == true {
                    pieces[pieces.count - 1].text += text
                } else {
                    pieces.append(Piece(text: text, isText: true))
                }
            case .element(let inner) where inner.isTranslationMark: collect(inner, &pieces)
            case .element(var inner):
                let hasContent = !inner.children.isEmpty
                let content = inner
                inner.children = []
                let tag = inner.xml
                pieces.append(Piece(text: hasContent ? tag.dropLast(2) + ">" : tag, isText: false))
                collect(content, &pieces)
                if hasContent { pieces.append(Piece(text: "</\(inner.name)>", isText: false)) }
            }
        }
    }

    /// Divides a string at its tags; `nil` if they don't match or there are none.
    private static func pieces(_ text: String) -> [Piece]? {
        var (pieces, open): ([Piece], [Substring]) = ([], [])
        var rest = text[...]
        var hasTag = false
        func add(_ text: Substring) {
            if pieces.last?.isText == true {
                pieces[pieces.count - 1].text += text
            } else if !text.isEmpty {
                pieces.append(Piece(text: String(text), isText: true))
            }
        }
        while let start = rest.firstIndex(of: "<") {
            add(rest[..<start])
            rest = rest[start...]
            guard let end = rest.firstIndex(of: ">"), let tag = tag(rest[...end]) else {
                add(rest.prefix(1))
                rest = rest.dropFirst()
                continue
            }
            switch tag.kind {
            case .open: open.append(tag.name)
            case .close: guard open.popLast() == tag.name else { return nil }
            case .empty: break
            }
            hasTag = true
            pieces.append(Piece(text: String(rest[...end]), isText: false))
            rest = rest[rest.index(after: end)...]
        }
        add(rest)
        return hasTag && open.isEmpty ? pieces : nil
    }

    private enum TagKind { case open, close, empty }

    /// Returns the name and kind of a tag; `nil` if it isn't valid XML.
    private static func tag(_ text: Substring) -> (name: Substring, kind: TagKind)? {
        let isClosing = text.hasPrefix("</")
        let name = text.dropFirst(isClosing ? 2 : 1).prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0))
        }
        guard let first = name.first, first.isLetter else { return nil }
        if isClosing { return text == "</\(name)>" ? (name, .close) : nil }
        let isEmpty = text.hasSuffix("/>")
        let element = XMLTree(parsing: isEmpty ? String(text) : text + "</\(name)>")
        return element.failure == nil ? (name, isEmpty ? .empty : .open) : nil
    }
}
