internal import AshlarCore
import AshlarCustomization

/// Converts placeholders between `printf` with `%@` and `java.util.Formatter`.
enum AndroidFormat {
    // MARK: To Java

    /// Returns the string for `java.util.Formatter`; a string without placeholders isn't changed.
    ///
    /// If there are several placeholders, all get positions, because aapt2 requires that.
    static func java(_ text: String) -> String {
        let format = PrintfFormat(text)
        let placeholders = format.placeholders
        guard placeholders.allSatisfy({ $0.variable == nil }), !placeholders.allSatisfy(\.isAccidental)
        else { return text }
        let isNumbered = placeholders.count > 1 || placeholders[0].isPositional
        return format.segments.reduce(into: "") { result, segment in
            switch segment {
            case .literal(let literal): result += literal.doublingPercents
            case .placeholder(let placeholder):
                result += "%" + (isNumbered ? "\(placeholder.position)$" : "") + java(placeholder)
            }
        }
    }

    /// Returns flags, width, precision and conversion, without those that Java's formatter rejects.
    private static func java(_ placeholder: PrintfFormat.Placeholder) -> String {
        var allowed: PrintfFormat.Placeholder.Flags
        var precision = placeholder.precision
        let conversion: Character
        switch placeholder.type.kind {
        case .object, .string, .pointer, .variable, .date, .lineEnd: (conversion, allowed) = ("s", [.left])
        case .character: (conversion, allowed, precision) = ("c", [.left], .none)
        case .integer: (conversion, allowed, precision) = ("d", [.left, .plus, .space, .zero], .none)
        case .unsigned:
            switch placeholder.conversion {
            case "x", "X": (conversion, allowed) = (placeholder.conversion, [.left, .zero, .alternate])
            case "o", "O": (conversion, allowed) = ("o", [.left, .zero, .alternate])
            default: (conversion, allowed) = ("d", [.left, .zero])
            }
            precision = .none
        case .float:
            conversion = placeholder.conversion == "F" ? "f" : placeholder.conversion
            allowed = [.left, .plus, .space, .zero]
        }
        var flags = placeholder.flags.intersection(allowed)
        var digits = ""
        if case .fixed(let width) = placeholder.width, width > 0 {
            digits = String(width)
        } else {
            flags.subtract([.left, .zero])
        }
        if flags.contains(.left) { flags.remove(.zero) }
        if flags.contains(.plus) { flags.remove(.space) }
        var text = flags.letters + digits
        if case .fixed(let count) = precision { text += ".\(count)" }
        return text + String(conversion)
    }

    /// Whether aapt2 requires `formatted="false"`, according to its own rules for placeholders.
    static func isUnformatted(_ text: String) -> Bool {
        if text.utf8.count(where: { $0 == UInt8(ascii: "%") }) < 2 { return false }
        let text = text.replacing("%%", with: "\0").replacing("%n", with: "\0")
        let placeholders = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().filter {
            !$0.isEmpty
        }
        let hasPositions = placeholders.allSatisfy { text in
            let digits = text.utf8.prefix { $0.isDigit }
            return !digits.isEmpty && text.utf8.dropFirst(digits.count).first == UInt8(ascii: "$")
        }
        return !hasPositions && placeholders.count > 1
    }

    // MARK: From Java

    /// Returns the `printf` form of a string for `java.util.Formatter`, and the placeholders that only Java supports.
    ///
    /// `%s` becomes `%@`. Flags and conversions that `printf` lacks are omitted: `%,d` becomes `%d`, `%tB` becomes
    /// `%@`.
    static func printf(_ text: String) -> (text: String, losses: [String]) {
        let format = PrintfFormat(text, dialect: .java)
        let placeholders = format.placeholders
        guard !placeholders.isEmpty else { return (text, []) }
        let isNumbered = placeholders.contains(where: \.isPositional)
        var losses: [String] = []
        let result = format.segments.reduce(into: "") { result, segment in
            switch segment {
            case .literal(let literal): result += literal.doublingPercents
            case .placeholder(let placeholder):
                let (written, isSame) = printf(placeholder)
                if !isSame { losses.append(placeholder.text) }
                result +=
                    placeholder.position == 0 ? written : "%" + (isNumbered ? "\(placeholder.position)$" : "") + written
            }
        }
        return (result, losses)
    }

    /// The placeholder without its percent sign and position, and whether it prints the same.
    private static func printf(_ placeholder: PrintfFormat.Placeholder) -> (text: String, isSame: Bool) {
        var (conversion, isSame) = (placeholder.conversion, true)
        switch conversion {
        case "n": return ("\n", true)
        case "s": conversion = "@"
        case "S", "b", "B", "h", "H", "t", "T", "C": (conversion, isSame) = ("@", false)
        default: break
        }
        // `%#@` would begin a plural variable.
        let known: PrintfFormat.Placeholder.Flags =
            conversion == "@" ? .left : [.left, .alternate, .plus, .space, .zero]
        let flags = placeholder.flags.subtracting(.previous)
        isSame = isSame && flags.isSubset(of: known)
        var text = flags.intersection(known).letters
        if case .fixed(let width) = placeholder.width { text += String(width) }
        if case .fixed(let count) = placeholder.precision { text += ".\(count)" }
        return (text + String(conversion), isSame)
    }
}
