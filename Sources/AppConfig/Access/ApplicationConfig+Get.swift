extension ApplicationConfig {
    /// The value at a path, whatever its kind.
    ///
    /// - Complexity: O(*n*) in the number of values below the path.
    public func value(at path: ConfigPath) -> ConfigValue? { place(of: path).map { $0.tree.value(of: $0.node) } }

    /// Reads the value at a path.
    ///
    /// - Throws: ``ConfigError`` with code `missingKey` or `typeMismatch`, which names the file and line, what was
    ///   expected and found, what the value overrides, and for a missing key the nearest one there is.
    public func get<T: ConfigConvertible>(_ path: ConfigPath, as type: T.Type = T.self) throws(ConfigError) -> T {
        guard let place = place(of: path) else { throw missing(path, expected: T.configTypeName) }
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        guard let made = T(configValue: value, coercion: place.snapshot.context.coercion) else {
            throw mismatch(place, path, T.configTypeName)
        }
        return made
    }

    /// The error for a value that is not there.
    func missing(_ path: ConfigPath, expected: String) -> ConfigError {
        ConfigError(
            .missingKey, key: path, expected: expected, found: "nothing",
            hint: ConfigHints.nearest(to: path.description, among: pathsWithSections()).map { "did you mean \($0)?" })
    }

    /// The texts of the paths of all values and of the dictionaries they lie in.
    private func pathsWithSections() -> [String] {
        var known: Set<String> = []
        for path in paths() {
            for length in path.components.indices {
                known.insert(ConfigPath(Array(path.components[...length])).description)
            }
        }
        return known.sorted()
    }

    /// The error for a value of another kind than expected.
    func mismatch(_ place: ConfigPlace, _ path: ConfigPath, _ expected: String, isSecret: Bool = false) -> ConfigError {
        let isSecret = isSecret || place.tree.isSecret(place.node, by: place.snapshot.context.secrets)
        var error = ConfigError(
            .typeMismatch, key: path, origin: place.tree.origin(of: place.node), expected: expected,
            found: ConfigDescription.found(place.node, in: place.tree, isSecret: isSecret))
        if let below = explain(path).shadowed.first {
            error.notes = ["overrides \(isSecret ? ConfigDescription.redacted : below.text) from \(below.origin)"]
        }
        return error
    }
}

/// The text of values in messages, explanations and descriptions: the one place where secrets are held back.
enum ConfigDescription {
    static let redacted = "<redacted>"

    /// Kind and value, such as `string "15x"`; containers and data by their size, secrets by their kind.
    static func found(_ node: Int, in tree: ConfigTree, isSecret: Bool) -> String {
        let kind = tree.kind(of: node)
        if isSecret { return "\(kind.name) \(redacted)" }
        switch kind {
        case .array: return "array of \(tree.count(of: node))"
        case .dictionary: return "dictionary of \(tree.count(of: node))"
        case .null: return "null"
        default: return "\(kind.name) \(text(node, in: tree))"
        }
    }

    /// A scalar as it would be written, texts in quotes and cut at 200 characters.
    static func text(_ number: Int, in tree: ConfigTree) -> String {
        let node = tree.nodes[number]
        switch node.kind {
        case .null: return "null"
        case .boolean: return node.payload != 0 ? "true" : "false"
        case .integer: return String(Int64(bitPattern: node.payload))
        case .unsigned: return String(node.payload)
        case .real: return "\(Double(bitPattern: node.payload))"
        case .string: return quoted(tree.strings[Int(node.payload)])
        case .date: return ConfigDateText.format(secondsSince2001: Double(bitPattern: node.payload))
        case .data: return "<\(tree.blobs[Int(node.payload)].count) bytes>"
        case .array: return "[\(tree.count(of: number)) values]"
        case .dictionary: return "{\(tree.count(of: number)) values}"
        }
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if scalar.value < 32 || scalar.value == 127 {
                    quoted += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + (text.unicodeScalars.count > 200 ? "…\"" : "\"")
    }
}

/// Suggestions for misspelled names.
enum ConfigHints {
    /// The candidate with the fewest edits, if they are at most a third of the name; among equals the first.
    static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        let name = Array(name.lowercased().utf8.prefix(256))
        let limit = max(1, name.count / 3)
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let other = Array(candidate.lowercased().utf8.prefix(256))
            let bound = best.map { $0.distance - 1 } ?? limit
            if bound < 0 || abs(other.count - name.count) > bound { continue }
            if let distance = distance(name, other, atMost: bound) { best = (distance, candidate) }
        }
        return best?.name
    }

    /// Edits between two names (insertion, deletion, replacement, exchange of neighbours); nil if over the bound.
    static func distance(_ left: [UInt8], _ right: [UInt8], atMost bound: Int) -> Int? {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            if let least = current.min(), least > bound { return nil }
            (before, previous) = (previous, current)
        }
        return previous[right.count] <= bound ? previous[right.count] : nil
    }
}
