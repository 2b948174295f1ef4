import AshlarCustomization

/// Placeholders between `printf` with `%@` and `java.util.Formatter`.
enum AndroidFormat {
    /// A text for `java.util.Formatter`; a text without placeholders stays as it is.
    ///
    /// With two placeholders and more all have positions, as aapt2 demands.
    static func java(_ text: String) -> String {
        let format = CustomizationFormat(text)
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

    /// The text of a `java.util.Formatter` text: `%s` becomes `%@`, all else is the same in `printf`.
    static func printf(_ text: String) -> String {
        let format = CustomizationFormat(text)
        guard !format.placeholders.isEmpty else { return text }
        return format.segments.reduce(into: "") { result, segment in
            switch segment {
            case .literal(let literal): result += literal.doublingPercents
            case .placeholder(let placeholder):
                result += placeholder.type.kind == .string ? placeholder.text.dropLast() + "@" : placeholder.text
            }
        }
    }

    /// Whether aapt2 must be told that the percent signs of a text are no format.
    static func isUnformatted(_ text: String) -> Bool {
        let format = CustomizationFormat(text)
        let unknown = format.problems.count { $0.code == .unknownConversion }
        let isPositional = unknown == 0 && format.placeholders.allSatisfy(\.isPositional)
        return format.placeholders.count + unknown > 1 && !isPositional
    }

    /// Flags, width, precision and conversion, without what Java's formatter refuses.
    private static func java(_ placeholder: CustomizationFormat.Placeholder) -> String {
        var allowed: CustomizationFormat.Placeholder.Flags
        var precision = placeholder.precision
        let conversion: Character
        switch placeholder.type.kind {
        case .object, .string, .pointer, .variable: (conversion, allowed) = ("s", [.left])
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
        var text = ""
        for (flag, letter) in [
            (CustomizationFormat.Placeholder.Flags.left, "-"), (.plus, "+"), (.space, " "), (.zero, "0"),
            (.alternate, "#"),
        ] where flags.contains(flag) {
            text += letter
        }
        text += digits
        if case .fixed(let count) = precision { text += ".\(count)" }
        return text + String(conversion)
    }
}
