import AshlarCore

/// Reads the tags and the text of an XML document (XML 1.0) in UTF-8, one at a time.
///
/// It works without recursion, never reads another file, and expands no entities.
struct XMLScanner {
    struct Tag {
        var name: Range<Int>
        var isEnd: Bool
        var isEmpty = false
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    let bytes: [UInt8]
    /// The offset of the next byte to read.
    var at = 0
    /// Whether declarations inside `<!DOCTYPE>` are skipped; otherwise they are errors.
    private let skipsDeclarations: Bool
    /// The text of the current element, if it isn't a part of the document as it is.
    private var decoded: [UInt8] = []

    /// Starts after the byte order mark.
    init(_ bytes: [UInt8], skipsDeclarations: Bool) {
        self.bytes = bytes
        self.skipsDeclarations = skipsDeclarations
        if bytes.starts(with: Array("\u{FEFF}".utf8)) { at = 3 }
    }

    var isAtEnd: Bool { at >= bytes.count }
    var isAtMarkup: Bool { at < bytes.count && bytes[at] == UInt8(ascii: "<") }

    /// Whether a comment, a CDATA section, a document type or a processing instruction starts at `at`.
    var isAtDeclaration: Bool {
        isAtMarkup && at + 1 < bytes.count
            && (bytes[at + 1] == UInt8(ascii: "!") || bytes[at + 1] == UInt8(ascii: "?"))
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Tags

    /// Reads the tag whose `<` is at `at`; its name is empty if there is none.
    mutating func readTag(allowsAttributes: Bool) throws(XMLError) -> Tag {
        at += 1
        let isEnd = at < bytes.count && bytes[at] == UInt8(ascii: "/")
        if isEnd { at += 1 }
        var tag = Tag(name: readName(), isEnd: isEnd)
        if tag.name.isEmpty, at < bytes.count { return tag }
        if at < bytes.count, bytes[at] == UInt8(ascii: ">") {
            at += 1
            return tag
        }
        skipWhitespace()
        if allowsAttributes, !isEnd {
            while at < bytes.count, bytes[at] != UInt8(ascii: ">"), bytes[at] != UInt8(ascii: "/") {
                try skipAttribute()
                skipWhitespace()
            }
        }
        if !isEnd, at < bytes.count, bytes[at] == UInt8(ascii: "/") {
            tag.isEmpty = true
            at += 1
        }
        guard at < bytes.count else { throw XMLError(kind: .unexpectedEnd, offset: at, found: "the end of the file") }
        guard bytes[at] == UInt8(ascii: ">") else {
            throw XMLError(
                offset: at, expected: "> at the end of <\(isEnd ? "/" : "")\(text(tag.name))", found: "other text")
        }
        at += 1
        return tag
    }

    private mutating func skipAttribute() throws(XMLError) {
        let start = at
        let name = readName()
        skipWhitespace()
        guard !name.isEmpty, at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
            throw XMLError(offset: start, expected: "an attribute or >", found: "other text")
        }
        at += 1
        skipWhitespace()
        guard skipQuoted() else {
            throw XMLError(offset: at, reason: "the value of attribute '\(text(name))' isn't in quotes")
        }
    }

    /// Reads the characters up to the next delimiter.
    private mutating func readName() -> Range<Int> {
        let slice = bytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        let start = at
        var end = at
        scan: while end < text.count {
            switch text[end] {
            case ...UInt8(ascii: "\""), UInt8(ascii: "%")...UInt8(ascii: "'"), UInt8(ascii: "/"),
                UInt8(ascii: ";")...UInt8(ascii: "?"), UInt8(ascii: "["):
                break scan
            default: end += 1
            }
        }
        at = end
        return start..<end
    }

    /// Skips a text in quotes; returns false if there is none.
    private mutating func skipQuoted() -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'"),
            let end = bytes[(at + 1)...].firstIndex(of: bytes[at])
        else { return false }
        at = end + 1
        return true
    }

    mutating func skipWhitespace() {
        let slice = bytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        var end = at
        while end < text.count {
            switch text[end] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), Self.lineFeed, Self.carriageReturn: end += 1
            default:
                at = end
                return
            }
        }
        at = end
    }

    // MARK: Text

    /// Reads the text up to the next tag, with references resolved; text without references isn't copied.
    ///
    /// - Returns: The text; a part of the document, or a copy that the next call replaces.
    /// - Throws: ``XMLError`` for a malformed reference or a control character.
    mutating func readText() throws(XMLError) -> ArraySlice<UInt8> {
        let first = at
        at = endOfPlainText()
        let isPlain = isAtMarkup && !isAtDeclaration
        if isPlain || isAtEnd { return bytes[first..<at] }
        decoded.removeAll(keepingCapacity: true)
        decoded.append(contentsOf: bytes[first..<at])
        while at < bytes.count {
            if !isAtMarkup {
                let end = bytes[at...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                try append(bytes[at..<end], from: at)
                at = end
            } else if has("<![CDATA[") {
                guard let end = find("]]>", from: at + 9) else {
                    throw XMLError(offset: at, reason: "unterminated CDATA section")
                }
                try append(bytes[(at + 9)..<end], from: at + 9, resolvesReferences: false)
                at = end + 3
            } else if has("<!--") {
                try skipComment()
            } else {
                break
            }
        }
        return decoded[...]
    }

    /// The offset of the next `<`, `&`, or control character other than tab and newline.
    private func endOfPlainText() -> Int {
        let slice = bytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        var end = at
        while end < text.count {
            let byte = text[end]
            if byte <= UInt8(ascii: "<") {
                if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") { break }
                if byte < UInt8(ascii: " "), byte != Self.lineFeed, byte != UInt8(ascii: "\t") { break }
            }
            end += 1
        }
        return end
    }

    /// Appends text, which starts at an offset, to `decoded`.
    ///
    /// - Throws: ``XMLError`` for a malformed reference or a control character.
    private mutating func append(
        _ text: ArraySlice<UInt8>, from offset: Int, resolvesReferences: Bool = true
    ) throws(XMLError) {
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            let position = offset + index - text.startIndex
            switch byte {
            case UInt8(ascii: "&") where resolvesReferences:
                index = try append(reference: text[index...], at: position)
                continue
            case ..<UInt8(ascii: " ")
            where byte != UInt8(ascii: "\t") && byte != Self.lineFeed && byte != Self.carriageReturn:
                throw XMLError(
                    offset: position, reason: "control character 0x\(String(byte, radix: 16)) is not allowed in XML")
            default: decoded.append(byte)
            }
            index += 1
        }
    }

    /// Appends the text of the reference at the start of `text`; returns the index after the reference.
    private mutating func append(reference text: ArraySlice<UInt8>, at position: Int) throws(XMLError) -> Int {
        let name = text.dropFirst().prefix { $0 > UInt8(ascii: " ") && !"&;<".utf8.contains($0) }
        let isTerminated = name.endIndex < text.endIndex && text[name.endIndex] == UInt8(ascii: ";")
        guard isTerminated, let character = Self.character(String(decoding: name, as: UTF8.self)) else {
            let written = text[..<(isTerminated ? name.endIndex + 1 : text.startIndex + 1)]
            throw XMLError(
                offset: position, expected: "a character reference such as &amp;",
                found: String(decoding: written, as: UTF8.self))
        }
        decoded.append(contentsOf: character.utf8)
        return name.endIndex + 1
    }

    private static func character(_ name: String) -> Character? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "apos": return "'"
        case "quot": return "\""
        default:
            guard name.hasPrefix("#"), !name.contains("+"), !name.contains("-") else { return nil }
            let digits = name.dropFirst()
            let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let scalar = value.flatMap(Unicode.Scalar.init), XMLText.isLegal(scalar) else { return nil }
            return Character(scalar)
        }
    }

    // MARK: Other markup

    /// Skips the comment at `at`.
    mutating func skipComment() throws(XMLError) {
        guard let end = find("-->", from: at + 4) else { throw XMLError(offset: at, reason: "unterminated comment") }
        at = end + 3
    }

    /// Skips the processing instruction at `at`.
    mutating func skipInstruction() throws(XMLError) {
        guard let end = find("?>", from: at) else {
            throw XMLError(offset: at, reason: "unterminated processing instruction")
        }
        at = end + 2
    }

    /// Skips the document type at `at`.
    mutating func skipDoctype() throws(XMLError) {
        let start = at
        var brackets = 0
        at += 9
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "<") where has("<!--"):
                try skipComment()
                continue
            case UInt8(ascii: "<") where has("<?"):
                try skipInstruction()
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard skipQuoted() else { throw XMLError(offset: start, reason: "unterminated <!DOCTYPE>") }
                continue
            case UInt8(ascii: "["):
                if !skipsDeclarations {
                    throw XMLError(offset: at, reason: "declarations inside <!DOCTYPE> are not supported")
                }
                brackets += 1
            case UInt8(ascii: "]"): brackets -= 1
            case UInt8(ascii: ">") where brackets <= 0:
                at += 1
                return
            default: break
            }
            at += 1
        }
        throw XMLError(offset: start, reason: "unterminated <!DOCTYPE>")
    }

    /// Checks that an encoding in the XML declaration is UTF-8 or a subset of it.
    ///
    /// UTF-16 is accepted because callers convert such files to UTF-8 first.
    func checkEncoding() throws(XMLError) {
        guard has("<?xml") else { return }
        guard let end = find("?>", from: at) else {
            throw XMLError(offset: at, reason: "unterminated XML declaration")
        }
        let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        guard let attribute = find("encoding", from: at), attribute < end,
            let quote = bytes[attribute..<end].firstIndex(where: isQuote)
        else { return }
        let value = bytes[(quote + 1)..<end].prefix { !isQuote($0) }
        let name = String(decoding: value, as: UTF8.self).lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"].contains(name) else {
            throw XMLError(offset: at, expected: "the encoding UTF-8", found: name)
        }
    }

    // MARK: Bytes

    func has(_ literal: StaticString) -> Bool { matches(literal, at: at) }

    private func matches(_ literal: StaticString, at start: Int) -> Bool {
        literal.withUTF8Buffer { literal in
            start + literal.count <= bytes.count && literal.indices.allSatisfy { bytes[start + $0] == literal[$0] }
        }
    }

    private func find(_ literal: StaticString, from start: Int) -> Int? {
        guard start <= bytes.count - literal.utf8CodeUnitCount else { return nil }
        return (start...(bytes.count - literal.utf8CodeUnitCount)).first { matches(literal, at: $0) }
    }
}

/// A violation of the rules of XML, or of a format in XML.
struct XMLError: Error, Hashable, Sendable {
    enum Kind: Sendable {
        case malformed
        /// The document ends within an element or a tag.
        case unexpectedEnd
        case tooDeep
        case tooLarge
    }

    var kind: Kind
    /// The byte offset of the problem.
    var offset: Int
    /// The problem, unless `expected` and `found` state it.
    var reason: String?
    var expected: String?
    /// The text found, which can contain a part of a secret value.
    var found: String?

    init(
        kind: Kind = .malformed, offset: Int, reason: String? = nil, expected: String? = nil, found: String? = nil
    ) {
        self.kind = kind
        self.offset = offset
        self.reason = reason
        self.expected = expected
        self.found = found
    }
}

/// The text of XML documents (XML 1.0).
package enum XMLText {
    /// Whether a document can contain a scalar (section 2.2).
    package static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
