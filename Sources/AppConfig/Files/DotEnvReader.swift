internal import AshlarCore

/// A variable and its location: the environment, or a line of an `.env` file.
struct ConfigVariable: Sendable {
    var text: String
    var location: ConfigLocation
}

/// Reads `.env` files: lines `NAME=value` with `export`, comments, and quotes.
///
/// The libraries dotenv of Node and python-dotenv read some texts differently, such as `a#b`, escapes, and backticks. This
/// reader refuses these texts, so that a value is the same everywhere. Variables inside text aren't replaced.
struct DotEnvReader {
    private let bytes: [UInt8]
    private let lines: LineTable
    private let file: ConfigLocation
    private var at = 0

    static func read(_ bytes: [UInt8], _ file: ConfigLocation) throws(ConfigError) -> [String: ConfigVariable] {
        var reader = DotEnvReader(bytes: bytes, lines: LineTable(bytes), file: file)
        if let bad = UTF8Validation.firstInvalid(in: bytes) {
            throw reader.failure(at: bad, expected: "UTF-8 text", found: "byte 0x\(String(bytes[bad], radix: 16))")
        }
        return try reader.variables()
    }

    private init(bytes: [UInt8], lines: LineTable, file: ConfigLocation) {
        self.bytes = bytes
        self.lines = lines
        self.file = file
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    private mutating func variables() throws(ConfigError) -> [String: ConfigVariable] {
        var variables: [String: ConfigVariable] = [:]
        while true {
            skip { Self.isBlank($0) || Self.isLineEnd($0) }
            guard at < bytes.count else { return variables }
            if bytes[at] == UInt8(ascii: "#") {
                skip { !Self.isLineEnd($0) }
                continue
            }
            var start = at
            var name = word()
            if name == "export", at < bytes.count, Self.isBlank(bytes[at]) {
                skip(Self.isBlank)
                start = at
                name = word()
            }
            skip(Self.isBlank)
            guard !name.isEmpty, at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
                throw failure(at: start, expected: "NAME=value", found: "other text")
            }
            at += 1
            skip(Self.isBlank)
            let place = location(at: start)
            variables[name] = ConfigVariable(text: try value(), location: place)
        }
    }

    private mutating func word() -> String {
        let start = at
        skip { $0.isLetter || $0.isDigit || "_.-".utf8.contains($0) }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func value() throws(ConfigError) -> String {
        guard at < bytes.count else { return "" }
        let quote = bytes[at]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return try plainValue() }
        let start = at
        at += 1
        var text: [UInt8] = []
        while at < bytes.count, bytes[at] != quote {
            if bytes[at] == UInt8(ascii: "\\") {
                text += try escape(in: quote)
            } else if bytes[at] == UInt8(ascii: "\r") {
                // A line break is one line feed in every file.
                if at + 1 == bytes.count || bytes[at + 1] != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
                at += 1
            } else {
                text.append(bytes[at])
                at += 1
            }
        }
        guard at < bytes.count else {
            throw failure(at: start, expected: "a closing quote", found: "the end of the file")
        }
        at += 1
        skip(Self.isBlank)
        if at < bytes.count, bytes[at] == UInt8(ascii: "#") { skip { !Self.isLineEnd($0) } }
        guard at == bytes.count || Self.isLineEnd(bytes[at]) else {
            throw failure(at: at, expected: "the end of the line", found: "more text after the closing quote")
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a backslash and the character after it, which only `\n` and `\r` in double quotes replace.
    private mutating func escape(in quote: UInt8) throws(ConfigError) -> [UInt8] {
        let next = at + 1 < bytes.count ? bytes[at + 1] : 0
        let isDouble = quote == UInt8(ascii: "\"")
        if (isDouble ? "\\'\"abftv" : "\\'").utf8.contains(next) {
            throw failure(
                at: at, expected: "text that all readers of .env files read alike",
                found: "the escape \\\(Character(Unicode.Scalar(next)))")
        }
        if isDouble, next == UInt8(ascii: "n") || next == UInt8(ascii: "r") {
            at += 2
            return [next == UInt8(ascii: "n") ? UInt8(ascii: "\n") : UInt8(ascii: "\r")]
        }
        at += 1
        return [UInt8(ascii: "\\")]
    }

    /// Reads a value without quotes: a comment starts at a `#` after text and whitespace.
    private mutating func plainValue() throws(ConfigError) -> String {
        let start = at
        var end = at
        while at < bytes.count, !Self.isLineEnd(bytes[at]) {
            if bytes[at] == UInt8(ascii: "#") {
                if at > start, Self.isBlank(bytes[at - 1]) { break }
                throw failure(at: at, expected: "a value in quotes", found: "a # without text and a space before it")
            }
            at += 1
            if !Self.isBlank(bytes[at - 1]) { end = at }
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        let isOdd = text.unicodeScalars.contains { scalar in
            scalar.value < 32 && scalar != "\t" || scalar.value > 127 && scalar.properties.isWhitespace
                || scalar == "\u{FEFF}"
        }
        if text.hasPrefix("`") || isOdd {
            throw failure(
                at: start, expected: "a value in quotes", found: isOdd ? "unusual whitespace" : "a value in backticks")
        }
        skip { !Self.isLineEnd($0) }
        return text
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while at < bytes.count, isSkipped(bytes[at]) { at += 1 }
    }

    private func location(at offset: Int) -> ConfigLocation {
        ConfigTreeSource(whole: file, positions: .lines(lines)).location(at: UInt32(offset))
    }

    private func failure(at offset: Int, expected: String, found: String) -> ConfigError {
        ConfigError(.malformedSource, location: location(at: offset), expected: expected, found: found)
    }
}
