extension PrintfFormat {
    /// The notation of a format string.
    package enum Dialect: Sendable {
        /// C's `printf` with Foundation's `%@` and `%#@name@`.
        case printf
        /// `java.util.Formatter`, as in Android's resources: `%1$s`, `%,d`, `%tB`, `%<s`, `%n`.
        case java

        /// The flag for a character: empty if it has no effect, nil if the character isn't a flag.
        func flag(_ character: UInt8) -> Placeholder.Flags? {
            switch Unicode.Scalar(character) {
            case "-": .left
            case "+": .plus
            case " ": .space
            case "0": .zero
            case "#": .alternate
            case "'" where self == .printf: []  // Grouping depends on a locale.
            case "," where self == .java: .grouping
            case "(" where self == .java: .parentheses
            case "<" where self == .java: .previous
            default: nil
            }
        }

        /// The type of a conversion; nil if it is unknown or does not take the flags.
        func type(of conversion: UInt8, length: String, flags: Placeholder.Flags) -> PlaceholderType? {
            switch self {
            case .printf: Self.printfType(of: Unicode.Scalar(conversion), length: length)
            case .java: Self.javaType(of: Unicode.Scalar(conversion), flags: flags.subtracting(.previous))
            }
        }

        private static func printfType(of conversion: Unicode.Scalar, length: String) -> PlaceholderType? {
            let kind: PlaceholderType.Kind
            switch conversion {
            case "@": kind = .object
            case "d", "i": kind = .integer
            case "D": return PlaceholderType(kind: .integer, length: "l")
            case "u", "x", "X", "o": kind = .unsigned
            case "U", "O": return PlaceholderType(kind: .unsigned, length: "l")
            case "f", "F", "e", "E", "g", "G", "a", "A": kind = .float
            case "c", "C": kind = .character
            case "s", "S": kind = .string
            case "p": kind = .pointer
            default: return nil
            }
            return PlaceholderType(kind: kind, length: length == "q" ? "ll" : length)
        }

        private static func javaType(of conversion: Unicode.Scalar, flags: Placeholder.Flags) -> PlaceholderType? {
            let signs: Placeholder.Flags = [.left, .plus, .space, .zero]
            let (kind, allowed): (PlaceholderType.Kind, Placeholder.Flags)
            switch conversion {
            case "s", "S": (kind, allowed) = (.object, [.left, .alternate])
            case "b", "B", "h", "H": (kind, allowed) = (.object, .left)
            case "t", "T": (kind, allowed) = (.date, .left)
            case "c", "C": (kind, allowed) = (.character, .left)
            case "d": (kind, allowed) = (.integer, signs.union([.grouping, .parentheses]))
            case "o", "x", "X": (kind, allowed) = (.unsigned, [.left, .alternate, .zero])
            case "e", "E": (kind, allowed) = (.float, signs.union([.alternate, .parentheses]))
            case "f": (kind, allowed) = (.float, signs.union([.alternate, .grouping, .parentheses]))
            case "g", "G": (kind, allowed) = (.float, signs.union([.grouping, .parentheses]))
            case "a", "A": (kind, allowed) = (.float, [.left, .plus, .zero, .alternate])
            case "n": (kind, allowed) = (.lineEnd, [])
            default: return nil
            }
            return flags.isSubset(of: allowed) ? PlaceholderType(kind: kind, length: "") : nil
        }
    }
}
