import AshlarCore

/// The output of a command: results go to standard output, errors and warnings to standard error.
struct ToolOutput: Sendable {
    private let out: @Sendable (String) -> Void
    private let error: @Sendable (String) -> Void
    private let isTerminal: Bool

    init(isTerminal: Bool, out: @escaping @Sendable (String) -> Void, error: @escaping @Sendable (String) -> Void) {
        (self.isTerminal, self.out, self.error) = (isTerminal, out, error)
    }

    /// Prints a line of a result; characters of a name or text that would end the line, control the terminal or change
    /// the reading order are escaped.
    func line(_ text: String) { out(text.onOneLine) }

    /// Prints a result whose line feeds are its own; text of files in it has no line feeds.
    func lines(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { self.line(String(line)) }
    }

    /// Prints a result without changes.
    func raw(_ text: String) { out(text) }

    /// Prints the text of a file as it is, but escaped on a terminal.
    func document(_ text: String) {
        // Swift has one character for CR LF.
        let text = text.utf8.last == UInt8(ascii: "\n") ? String(text.unicodeScalars.dropLast()) : text
        if isTerminal { lines(text) } else { raw(text) }
    }

    /// Prints an error or a warning in one line, escaped like a line of a result.
    func problem(_ text: String) { error(text.onOneLine) }

    /// Prints an error that has a line for each of several problems.
    func problems(_ text: String) { for line in text.split(separator: "\n") { problem(String(line)) } }
}

/// Aligns columns; each column except the last is as wide as its widest cell of at most `limit` characters.
func aligned(_ rows: [[String]], limit: Int = .max) -> [String] {
    var widths: [Int] = []
    for row in rows {
        for (column, cell) in row.enumerated() {
            if column == widths.count { widths.append(0) }
            let count = cell.count
            if count <= limit { widths[column] = max(widths[column], count) }
        }
    }
    return rows.map { row in
        let cells = row.enumerated().map { column, cell in
            column < row.count - 1 ? cell + String(repeating: " ", count: max(widths[column] - cell.count, 0)) : cell
        }
        return cells.joined(separator: "  ")
    }
}
