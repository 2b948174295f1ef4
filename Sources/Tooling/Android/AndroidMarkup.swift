internal import AshlarCore

/// Converts strings with markup, such as `Read <a href="…">this</a>`, from and to XML.
enum AndroidMarkup {
    /// Returns the text of an element including its markup; markup for translators is omitted.
    static func text(_ element: AndroidXML) -> String {
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
    static func hasMarkup(_ element: AndroidXML) -> Bool {
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

    private static func collect(_ element: AndroidXML, _ pieces: inout [Piece]) {
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
        let element = AndroidXMLReader.read(isEmpty ? String(text) : text + "</\(name)>")
        return element.failure == nil ? (name, isEmpty ? .empty : .open) : nil
    }
}
