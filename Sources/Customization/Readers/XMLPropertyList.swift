/// Reads an XML property list (Apple's `PropertyList-1.0.dtd`) into values with their places.
///
/// It is not a general XML reader: no namespaces, no external entities, no entity declarations. The internal subset
/// of a document type is skipped.
struct XMLPropertyList {
    /// Where and why the file is not a property list.
    struct Failure: Error {
        var offset: Int
        var message: String
    }

    static let maximumDepth = 512

    let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func readFile() throws(Failure) -> SourceNode {
        try skipMisc()
        let start = at
        guard let name = try openTag() else { throw Failure(offset: at, message: "expected <plist>") }
        guard name.name == "plist" else {
            at = start
            return try value(depth: 0)
        }
        if name.isEmpty { throw Failure(offset: start, message: "<plist/> holds no value") }
        try skipMisc()
        let root = try value(depth: 0)
        try skipMisc()
        try closeTag("plist")
        try skipMisc()
        if at < bytes.count { throw Failure(offset: at, message: "nothing may follow </plist>") }
        return root
    }

    // MARK: Markup

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard at + count <= bytes.count else { return false }
        for i in 0..<count where bytes[at + i] != text.utf8Start[i] { return false }
        return true
    }

    private mutating func skip(past end: StaticString, from start: Int, _ what: String) throws(Failure) {
        while at < bytes.count {
            if starts(end) {
                at += end.utf8CodeUnitCount
                return
            }
            at += 1
        }
        throw Failure(offset: start, message: "the \(what) that starts here never ends")
    }

    /// Skips blanks, comments, processing instructions and the document type.
    private mutating func skipMisc() throws(Failure) {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            case UInt8(ascii: "<"):
                let start = at
                if starts("<!--") {
                    at += 4
                    try skip(past: "-->", from: start, "comment")
                } else if starts("<?") {
                    try skip(past: "?>", from: start, "processing instruction")
                } else if starts("<!DOCTYPE") {
                    try skipDocumentType(from: start)
                } else {
                    return
                }
            default: return
            }
        }
    }

    private mutating func skipDocumentType(from start: Int) throws(Failure) {
        var depth = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0:
                at += 1
                return
            default: break
            }
            at += 1
        }
        throw Failure(offset: start, message: "the document type that starts here never ends")
    }

    /// Reads an opening tag and skips its attributes; nil if none starts here.
    private mutating func openTag() throws(Failure) -> (name: String, isEmpty: Bool)? {
        guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: "<"), isName(bytes[at + 1]) else { return nil }
        let start = at
        at += 1
        let nameStart = at
        while at < bytes.count, isName(bytes[at]) { at += 1 }
        let name = String(decoding: bytes[nameStart..<at], as: UTF8.self)
        var quote: UInt8 = 0
        while at < bytes.count {
            let c = bytes[at]
            at += 1
            if quote != 0 {
                if c == quote { quote = 0 }
            } else if c == UInt8(ascii: "\"") || c == UInt8(ascii: "'") {
                quote = c
            } else if c == UInt8(ascii: ">") {
                return (name, bytes[at - 2] == UInt8(ascii: "/"))
            } else if c == UInt8(ascii: "<") {
                break
            }
        }
        throw Failure(offset: start, message: "the tag that starts here never ends")
    }

    private func isName(_ c: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(c | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(c)
    }

    private mutating func closeTag(_ name: String) throws(Failure) {
        let start = at
        guard starts("</") else { throw Failure(offset: at, message: "expected </\(name)>") }
        at += 2
        let nameStart = at
        while at < bytes.count, isName(bytes[at]) { at += 1 }
        let found = String(decoding: bytes[nameStart..<at], as: UTF8.self)
        while at < bytes.count, bytes[at] == 0x20 || (0x09...0x0D).contains(bytes[at]) { at += 1 }
        guard found == name, at < bytes.count, bytes[at] == UInt8(ascii: ">") else {
            throw Failure(offset: start, message: "expected </\(name)>, found </\(found)")
        }
        at += 1
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Failure) -> SourceNode {
        let start = at
        guard depth < Self.maximumDepth else {
            throw Failure(offset: at, message: "values are nested more than \(Self.maximumDepth) deep")
        }
        guard let tag = try openTag() else { throw Failure(offset: at, message: "expected a value") }
        func node(_ kind: SourceNode.Kind) -> SourceNode { SourceNode(offset: start, kind: kind) }
        switch tag.name {
        case "dict": return node(.dict(tag.isEmpty ? [] : try members(depth: depth)))
        case "array": return node(.list(tag.isEmpty ? [] : try items(depth: depth)))
        case "true", "false":
            if !tag.isEmpty { try closeTag(tag.name) }
            return node(.bool(tag.name == "true"))
        case "string": return node(.string(try content(of: tag)))
        case "date": return node(.date(try content(of: tag).trimmingSpace()))
        case "integer":
            let text = try content(of: tag).trimmingSpace()
            guard let number = NumberReading.integer(text) else {
                throw Failure(offset: start, message: "<integer> holds \"\(text)\", which is no 64-bit whole number")
            }
            return node(.int(number))
        case "real":
            let text = try content(of: tag).trimmingSpace()
            guard let number = Double(text) else {
                throw Failure(offset: start, message: "<real> holds \"\(text)\", which is no number")
            }
            return node(.double(number))
        case "data":
            guard let data = Base64Reading.decode(try content(of: tag)) else {
                throw Failure(offset: start, message: "<data> holds no Base64")
            }
            return node(.data(data))
        default: throw Failure(offset: start, message: "<\(tag.name)> is no value of a property list")
        }
    }

    private mutating func members(depth: Int) throws(Failure) -> [SourceNode.Member] {
        var members: [SourceNode.Member] = []
        while true {
            try skipMisc()
            if starts("</") {
                try closeTag("dict")
                return members
            }
            let start = at
            guard let tag = try openTag(), tag.name == "key" else {
                throw Failure(offset: start, message: "expected <key> or </dict>")
            }
            let key = try content(of: tag)
            try skipMisc()
            members.append(SourceNode.Member(key: key, offset: start, value: try value(depth: depth + 1)))
        }
    }

    private mutating func items(depth: Int) throws(Failure) -> [SourceNode] {
        var items: [SourceNode] = []
        while true {
            try skipMisc()
            if starts("</") {
                try closeTag("array")
                return items
            }
            items.append(try value(depth: depth + 1))
        }
    }

    /// Reads text, entities and CDATA up to the closing tag.
    private mutating func content(of tag: (name: String, isEmpty: Bool)) throws(Failure) -> String {
        if tag.isEmpty { return "" }
        var text: [UInt8] = []
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "&"): try entity(into: &text)
            case UInt8(ascii: "<"):
                let start = at
                if starts("<![CDATA[") {
                    at += 9
                    let from = at
                    try skip(past: "]]>", from: start, "CDATA section")
                    text.append(contentsOf: bytes[from..<(at - 3)])
                } else if starts("<!--") {
                    at += 4
                    try skip(past: "-->", from: start, "comment")
                } else {
                    try closeTag(tag.name)
                    return String(decoding: text, as: UTF8.self)
                }
            default:
                let start = at
                while at < bytes.count, bytes[at] != UInt8(ascii: "<"), bytes[at] != UInt8(ascii: "&") { at += 1 }
                text.append(contentsOf: bytes[start..<at])
            }
        }
        throw Failure(offset: at, message: "<\(tag.name)> is never closed")
    }

    private mutating func entity(into text: inout [UInt8]) throws(Failure) {
        let start = at
        let end = bytes[start..<min(start + 12, bytes.count)].firstIndex(of: UInt8(ascii: ";"))
        guard let end else { throw Failure(offset: start, message: "the entity that starts here never ends") }
        let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        at = end + 1
        let named: [String: UInt8] = ["amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27]
        if let byte = named[name] {
            text.append(byte)
            return
        }
        let number: UInt32? =
            name.hasPrefix("#x") || name.hasPrefix("#X")
            ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        guard let number, let scalar = Unicode.Scalar(number) else {
            throw Failure(offset: start, message: "&\(name); is no entity of a property list")
        }
        UTF8Bytes.append(scalar.value, to: &text)
    }
}

/// Decodes Base64 (RFC 4648) with blanks anywhere.
enum Base64Reading {
    /// The six bits of a character; those of `=` are zero.
    static func value(of c: UInt8) -> UInt8? {
        switch c {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): c - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): c - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): c - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case UInt8(ascii: "="): 0
        default: nil
        }
    }

    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count, padding) = (UInt32(0), 0, 0)
        for c in text.utf8 {
            if c == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            if c == 0x20 || (0x09...0x0D).contains(c) { continue }
            guard let value = value(of: c), padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                bytes += [
                    UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                    UInt8(truncatingIfNeeded: bits),
                ]
                bits = 0
            }
        }
        switch count % 4 {
        case 0: return padding == 0 || count > 0 ? bytes : nil
        case 2: return bytes + [UInt8(truncatingIfNeeded: bits >> 4)]
        case 3: return bytes + [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: return nil
        }
    }
}
