import Foundation

/// Prints aligned rows within 80 columns; `NO_COLOR` and `CLICOLOR_FORCE` override the terminal's choice of colors.
struct Screen {
    let isColored: Bool

    init(environment: [String: String] = ProcessInfo.processInfo.environment, isTerminal: Bool = isatty(1) == 1) {
        let isForced = !["", "0"].contains(environment["CLICOLOR_FORCE"] ?? "")
        isColored =
            (environment["NO_COLOR"] ?? "").isEmpty && (isForced || isTerminal && environment["TERM"] != "dumb")
    }

    func heading(_ text: String) { self.text("\n" + text, indent: "", style: "1;36") }
    func problem(_ text: String) { self.text("problem: " + text, style: "1;33") }

    /// Prints a name, its value and the origin of the value.
    func row(_ name: String, _ value: String, from origin: String = "") {
        let gap = String(repeating: " ", count: max(1, 30 - name.count))
        text(name + gap + value + (origin.isEmpty ? "" : "  " + origin))
    }

    /// Prints each line of a text, broken between words where it exceeds the width.
    func text(_ text: String, indent: String = "  ", style: String = "0") {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var lines = [indent]
            for word in part.split(separator: " ", omittingEmptySubsequences: false) {
                if lines.last!.count + word.count > 80, lines.last!.contains(where: { $0 != " " }) {
                    lines.append(String(repeating: " ", count: 10))
                }
                lines[lines.count - 1] += word + " "
            }
            for line in lines.map({ $0.replacing(#/ +$/#, with: "") }) {
                // One write per line, so a killed process has printed every line up to its end.
                let painted = isColored && style != "0" && !line.isEmpty ? "\u{1B}[\(style)m\(line)\u{1B}[0m" : line
                FileHandle.standardOutput.write(Data((painted + "\n").utf8))
            }
        }
    }
}
