import AshlarCore

/// A token of Swift source code, in the detail that the search for keys requires.
struct SwiftToken {
    enum Kind: Equatable {
        case word(String)
        case sign(Character)
        /// The `?` of a choice such as `isOn ? "on" : "off"`, which has spaces around it.
        case choice
        /// A string literal; interpolations are replaced by ``SwiftToken/interpolation``.
        case literal(String, isInterpolated: Bool)
    }

    var kind: Kind
    let offset: Int
    /// The position after the token, after the bracket that matches an opening bracket, or after a literal's
    /// interpolations.
    var next: Int
    /// The positions of the opening parentheses of a literal's interpolations.
    var interpolations: [Int] = []

    static let interpolation: Character = "\u{0}"

    /// The tokens of a source, without comments; the code of interpolations is included.
    static func tokens(of source: String) -> [SwiftToken] {
        var tokenizer = SwiftTokenizer(bytes: Array(source.utf8))
        tokenizer.run()
        return tokenizer.tokens
    }
}

private struct SwiftTokenizer {
    let bytes: [UInt8]
    var tokens: [SwiftToken] = []
    var at = 0
    /// The positions of the brackets that aren't closed yet.
    var open: [Int] = []
    /// The number of interpolations around the token.
    var depth = 0

    private func has(_ text: StaticString, _ offset: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    mutating func run() {
        while at < bytes.count { token() }
        for number in open { tokens[number].next = tokens.count }
    }

    private mutating func add(_ kind: SwiftToken.Kind, at offset: Int) {
        tokens.append(SwiftToken(kind: kind, offset: offset, next: tokens.count + 1))
        guard case .sign(let sign) = kind else { return }
        if "([{".contains(sign) { open.append(tokens.count - 1) }
        if ")]}".contains(sign), let number = open.popLast() { tokens[number].next = tokens.count }
    }

    private mutating func token() {
        let byte = bytes[at]
        if has("//", at) {
            while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
        } else if has("/*", at) {
            comment()
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#") {
            literal()
        } else if isWord(byte) {
            let start = at
            while at < bytes.count, isWord(bytes[at]) { at += 1 }
            add(.word(String(decoding: bytes[start..<at], as: UTF8.self)), at: start)
        } else {
            if byte > UInt8(ascii: " ") {
                func isSpace(_ at: Int) -> Bool { bytes.indices.contains(at) && bytes[at] <= UInt8(ascii: " ") }
                let isChoice = byte == UInt8(ascii: "?") && isSpace(at - 1) && isSpace(at + 1)
                add(isChoice ? .choice : .sign(Character(Unicode.Scalar(byte))), at: at)
            }
            at += 1
        }
    }

    private func isWord(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    /// Skips a comment; comments can be nested.
    private mutating func comment() {
        var depth = 0
        while at < bytes.count {
            if has("/*", at) {
                depth += 1
                at += 2
            } else if has("*/", at) {
                depth -= 1
                at += 2
                if depth == 0 { return }
            } else {
                at += 1
            }
        }
    }

    /// Reads a string literal, including raw and multiline literals.
    private mutating func literal() {
        let start = at
        var hashes = 0
        while at < bytes.count, bytes[at] == UInt8(ascii: "#") {
            hashes += 1
            at += 1
        }
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
            return add(.sign("#"), at: start)
        }
        let isMultiline = has("\"\"\"", at)
        at += isMultiline ? 3 : 1
        let number = tokens.count
        add(.literal("", isInterpolated: true), at: start)
        var text: [UInt8] = []
        // The lines of the source in `text`: an escaped `\n` starts none, and a `\` at the end of a line joins two.
        var lineStarts: [Int] = []
        while at < bytes.count {
            if ends(isMultiline: isMultiline, hashes: hashes) { break }
            if bytes[at] == UInt8(ascii: "\n"), !isMultiline { break }
            if bytes[at] == UInt8(ascii: "\\"), isEscape(hashes) {
                at += 1 + hashes
                if at < bytes.count, bytes[at] == UInt8(ascii: "(") {
                    text += String(SwiftToken.interpolation).utf8
                    tokens[number].interpolations.append(tokens.count)
                    interpolation()
                } else if isMultiline, let next = continuation() {
                    at = next
                    lineStarts.append(text.count)
                } else {
                    escape(&text)
                }
            } else if isMultiline, let next = lineEnd(at) {
                text.append(UInt8(ascii: "\n"))
                at = next
                lineStarts.append(text.count)
            } else {
                text.append(bytes[at])
                at += 1
            }
        }
        let content = isMultiline ? Self.withoutIndent(text, lineStarts) : String(decoding: text, as: UTF8.self)
        tokens[number].kind = .literal(content, isInterpolated: !tokens[number].interpolations.isEmpty)
        tokens[number].next = tokens.count
    }

    private mutating func ends(isMultiline: Bool, hashes: Int) -> Bool {
        guard has(isMultiline ? "\"\"\"" : "\"", at) else { return false }
        let end = at + (isMultiline ? 3 : 1)
        guard bytes[end...].prefix(hashes).count(where: { $0 == UInt8(ascii: "#") }) == hashes else { return false }
        at = end + hashes
        return true
    }

    /// The start of the next line if one ends here; all line ends are `\n` in a literal.
    private func lineEnd(_ start: Int) -> Int? {
        if has("\r\n", start) { return start + 2 }
        return has("\n", start) || has("\r", start) ? start + 1 : nil
    }

    /// The start of the next line if only whitespace remains on this one.
    private func continuation() -> Int? {
        lineEnd(bytes[at...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? bytes.count)
    }

    private func isEscape(_ hashes: Int) -> Bool {
        at + hashes < bytes.count && bytes[(at + 1)..<(at + 1 + hashes)].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    /// Reads the code of an interpolation, whose literals can also be keys.
    private mutating func interpolation() {
        // Valid code isn't nested this deeply; the limit bounds the stack.
        guard depth < 100 else {
            at = bytes.count
            return
        }
        depth += 1
        let outer = open.count
        repeat { token() } while at < bytes.count && open.count > outer
        depth -= 1
    }

    private mutating func escape(_ text: inout [UInt8]) {
        guard at < bytes.count else { return }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "0"): text.append(0)
        case UInt8(ascii: "u"):
            guard at < bytes.count, bytes[at] == UInt8(ascii: "{"),
                let end = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: "}"))
            else { return }
            let digits = String(decoding: bytes[(at + 1)..<end], as: UTF8.self)
            if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
                text += String(Character(scalar)).utf8
            }
            at = end + 1
        default: text.append(byte)
        }
    }

    /// The content of a literal on several lines, without its first and last line end and the indentation of the last line.
    private static func withoutIndent(_ text: [UInt8], _ lineStarts: [Int]) -> String {
        guard let last = lineStarts.last else { return String(decoding: text, as: UTF8.self) }
        let indent = text[last...].count
        var content: [UInt8] = []
        for (start, end) in zip(lineStarts, lineStarts.dropFirst()) {
            let spaces = text[start..<end].prefix(indent).prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .count
            content += text[(start + spaces)..<end]
        }
        // The last line ends before the closing quotes, unless it is joined with the line before.
        if last > 0, text[last - 1] == UInt8(ascii: "\n"), content.last == UInt8(ascii: "\n") { content.removeLast() }
        return String(decoding: content, as: UTF8.self)
    }
}
