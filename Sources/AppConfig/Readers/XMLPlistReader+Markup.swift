// Tags, white space, comments and the document type.
extension XMLPlistReader {
    mutating func expectEnd(of tag: Tag) throws(ConfigError) {
        let start = at
        guard at < text.count else { throw unexpectedEnd() }
        guard base[at] == UInt8(ascii: "<") else {
            throw failure(at: start, expected: "</\(tag.rawValue)>", found: "text")
        }
        let element = try readTag(allowsAttributes: false)
        guard element.isEnd, element.tag == tag else {
            throw failure(at: start, expected: "</\(tag.rawValue)>", found: describe(element))
        }
    }

    /// Reads one tag; `at` is on its `<`.
    mutating func readTag(allowsAttributes: Bool) throws(ConfigError) -> Element {
        let start = at
        at += 1
        var isEnd = false
        if at < text.count, base[at] == UInt8(ascii: "/") {
            isEnd = true
            at += 1
        }
        let nameStart = at
        while at < text.count, base[at] | 0x20 >= UInt8(ascii: "a"), base[at] | 0x20 <= UInt8(ascii: "z") { at += 1 }
        guard at < text.count else { throw unexpectedEnd() }
        guard let tag = Self.tag(base + nameStart, at - nameStart) else {
            let name = String(decoding: text[nameStart..<min(at, nameStart + 24)], as: UTF8.self)
            throw failure(at: start, expected: expectation, found: "<\(isEnd ? "/" : "")\(name)>")
        }
        if base[at] == UInt8(ascii: ">") {
            at += 1
            return Element(tag: tag, isEnd: isEnd, isEmpty: false)
        }
        return try readTagRest(tag, isEnd: isEnd, allowsAttributes: allowsAttributes)
    }

    mutating func readTagRest(_ tag: Tag, isEnd: Bool, allowsAttributes: Bool) throws(ConfigError) -> Element {
        skipWhitespace()
        if allowsAttributes, !isEnd {
            while at < text.count, base[at] != UInt8(ascii: ">"), base[at] != UInt8(ascii: "/") {
                guard let equals = text[at...].firstIndex(of: UInt8(ascii: "=")), equals + 1 < text.count,
                    base[equals + 1] == 34 || base[equals + 1] == 39,
                    let quote = text[(equals + 2)...].firstIndex(of: base[equals + 1])
                else { throw failure(expected: "an attribute or >", found: "other text") }
                at = quote + 1
                skipWhitespace()
            }
        }
        var isEmpty = false
        if !isEnd, at < text.count, base[at] == UInt8(ascii: "/") {
            isEmpty = true
            at += 1
        }
        guard at < text.count else { throw unexpectedEnd() }
        guard base[at] == UInt8(ascii: ">") else {
            throw failure(expected: "> at the end of <\(isEnd ? "/" : "")\(tag.rawValue)", found: "other text")
        }
        at += 1
        return Element(tag: tag, isEnd: isEnd, isEmpty: isEmpty)
    }

    static func tag(_ name: UnsafePointer<UInt8>, _ length: Int) -> Tag? {
        func matches(_ tag: Tag, _ text: StaticString) -> Tag? {
            for offset in 0..<length where name[offset] != text.utf8Start[offset] { return nil }
            return tag
        }
        switch length {
        case 3: return matches(.key, "key")
        case 4:
            switch name[0] {
            case UInt8(ascii: "d"):
                if name[1] == UInt8(ascii: "i") { return matches(.dict, "dict") }
                return matches(.date, "date") ?? matches(.data, "data")
            case UInt8(ascii: "t"): return matches(.true, "true")
            default: return matches(.real, "real")
            }
        case 5:
            switch name[0] {
            case UInt8(ascii: "a"): return matches(.array, "array")
            case UInt8(ascii: "f"): return matches(.false, "false")
            default: return matches(.plist, "plist")
            }
        case 6: return matches(.string, "string")
        case 7: return matches(.integer, "integer")
        default: return nil
        }
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while at < text.count {
            switch base[at] {
            case 9, 10, 13, 32: at += 1
            default: return
            }
        }
    }

    /// Skips white space, comments and processing instructions, and a document type without declarations.
    mutating func skipMisc(allowsDoctype: Bool) throws(ConfigError) {
        while true {
            skipWhitespace()
            if has("<!--") {
                try skipComment()
            } else if has("<?") {
                guard let end = find("?>", from: at) else {
                    throw failure(reason: "the processing instruction has no end", expected: "?>")
                }
                at = end + 2
            } else if allowsDoctype, has("<!DOCTYPE") {
                try skipDoctype()
            } else if has("<!") {
                throw failure(expected: expectation, found: "a declaration")
            } else {
                return
            }
        }
    }

    mutating func skipDoctype() throws(ConfigError) {
        let start = at
        at += 9
        while at < text.count {
            switch base[at] {
            case UInt8(ascii: ">"):
                at += 1
                return
            case UInt8(ascii: "["):
                throw failure(reason: "declarations inside of <!DOCTYPE> are not read")
            case 34, 39:
                let quote = base[at]
                at += 1
                while at < text.count, base[at] != quote { at += 1 }
                at += 1
            default:
                at += 1
            }
        }
        at = text.count
        throw failure(at: start, reason: "<!DOCTYPE has no end", expected: ">")
    }

    mutating func skipComment() throws(ConfigError) {
        guard let end = find("-->", from: at + 4) else {
            throw failure(reason: "the comment has no end", expected: "-->")
        }
        at = end + 3
    }

    func has(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard at + length <= text.count else { return false }
        for offset in 0..<length where base[at + offset] != literal.utf8Start[offset] { return false }
        return true
    }

    func find(_ literal: StaticString, from start: Int) -> Int? {
        let length = literal.utf8CodeUnitCount
        var found = start
        while found + length <= text.count {
            var offset = 0
            while offset < length, base[found + offset] == literal.utf8Start[offset] { offset += 1 }
            if offset == length { return found }
            found += 1
        }
        return nil
    }
}
