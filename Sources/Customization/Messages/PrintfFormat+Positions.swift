extension PrintfFormat {
    /// The text with the position of every placeholder written out: `"%@ of %d"` gives `"%1$@ of %2$d"`.
    ///
    /// The result formats the same values to the same text, except that a placeholder without a value stays with its
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
    /// The placeholder with an explicit position.
    package func text(at position: Int) -> String {
        if let variable { return "%\(position)$#@\(variable)@" }
        let letters = ["-": Flags.left, "+": .plus, " ": .space, "0": .zero, "#": .alternate]
        // `#` has no meaning for an object, and `#@` would start a variable.
        let written = conversion == "@" ? self.flags.subtracting(.alternate) : self.flags
        let flags = letters.filter { written.contains($0.value) }.keys.sorted().joined()
        var text = "%\(position)$" + flags + Self.text(of: width)
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
    /// The text as a format of itself: every `%` is doubled.
    package var doublingPercents: String {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.flatMap { $0 == "%" ? [$0, $0] : [$0] }))
    }
}
