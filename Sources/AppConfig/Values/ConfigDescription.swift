internal import AshlarCore
internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of values in messages, explanations and descriptions, without secrets.
enum ConfigDescription {
    static let redacted = SecretNames.placeholder
    /// The number of characters of a string in a line.
    static let longestText = 200

    /// Returns the type and the value, such as `string "15x"`; for containers and data the size, for secrets only the
    /// type.
    static func found(_ node: ConfigNode, isSecret: Bool) -> String {
        if isSecret { return "\(node.kind.name) \(redacted)" }
        switch node {
        case .array(let elements, _): return "array of \(elements.count)"
        case .dictionary(let members, _): return "dictionary of \(members.count)"
        case .removed, .scalar(.null, _): return "null"
        case .scalar(let value, _): return "\(value.kindName) \(text(value))"
        }
    }

    static func text(_ node: ConfigNode) -> String {
        switch node {
        case .scalar(let value, _): text(value)
        case .array(let elements, _): "[\(elements.count) values]"
        case .dictionary(let members, _): "{\(members.count) values}"
        case .removed: "null"
        }
    }

    /// Returns a value as it would be written; strings are quoted and truncated to 200 characters, containers have only
    /// their size.
    static func text(_ value: ConfigValue) -> String {
        switch value {
        case .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .unsigned(let number): String(number)
        case .real(let number): "\(number)"
        case .string(let text): printable(text)
        case .date(let date):
            ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate)
        case .data(let data): "<\(data.count) bytes>"
        case .array(let elements): "[\(elements.count) values]"
        case .dictionary(let entries): "{\(entries.count) values}"
        }
    }

    /// Returns a string in quotes, truncated to 200 characters, without credentials in URLs.
    static func printable(_ text: String) -> String {
        let text = SecretText.redacted(text)
        let shown = text.unicodeScalars.prefix(longestText)
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
