internal import AshlarTrees

/// A format of configuration files.
///
/// Property lists and JSON are recognized by their contents. A plan assigns other formats to extensions:
///
/// ```swift
/// /// Lines such as `http.timeout = 30`.
/// struct LinesFormat: ConfigFormat {
///     func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
///         var document = ConfigDocument()
///         let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
///         for (number, line) in lines.enumerated() where !line.isEmpty {
///             guard let equals = line.firstIndex(of: "=") else {
///                 throw ConfigError.malformed("expected key = value", line: number + 1)
///             }
///             let key = String(line[..<equals].filter { $0 != " " })
///             try document.set(.string(String(line[equals...].dropFirst(2))), at: ConfigPath(key), line: number + 1)
///         }
///         return document
///     }
/// }
///
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.lines": "http.timeout = 30"]))
/// plan.formats["lines"] = LinesFormat()
/// print(try ApplicationConfig.load(plan).int(forKey: "http.timeout") ?? 10)  // 30
/// ```
public protocol ConfigFormat: Sendable {
    /// Reads the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file, at most `limits.bytes` bytes.
    ///   - limits: The limits of the document.
    /// - Returns: The values of the file.
    /// - Throws: ``ConfigError``, such as ``ConfigError/malformed(_:line:column:)``, or any other error. The loader
    ///   adds the file's name.
    func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument
}

extension ConfigError {
    /// Creates an error with a position in a file; the loader adds the file's name.
    public static func malformed(_ reason: String, line: Int = 0, column: Int = 0) -> ConfigError {
        ConfigError(.malformedSource, location: ConfigLocation(file: "", line: line, column: column), reason: reason)
    }

    /// Returns the error of a format or a source, with its file.
    package static func reading(_ error: any Error, of file: ConfigLocation, _ code: Code = .malformedSource)
        -> ConfigError
    {
        guard var found = error as? ConfigError else {
            // The description of another type's error may quote a secret.
            var wrapped = ConfigError(code, location: file, reason: "the source can't be read")
            wrapped.underlying = error
            return wrapped
        }
        found.location = (found.location ?? ConfigLocation(file: "")).placed(in: file)
        return found
    }
}

/// The values of a file or a source, each with its position.
///
/// ```swift
/// var document = ConfigDocument()
/// try document.set(30, at: "http.timeout", line: 3)
/// try document.set(["a", "b"], at: "http.hosts", line: 4)
/// ```
public struct ConfigDocument: Sendable, CustomReflectable {
    private enum Contents {
        case assignments(ConfigAssignments)
        case tree(ConfigTree)
    }

    private var contents: Contents
    /// Whether strings are literal; otherwise `${…}` in them is a reference.
    public var isLiteral: Bool = false

    /// Creates a document of values without positions; by default, an empty one.
    public init(_ values: [String: ConfigValue] = [:]) {
        let source = ConfigTreeSource(whole: ConfigLocation(file: ""), positions: .none)
        contents = .tree(ConfigTree(root: PlacedValue(values), source: source))
    }

    init(_ tree: ConfigTree) { contents = .tree(tree) }

    /// Sets the value at a path; a later value replaces an earlier one at, above, or below its path.
    ///
    /// - Parameters:
    ///   - value: The value; `null` removes the key from weaker layers.
    ///   - path: The path, which starts with a key.
    ///   - line: The line of the value, from 1, or 0 if unknown.
    ///   - column: The column of the value in UTF-8 bytes, from 1, or 0 if unknown.
    ///   - isSecret: Whether the value, and every value that is built from it, is never printed.
    /// - Throws: ``ConfigError`` if the path doesn't start with a key or has more than 100 steps, or if an index is beyond
    ///   the end of an array.
    public mutating func set(
        _ value: ConfigValue, at path: ConfigPath, line: Int = 0, column: Int = 0, isSecret: Bool = false
    ) throws(ConfigError) {
        try set(value, at: path, from: ConfigLocation(file: "", line: line, column: column), isSecret: isSecret)
    }

    /// Sets the value at a path, with the location that explanations name.
    package mutating func set(
        _ value: ConfigValue, at path: ConfigPath, from place: ConfigLocation, isSecret: Bool = false
    ) throws(ConfigError) {
        let steps = path.components
        guard steps.first?.key != nil else {
            throw ConfigError(
                .malformedSource, key: path, location: place, expected: "a path that begins with a key",
                found: "another path")
        }
        if steps.count > ConfigLimits.deepest {
            throw ConfigError(
                .limitExceeded, location: place, expected: "a path of at most \(ConfigLimits.deepest) steps",
                found: "\(steps.count)")
        }
        var assignments = takeAssignments()
        defer { contents = .assignments(assignments) }
        try assignments.set(value, at: steps, from: place, isSecret: isSecret)
    }

    /// Removes the assignments from the document, so that they can be changed in place.
    private mutating func takeAssignments() -> ConfigAssignments {
        defer { contents = .assignments(ConfigAssignments()) }
        return switch contents {
        case .assignments(let assignments): assignments
        case .tree(let tree): ConfigAssignments(tree)
        }
    }

    /// A mirror without values, which can be secret.
    public var customMirror: Mirror { Mirror(self, children: ["isLiteral": isLiteral], displayStyle: .struct) }

    /// Returns the values as a tree with locations in a file.
    func tree(of file: ConfigLocation) -> ConfigTree {
        var tree =
            switch contents {
            case .assignments(let assignments): assignments.tree(of: file)
            case .tree(let tree): tree
            }
        tree.source = tree.source.placed(in: file)
        tree.source.isLiteral = isLiteral
        return tree
    }
}

/// JSON with `//` and `/* */` comments.
///
/// ```swift
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{\"port\": 80, /* the default */}"]))
/// plan.formats["json"] = JSONWithCommentsFormat()
/// print(try ApplicationConfig.load(plan).int(forKey: "port") ?? 0)  // 80
/// ```
public struct JSONWithCommentsFormat: ConfigFormat {
    /// Creates the format.
    public init() {}

    /// Reads the bytes of a file.
    public func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
        let context = ConfigReaderContext(location: ConfigLocation(file: ""), limits: limits, allowsComments: true)
        return ConfigDocument(try FormatRecognition.json(bytes, context))
    }
}

/// The limits beyond which a source is rejected with an error.
public struct ConfigLimits: Sendable, Hashable {
    /// The maximum nesting of dictionaries and arrays, by default and at most 100.
    ///
    /// Reading a file of this depth uses less than a half of the 512 KB that a secondary thread of Apple's systems has.
    public var depth: Int = ConfigLimits.deepest { didSet { depth = min(max(depth, 1), Self.deepest) } }
    /// The maximum number of bytes in one file, 64 MiB by default and at most 1 GiB.
    public var bytes: Int = 64 << 20 { didSet { bytes = min(max(bytes, 1), 1 << 30) } }
    /// The maximum number of values in one configuration, 4,000,000 by default, including each use of a shared object.
    public var values: Int = 4_000_000 { didSet { values = min(max(values, 1), 1 << 27) } }
    /// The maximum number of bytes to which `${…}` expands one value, 1 MiB by default.
    package var expandedValueBytes: Int = 1 << 20
    /// The maximum number of bytes to which `${…}` expands all values, 16 MiB by default.
    package var expandedTotalBytes: Int = 16 << 20

    /// The maximum nesting of every configuration, whose tree is read and freed with recursion.
    static let deepest = PlacedValue.deepest

    package init() {}
}
