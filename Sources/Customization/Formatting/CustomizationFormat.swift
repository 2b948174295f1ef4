/// A format string of `.strings` files, parsed: `"%1$@ sent %2$lld files"`.
///
/// The grammar is that of C's `printf` with Foundation's `%@` and the `%#@name@` variables of `.stringsdict` files.
/// Formatting takes typed values instead of C arguments, so a text whose placeholders do not fit the values cannot crash:
/// the output shows the values that fit, and ``Output/problems`` lists the rest. Numbers have no locale: ASCII digits, `.` before decimals, no grouping.
///
/// ```swift
/// let format = CustomizationFormat("%1$@ sent %2$lld files (%3$.1f MB)")
/// print(format.placeholders.map(\.text))  // ["%1$@", "%2$lld", "%3$.1f"]
/// print(format.formatted("Zoë", 3, 1.25).text)  // Zoë sent 3 files (1.2 MB)
/// print(CustomizationFormat("%@: %d%%").formatted("Battery").text)  // Battery: %d%
/// ```
///
/// It differs from `printf` where that is unsafe or surprising: integers are never truncated to the size in the format, `%n`
/// is unknown, widths and precisions count characters, and `%f` takes whole numbers too.
public struct CustomizationFormat: Hashable, Sendable {
    /// A piece of the text.
    package enum Segment: Hashable, Sendable {
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The format string.
    public let text: String
    /// The problems of the format itself, independent of its arguments.
    public let problems: [Problem]
    package let segments: [Segment]

    /// Parses a format string; every text is valid, with its mistakes in ``problems``.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ text: String) {
        var parser = FormatParser(text)
        parser.parse()
        self.text = text
        segments = parser.segments
        problems = parser.problems + Self.conflicts(in: parser.segments)
    }

    /// The placeholders in the order of the text; `%%` is not one.
    public var placeholders: [Placeholder] {
        segments.compactMap { segment in
            if case .placeholder(let placeholder) = segment { placeholder } else { nil }
        }
    }

    /// The type of each argument that the text uses, by its position from 1.
    ///
    /// If an argument is used as several types, this is the first one.
    public var argumentTypes: [Int: PlaceholderType] {
        Dictionary(placeholders.flatMap(\.uses), uniquingKeysWith: { first, _ in first })
    }

    private static func conflicts(in segments: [Segment]) -> [Problem] {
        var types: [Int: PlaceholderType] = [:]
        var problems: [Problem] = []
        for case .placeholder(let placeholder) in segments {
            for (position, type) in placeholder.uses {
                if let earlier = types[position], earlier != type, type != .variable, earlier != .variable {
                    problems.append(
                        Problem(
                            .conflictingTypes, placeholder,
                            "argument \(position) is used as \(earlier) and as \(type)"))
                }
                types[position] = types[position] ?? type
            }
        }
        return problems
    }
}
