import AshlarCore

/// Reads the tags and the text of an XML document (XML 1.0) in UTF-8, one at a time.
///
/// It works without recursion and never reads another file. Entities are expanded only if the rules permit it, and then
/// within a limit and without markup.
package struct XMLScanner {
    /// The treatment of declarations inside `<!DOCTYPE>`.
    package enum Declarations {
        case refused
        case skipped
        /// Internal entities are expanded where they are used; all other declarations are skipped.
        case entities
    }

    package struct Attribute {
        package let name: Range<Int>
        package let value: Range<Int>
    }

    package struct Tag {
        package var name: Range<Int>
        package var attributes: [Attribute] = []
        package var isEnd: Bool
        package var isEmpty = false
    }

    /// The maximum number of bytes to which all entities of a document expand.
    private static let maximumExpansion = 1 << 20
    private static let maximumEntityDepth = 16
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    let bytes: [UInt8]
    /// The offset of the next byte to read.
    package var at = 0
    private let declarations: Declarations
    /// Whether CR LF and CR are read as LF.
    private let normalizesLineEnds: Bool
    private var entities: [String: [UInt8]] = [:]
    private var expansion = 0
    /// The text of the current element or attribute, if it isn't a part of the document as it is.
    private var decoded: [UInt8] = []

    /// Starts after the byte order mark.
    package init(_ bytes: [UInt8], declarations: Declarations, normalizesLineEnds: Bool) {
        self.bytes = bytes
        self.declarations = declarations
        self.normalizesLineEnds = normalizesLineEnds
        if bytes.starts(with: Array("\u{FEFF}".utf8)) { at = 3 }
    }

    package var isAtEnd: Bool { at >= bytes.count }
    package var isAtMarkup: Bool { at < bytes.count && bytes[at] == UInt8(ascii: "<") }

    /// Whether a comment, a CDATA section, a document type or a processing instruction starts at `at`.
    var isAtDeclaration: Bool {
        isAtMarkup && at + 1 < bytes.count
            && (bytes[at + 1] == UInt8(ascii: "!") || bytes[at + 1] == UInt8(ascii: "?"))
    }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Tags

    /// Reads the tag whose `<` is at `at`; its name is empty if there is none.
    package mutating func readTag(allowsAttributes: Bool) throws(XMLError) -> Tag {
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
                tag.attributes.append(try readAttribute())
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

    private mutating func readAttribute() throws(XMLError) -> Attribute {
        let start = at
        let name = readName()
        skipWhitespace()
        guard !name.isEmpty, at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
            throw XMLError(offset: start, expected: "an attribute or >", found: "other text")
        }
        at += 1
        skipWhitespace()
        guard let value = readQuoted() else {
            throw XMLError(offset: at, reason: "the value of attribute '\(text(name))' isn't in quotes")
        }
        return Attribute(name: name, value: value)
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

    /// Reads a text in quotes and returns its range; nil if there is none.
    private mutating func readQuoted() -> Range<Int>? {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'"),
            let end = bytes[(at + 1)...].firstIndex(of: bytes[at])
        else { return nil }
        defer { at = end + 1 }
        return (at + 1)..<end
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
    /// - Parameter endsAtComment: Whether a comment ends the text; otherwise it is skipped.
    /// - Returns: The text; a part of the document, or a copy that the next call replaces.
    /// - Throws: ``XMLError`` for a malformed reference, a control character, or an entity that is too large.
    package mutating func readText(endsAtComment: Bool) throws(XMLError) -> ArraySlice<UInt8> {
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
            } else if !endsAtComment, has("<!--") {
                _ = try readComment()
            } else {
                break
            }
        }
        return decoded[...]
    }

    /// Returns the value of an attribute with references resolved.
    package mutating func value(of attribute: Attribute) throws(XMLError) -> String {
        decoded.removeAll(keepingCapacity: true)
        try append(bytes[attribute.value], from: attribute.value.lowerBound)
        return String(decoding: decoded, as: UTF8.self)
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

    /// Appends text to `decoded`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - offset: The position of the text, or of the reference to the entity that it is the text of.
    ///   - depth: The number of entities around the text.
    ///   - resolvesReferences: Whether `&` starts a reference.
    /// - Throws: ``XMLError`` for a malformed reference, a control character, or an entity that is too large.
    private mutating func append(
        _ text: ArraySlice<UInt8>, from offset: Int, depth: Int = 0, resolvesReferences: Bool = true
    ) throws(XMLError) {
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            let position = depth == 0 ? offset + index - text.startIndex : offset
            switch byte {
            case UInt8(ascii: "&") where resolvesReferences:
                index = try append(reference: text[index...], at: position, depth: depth)
                continue
            case Self.carriageReturn where normalizesLineEnds:
                // A line feed after it is appended next.
                if index + 1 == text.endIndex || text[index + 1] != Self.lineFeed { decoded.append(Self.lineFeed) }
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
    private mutating func append(
        reference text: ArraySlice<UInt8>, at position: Int, depth: Int
    ) throws(XMLError) -> Int {
        let name = text.dropFirst().prefix { $0 > UInt8(ascii: " ") && !"&;<".utf8.contains($0) }
        let isTerminated = name.endIndex < text.endIndex && text[name.endIndex] == UInt8(ascii: ";")
        let written = String(decoding: text[..<(isTerminated ? name.endIndex + 1 : text.startIndex + 1)], as: UTF8.self)
        let key = String(decoding: name, as: UTF8.self)
        if isTerminated, let character = Self.character(key) {
            decoded.append(contentsOf: character.utf8)
        } else if isTerminated, let entity = entities[key] {
            expansion += entity.count
            guard depth < Self.maximumEntityDepth, expansion <= Self.maximumExpansion else {
                throw XMLError(kind: .tooLarge, offset: position, reason: "entity '\(written)' is too large")
            }
            guard !entity.contains(UInt8(ascii: "<")) else {
                throw XMLError(
                    offset: position, reason: "entity '\(written)' contains markup, which is not supported")
            }
            try append(entity[...], from: position, depth: depth + 1)
        } else if isTerminated, declarations == .entities {
            throw XMLError(offset: position, reason: "unknown entity '\(written)'")
        } else {
            throw XMLError(offset: position, expected: "a character reference such as &amp;", found: written)
        }
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

    /// Reads the comment at `at` and returns the range of its text.
    package mutating func readComment() throws(XMLError) -> Range<Int> {
        guard let end = find("-->", from: at + 4) else { throw XMLError(offset: at, reason: "unterminated comment") }
        defer { at = end + 3 }
        return (at + 4)..<end
    }

    /// Skips the processing instruction at `at`.
    package mutating func skipInstruction() throws(XMLError) {
        guard let end = find("?>", from: at) else {
            throw XMLError(offset: at, reason: "unterminated processing instruction")
        }
        at = end + 2
    }

    /// Reads the document type at `at`.
    package mutating func readDoctype() throws(XMLError) {
        let start = at
        var brackets = 0
        at += 9
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "<") where has("<!--"):
                _ = try readComment()
                continue
            case UInt8(ascii: "<") where has("<?"):
                try skipInstruction()
                continue
            case UInt8(ascii: "<") where has("<!ENTITY") && declarations == .entities: readEntity()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard readQuoted() != nil else { throw XMLError(offset: start, reason: "unterminated <!DOCTYPE>") }
                continue
            case UInt8(ascii: "["):
                if declarations == .refused {
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

    /// Reads `<!ENTITY name "value"`; parameter and external entities are skipped.
    private mutating func readEntity() {
        at += 8
        skipWhitespace()
        let name = readName()
        skipWhitespace()
        // References in the value are resolved where the entity is used.
        guard !name.isEmpty, let value = readQuoted() else {
            at -= 1
            return
        }
        if entities[text(name)] == nil { entities[text(name)] = Array(bytes[value]) }
        at -= 1
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

    package func has(_ literal: StaticString) -> Bool { matches(literal, at: at) }

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
