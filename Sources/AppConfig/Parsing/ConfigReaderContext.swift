internal import AshlarCore

/// What every reader of a file needs to know besides the bytes, and the way it reports what is wrong with them.
struct ConfigReaderContext: Sendable {
    /// What a key that stands twice in one dictionary means.
    enum Duplicates: Sendable {
        case error
        case lastWins
    }

    var name: String
    var file: String?
    var limits = ConfigLimits()
    var duplicates = Duplicates.error

    /// A failure at a byte offset of a text.
    func failure(
        _ code: ConfigError.Code = .malformedSource, at offset: Int, of text: UnsafeBufferPointer<UInt8>,
        key: ConfigPath? = nil, reason: String? = nil, expected: String? = nil, found: String? = nil,
        notes: [String] = []
    ) -> ConfigError {
        let lines = ConfigSource.Positions.lines(LineTable(Array(text)))
        let origin = ConfigSource(name: name, file: file, positions: lines).origin(at: UInt32(offset))
        return ConfigError(
            code, key: key.flatMap { $0.components.isEmpty ? nil : $0 }, origin: origin, reason: reason,
            expected: expected, found: found, notes: notes)
    }

    func source(_ text: UnsafeBufferPointer<UInt8>) -> ConfigSource {
        ConfigSource(name: name, file: file, positions: .lines(LineTable(Array(text))))
    }

    /// Looks for equal keys in the innermost open dictionary before it is closed; the source is made only if needed.
    ///
    /// - Throws: A `duplicateKey` error, unless the later of two keys wins.
    func checkDuplicates(
        in builder: inout ConfigTreeBuilder, _ diagnostics: inout [ConfigDiagnostic], source: () -> ConfigSource
    ) throws(ConfigError) {
        let twins = builder.findDuplicates()
        if twins.isEmpty { return }
        let source = source()
        for twin in twins {
            let first = source.origin(at: builder.keyPosition(of: twin.first))
            let second = source.origin(at: builder.keyPosition(of: twin.second))
            let key = builder.path(ofChild: twin.second)
            diagnostics.append(try duplicate(key, first: first, second: second))
            builder.supersede(twin.first)
        }
    }

    /// The diagnostic for a repeated key.
    ///
    /// - Throws: A `duplicateKey` error, unless the last of several entries wins.
    func duplicate(
        _ key: ConfigPath, first: ConfigOrigin, second: ConfigOrigin
    ) throws(ConfigError) -> ConfigDiagnostic {
        if duplicates == .error {
            throw ConfigError(
                .duplicateKey, key: key, origin: second, reason: "duplicate key", notes: ["first defined at \(first)"])
        }
        return ConfigDiagnostic(
            .duplicateKey, key: key, origin: second,
            message: "duplicate key, first defined at \(first); the last value wins")
    }
}

/// What a reader hands on: the tree and what it has to say about it.
struct ConfigReading: Sendable {
    var tree: ConfigTree
    var diagnostics: [ConfigDiagnostic] = []
}

/// The formats a configuration file can have, told from the first bytes and never guessed.
enum ConfigFormat: Sendable {
    case xml
    case binary
    case json

    /// Reads bytes in whatever format they are.
    static func read(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigReading {
        if bytes.count > context.limits.bytes {
            throw ConfigError(
                .limitExceeded, origin: ConfigOrigin(name: context.name, file: context.file),
                expected: "at most \(context.limits.bytes) bytes", found: "\(bytes.count)")
        }
        if bytes.starts(with: Array("bplist".utf8)) {
            return try PropertyListReader.read(bytes, context)
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            guard let utf8 = utf16Text(bytes) else {
                throw ConfigError(
                    .malformedSource, origin: ConfigOrigin(name: context.name, file: context.file),
                    expected: "UTF-16 text, as the byte order mark says",
                    found: bytes.count % 2 == 0 ? "half of a surrogate pair" : "an odd number of bytes")
            }
            return try readText(utf8, context)
        }
        return try readText(bytes, context)
    }

    private static func readText(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigReading
    {
        try bytes.withUnsafeBufferPointer { (text) throws(ConfigError) in
            if let bad = UTF8Validation.firstInvalid(in: bytes) {
                throw context.failure(
                    at: bad, of: text, expected: "UTF-8 text", found: "byte 0x\(String(text[bad], radix: 16))")
            }
            var at = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            while at < text.count, [9, 10, 13, 32].contains(text[at]) { at += 1 }
            let expected = "a property list (XML or binary) or a JSON object"
            guard at < text.count else {
                throw context.failure(
                    at: at, of: text, expected: expected, found: text.isEmpty ? "an empty file" : "a blank file")
            }
            switch text[at] {
            case UInt8(ascii: "<"):
                return try PropertyListReader.read(bytes, context)
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
                var reader = JSONConfigReader(text, context)
                return try reader.read()
            default:
                throw context.failure(
                    at: at, of: text, expected: expected,
                    found: "text that is neither (OpenStep property lists are not read)")
            }
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
