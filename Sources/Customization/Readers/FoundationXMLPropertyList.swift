/// Reads an XML property list exactly as `PropertyListSerialization` does, with its strictness and its leniency.
///
/// The behaviour is that of CoreFoundation's `CFPropertyList.c`, checked beside it: a comment inside a `<string>` is an
/// error, `<data>` skips what is no Base64, numbers take no blanks behind them, attributes are not looked at, and nothing
/// behind the first value is read. ``XMLPropertyList`` is the reader that tells places and reasons.
struct FoundationXMLPropertyList {
    /// The text is no XML property list for CoreFoundation, which then reads it as an old-style one.
    struct Refusal: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var plists = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func readFile() throws(Refusal) -> SourceNode {
        try checkEncoding()
        while true {
            skipSpace()
            guard take("<") else { throw Refusal() }
            if take("!--") {
                try skip(past: "-->")
            } else if take("!") {
                try skipDocumentType()
            } else if take("?") {
                try skip(past: "?>")
            } else {
                return try element(depth: 0).node
            }
        }
    }

    /// Refuses a file that declares an encoding which is unknown.
    ///
    /// The text has been decoded by its bytes alone, so the encodings here are those whose ASCII part is ASCII.
    private func checkEncoding() throws(Refusal) {
        guard bytes.starts(with: "<?xml".utf8) else { return }
        let declaration = String(decoding: bytes.prefix(256), as: UTF8.self)
        let upToEnd = declaration.prefix { $0 != ">" }
        guard let mark = upToEnd.firstRange(of: "encoding="), let quote = upToEnd[mark.upperBound...].first,
            quote == "\"" || quote == "'"
        else { return }
        let name = upToEnd[mark.upperBound...].dropFirst().prefix { $0 != quote }.lowercased()
        let known = ["utf-8", "us-ascii", "iso-8859-1", "windows-1252", "macintosh", "utf-16"]
        guard known.contains(name) else { throw Refusal() }
    }

    // MARK: Markup

    /// A blank between tags.
    private static func isSpace(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 || c == 0x0A || c == 0x0D }

    /// A blank in data, where C's `isspace` decides.
    private static func isDataSpace(_ c: UInt8) -> Bool { c == 0x20 || (0x09...0x0D).contains(c) }

    /// What may stand before a number: CoreFoundation counts every control character as a blank.
    private static func isNumberSpace(_ c: Unicode.Scalar) -> Bool {
        switch c.value {
        case 0...0x20, 0x7F...0xA0, 0x2000...0x200B, 0x3000: true
        default: false
        }
    }

    /// Passes what may stand before a whole number: the same but U+0080 to U+00A0.
    private mutating func skipNumberSpace() {
        while at < bytes.count {
            let c = bytes[at]
            if c <= 0x20 || c == 0x7F {
                at += 1
            } else if let wide = String(decoding: bytes[at..<min(at + 3, bytes.count)], as: UTF8.self)
                .unicodeScalars.first, wide.value >= 0x2000, Self.isNumberSpace(wide)
            {
                at += 3
            } else {
                return
            }
        }
    }

    private mutating func skipSpace() {
        while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard at + count <= bytes.count else { return false }
        for i in 0..<count where bytes[at + i] != text.utf8Start[i] { return false }
        at += count
        return true
    }

    /// Passes the end of a comment or instruction, which must not be the last thing of the file.
    private mutating func skip(past end: StaticString) throws(Refusal) {
        while at + end.utf8CodeUnitCount < bytes.count {
            if take(end) { return }
            at += 1
        }
        throw Refusal()
    }

    private mutating func skipDocumentType() throws(Refusal) {
        guard take("DOCTYPE") else { throw Refusal() }
        while at < bytes.count, bytes[at] != UInt8(ascii: ">") {
            // CoreFoundation stumbles over every internal subset.
            if bytes[at] == UInt8(ascii: "[") { throw Refusal() }
            at += 1
        }
        guard take(">") else { throw Refusal() }
    }

    /// Reads the rest of an opening tag.
    ///
    /// Its name goes up to a blank; its attributes may be anything but a `>`.
    private mutating func openTag() throws(Refusal) -> (name: String, isEmpty: Bool) {
        let start = at
        var end: Int?
        while at < bytes.count, bytes[at] != UInt8(ascii: ">") {
            if end == nil, Self.isSpace(bytes[at]) { end = at }
            at += 1
        }
        guard at < bytes.count else { throw Refusal() }
        let isEmpty = bytes[at - 1] == UInt8(ascii: "/")
        let nameEnd = end ?? (isEmpty ? at - 1 : at)
        at += 1
        guard nameEnd > start else { throw Refusal() }
        return (String(decoding: bytes[start..<nameEnd], as: UTF8.self), isEmpty)
    }

    private mutating func closeTag(_ name: String) throws(Refusal) {
        guard take("</"), bytes[at...].starts(with: name.utf8) else { throw Refusal() }
        at += name.utf8.count
        skipSpace()
        guard take(">") else { throw Refusal() }
    }

    // MARK: Values

    /// Reads the next value inside another; nil at a closing tag.
    private mutating func content(depth: Int) throws(Refusal) -> (node: SourceNode, isKey: Bool)? {
        while true {
            skipSpace()
            guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: "<") else { throw Refusal() }
            if bytes[at + 1] == UInt8(ascii: "/") { return nil }
            at += 1
            if take("?") {
                try skip(past: "?>")
            } else if take("!--") {
                try skip(past: "-->")
            } else if take("!") {
                throw Refusal()
            } else {
                return try element(depth: depth)
            }
        }
    }

    /// Reads an element whose `<` has been passed.
    private mutating func element(depth: Int) throws(Refusal) -> (node: SourceNode, isKey: Bool) {
        let start = at - 1
        let tag = try openTag()
        let kind: SourceNode.Kind
        switch tag.name {
        case "plist":
            // A level of its own is not counted for it, but it may stand inside itself.
            plists += 1
            defer { plists -= 1 }
            guard plists <= XMLPropertyList.maximumDepth, !tag.isEmpty, let value = try content(depth: depth),
                try content(depth: depth) == nil
            else { throw Refusal() }
            try closeTag("plist")
            return (value.node, false)
        case "array", "dict":
            guard depth < XMLPropertyList.maximumDepth else { throw Refusal() }
            if tag.name == "array" {
                kind = .list(tag.isEmpty ? [] : try items(depth: depth + 1))
            } else {
                kind = .dict(tag.isEmpty ? [] : try members(depth: depth + 1))
            }
        case "string", "key": kind = .string(tag.isEmpty ? "" : try text(of: tag.name))
        case "true", "false":
            if !tag.isEmpty { try closeTag(tag.name) }
            kind = .bool(tag.name == "true")
        case "data", "date", "real", "integer":
            guard !tag.isEmpty else { throw Refusal() }
            switch tag.name {
            case "data":
                kind = .data(try data())
                try closeTag("data")
            case "integer":
                kind = .int(try integer())
                try closeTag("integer")
            case "date": kind = .date(try date(text(of: "date")))
            default: kind = .double(try real(text(of: "real")))
            }
        default: throw Refusal()
        }
        return (SourceNode(offset: start, kind: kind), tag.name == "key")
    }

    private mutating func items(depth: Int) throws(Refusal) -> [SourceNode] {
        var items: [SourceNode] = []
        while let item = try content(depth: depth) { items.append(item.node) }
        try closeTag("array")
        return items
    }

    private mutating func members(depth: Int) throws(Refusal) -> [SourceNode.Member] {
        var members: [SourceNode.Member] = []
        while let key = try content(depth: depth) {
            guard key.isKey, case .string(let name) = key.node.kind, let value = try content(depth: depth) else {
                throw Refusal()
            }
            members.append(SourceNode.Member(key: name, offset: key.node.offset, value: value.node))
        }
        try closeTag("dict")
        return members
    }

    // MARK: Texts and numbers

    /// Reads text, entities and CDATA up to the closing tag, and that tag.
    private mutating func text(of name: String) throws(Refusal) -> String {
        var text: [UInt8] = []
        while at < bytes.count {
            if take("<![CDATA[") {
                while !take("]]>") {
                    guard at < bytes.count else { throw Refusal() }
                    text.append(bytes[at])
                    at += 1
                }
            } else if bytes[at] == UInt8(ascii: "<") {
                break
            } else if take("&") {
                try entity(into: &text)
            } else {
                text.append(bytes[at])
                at += 1
            }
        }
        try closeTag(name)
        // Making a string of bytes takes a byte order mark off.
        return String(decoding: text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...], as: UTF8.self)
    }

    /// Reads an entity whose `&` has been passed.
    private mutating func entity(into text: inout [UInt8]) throws(Refusal) {
        if take("lt;") { return text.append(UInt8(ascii: "<")) }
        if take("gt;") { return text.append(UInt8(ascii: ">")) }
        if take("amp;") { return text.append(UInt8(ascii: "&")) }
        if take("apos;") { return text.append(UInt8(ascii: "'")) }
        if take("quot;") { return text.append(UInt8(ascii: "\"")) }
        guard bytes.count - at >= 4, take("#") else { throw Refusal() }
        let isHexadecimal = take("x")
        var number: UInt32 = 0
        while !take(";") {
            guard at < bytes.count, let digit = hexDigit(bytes[at]), isHexadecimal || digit < 10 else {
                throw Refusal()
            }
            number = number * (isHexadecimal ? 16 : 10) + UInt32(digit)
            guard number <= 0x10FFFF else { throw Refusal() }
            at += 1
        }
        guard let scalar = Unicode.Scalar(number) else { throw Refusal() }
        UTF8Bytes.append(scalar.value, to: &text)
    }

    private mutating func data() throws(Refusal) -> [UInt8] {
        var data: [UInt8] = []
        var (bits, count, padding) = (UInt32(0), 0, 0)
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
            let c = bytes[at]
            guard c < 0x80 else { throw Refusal() }
            at += 1
            if c == UInt8(ascii: "=") {
                padding += 1
            } else if !Self.isDataSpace(c) {
                padding = 0
            }
            guard let value = Base64Reading.value(of: c) else { continue }
            bits = bits << 6 | UInt32(value)
            count += 1
            guard count % 4 == 0 else { continue }
            data.append(UInt8(truncatingIfNeeded: bits >> 16))
            if padding < 2 { data.append(UInt8(truncatingIfNeeded: bits >> 8)) }
            if padding < 1 { data.append(UInt8(truncatingIfNeeded: bits)) }
        }
        return data
    }

    private mutating func integer() throws(Refusal) -> Int64 {
        skipNumberSpace()
        let isNegative = take("-")
        if isNegative || take("+") { skipNumberSpace() }
        let isHexadecimal = take("0x") || take("0X")
        let radix: UInt64 = isHexadecimal ? 16 : 10
        var value: UInt64 = 0
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
            guard let digit = hexDigit(bytes[at]), digit < radix else { throw Refusal() }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: radix)
            let (sum, overflows) = product.addingReportingOverflow(UInt64(digit))
            if isTooLarge || overflows { throw Refusal() }
            value = sum
            at += 1
        }
        guard at > start else { throw Refusal() }
        let number = isNegative ? Int64(exactly: -Int128(value)) : Int64(exactly: value)
        guard let number else { throw Refusal() }
        return number
    }

    private func real(_ text: String) throws(Refusal) -> Double {
        switch text.lowercased() {
        case "nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: break
        }
        // Blanks may stand before the number, but not behind it.
        let digits = Substring(text.unicodeScalars.drop(while: Self.isNumberSpace)).utf8
        guard NumberReading.isDouble(digits), let number = Double(Substring(digits)) else { throw Refusal() }
        return number
    }

    /// A date as `2002-01-01T00:00:00Z`.
    private func date(_ text: String) throws(Refusal) -> String {
        let form = "0000-00-00T00:00:00Z"
        guard text.utf8.count == form.utf8.count,
            zip(text.utf8, form.utf8).allSatisfy({ c, model in
                model == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(c) : c == model
            })
        else { throw Refusal() }
        return text
    }
}
