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

/// The values of one source and their places.
struct ConfigTree: Sendable {
    var root: PlacedValue
    var source: ConfigTreeSource

    func location(of value: PlacedValue) -> ConfigLocation { source.location(at: value.place) }

    /// Returns an error with the location of a value.
    func error(
        _ code: ConfigError.Code, at place: UInt32, _ path: [ConfigPath.Component] = [], expected: String,
        found: String? = nil
    ) -> ConfigError {
        ConfigError(
            code, key: path.isEmpty ? nil : ConfigPath(path), location: source.location(at: place), expected: expected,
            found: found)
    }

    /// Throws if a value exceeds the limits, or if a configuration can't contain it.
    func check(_ limits: ConfigLimits) throws(ConfigError) {
        var count = 0
        var path: [ConfigPath.Component] = []
        try check(root, &path, limits, &count)
    }

    private func check(
        _ value: PlacedValue, _ path: inout [ConfigPath.Component], _ limits: ConfigLimits, _ count: inout Int
    ) throws(ConfigError) {
        count += 1
        if count > limits.values {
            throw error(.limitExceeded, at: value.place, expected: "at most \(limits.values) values")
        }
        switch value.content {
        case .array(let elements):
            try checkDepth(path, limits, value)
            for (index, element) in elements.enumerated() {
                path.append(.index(index))
                try check(element, &path, limits, &count)
                path.removeLast()
            }
        case .dictionary(let members):
            try checkDepth(path, limits, value)
            for member in members {
                if member.key.utf8.count > Self.longestKey {
                    throw error(.limitExceeded, at: member.place, expected: "a key of at most \(Self.longestKey) bytes")
                }
                path.append(.key(member.key))
                try check(member.value, &path, limits, &count)
                path.removeLast()
            }
        case .unsupported(let found, let expected):
            throw error(.malformedSource, at: value.place, path, expected: expected, found: found)
        default: break
        }
    }

    private func checkDepth(
        _ path: [ConfigPath.Component], _ limits: ConfigLimits, _ value: PlacedValue
    ) throws(ConfigError) {
        if path.count < limits.depth { return }
        throw error(.limitExceeded, at: value.place, expected: "at most \(limits.depth) nested dictionaries and arrays")
    }

    private static let longestKey = 65_535
}

/// Reads property lists and JSON, which are recognized by their first bytes.
///
/// JSON is stricter than RFC 8259: integers must fit into 64 bits, other numbers must be finite, and keys must be unique.
enum FormatRecognition {
    /// Reads bytes in any supported format.
    static func read(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigTree {
        try context.checkSize(bytes)
        if BinaryPropertyListParser.recognizes(bytes) { return try propertyList(bytes, context, isBinary: true) }
        if let isBigEndian = utf16ByteOrder(of: bytes) {
            return try readText(try utf8(fromUTF16: bytes, isBigEndian: isBigEndian, context), context)
        }
        return try readText(bytes, context)
    }

    private static func readText(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigTree {
        func failure(at offset: Int, expected: String, found: String) -> ConfigError {
            let source = ConfigTreeSource(whole: context.location, positions: .lines(LineTable(bytes)))
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
        case UInt8(ascii: "<"): return try propertyList(bytes, context, isBinary: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): return try json(bytes, context)
        default:
            if let bad = UTF8Validation.firstInvalid(in: bytes) {
                throw failure(at: bad, expected: "UTF-8 text", found: "byte 0x\(String(bytes[bad], radix: 16))")
            }
            throw failure(
                at: at, expected: expected, found: "text that is neither (OpenStep property lists are not supported)")
        }
    }

    /// Reads a JSON object.
    static func json(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError)
        -> ConfigTree
    {
        let source = ConfigTreeSource(whole: context.location, positions: .lines(LineTable(bytes)))
        let options = JSONDocument.Options(
            depth: context.limits.depth, rejectsDuplicateKeys: true, allowsComments: context.allowsComments)
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(bytes, options: options)
        } catch {
            let location = source.location(at: UInt32(error.offset))
            if error.kind == .depth {
                throw ConfigError(
                    .limitExceeded, location: location,
                    expected: "at most \(context.limits.depth) nested dictionaries and arrays")
            }
            let code: ConfigError.Code =
                switch error.kind {
                case .size: .limitExceeded
                case .duplicateKey: .duplicateKey
                default: .malformedSource
                }
            throw ConfigError(code, key: ConfigPath(error.steps), location: location, reason: error.message)
        }
        return try tree(PlacedValue(document), source, context, expected: "an object as the root")
    }

    /// Reads a binary property list, or an XML one in UTF-8.
    private static func propertyList(
        _ bytes: [UInt8], _ context: ConfigReaderContext, isBinary: Bool
    ) throws(ConfigError) -> ConfigTree {
        let limits = PropertyListLimits(
            depth: context.limits.depth, values: context.limits.values, keyBytes: max(context.limits.bytes, 1 << 16))
        let document: PropertyListDocument
        do throws(PropertyListError) {
            document =
                isBinary
                ? try BinaryPropertyListParser.parse(bytes, limits: limits)
                : try XMLPropertyListParser.parse(bytes, limits: limits)
        } catch {
            throw ConfigError(
                error.code == .malformed ? .malformedSource : .limitExceeded, key: ConfigPath(error.path),
                location: ConfigLocation(
                    file: context.location.file, line: error.line ?? 0, column: error.column ?? 0, offset: error.offset,
                    name: context.location.name),
                reason: error.reason, expected: error.expected, found: error.found)
        }
        let source = ConfigTreeSource(
            whole: context.location, positions: isBinary ? .offsets : .lines(LineTable(bytes)))
        let tree = try tree(PlacedValue(document), source, context, expected: "a dictionary as the root")
        if let twin = document.duplicates.first {
            let first = source.location(at: document.nodes[twin.earlier].keyPosition)
            throw ConfigError(
                .duplicateKey, key: ConfigPath(document.path(of: twin.later)),
                location: source.location(at: document.nodes[twin.later].keyPosition), reason: "duplicate key",
                notes: ["first defined at \(first)"])
        }
        return tree
    }

    private static func tree(
        _ root: PlacedValue, _ source: ConfigTreeSource, _ context: ConfigReaderContext, expected: String
    ) throws(ConfigError) -> ConfigTree {
        let tree = ConfigTree(root: root, source: source)
        guard case .dictionary = root.content else {
            throw tree.error(.malformedSource, at: root.place, expected: expected, found: root.phrase)
        }
        try tree.check(context.limits)
        return tree
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

extension PropertyListDocument {
    /// Returns the steps from the root to a node.
    fileprivate func path(of target: Int) -> [ConfigPath.Component] {
        var components: [ConfigPath.Component] = []
        var node = 0
        while node != target {
            for (index, child) in children(of: node).enumerated() where target < Int(nodes[child].end) {
                components.append(nodes[node].kind == .array ? .index(index) : .key(key(of: child)))
                node = child
                break
            }
        }
        return components
    }
}
