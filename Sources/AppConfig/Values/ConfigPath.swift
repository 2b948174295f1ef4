/// The path of a value in a configuration, such as `"http.timeout"`.
///
/// In text, both `.` and `::` separate keys, `\` escapes the next character, and `[2]` selects an element of an array:
/// `"servers[2].name"`, `"http::timeout"`, `"com\\.acme\\.App.title"`. Keys are case-sensitive. A path from text first
/// matches a literal key of the root, so `"font.title.name"` finds a root key that contains dots. A path from
/// components matches exactly these components.
///
/// Two paths are equal when their components are: `"a.b"` equals `"a::b"` and `ConfigPath([.key("a"), .key("b")])`, but
/// not `ConfigPath([.key("a.b")])`, which prints as `a\.b`.
public struct ConfigPath: Sendable {
    /// One step of a path.
    public enum Component: Hashable, Sendable {
        /// The entry of a dictionary.
        case key(String)
        /// The element of an array, counted from 0.
        case index(Int)
    }

    enum Storage: Sendable {
        case text(String)
        case components([Component])
    }

    let storage: Storage

    /// The path of the whole configuration, with no components.
    public static let root: ConfigPath = ConfigPath([Component]())

    /// Creates a path from text; nothing is parsed until the path is used.
    public init(_ text: String) { storage = .text(text) }

    /// Creates a path of exactly these keys.
    package init(components: [String]) { storage = .components(components.map { .key($0) }) }

    /// Creates a path of exactly these steps, whose keys can contain any characters.
    public init(_ components: [Component]) { storage = .components(components) }

    /// The steps of the path; each call parses the text.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public var components: [Component] {
        switch storage {
        case .text(let text): Self.parse(text)
        case .components(let components): components
        }
    }

    /// Returns the path extended by a key.
    package func appending(_ key: String) -> ConfigPath { ConfigPath(components + [.key(key)]) }

    /// Returns the path extended by the index of an element.
    func appending(index: Int) -> ConfigPath { ConfigPath(components + [.index(index)]) }
}

extension ConfigPath: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a path from text.
    public init(stringLiteral value: String) { self.init(value) }

    /// Whether both paths have the same components.
    public static func == (left: ConfigPath, right: ConfigPath) -> Bool { left.components == right.components }

    /// Feeds the components to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(components) }

    /// The path in its shortest unambiguous form, such as `servers[2].name`.
    public var description: String {
        var bytes: [UInt8] = []
        for (depth, component) in components.enumerated() {
            switch component {
            case .key(let key): Self.append(key: key.utf8, to: &bytes, isFirst: depth == 0)
            case .index(let index): bytes += Array("[\(index)]".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ConfigPath {
    private static let dot = UInt8(ascii: ".")
    private static let colon = UInt8(ascii: ":")
    private static let backslash = UInt8(ascii: "\\")
    private static let bracket = UInt8(ascii: "[")

    /// Whether a byte of a key must be escaped; a key without such bytes is found by its plain text.
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte == dot || byte == backslash || byte == bracket || byte == colon
    }

    /// Appends a key in the form that `parse` reads, after a dot unless it is the first one.
    static func append(key: some Collection<UInt8>, to bytes: inout [UInt8], isFirst: Bool) {
        if !isFirst { bytes.append(dot) }
        for byte in key {
            if needsEscape(byte) { bytes.append(backslash) }
            bytes.append(byte)
        }
    }

    private static func parse(_ text: String) -> [Component] {
        if text.isEmpty { return [] }
        let bytes = Array(text.utf8)
        var components: [Component] = []
        var key: [UInt8] = []
        var expectsKey = true  // false right after "[2]", where a separator is optional
        var at = 0
        func flush() {
            if expectsKey { components.append(.key(String(decoding: key, as: UTF8.self))) }
            key.removeAll(keepingCapacity: true)
        }
        while at < bytes.count {
            let byte = bytes[at]
            let isDouble = byte == colon && at + 1 < bytes.count && bytes[at + 1] == colon
            if byte == backslash, at + 1 < bytes.count {
                expectsKey = true
                key.append(bytes[at + 1])
                at += 2
            } else if byte == dot || isDouble {
                flush()
                expectsKey = true
                at += isDouble ? 2 : 1
            } else if byte == bracket, let (index, next) = parseIndex(bytes, from: at) {
                if !key.isEmpty || (expectsKey && at > 0) { flush() }
                components.append(.index(index))
                expectsKey = false
                at = next
            } else {
                expectsKey = true
                key.append(byte)
                at += 1
            }
        }
        flush()
        return components
    }

    /// Whether a path is before another one: keys in the order of their text, elements in that of their numbers.
    package static func precedes(_ left: ConfigPath, _ right: ConfigPath) -> Bool {
        left.components.lexicographicallyPrecedes(right.components) { one, other in
            switch (one, other) {
            case (.key(let one), .key(let other)): one < other
            case (.index(let one), .index(let other)): one < other
            case (.key, .index): true
            case (.index, .key): false
            }
        }
    }

    private static func parseIndex(_ bytes: [UInt8], from start: Int) -> (index: Int, next: Int)? {
        guard let close = bytes[start...].prefix(11).firstIndex(of: UInt8(ascii: "]")), close > start + 1 else {
            return nil
        }
        var index = 0
        for byte in bytes[(start + 1)..<close] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            index = index * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return (index, close + 1)
    }
}
