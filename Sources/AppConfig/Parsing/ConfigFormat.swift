internal import AshlarCore

/// The formats of configuration files, recognized by their first bytes.
enum ConfigFormat {
    /// Reads bytes in any of the formats.
    static func read(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigReading {
        if bytes.count > context.limits.bytes {
            throw ConfigError(
                .limitExceeded, origin: ConfigOrigin(name: context.name, file: context.file),
                expected: "at most \(context.limits.bytes) bytes", found: "\(bytes.count)")
        }
        if BinaryPropertyListParser.recognizes(bytes) { return try PropertyListReader.read(bytes, context) }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            guard let utf8 = utf16Text(bytes) else {
                throw ConfigError(
                    .malformedSource, origin: ConfigOrigin(name: context.name, file: context.file),
                    expected: "UTF-16 text, as the byte order mark says",
                    found: bytes.count % 2 == 0 ? "an unpaired surrogate" : "an odd number of bytes")
            }
            return try readText(utf8, context)
        }
        return try readText(bytes, context)
    }

    private static func readText(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigReading
    {
        func failure(at offset: Int, expected: String, found: String) -> ConfigError {
            let lines = ConfigSource.Positions.lines(LineTable(bytes))
            let source = ConfigSource(name: context.name, file: context.file, positions: lines)
            return ConfigError(
                .malformedSource, origin: source.origin(at: UInt32(offset)), expected: expected, found: found)
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

    /// UTF-16 with a byte order mark, as UTF-8.
    private static func utf16Text(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count % 2 == 0 else { return nil }
        let isBig = bytes[0] == 0xFE
        let units = stride(from: 2, to: bytes.count, by: 2).map { at -> UInt16 in
            let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        guard let text = String(validating: units, as: UTF16.self) else { return nil }
        return Array(text.utf8)
    }
}
