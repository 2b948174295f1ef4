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
