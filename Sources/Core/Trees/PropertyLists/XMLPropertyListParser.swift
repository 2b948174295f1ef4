import AshlarCore

/// Parses an XML property list in one pass over its UTF-8 bytes, without recursion.
///
/// The format is Apple's PropertyList-1.0 document type. A value outside `<plist>`, attributes on values, declarations
/// inside `<!DOCTYPE>`, and an encoding other than UTF-8 are errors, unless the caller asks for lenient markup.
package struct XMLPropertyListParser {
    /// How strictly the markup around the values is checked.
    package enum Markup: Sendable {
        /// Accepts property lists as Apple's tools write them.
        case strict
        /// Also accepts a root without `<plist>`, attributes on any element, a document type with declarations, which
        /// are skipped, and any declared encoding.
        case lenient
    }

    /// The names of the elements as packed ASCII bytes.
    private enum Tag: UInt64 {
        case plist = 0x70_6C_69_73_74
        case dict = 0x64_69_63_74
        case array = 0x61_72_72_61_79
        case string = 0x73_74_72_69_6E_67
        case key = 0x6B_65_79
        case integer = 0x69_6E_74_65_67_65_72
        case real = 0x72_65_61_6C
        case `true` = 0x74_72_75_65
        case `false` = 0x66_61_6C_73_65
        case date = 0x64_61_74_65
        case data = 0x64_61_74_61

        var name: String { "\(self)" }

        init?(_ name: ArraySlice<UInt8>) {
            if name.count > 7 { return nil }
            var packed: UInt64 = 0
            for byte in name { packed = packed << 8 | UInt64(byte) }
            self.init(rawValue: packed)
        }
    }

    private struct Element {
        var tag: Tag
        var isEnd: Bool
        var isEmpty: Bool

        var description: String { "<\(isEnd ? "/" : "")\(tag.name)\(isEmpty ? "/" : "")>" }
    }

    private var xml: XMLScanner
    private let markup: Markup
    private var builder: PropertyListBuilder
    /// Whether the innermost open dictionary has a key without a value.
    private var hasKey = false
    private var isInPlist = false
    private var isRootRead = false

    /// Parses the bytes of a file.
    ///
    /// - Complexity: O(*n*) in the length of the file.
    package static func parse(
        _ bytes: [UInt8], markup: Markup = .strict, limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) -> PropertyListDocument {
        var parser = XMLPropertyListParser(bytes, markup, limits)
        do throws(XMLError) {
            return try parser.readDocument()
        } catch {
            let offset = min(error.offset, bytes.count)
            let place = LineTable(bytes).position(of: offset)
            throw PropertyListError(
                code: error.kind == .tooDeep || error.kind == .tooLarge ? .limitExceeded : .malformed, offset: offset,
                line: place.line, column: place.column, path: error.kind == .tooDeep ? [] : parser.builder.path(),
                reason: error.reason,
                expected: error.kind == .unexpectedEnd ? parser.expectation : error.expected, found: error.found)
        }
    }

    private init(_ bytes: [UInt8], _ markup: Markup, _ limits: PropertyListLimits) {
        xml = XMLScanner(bytes, skipsDeclarations: markup == .lenient)
        self.markup = markup
        builder = PropertyListBuilder(limits: limits)
    }

    // MARK: Structure

    private mutating func readDocument() throws(XMLError) -> PropertyListDocument {
        let bytes = xml.bytes
        guard bytes.count <= UInt32.max else {
            throw XMLError(kind: .tooLarge, offset: 0, expected: "a file of less than 4 GiB")
        }
        if let offset = UTF8Validation.firstInvalid(in: bytes) {
            throw XMLError(
                offset: offset, expected: "UTF-8 text", found: "byte 0x\(String(bytes[offset], radix: 16))")
        }
        builder.reserve(nodes: bytes.count / 40, keyBytes: bytes.count / 5, strings: bytes.count / 60)
        try readProlog()
        try readRoot()
        try readEpilog()
        return builder.document
    }

    private mutating func readProlog() throws(XMLError) {
        if markup == .strict { try xml.checkEncoding() }
        try skipMisc(allowsDoctype: true)
        let start = xml.at
        if xml.isAtEnd { throw XMLError(offset: start, expected: "<plist>", found: "the end of the file") }
        let element = try readTag(allowsAttributes: true)
        if element.tag != .plist, markup == .lenient {
            xml.at = start
        } else if element.tag != .plist || element.isEnd || element.isEmpty {
            throw unexpected(element, at: start, expected: "<plist>")
        } else {
            isInPlist = true
        }
    }

    private mutating func readRoot() throws(XMLError) {
        repeat {
            try skipMisc(allowsDoctype: false)
            let start = xml.at
            let element = try readTag()
            if element.isEnd {
                try close(element, at: start)
            } else {
                try readValue(element, at: start)
            }
        } while builder.depth > 0
    }

    private mutating func readEpilog() throws(XMLError) {
        isRootRead = true
        try skipMisc(allowsDoctype: false)
        if isInPlist {
            let start = xml.at
            let element = try readTag()
            guard element.tag == .plist, element.isEnd else { throw unexpected(element, at: start) }
            try skipMisc(allowsDoctype: false)
        }
        if !xml.isAtEnd { throw XMLError(offset: xml.at, expected: "the end of the file", found: "more text") }
    }

    /// Skips whitespace, comments, processing instructions, and the document type.
    private mutating func skipMisc(allowsDoctype: Bool) throws(XMLError) {
        while true {
            xml.skipWhitespace()
            guard xml.isAtDeclaration else { return }
            if xml.has("<!--") {
                try xml.skipComment()
            } else if xml.has("<!DOCTYPE"), allowsDoctype {
                try xml.skipDoctype()
            } else if xml.has("<!") {
                throw XMLError(offset: xml.at, expected: expectation, found: "a declaration")
            } else {
                try xml.skipInstruction()
            }
        }
    }

    private mutating func readTag(allowsAttributes: Bool = false) throws(XMLError) -> Element {
        let start = xml.at
        if xml.isAtEnd { throw XMLError(kind: .unexpectedEnd, offset: start, found: "the end of the file") }
        guard xml.isAtMarkup else { throw XMLError(offset: start, expected: expectation, found: "text") }
        let found = try xml.readTag(allowsAttributes: allowsAttributes || markup == .lenient)
        guard let tag = Tag(xml.bytes[found.name]) else {
            let name = xml.text(found.name.prefix(24))
            throw XMLError(offset: start, expected: expectation, found: "<\(found.isEnd ? "/" : "")\(name)>")
        }
        return Element(tag: tag, isEnd: found.isEnd, isEmpty: found.isEmpty)
    }

    /// Reads the text and the end tag of an element.
    private mutating func readText(of element: Element) throws(XMLError) -> ArraySlice<UInt8> {
        if element.isEmpty { return [] }
        let text = try xml.readText()
        try expectEnd(of: element.tag)
        return text
    }

    private mutating func expectEnd(of tag: Tag) throws(XMLError) {
        let start = xml.at
        guard xml.isAtMarkup || xml.isAtEnd else {
            throw XMLError(offset: start, expected: "</\(tag.name)>", found: "text")
        }
        let element = try readTag()
        guard element.isEnd, element.tag == tag else {
            throw unexpected(element, at: start, expected: "</\(tag.name)>")
        }
    }

    private var expectation: String {
        switch builder.container {
        case .array: "a value or </array>"
        case .some: hasKey ? "a value" : "<key> or </dict>"
        case nil: isRootRead ? "</plist>" : isInPlist || markup == .lenient ? "a value" : "<plist>"
        }
    }

    private mutating func close(_ element: Element, at start: Int) throws(XMLError) {
        guard let container = builder.container, !hasKey, element.tag == (container == .array ? .array : .dict) else {
            throw unexpected(element, at: start)
        }
        builder.close()
    }

    // MARK: Values

    private mutating func readValue(_ element: Element, at start: Int) throws(XMLError) {
        let needsKey = builder.container == .dictionary && !hasKey
        guard needsKey == (element.tag == .key), element.tag != .plist else {
            throw unexpected(element, at: start)
        }
        if builder.document.nodes.count >= builder.limits.values {
            throw XMLError(
                kind: .tooLarge, offset: start, expected: "at most \(builder.limits.values) values")
        }
        switch element.tag {
        case .key:
            builder.setKey(try readText(of: element), position: start)
            hasKey = true
            return
        case .dict, .array:
            try open(element, at: start)
        case .string:
            builder.append(String(decoding: try readText(of: element), as: UTF8.self), position: start)
        case .true, .false:
            if !element.isEmpty {
                xml.skipWhitespace()
                try expectEnd(of: element.tag)
            }
            builder.append(.boolean, element.tag == .true ? 1 : 0, position: start)
        case .integer:
            let text = try readText(of: element)
            guard let number = NumberText.integer(text) else {
                throw unexpected(text, at: start, expected: "a 64-bit integer")
            }
            builder.append(number, position: start)
        case .real:
            let text = try readText(of: element)
            guard let number = NumberText.real(text) else {
                throw unexpected(text, at: start, expected: "a number")
            }
            builder.append(.real, number.bitPattern, position: start)
        case .date:
            let text = try readText(of: element)
            guard let seconds = seconds(text) else {
                throw unexpected(text, at: start, expected: "a date such as 2026-01-31T23:59:59Z")
            }
            builder.append(.date, seconds.bitPattern, position: start)
        case .data:
            guard let data = Base64.decode(try readText(of: element), ignoringWhitespace: true) else {
                throw XMLError(offset: start, expected: "Base64 text", found: "other text")
            }
            builder.append(data, position: start)
        case .plist: break
        }
        hasKey = false
    }

    private mutating func open(_ element: Element, at start: Int) throws(XMLError) {
        if builder.depth >= builder.limits.depth {
            throw XMLError(
                kind: .tooDeep, offset: start,
                expected: "at most \(builder.limits.depth) nested dictionaries and arrays")
        }
        builder.open(element.tag == .dict ? .dictionary : .array, position: start)
        if element.isEmpty { builder.close() }
    }

    /// The seconds since 2001 of a date in the only form of property lists, `YYYY-MM-DDThh:mm:ssZ`.
    private func seconds(_ text: ArraySlice<UInt8>) -> Double? {
        guard text.count == 20, text.last == UInt8(ascii: "Z"), text[text.startIndex + 10] == UInt8(ascii: "T") else {
            return nil
        }
        return RFC3339.parse(text)?.secondsSince2001
    }

    // MARK: Failures

    private func unexpected(_ element: Element, at offset: Int, expected: String? = nil) -> XMLError {
        XMLError(offset: offset, expected: expected ?? expectation, found: element.description)
    }

    private func unexpected(_ text: ArraySlice<UInt8>, at offset: Int, expected: String) -> XMLError {
        let found = text.count <= 64 ? "\"\(String(decoding: text, as: UTF8.self))\"" : "other text"
        return XMLError(offset: offset, expected: expected, found: found)
    }
}
