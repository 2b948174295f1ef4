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
        case reading(ConfigReading)
    }

    private var contents: Contents
    /// Whether strings are literal; otherwise `${…}` in them is a reference.
    public var isLiteral: Bool = false

    /// Creates an empty document.
    public init() { contents = .assignments(ConfigAssignments()) }

    /// Creates a document of values without positions.
    public init(_ values: [String: ConfigValue]) {
        var assignments = ConfigAssignments()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            assignments.set(value, at: key, from: ConfigLocation(file: ""))
        }
        contents = .assignments(assignments)
    }

    init(_ reading: ConfigReading) { contents = .reading(reading) }

    /// Sets the value at a path; a later value replaces an earlier one at, above, or below its path.
    ///
    /// - Parameters:
    ///   - value: The value; `null` removes the key from weaker layers.
    ///   - path: The path, which starts with a key.
    ///   - line: The line of the value, from 1, or 0 if unknown.
    ///   - column: The column of the value in UTF-8 bytes, from 1, or 0 if unknown.
    /// - Throws: ``ConfigError`` if the path doesn't start with a key, or if an index is beyond the end of an array.
    public mutating func set(
        _ value: ConfigValue, at path: ConfigPath, line: Int = 0, column: Int = 0
    ) throws(ConfigError) {
        let place = ConfigLocation(file: "", line: line, column: column)
        let steps = path.components
        guard steps.first?.key != nil else {
            throw ConfigError(
                .malformedSource, key: path, location: place, expected: "a path that begins with a key",
                found: "another path")
        }
        var assignments = takeAssignments()
        defer { contents = .assignments(assignments) }
        try assignments.set(value, at: steps, from: place)
    }

    /// Removes the assignments from the document, so that they can be changed in place.
    private mutating func takeAssignments() -> ConfigAssignments {
        defer { contents = .assignments(ConfigAssignments()) }
        switch contents {
        case .assignments(let assignments): return assignments
        case .reading(let reading):
            var assignments = ConfigAssignments()
            for child in reading.tree.children(of: 0) {
                let tree = reading.tree
                assignments.set(tree.value(of: child), at: tree.key(of: child), from: tree.location(of: child))
            }
            return assignments
        }
    }

    /// A mirror without values, which can be secret.
    public var customMirror: Mirror { Mirror(self, children: ["isLiteral": isLiteral], displayStyle: .struct) }

    /// Returns the values as a tree with locations in a file.
    func reading(of file: ConfigLocation) -> ConfigReading {
        switch contents {
        case .assignments(let assignments):
            return ConfigReading(tree: assignments.tree(of: file, isLiteral: isLiteral).placed(in: file))
        case .reading(let reading):
            return ConfigReading(
                tree: isLiteral ? reading.tree.placed(in: file).literal() : reading.tree.placed(in: file),
                diagnostics: reading.diagnostics)
        }
    }
}
