internal import AshlarCore
internal import AshlarTrees

/// The name, limits, and rules with which a file is read.
struct ConfigReaderContext: Sendable {
    /// The location of the whole file.
    var location: ConfigLocation
    var limits = ConfigLimits()
    /// Whether comments are permitted in JSON.
    var allowsComments = false

    /// Throws if a file is too large.
    func checkSize(_ bytes: [UInt8]) throws(ConfigError) {
        guard bytes.count > limits.bytes else { return }
        throw ConfigError(
            .limitExceeded, location: location, expected: "at most \(limits.bytes) bytes", found: "\(bytes.count)")
    }
}

extension ConfigPath {
    /// Creates the path of a value in a parsed document; nil for its root.
    init?(_ steps: [TreeStep]) {
        if steps.isEmpty { return nil }
        self.init(
            steps.map { step -> Component in
                switch step {
                case .key(let key): .key(key)
                case .index(let index): .index(index)
                }
            })
    }
}

/// Recognizes the format of a configuration file by its first bytes.
enum FormatRecognition {
    /// Reads bytes in any supported format.
    static func read(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigTree {
        try context.checkSize(bytes)
        if BinaryPropertyListParser.recognizes(bytes) { return try PropertyListReader.read(bytes, context) }
        if let isBigEndian = utf16ByteOrder(of: bytes) {
            return try readText(try utf8(fromUTF16: bytes, isBigEndian: isBigEndian, context), context)
        }
        return try readText(bytes, context)
    }

    private static func readText(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigTree {
        func failure(at offset: Int, expected: String, found: String) -> ConfigError {
            let lines = ConfigTreeSource.Positions.lines(LineTable(bytes))
            let source = ConfigTreeSource(whole: context.location, positions: lines)
            return ConfigError(
                .malformedSource, location: source.location(at: UInt32(offset)), expected: expected, found: found)
        }
        var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while at < bytes.count, [9, 10, 13, 32].contains(bytes[at]) { at += 1 }
        let expected = "a property list (XML or binary) or a JSON object"
        guard at < bytes.count else {
            throw failure(at: at, expected: expected, found: bytes.isEmpty ? "an empty file" : "a blank file")
        }
        switch bytes[at] {
        case UInt8(ascii: "<"): return try PropertyListReader.read(bytes, context)
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): return try JSONReader.read(bytes, context)
        default:
            if let bad = UTF8Validation.firstInvalid(in: bytes) {
                throw failure(at: bad, expected: "UTF-8 text", found: "byte 0x\(String(bytes[bad], radix: 16))")
            }
            throw failure(
                at: at, expected: expected, found: "text that is neither (OpenStep property lists are not supported)")
        }
    }

    /// Whether text is UTF-16 and its byte order, by the byte order mark or by a zero byte next to a first ASCII
    /// character.
    private static func utf16ByteOrder(of bytes: [UInt8]) -> Bool? {
        guard bytes.count >= 2 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF): return true
        case (0xFF, 0xFE): return false
        case (0, 1..<0x80): return true
        case (1..<0x80, 0): return false
        default: return nil
        }
    }

    private static func utf8(
        fromUTF16 bytes: [UInt8], isBigEndian: Bool, _ context: ConfigReaderContext
    ) throws(ConfigError) -> [UInt8] {
        let start = bytes[0] >= 0xFE ? 2 : 0
        let text = UTF16Text.utf8(from: bytes, startingAt: start, isBigEndian: isBigEndian)
        guard let end = text.unpaired.first ?? (bytes.count % 2 == 0 ? nil : text.utf8.count) else { return text.utf8 }
        let (line, column) = LineTable(text.utf8).position(of: end)
        let unitsBefore = String(decoding: text.utf8[..<end], as: UTF8.self).utf16.count
        throw ConfigError(
            .malformedSource,
            location: ConfigLocation(
                file: context.location.file, line: line, column: column, offset: start + 2 * unitsBefore,
                name: context.location.name),
            expected: "UTF-16 text", found: text.unpaired.isEmpty ? "an odd number of bytes" : "an unpaired surrogate")
    }
}
