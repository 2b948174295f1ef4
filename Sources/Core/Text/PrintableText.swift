extension Unicode.Scalar {
    /// Whether the character ends a line, controls a terminal or changes the order in which text is shown: a control
    /// character other than a tab, a line or paragraph separator, or a character with the property Bidi_Control.
    package var forgesText: Bool {
        switch value {
        case 0x09: false
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension StringProtocol {
    /// The text with line ends, control characters and bidirectional controls as escapes, such as `\n` and `\u{202E}`.
    ///
    /// Names and texts of files can contain them, to forge a line of a report or to hide a part of it.
    package var onOneLine: String {
        guard unicodeScalars.contains(where: \.forgesText) else { return String(self) }
        return unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.forgesText else { return result.unicodeScalars.append(scalar) }
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case ..<"\u{80}": result += "\\x" + scalar.value.digits(2, radix: 16, uppercase: true)
            default: result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
    }
}
