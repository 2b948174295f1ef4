/// A format string, parsed: `"%1$@ sent %2$lld files"`.
///
/// The grammar is that of C's `printf` with Foundation's `%@` and the `%#@name@` variables of `.stringsdict` files, or
/// that of Java.
package struct PrintfFormat: Hashable, Sendable {
    package enum Segment: Hashable, Sendable {
        case literal(String)
        case placeholder(Placeholder)
    }

    package let text: String
    /// The problems of the format itself, independent of its arguments.
    package let problems: [MessageProblem]
    package let segments: [Segment]

    /// Parses a format string; every string is valid, and ``problems`` contains its mistakes.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package init(_ text: String, dialect: Dialect = .printf) {
        var parser = PrintfParser(text, dialect: dialect)
        parser.parse()
        self.text = text
        segments = parser.segments
        problems = parser.problems + Self.conflicts(in: parser.segments)
    }

    /// The placeholders in order, without `%%`.
    package var placeholders: [Placeholder] {
        segments.compactMap { segment in
            if case .placeholder(let placeholder) = segment { placeholder } else { nil }
        }
    }

    /// The type of each argument by its position from 1.
    ///
    /// If an argument is used with several types, the value is the first one.
    package var argumentTypes: [Int: PlaceholderType] {
        Dictionary(placeholders.flatMap(\.uses), uniquingKeysWith: { first, _ in first })
    }

    private static func conflicts(in segments: [Segment]) -> [MessageProblem] {
        var types: [Int: PlaceholderType] = [:]
        var problems: [MessageProblem] = []
        for case .placeholder(let placeholder) in segments {
            for (position, type) in placeholder.uses {
                if let earlier = types[position], earlier != type, type != .variable, earlier != .variable {
                    problems.append(
                        MessageProblem(
                            .conflictingTypes, placeholder,
                            "argument \(position) is used as \(earlier) and as \(type)"))
                }
                types[position] = types[position] ?? type
            }
        }
        return problems
    }
}
