import Foundation

/// Prints sections of aligned rows within 80 columns, with colors on a terminal.
///
/// `NO_COLOR` turns colors off and `CLICOLOR_FORCE` turns them on, whether or not the output is a terminal.
final class Screen: Sendable {
    let isColoured: Bool
    private static let columns = 80
    /// The indentation of a continuation line.
    static let continuation = String(repeating: " ", count: 10)

    init(environment: [String: String] = ProcessInfo.processInfo.environment, isTerminal: Bool = isatty(1) == 1) {
        if environment["NO_COLOR"].map({ !$0.isEmpty }) == true {
            isColoured = false
        } else if environment["CLICOLOR_FORCE"].map({ $0 != "0" && !$0.isEmpty }) == true {
            isColoured = true
        } else {
            isColoured = isTerminal && environment["TERM"] != "dumb"
        }
    }

    func title(_ text: String) { lines(text, indent: "", "1") }

    func heading(_ text: String) {
        write("")
        lines(text, indent: "", "1;36")
    }

    /// Prints a name, its value and, dimmed, the origin of the value.
    func row(_ name: String, _ value: String, from origin: String = "") {
        let start = name.padded(to: 30) + value
        let whole = origin.isEmpty ? start : start.padded(to: 50) + "  " + origin
        if whole.count + 2 <= Self.columns {
            write("  " + start + paint(String(whole.dropFirst(start.count)), "2"))
        } else {
            lines(start)
            if !origin.isEmpty { lines(origin, indent: Self.continuation, "2") }
        }
    }

    func text(_ text: String) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) { lines(String(part)) }
    }

    func quiet(_ text: String) { lines(text, "2") }

    /// Prints an issue that doesn't end the program.
    func problem(_ text: String) { lines("problem: " + text, "1;33") }

    /// Prints text, broken between words if it exceeds the width.
    private func lines(_ text: String, indent: String = "  ", _ code: String? = nil) {
        var (line, prefix) = ("", indent)
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !line.allSatisfy({ $0 == " " }), prefix.count + line.count + 1 + word.count > Self.columns {
                write(prefix + paint(line, code))
                (line, prefix) = (String(word), Self.continuation)
            } else {
                line += (line.isEmpty ? "" : " ") + word
                if line.isEmpty { line = " " }
            }
        }
        write(line.allSatisfy { $0 == " " } ? "" : prefix + paint(line, code))
    }

    private func paint(_ text: String, _ code: String?) -> String {
        guard let code else { return text }
        return isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private func write(_ text: String) {
        // One write per line, so that a killed process has printed every line completely.
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}

extension String {
    /// Returns the text with spaces appended up to a width, at least one.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
