import Foundation

/// Prints sections of aligned rows within 80 columns, with colors on a terminal.
///
/// `NO_COLOR` turns colors off and `CLICOLOR_FORCE` turns them on, whether or not the output is a terminal.
struct Screen {
    let isColored: Bool

    init(environment: [String: String] = ProcessInfo.processInfo.environment, isTerminal: Bool = isatty(1) == 1) {
        func isOn(_ name: String) -> Bool { !["", "0"].contains(environment[name] ?? "") }
        let isForced = isOn("CLICOLOR_FORCE") || isTerminal && environment["TERM"] != "dumb"
        isColored = isForced && (environment["NO_COLOR"] ?? "").isEmpty
    }

    func heading(_ text: String) { self.text("\n" + text, indent: "", style: "1;36") }
    func quiet(_ text: String) { self.text(text, style: "2") }
    /// Prints an issue that doesn't stop the program.
    func problem(_ text: String) { self.text("problem: " + text, style: "1;33") }

    /// Prints a name, its value and the origin of the value.
    func row(_ name: String, _ value: String, from origin: String = "") {
        let start = name.padded(to: 30) + value
        text(origin.isEmpty ? start : start.padded(to: 50) + "  " + origin)
    }

    /// Prints each line of a text, broken between words where it exceeds the width.
    func text(_ text: String, indent: String = "  ", style: String? = nil) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var (line, isEmpty) = (indent, true)
            for word in part.split(separator: " ", omittingEmptySubsequences: false) {
                if !isEmpty, line.count + word.count > 80 {
                    write(line, style)
                    (line, isEmpty) = (String(repeating: " ", count: 10), true)
                }
                if !(word.isEmpty && isEmpty && line.count == 10) { line += word + " " }
                isEmpty = isEmpty && word.isEmpty
            }
            write(line, style)
        }
    }

    private func write(_ line: String, _ style: String?) {
        let line = line.replacing(#/ +$/#, with: "")
        let painted = style.map { isColored && !line.isEmpty ? "\u{1B}[\($0)m\(line)\u{1B}[0m" : line } ?? line
        // One write per line, so a killed process has printed every line up to its end.
        FileHandle.standardOutput.write(Data((painted + "\n").utf8))
    }
}

extension String {
    /// The text with spaces appended up to a width, at least one.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
