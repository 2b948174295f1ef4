// Tags, whitespace, comments, and the document type.
extension XMLPropertyListParser {
    mutating func expectEnd(of tag: Tag) throws(PropertyListError) {
        let start = at
        guard at < bytes.count else { throw unexpectedEnd() }
        guard bytes[at] == UInt8(ascii: "<") else {
            throw failure(at: start, expected: "</\(tag.name)>", found: "text")
        }
        let element = try readTag(allowsAttributes: false)
        guard element.isEnd, element.tag == tag else {
            throw failure(at: start, expected: "</\(tag.name)>", found: element.description)
        }
    }

    /// Reads the tag whose `<` is at `at`.
    mutating func readTag(allowsAttributes: Bool) throws(PropertyListError) -> Element {
        let start = at
        at += 1
        let isEnd = at < bytes.count && bytes[at] == UInt8(ascii: "/")
        if isEnd { at += 1 }
        let name = scanName()
        let nameStart = at
        at += name.length
        guard at < bytes.count else { throw unexpectedEnd() }
        guard name.length <= 7, let tag = Tag(rawValue: name.packed) else {
            let name = String(decoding: bytes[nameStart..<min(at, nameStart + 24)], as: UTF8.self)
            throw failure(at: start, expected: expectation, found: "<\(isEnd ? "/" : "")\(name)>")
        }
        if bytes[at] == UInt8(ascii: ">") {
            at += 1
            return Element(tag: tag, isEnd: isEnd, isEmpty: false)
        }
        return try readTagRest(tag, isEnd: isEnd, allowsAttributes: allowsAttributes || markup == .lenient)
    }

    /// The letters at `at`, the last eight of them packed into a number.
    private func scanName() -> (packed: UInt64, length: Int) {
        let slice = bytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        var (end, packed) = (at, UInt64(0))
        while end < text.count, text[end].isLetter {
            packed = packed << 8 | UInt64(text[end])
            end += 1
        }
        return (packed, end - at)
    }

    private mutating func readTagRest(
        _ tag: Tag, isEnd: Bool, allowsAttributes: Bool
    ) throws(PropertyListError) -> Element {
        skipWhitespace()
        if allowsAttributes, !isEnd {
            while at < bytes.count, bytes[at] != UInt8(ascii: ">"), bytes[at] != UInt8(ascii: "/") {
                guard let equals = bytes[at...].firstIndex(of: UInt8(ascii: "=")), equals + 1 < bytes.count,
                    bytes[equals + 1] == UInt8(ascii: "\"") || bytes[equals + 1] == UInt8(ascii: "'"),
                    let quote = bytes[(equals + 2)...].firstIndex(of: bytes[equals + 1])
                else { throw failure(expected: "an attribute or >", found: "other text") }
                at = quote + 1
                skipWhitespace()
            }
        }
        var isEmpty = false
        if !isEnd, at < bytes.count, bytes[at] == UInt8(ascii: "/") {
            isEmpty = true
            at += 1
        }
        guard at < bytes.count else { throw unexpectedEnd() }
        guard bytes[at] == UInt8(ascii: ">") else {
            throw failure(expected: "> at the end of <\(isEnd ? "/" : "")\(tag.name)", found: "other text")
        }
        at += 1
        return Element(tag: tag, isEnd: isEnd, isEmpty: isEmpty)
    }

    mutating func skipWhitespace() { at = endOfWhitespace() }

    private func endOfWhitespace() -> Int {
        let slice = bytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        var end = at
        while end < text.count, text[end] == 32 || text[end] == 10 || text[end] == 9 || text[end] == 13 { end += 1 }
        return end
    }

    /// Skips whitespace, comments, processing instructions, and the document type.
    mutating func skipMisc(allowsDoctype: Bool) throws(PropertyListError) {
        while true {
            skipWhitespace()
            guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: "<") else { return }
            switch bytes[at + 1] {
            case UInt8(ascii: "!"):
                if has("<!--") {
                    try skipComment()
                } else if has("<!DOCTYPE"), allowsDoctype {
                    try skipDoctype()
                } else {
                    throw failure(expected: expectation, found: "a declaration")
                }
            case UInt8(ascii: "?"):
                guard let end = find("?>", from: at) else {
                    throw failure(reason: "unterminated processing instruction")
                }
                at = end + 2
            default: return
            }
        }
    }

    mutating func skipComment() throws(PropertyListError) {
        guard let end = find("-->", from: at + 4) else { throw failure(reason: "unterminated comment") }
        at = end + 3
    }

    private mutating func skipDoctype() throws(PropertyListError) {
        let start = at
        var (quote, brackets): (UInt8, Int) = (0, 0)
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case quote: quote = 0
            case _ where quote != 0: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["):
                if markup == .strict { throw failure(reason: "declarations inside <!DOCTYPE> are not supported") }
                brackets += 1
            case UInt8(ascii: "]"): brackets -= 1
            case UInt8(ascii: ">") where brackets <= 0:
                at += 1
                return
            default: break
            }
            at += 1
        }
        throw failure(at: start, reason: "unterminated <!DOCTYPE>")
    }

    /// Checks that an encoding in the XML declaration is UTF-8 or a subset of it.
    ///
    /// UTF-16 is accepted because callers convert such files to UTF-8 first.
    func checkEncoding() throws(PropertyListError) {
        guard let end = find("?>", from: at) else { throw failure(reason: "unterminated XML declaration") }
        let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        guard let attribute = find("encoding", from: at), attribute < end,
            let quote = bytes[attribute..<end].firstIndex(where: isQuote)
        else { return }
        let value = bytes[(quote + 1)..<end].prefix { !isQuote($0) }
        let name = String(decoding: value, as: UTF8.self).lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"].contains(name) else {
            throw failure(expected: "the encoding UTF-8", found: name)
        }
    }

    func has(_ literal: StaticString) -> Bool { matches(literal, at: at) }

    private func matches(_ literal: StaticString, at start: Int) -> Bool {
        literal.withUTF8Buffer { literal in
            start + literal.count <= bytes.count && literal.indices.allSatisfy { bytes[start + $0] == literal[$0] }
        }
    }

    func find(_ literal: StaticString, from start: Int) -> Int? {
        guard start <= bytes.count - literal.utf8CodeUnitCount else { return nil }
        return (start...(bytes.count - literal.utf8CodeUnitCount)).first { matches(literal, at: $0) }
    }
}
