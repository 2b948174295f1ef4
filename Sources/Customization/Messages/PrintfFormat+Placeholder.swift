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
            /// Java's `,`: the digits are grouped.
            package static let grouping = Flags(rawValue: 32)
            /// Java's `(`: negative numbers are in parentheses.
            package static let parentheses = Flags(rawValue: 64)
            /// Java's `<`: the argument is that of the placeholder before.
            package static let previous = Flags(rawValue: 128)

            /// The flags that the notations have in common, as text.
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
        /// The position of its argument, from 1; 0 for Java's `%n`, which has none.
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

        /// Whether it could be a position without its `$`: `%1d`, but not `%02d` or `%2.1f`.
        package var isNearlyPositional: Bool {
            guard !isPositional, flags.isEmpty, precision == .none, case .fixed(let width) = width else { return false }
            return (1...9).contains(width)
        }

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
            /// A date in Java: `%tB`.
            case date
            /// The end of a line in Java: `%n`.
            case lineEnd
        }

        package let kind: Kind
        /// The length modifier, such as `"ll"`; empty if there is none.
        package let length: String

        package static let int = PlaceholderType(kind: .integer, length: "")
        static let variable = PlaceholderType(kind: .variable, length: "")

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
