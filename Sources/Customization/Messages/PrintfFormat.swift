/// A format string, parsed: `"%1$@ sent %2$lld files"`.
///
/// The grammar is that of C's `printf` with Foundation's `%@` and the `%#@name@` variables of `.stringsdict` files.
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
    package init(_ text: String) {
        var parser = PrintfParser(text)
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

    /// Returns the names of the variables in texts, such as `files` in `%#@files@`, sorted.
    static func variables(in texts: [String]) -> [String] {
        let formats = texts.filter { $0.utf8.contains(UInt8(ascii: "#")) }.map { PrintfFormat($0) }
        return Set(formats.flatMap(\.placeholders).compactMap(\.variable)).sorted()
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

extension PrintfFormat {
    /// The format with explicit positions: `"%1$@ of %2$d"` for `"%@ of %d"`.
    ///
    /// The result formats values in the same way, except that a placeholder without a value is displayed with its
    /// position. A `%` without a placeholder becomes `%%`.
    package var positional: String {
        segments.reduce(into: "") { text, segment in
            switch segment {
            case .literal(let literal): text += literal.doublingPercents
            case .placeholder(let placeholder): text += placeholder.text(at: placeholder.position)
            }
        }
    }
}

extension PrintfFormat.Placeholder {
    /// Returns the placeholder with an explicit position.
    package func text(at position: Int) -> String {
        if let variable { return "%\(position)$#@\(variable)@" }
        // `#` has no meaning for an object, and `#@` would start a variable.
        let written = conversion == "@" ? flags.subtracting(.alternate) : flags
        var text = "%\(position)$" + written.letters + Self.text(of: width)
        if precision != .none { text += "." + Self.text(of: precision) }
        return text + type.length + String(conversion)
    }

    private static func text(of count: Count) -> String {
        switch count {
        case .none: ""
        case .fixed(let digits): String(digits)
        case .argument(let position): "*\(position)$"
        }
    }
}

extension String {
    /// The text as a format: every `%` is doubled.
    package var doublingPercents: String {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.flatMap { $0 == "%" ? [$0, $0] : [$0] }))
    }
}

extension PrintfFormat {
    /// A placeholder of a format string, such as `%2$-8.3f`.
    package struct Placeholder: Hashable, Sendable {
        /// A width or a precision.
        package enum Count: Hashable, Sendable {
            case none
            case fixed(Int)
            /// `*` or `*2$`: the argument at this position.
            case argument(Int)
        }

        package struct Flags: OptionSet, Hashable, Sendable {
            package let rawValue: UInt8
            package init(rawValue: UInt8) { self.rawValue = rawValue }
            package static let left = Flags(rawValue: 1)
            package static let plus = Flags(rawValue: 2)
            package static let space = Flags(rawValue: 4)
            package static let zero = Flags(rawValue: 8)
            package static let alternate = Flags(rawValue: 16)

            /// Creates the flag of a character: empty if it has no effect, nil if the character isn't a flag.
            init?(character: UInt8) {
                switch Unicode.Scalar(character) {
                case "-": self = .left
                case "+": self = .plus
                case " ": self = .space
                case "0": self = .zero
                case "#": self = .alternate
                case "'": self = []  // Grouping depends on a locale.
                default: return nil
                }
            }

            /// The flags as text.
            package var letters: String {
                let letters: [(Flags, String)] = [
                    (.left, "-"), (.alternate, "#"), (.plus, "+"), (.space, " "), (.zero, "0"),
                ]
                return letters.filter { contains($0.0) }.map(\.1).joined()
            }
        }

        package let text: String
        /// The offset in the format's UTF-8.
        package let offset: Int
        /// The position of its argument, from 1.
        package let position: Int
        /// Whether the position is explicit, as in `%1$@`.
        package let isPositional: Bool
        /// The required type of the argument.
        package let type: PlaceholderType
        /// The name in `%#@name@`.
        package let variable: String?
        /// The conversion letter, such as `d`; `@` for a variable.
        package let conversion: Character
        package let flags: Flags
        package let width: Count
        package let precision: Count

        /// Whether it is probably not intended as a placeholder: `% o` in "50% of all".
        package var isAccidental: Bool { text.utf8.count == 3 && text.hasPrefix("% ") }

        /// The arguments that it uses: those of `*`, then its own argument.
        package var uses: [(Int, PlaceholderType)] {
            var uses: [(Int, PlaceholderType)] = []
            for case .argument(let position) in [width, precision] { uses.append((position, .int)) }
            return uses + [(position, type)]
        }
    }

    /// The type of a placeholder: the kind of value and the length modifier.
    package struct PlaceholderType: Hashable, Sendable, CustomStringConvertible {
        package enum Kind: String, Hashable, Sendable {
            /// Any value: `%@`.
            case object
            /// A signed integer: `%d`, `%i`.
            case integer
            /// An unsigned integer: `%u`, `%x`, `%o`.
            case unsigned
            /// A floating-point number: `%f`, `%e`, `%g`, `%a`.
            case float
            /// One character: `%c`, `%C`.
            case character
            /// A string: `%s`, `%S`.
            case string
            /// An address: `%p`.
            case pointer
            /// A plural variable: `%#@name@`.
            case variable
        }

        package let kind: Kind
        /// The length modifier, such as `"ll"`; empty if there is none.
        package let length: String

        package static let int = PlaceholderType(kind: .integer, length: "")
        static let variable = PlaceholderType(kind: .variable, length: "")

        init(kind: Kind, length: String) {
            self.kind = kind
            self.length = length
        }

        /// Creates the type of a conversion; nil if it is unknown.
        init?(conversion: UInt8, length: String) {
            switch Unicode.Scalar(conversion) {
            case "@": kind = .object
            case "d", "i", "D": kind = .integer
            case "u", "x", "X", "o", "U", "O": kind = .unsigned
            case "f", "F", "e", "E", "g", "G", "a", "A": kind = .float
            case "c", "C": kind = .character
            case "s", "S": kind = .string
            case "p": kind = .pointer
            default: return nil
            }
            let isLong = [UInt8(ascii: "D"), UInt8(ascii: "U"), UInt8(ascii: "O")].contains(conversion)
            self.length = isLong ? "l" : length == "q" ? "ll" : length
        }

        /// The kind and the length modifier, such as `"integer (ll)"`.
        package var description: String {
            length.isEmpty ? kind.rawValue : "\(kind.rawValue) (\(length))"
        }
    }
}

extension MessageProblem {
    init(_ code: CustomizationDiagnostic.Code, _ placeholder: PrintfFormat.Placeholder, _ message: String) {
        self.init(code, placeholder: placeholder.text, offset: placeholder.offset, message)
    }
}
