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
    enum Tag: UInt64 {
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
    }

    struct Element {
        var tag: Tag
        var isEnd: Bool
        var isEmpty: Bool

        var description: String { "<\(isEnd ? "/" : "")\(tag.name)\(isEmpty ? "/" : "")>" }
    }

    let bytes: [UInt8]
    let markup: Markup
    var at = 0
    var builder: PropertyListBuilder
    /// The text of the current element, if it has references, CDATA sections, or comments.
    var decoded: [UInt8] = []
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
        return try parser.readDocument()
    }

    private init(_ bytes: [UInt8], _ markup: Markup, _ limits: PropertyListLimits) {
        (self.bytes, self.markup) = (bytes, markup)
        builder = PropertyListBuilder(limits: limits)
    }

    // MARK: Structure

    private mutating func readDocument() throws(PropertyListError) -> PropertyListDocument {
        guard bytes.count <= UInt32.max else {
            throw failure(.limitExceeded, at: 0, expected: "a file of less than 4 GiB")
        }
        if let offset = UTF8Validation.firstInvalid(in: bytes) {
            throw failure(
                at: offset, withPath: false, expected: "UTF-8 text", found: "byte 0x\(String(bytes[offset], radix: 16))"
            )
        }
        builder.reserve(nodes: bytes.count / 40, keyBytes: bytes.count / 5, strings: bytes.count / 60)
        try readProlog()
        try readRoot()
        try readEpilog()
        return builder.document
    }

    private mutating func readProlog() throws(PropertyListError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        if has("<?xml"), markup == .strict { try checkEncoding() }
        try skipMisc(allowsDoctype: true)
        let start = at
        guard at < bytes.count else { throw failure(expected: "<plist>", found: "the end of the file") }
        guard bytes[at] == UInt8(ascii: "<") else { throw failure(expected: "<plist>", found: "text") }
        let element = try readTag(allowsAttributes: true)
        if element.tag != .plist, markup == .lenient {
            at = start
        } else if element.tag != .plist || element.isEnd || element.isEmpty {
            throw failure(at: start, expected: "<plist>", found: element.description)
        } else {
            isInPlist = true
        }
    }

    private mutating func readRoot() throws(PropertyListError) {
        repeat {
            try skipMisc(allowsDoctype: false)
            let start = at
            guard at < bytes.count else { throw unexpectedEnd() }
            guard bytes[at] == UInt8(ascii: "<") else { throw failure(expected: expectation, found: "text") }
            let element = try readTag(allowsAttributes: false)
            if element.isEnd {
                try close(element, at: start)
            } else {
                try readValue(element, at: start)
            }
        } while builder.depth > 0
    }

    private mutating func readEpilog() throws(PropertyListError) {
        isRootRead = true
        try skipMisc(allowsDoctype: false)
        if isInPlist {
            let start = at
            guard at < bytes.count else { throw unexpectedEnd() }
            guard bytes[at] == UInt8(ascii: "<") else { throw failure(expected: expectation, found: "text") }
            let element = try readTag(allowsAttributes: false)
            guard element.tag == .plist, element.isEnd else {
                throw failure(at: start, expected: expectation, found: element.description)
            }
            try skipMisc(allowsDoctype: false)
        }
        if at < bytes.count { throw failure(expected: "the end of the file", found: "more text") }
    }

    var expectation: String {
        switch builder.container {
        case .array: "a value or </array>"
        case .some: hasKey ? "a value" : "<key> or </dict>"
        case nil: isRootRead ? "</plist>" : isInPlist || markup == .lenient ? "a value" : "<plist>"
        }
    }

    private mutating func close(_ element: Element, at start: Int) throws(PropertyListError) {
        guard let container = builder.container, !hasKey, element.tag == (container == .array ? .array : .dict) else {
            throw failure(at: start, expected: expectation, found: element.description)
        }
        builder.close()
    }

    // MARK: Values

    private mutating func readValue(_ element: Element, at start: Int) throws(PropertyListError) {
        let needsKey = builder.container == .dictionary && !hasKey
        guard needsKey == (element.tag == .key), element.tag != .plist else {
            throw failure(at: start, expected: expectation, found: element.description)
        }
        if builder.document.nodes.count >= builder.limits.values {
            throw failure(.limitExceeded, at: start, expected: "at most \(builder.limits.values) values")
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
                skipWhitespace()
                try expectEnd(of: element.tag)
            }
            builder.append(.boolean, element.tag == .true ? 1 : 0, position: start)
        case .integer:
            let text = try readText(of: element)
            guard let number = NumberText.integer(text) else {
                throw failure(at: start, expected: "a 64-bit integer", quoting: text)
            }
            builder.append(number, position: start)
        case .real:
            let text = try readText(of: element)
            guard let number = NumberText.real(text) else {
                throw failure(at: start, expected: "a number", quoting: text)
            }
            builder.append(.real, number.bitPattern, position: start)
        case .date:
            let text = try readText(of: element)
            guard let seconds = seconds(text) else {
                throw failure(at: start, expected: "a date such as 2026-01-31T23:59:59Z", quoting: text)
            }
            builder.append(.date, seconds.bitPattern, position: start)
        case .data:
            guard let data = Base64.decode(try readText(of: element), ignoringWhitespace: true) else {
                throw failure(at: start, expected: "Base64 text", found: "other text")
            }
            builder.append(data, position: start)
        case .plist: break
        }
        hasKey = false
    }

    private mutating func open(_ element: Element, at start: Int) throws(PropertyListError) {
        if builder.depth >= builder.limits.depth {
            throw failure(
                .limitExceeded, at: start, withPath: false,
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

    func unexpectedEnd() -> PropertyListError {
        failure(at: bytes.count, expected: expectation, found: "the end of the file")
    }

    private func failure(at offset: Int, expected: String, quoting text: ArraySlice<UInt8>) -> PropertyListError {
        let found = text.count <= 64 ? "\"\(String(decoding: text, as: UTF8.self))\"" : "other text"
        return failure(at: offset, expected: expected, found: found)
    }

    func failure(
        _ code: PropertyListError.Code = .malformed, at offset: Int? = nil, withPath: Bool = true,
        reason: String? = nil, expected: String? = nil, found: String? = nil
    ) -> PropertyListError {
        let offset = min(offset ?? at, bytes.count)
        let place = LineTable(bytes).position(of: offset)
        return PropertyListError(
            code: code, offset: offset, line: place.line, column: place.column, path: withPath ? builder.path() : [],
            reason: reason, expected: expected, found: found)
    }
}
