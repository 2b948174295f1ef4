internal import AshlarCore
internal import AshlarTrees

/// The text of values in messages, explanations and descriptions, without secrets.
enum ConfigDescription {
    static let redacted = SecretNames.placeholder

    /// Returns the type and the value, such as `string "15x"`; for containers and data the size, for secrets only the
    /// type.
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

    /// Returns a scalar as it would be written; strings are quoted and truncated to 200 characters.
    static func text(_ number: Int, in tree: ConfigTree) -> String {
        let node = tree.nodes[number]
        switch node.kind {
        case .null: return "null"
        case .boolean: return node.payload != 0 ? "true" : "false"
        case .integer: return String(Int64(bitPattern: node.payload))
        case .unsigned: return String(node.payload)
        case .real: return "\(Double(bitPattern: node.payload))"
        case .string: return printable(tree.strings[Int(node.payload)])
        case .date: return ConfigDateText.format(secondsSince2001: Double(bitPattern: node.payload))
        case .data: return "<\(tree.blobs[Int(node.payload)].count) bytes>"
        case .array: return "[\(tree.count(of: number)) values]"
        case .dictionary: return "{\(tree.count(of: number)) values}"
        }
    }

    /// Returns a string in quotes, truncated to 200 characters, without credentials in URLs.
    static func printable(_ text: String) -> String {
        let text = SecretText.redacted(text)
        let shown = text.unicodeScalars.prefix(200)
        return JSONText.quoted(shown.endIndex == text.endIndex ? text : String(shown) + "…")
    }
}

/// Formats dates.
package enum ConfigDateText {
    /// Returns `YYYY-MM-DDThh:mm:ssZ`, with milliseconds if they aren't zero.
    package static func format(secondsSince2001 seconds: Double) -> String {
        RFC3339.format(secondsSince2001: seconds) ?? "\(seconds)"
    }
}

/// Suggestions for misspelled names.
package enum NearestName {
    /// Returns the candidate with the fewest edits, the first of several, or nil if the edits exceed a third of the
    /// name.
    ///
    /// Edits are insertions, deletions, replacements and exchanges of adjacent characters, regardless of case.
    ///
    /// - Complexity: O(*n* · *m*) in the length of the name and of all candidates.
    package static func find(_ name: String, among candidates: some Sequence<String>) -> String? {
        let name = Array(name.lowercased().utf8.prefix(256))
        var bound = max(1, name.count / 3)
        var nearest: String?
        for candidate in candidates where bound >= 0 {
            let other = Array(candidate.lowercased().utf8.prefix(256))
            guard abs(other.count - name.count) <= bound, let distance = distance(name, other, atMost: bound)
            else { continue }
            nearest = candidate
            bound = distance - 1
        }
        return nearest
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8], atMost bound: Int) -> Int? {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            if let least = current.min(), least > bound { return nil }
            before = previous
            previous = current
        }
        return previous[right.count] <= bound ? previous[right.count] : nil
    }
}
