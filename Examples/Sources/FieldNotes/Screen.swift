import Foundation

/// Prints sections of aligned rows within 80 columns, with colors on a terminal.
///
/// `NO_COLOR` turns colors off and `CLICOLOR_FORCE` turns them on, whether or not the output is a terminal.
struct Screen {
    let isColored: Bool
    private static let columns = 80

    init(environment: [String: String] = ProcessInfo.processInfo.environment, isTerminal: Bool = isatty(1) == 1) {
        func isOn(_ name: String) -> Bool { !["", "0"].contains(environment[name] ?? "") }
        let isForced = isOn("CLICOLOR_FORCE") || isTerminal && environment["TERM"] != "dumb"
        isColored = isForced && (environment["NO_COLOR"] ?? "").isEmpty
    }

    func title(_ text: String) { lines(text, indent: "", "1") }
    func heading(_ text: String) { lines("\n" + text, indent: "", "1;36") }
    func text(_ text: String) { lines(text) }
    func quiet(_ text: String) { lines(text, "2") }
    /// Prints an issue that doesn't stop the program.
    func problem(_ text: String) { lines("problem: " + text, "1;33") }

    /// Prints a name, its value and, dimmed, the origin of the value.
    func row(_ name: String, _ value: String, from origin: String = "") {
        let start = name.padded(to: 30) + value
        let whole = origin.isEmpty ? start : start.padded(to: 50) + "  " + origin
        if whole.count + 2 <= Self.columns {
            write("  " + start + paint(String(whole.dropFirst(start.count)), "2"))
        } else {
            lines(start)
            if !origin.isEmpty { lines(origin, indent: "          ", "2") }
        }
    }

    /// Prints each line of a text, broken between words where it exceeds the width.
    private func lines(_ text: String, indent: String = "  ", _ code: String? = nil) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var (line, start) = (indent, indent)
            for word in part.split(separator: " ", omittingEmptySubsequences: false) {
                if line.count > start.count, line.count + word.count > Self.columns {
                    write(paint(String(line.dropLast()), code))
                    start = String(repeating: " ", count: 10)
                    line = start
                }
                line += word + " "
            }
            write(line.allSatisfy { $0 == " " } ? "" : paint(String(line.dropLast()), code))
        }
    }

    private func paint(_ text: String, _ code: String?) -> String {
        code.map { isColored ? "\u{1B}[\($0)m\(text)\u{1B}[0m" : text } ?? text
    }

    private func write(_ line: String) {
        // One write per line, so a killed process has printed every line up to its end.
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

extension String {
    /// The text with spaces appended up to a width, at least one.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
