/// Reads an XML property list into a tree, in one pass over the bytes and without recursion.
///
/// The format is Apple's PropertyList-1.0 document type. Stricter than Foundation: duplicate keys, attributes on
/// values, entity declarations, text after the document and a root that is no dictionary are errors.
struct XMLPlistReader {
    enum Tag: String {
        case plist, dict, array, string, key, integer, real, `true`, `false`, date, data
    }

    struct Element {
        var tag: Tag
        var isEnd: Bool
        var isEmpty: Bool
    }

    let text: UnsafeBufferPointer<UInt8>
    let base: UnsafePointer<UInt8>
    let context: ConfigReaderContext
    var at = 0
    var builder = ConfigTreeBuilder()
    var diagnostics: [ConfigDiagnostic] = []
    /// The decoded text of the current element, if it had references or CDATA sections.
    var scratch: [UInt8] = []
    var hasKey = false
    var isInPlist = false
    private var isRootRead = false

    init(_ text: UnsafeBufferPointer<UInt8>, _ context: ConfigReaderContext) {
        self.text = text
        self.base = text.baseAddress ?? UnsafePointer(bitPattern: 8)!
        self.context = context
    }

    mutating func read() throws(ConfigError) -> ConfigReading {
        builder.reserve(nodes: text.count / 40, keyBytes: text.count / 5, strings: text.count / 60)
        try readProlog()
        try readValues()
        try readEpilog()
        let source = context.source(text)
        return ConfigReading(tree: builder.finish(sources: [source]), diagnostics: diagnostics)
    }

    // MARK: Structure

    mutating func readProlog() throws(ConfigError) {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        if has("<?xml") { try readDeclaration() }
        try skipMisc(allowsDoctype: true)
        let start = at
        guard at < text.count else { throw failure(expected: "<plist>", found: "the end of the file") }
        let element = try readTag(allowsAttributes: true)
        guard element.tag == .plist, !element.isEnd, !element.isEmpty else {
            throw failure(at: start, expected: "<plist>", found: describe(element))
        }
        isInPlist = true
    }

    mutating func readDeclaration() throws(ConfigError) {
        let start = at
        guard let end = find("?>", from: at) else {
            throw failure(at: start, reason: "the XML declaration has no end", expected: "?>")
        }
        let declaration = String(decoding: text[at..<end], as: UTF8.self).lowercased()
        if let range = declaration.firstRange(of: "encoding"),
            let quote = declaration[range.upperBound...].firstIndex(where: { $0 == "\"" || $0 == "'" })
        {
            let name = declaration[declaration.index(after: quote)...].prefix { $0 != "\"" && $0 != "'" }
            // UTF-16 arrives here as UTF-8 already.
            guard ["utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"].contains(String(name)) else {
                throw failure(at: start, expected: "the encoding UTF-8", found: "\(name)")
            }
        }
        at = end + 2
    }

    mutating func readValues() throws(ConfigError) {
        while true {
            skipWhitespace()
            let start = at
            guard at < text.count else { throw unexpectedEnd() }
            guard base[at] == UInt8(ascii: "<") else { throw failure(expected: expectation, found: "text") }
            if at + 1 < text.count, base[at + 1] == UInt8(ascii: "!") || base[at + 1] == UInt8(ascii: "?") {
                try skipMisc(allowsDoctype: false)
                continue
            }
            let element = try readTag(allowsAttributes: false)
            if element.isEnd {
                try close(element, at: start)
                if builder.depth == 0 { return }
            } else {
                try value(element, at: start)
                if builder.depth == 0 { return }
            }
        }
    }

    mutating func readEpilog() throws(ConfigError) {
        isRootRead = true
        try skipMisc(allowsDoctype: false)
        var start = at
        guard at < text.count else { throw failure(expected: "</plist>", found: "the end of the file") }
        guard base[at] == UInt8(ascii: "<") else { throw failure(expected: "</plist>", found: "text") }
        let element = try readTag(allowsAttributes: false)
        guard element.tag == .plist, element.isEnd else {
            throw failure(at: start, expected: "</plist>", found: describe(element))
        }
        try skipMisc(allowsDoctype: false)
        start = at
        if at < text.count { throw failure(at: start, expected: "the end of the file", found: "more text") }
    }

    var expectation: String {
        guard let container = builder.container else {
            return isRootRead ? "</plist>" : isInPlist ? "<dict> as the root" : "<plist>"
        }
        if builder.isArray(container) { return "a value or </array>" }
        return hasKey ? "a value" : "<key> or </dict>"
    }

    mutating func close(_ element: Element, at start: Int) throws(ConfigError) {
        guard let container = builder.container else {
            throw failure(at: start, expected: expectation, found: describe(element))
        }
        guard element.tag == (builder.isArray(container) ? .array : .dict) else {
            throw failure(at: start, expected: expectation, found: describe(element))
        }
        if hasKey { throw failure(at: start, expected: "a value", found: describe(element)) }
        try context.checkDuplicates(in: &builder, &diagnostics) { context.source(text) }
        builder.close()
    }

    // MARK: Values

    mutating func value(_ element: Element, at start: Int) throws(ConfigError) {
        if let container = builder.container {
            if !builder.isArray(container) {
                guard hasKey != (element.tag == .key) else {
                    throw failure(at: start, expected: expectation, found: describe(element))
                }
            } else if element.tag == .key {
                throw failure(at: start, expected: expectation, found: describe(element))
            }
        } else if element.tag != .dict {
            throw failure(at: start, expected: expectation, found: describe(element))
        }
        let position = UInt32(start)
        if builder.count >= context.limits.values {
            throw failure(.limitExceeded, at: start, expected: "at most \(context.limits.values) values")
        }
        switch element.tag {
        case .dict, .array:
            if builder.depth >= context.limits.depth {
                throw failure(
                    .limitExceeded, at: start, withKey: false,
                    expected: "at most \(context.limits.depth) nested dictionaries and arrays")
            }
            builder.open(element.tag == .dict ? .dictionary : .array, position: position)
            if element.isEmpty { builder.close() }
            hasKey = false
            return
        case .key:
            let isShort = try withText(of: element, at: start) { (builder, text, _) in builder.key(text) }
            guard isShort else {
                throw failure(.limitExceeded, at: start, withKey: false, expected: "a key of at most 65535 bytes")
            }
            builder.setKeyPosition(position)
            hasKey = true
            return
        case .string:
            try withText(of: element, at: start) { (builder, text, mayBeTemplate) in
                builder.string(
                    String(decoding: text, as: UTF8.self), mayBeTemplate: mayBeTemplate, position: position)
            }
        case .true, .false:
            if !element.isEmpty {
                skipWhitespace()
                try expectEnd(of: element.tag)
            }
            builder.boolean(element.tag == .true, position: position)
        case .integer:
            try scalar(element, at: start, expected: "a whole number in 64 bits") { (builder, text) in
                guard let number = ScalarText.integer(text) else { return false }
                switch number {
                case .signed(let value): builder.integer(value, position: position)
                case .unsigned(let value): builder.unsigned(value, position: position)
                }
                return true
            }
        case .real:
            try scalar(element, at: start, expected: "a number") { (builder, text) in
                guard let number = ScalarText.real(text) else { return false }
                builder.real(number, position: position)
                return true
            }
        case .date:
            try scalar(element, at: start, expected: "a date as YYYY-MM-DDThh:mm:ssZ") { (builder, text) in
                guard let seconds = ConfigDateText.parsePlist(text) else { return false }
                builder.date(seconds, position: position)
                return true
            }
        case .data:
            try scalar(element, at: start, expected: "base64 text", quotes: false) { (builder, text) in
                guard let bytes = Base64.decode(text) else { return false }
                builder.data(bytes, position: position)
                return true
            }
        case .plist:
            throw failure(at: start, expected: expectation, found: describe(element))
        }
        hasKey = false
    }

    /// Reads the text of a number, a date or data and has it parsed.
    mutating func scalar(
        _ element: Element, at start: Int, expected: String, quotes: Bool = true,
        _ parse: (inout ConfigTreeBuilder, UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(ConfigError) {
        var found = ""
        let isRight = try withText(of: element, at: start) { (builder, text, _) in
            if parse(&builder, text) { return true }
            found = quotes && text.count <= 64 ? "\"\(String(decoding: text, as: UTF8.self))\"" : "other text"
            return false
        }
        if !isRight { throw failure(at: start, expected: expected, found: found) }
    }

    /// Reads the text up to the end tag, which is consumed, and passes it on without copying where it can.
    mutating func withText<R>(
        of element: Element, at start: Int,
        _ body: (inout ConfigTreeBuilder, UnsafeBufferPointer<UInt8>, _ mayBeTemplate: Bool) -> R
    ) throws(ConfigError) -> R {
        if element.isEmpty { return body(&builder, UnsafeBufferPointer(rebasing: text[at..<at]), false) }
        let first = at
        var mayBeTemplate = false
        while at < text.count {
            let byte = base[at]
            if byte > UInt8(ascii: "<") {
                at += 1
            } else if byte == UInt8(ascii: "<") {
                if at + 1 < text.count, base[at + 1] == UInt8(ascii: "/") {
                    let run = UnsafeBufferPointer(rebasing: text[first..<at])
                    try expectEnd(of: element.tag)
                    return body(&builder, run, mayBeTemplate)
                }
                break
            } else if byte == UInt8(ascii: "&") {
                break
            } else {
                if byte == UInt8(ascii: "$") { mayBeTemplate = true }
                if byte < 32 {
                    if byte == 13 { break }
                    try checkControl(byte)
                }
                at += 1
            }
        }
        try decodeText(from: first, of: element.tag)
        try expectEnd(of: element.tag)
        return scratch.withUnsafeBufferPointer { body(&builder, $0, true) }
    }

    func checkControl(_ byte: UInt8) throws(ConfigError) {
        guard byte == 9 || byte == 10 || byte == 13 else {
            throw failure(at: at, reason: "control character 0x\(String(byte, radix: 16)) is not allowed in XML")
        }
    }

    /// Copies text with references, CDATA sections and comments resolved into `scratch`.
    mutating func decodeText(from first: Int, of tag: Tag) throws(ConfigError) {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: text[first..<at])
        while at < text.count {
            let byte = base[at]
            if byte == UInt8(ascii: "&") {
                try decodeReference()
            } else if byte == UInt8(ascii: "<") {
                if has("<![CDATA[") {
                    guard let end = find("]]>", from: at + 9) else {
                        throw failure(reason: "the CDATA section has no end", expected: "]]>")
                    }
                    at += 9
                    while at < end {
                        if base[at] < 32 { try checkControl(base[at]) }
                        scratch.append(base[at])
                        at += 1
                    }
                    at += 3
                } else if has("<!--") {
                    try skipComment()
                } else {
                    return
                }
            } else {
                if byte < 32 { try checkControl(byte) }
                scratch.append(byte)
                at += 1
            }
        }
    }

    mutating func decodeReference() throws(ConfigError) {
        let start = at
        let limit = min(text.count, at + 12)
        guard let semicolon = text[at..<limit].firstIndex(of: UInt8(ascii: ";")) else {
            throw failure(at: start, expected: "a character reference such as &amp;", found: "a bare &")
        }
        let name = String(decoding: text[(at + 1)..<semicolon], as: UTF8.self)
        var scalar: UInt32?
        switch name {
        case "lt": scalar = 60
        case "gt": scalar = 62
        case "amp": scalar = 38
        case "apos": scalar = 39
        case "quot": scalar = 34
        default:
            if name.hasPrefix("#x"), !name.contains("+") {
                scalar = UInt32(name.dropFirst(2), radix: 16)
            } else if name.hasPrefix("#"), !name.contains("+") {
                scalar = UInt32(name.dropFirst(1))
            }
        }
        guard let scalar, let character = Unicode.Scalar(scalar), Self.isXMLCharacter(scalar) else {
            throw failure(at: start, expected: "a character reference such as &amp;", found: "&\(name);")
        }
        scratch.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        at = semicolon + 1
    }

    static func isXMLCharacter(_ scalar: UInt32) -> Bool {
        scalar >= 32 ? scalar != 0xFFFE && scalar != 0xFFFF : scalar == 9 || scalar == 10 || scalar == 13
    }

    // MARK: Failures

    func describe(_ element: Element) -> String {
        "<\(element.isEnd ? "/" : "")\(element.tag.rawValue)\(element.isEmpty ? "/" : "")>"
    }

    func unexpectedEnd() -> ConfigError {
        failure(at: text.count, expected: expectation, found: "the end of the file")
    }

    func failure(
        _ code: ConfigError.Code = .malformedSource, at offset: Int? = nil, withKey: Bool = true,
        reason: String? = nil, expected: String? = nil, found: String? = nil
    ) -> ConfigError {
        context.failure(
            code, at: min(offset ?? at, text.count), of: text, key: withKey ? builder.pathOfNext() : nil,
            reason: reason, expected: expected,
            found: found)
    }
}
