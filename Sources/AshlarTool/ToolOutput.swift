/// The output of a command: results go to standard output, errors and warnings to standard error.
struct ToolOutput {
    private let out: (String) -> Void
    private let error: (String) -> Void
    private let isTerminal: Bool

    init(isTerminal: Bool, out: @escaping (String) -> Void, error: @escaping (String) -> Void) {
        (self.isTerminal, self.out, self.error) = (isTerminal, out, error)
    }

    /// Prints a result with its control characters escaped, so that text of a file can't control the terminal.
    func line(_ text: String) { out(Self.escapingControls(text)) }

    /// Prints a result without changes.
    func raw(_ text: String) { out(text) }

    /// Prints the text of a file as it is, but with its control characters escaped on a terminal.
    func document(_ text: String) {
        let lines = text.hasSuffix("\n") ? String(text.dropLast()) : text
        if isTerminal { line(lines) } else { raw(lines) }
    }

    /// Prints an error or a warning.
    func problem(_ text: String) { error(Self.escapingControls(text)) }

    /// Writes control characters other than line feed and tab as `\x1B` or `\u{9B}`.
    static func escapingControls(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard isControl(scalar) else { return result.unicodeScalars.append(scalar) }
            let hex = String(scalar.value, radix: 16, uppercase: true)
            result += scalar.value < 0x80 ? "\\x" + (hex.count < 2 ? "0" : "") + hex : "\\u{\(hex)}"
        }
    }
}

/// Aligns columns; each column except the last is as wide as its widest cell.
func aligned(_ rows: [[String]]) -> [String] {
    var widths: [Int] = []
    for row in rows {
        for (column, cell) in row.enumerated() {
            if column == widths.count { widths.append(0) }
            widths[column] = max(widths[column], cell.count)
        }
    }
    return rows.map { row in
        let cells = row.enumerated().map { column, cell in
            column < row.count - 1 ? cell + String(repeating: " ", count: widths[column] - cell.count) : cell
        }
        return cells.joined(separator: "  ")
    }
}
