// The text of an element.
extension XMLPropertyListParser {
    /// Reads the text and the end tag; text without references isn't copied.
    mutating func readText(of element: Element) throws(PropertyListError) -> ArraySlice<UInt8> {
        if element.isEmpty { return [] }
        let first = at
        let last = endOfPlainText()
        at = last
        if last + 1 < bytes.count, bytes[last] == UInt8(ascii: "<"), bytes[last + 1] == UInt8(ascii: "/") {
            try expectEnd(of: element.tag)
            return bytes[first..<last]
        }
        try decodeText(from: first)
        try expectEnd(of: element.tag)
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
                if byte < 32, byte != 10, byte != 9 { break }
            }
            end += 1
        }
        return end
    }

    /// Copies the text to `decoded`, with references and CDATA sections resolved and comments removed.
    private mutating func decodeText(from first: Int) throws(PropertyListError) {
        decoded.removeAll(keepingCapacity: true)
        decoded.append(contentsOf: bytes[first..<at])
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "&") {
                try decodeReference()
            } else if byte == UInt8(ascii: "<") {
                if has("<![CDATA[") {
                    try decodeCDATA()
                } else if has("<!--") {
                    try skipComment()
                } else {
                    return
                }
            } else {
                try checkControl(byte)
                decoded.append(byte)
                at += 1
            }
        }
    }

    private mutating func decodeCDATA() throws(PropertyListError) {
        guard let end = find("]]>", from: at + 9) else { throw failure(reason: "unterminated CDATA section") }
        at += 9
        while at < end {
            try checkControl(bytes[at])
            decoded.append(bytes[at])
            at += 1
        }
        at += 3
    }

    private func checkControl(_ byte: UInt8) throws(PropertyListError) {
        if byte < 32, byte != 9, byte != 10, byte != 13 {
            throw failure(reason: "control character 0x\(String(byte, radix: 16)) is not allowed in XML")
        }
    }

    private mutating func decodeReference() throws(PropertyListError) {
        let expected = "a character reference such as &amp;"
        guard let semicolon = bytes[at..<min(bytes.count, at + 12)].firstIndex(of: UInt8(ascii: ";")) else {
            throw failure(expected: expected, found: "&")
        }
        let name = String(decoding: bytes[(at + 1)..<semicolon], as: UTF8.self)
        guard let character = Self.character(name) else { throw failure(expected: expected, found: "&\(name);") }
        decoded.append(contentsOf: character.utf8)
        at = semicolon + 1
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
            guard let value, value >= 32 || value == 9 || value == 10 || value == 13, value != 0xFFFE, value != 0xFFFF
            else { return nil }
            return Unicode.Scalar(value).map(Character.init)
        }
    }
}
