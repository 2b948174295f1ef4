import Foundation

/// Standard output as headed sections of aligned rows; coloured on a terminal only.
///
/// Colour follows the usual order: `NO_COLOR` switches it off, `CLICOLOR_FORCE` on, else a terminal decides.
final class Screen: Sendable {
    let isColoured: Bool

    init(environment: [String: String] = ProcessInfo.processInfo.environment, isTerminal: Bool = isatty(1) == 1) {
        if environment["NO_COLOR"].map({ !$0.isEmpty }) == true {
            isColoured = false
        } else if environment["CLICOLOR_FORCE"].map({ $0 != "0" && !$0.isEmpty }) == true {
            isColoured = true
        } else {
            isColoured = isTerminal && environment["TERM"] != "dumb"
        }
    }

    func title(_ text: String) { line(paint(text, "1")) }

    func heading(_ text: String) { line("\n" + paint(text, "1;36")) }

    /// A name, its value, and in grey where the value came from.
    func row(_ name: String, _ value: String, from origin: String = "", width: Int = 30) {
        let padded = name + String(repeating: " ", count: max(1, width - name.count))
        let tail = origin.isEmpty ? "" : String(repeating: " ", count: max(2, 34 - value.count)) + paint(origin, "2")
        line("  \(padded)\(value)\(tail)")
    }

    func text(_ text: String) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) { line("  " + part) }
    }

    func quiet(_ text: String) { line("  " + paint(text, "2")) }

    /// Something that went wrong and that the program lives with.
    func problem(_ text: String) { line("  " + paint("problem: ", "1;33") + text) }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private func line(_ text: String) {
        // One write a line: what a killed process had said is on the screen.
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
