internal import AshlarCore

/// A variable and its location: the environment, or a line of an `.env` file.
struct ConfigVariable: Sendable {
    var text: String
    var location: ConfigLocation
}

/// Reads `.env` files: lines `NAME=value` with `export`, comments, and quotes, as in shells.
///
/// Text in single quotes is literal. Text in double quotes can contain line breaks and the escapes `\n`, `\r`, `\t`,
/// `\"`, `\\`, and `\$`. Unquoted text ends at a `#` after whitespace. Variables inside text aren't replaced.
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
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return plainValue() }
        let start = at
        at += 1
        var text: [UInt8] = []
        while at < bytes.count, bytes[at] != quote {
            if quote == UInt8(ascii: "\""), bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count,
                let escaped = Self.escapes[bytes[at + 1]]
            {
                text.append(escaped)
                at += 2
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

    private mutating func plainValue() -> String {
        let start = at
        var end = at
        while at < bytes.count, !Self.isLineEnd(bytes[at]) {
            if bytes[at] == UInt8(ascii: "#"), at == start || Self.isBlank(bytes[at - 1]) { break }
            at += 1
            if !Self.isBlank(bytes[at - 1]) { end = at }
        }
        skip { !Self.isLineEnd($0) }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): UInt8(ascii: "\n"), UInt8(ascii: "r"): UInt8(ascii: "\r"),
        UInt8(ascii: "t"): UInt8(ascii: "\t"), UInt8(ascii: "\""): UInt8(ascii: "\""),
        UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "$"): UInt8(ascii: "$"),
    ]

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
