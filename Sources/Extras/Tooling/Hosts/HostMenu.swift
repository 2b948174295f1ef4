import AshlarCore
public import AshlarNetworking

/// A menu of host environments for a terminal: rows of text, selected by number.
///
/// The menu doesn't print or read. Print ``text`` and pass the user's input to ``enter(_:)``.
///
/// ```swift
/// let map = try HostMap(json: Array(#"""
///     {"configurations": [{"canonical_host": "api.example.com", "canonical_protocol": "https",
///       "hosts": [{"key": "PROD", "host": "api.example.com"}, {"key": "USER"}]}]}
///     """#.utf8))
/// let menu = HostMenu(HostSwitch(map))
/// try menu.enter("2 localhost:8080")
/// assert(menu.text == """
///     api.example.com
///       1   PROD  api.example.com
///       2 ✓ USER  localhost:8080
///
///     """)
/// ```
public struct HostMenu: Sendable {
    private let hosts: HostSwitch

    /// Creates a menu of the environments of a switch.
    public init(_ hosts: HostSwitch) { self.hosts = hosts }

    /// The sections with their rows, numbered from 1; selected rows have a tick.
    ///
    /// - Complexity: O(*n*) in the number of environments.
    public var text: String {
        let sections = hosts.rows
        let rows = sections.flatMap(\.rows)
        let numberWidth = String(rows.count).count
        let keyWidth = rows.map(\.key.count).max() ?? 0
        var (text, number) = ("", 0)
        for section in sections {
            text += section.title.onOneLine + "\n"
            for row in section.rows {
                number += 1
                let digits = String(number)
                text += "  " + String(repeating: " ", count: numberWidth - digits.count) + digits
                text += row.isSelected ? " ✓ " : "   "
                text += row.key.onOneLine + String(repeating: " ", count: keyWidth - row.key.count) + "  "
                let title = row.title.isEmpty ? row.prompt : row.title
                text += (row.scheme.map { $0 + "://" } ?? "") + title.onOneLine + "\n"
            }
        }
        return text
    }

    /// Selects the environment of an input line: a row's number, and for a typed host a space and the host.
    ///
    /// `0` resets all selections.
    ///
    /// - Parameter line: The input.
    /// - Throws: `.unknownEnvironment` for a number without a row, and the errors of `HostSwitch`.
    public func enter(_ line: String) throws(NetworkError) {
        let parts = line.split(separator: " ", maxSplits: 1)
        let rows = hosts.rows.flatMap { section in section.rows.map { (section.title, $0) } }
        guard let number = parts.first.flatMap({ Int($0) }), (0...rows.count).contains(number) else {
            throw NetworkError(.unknownEnvironment, "expected a number from 0 to \(rows.count)")
        }
        if number == 0 { return hosts.reset() }
        let (host, row) = rows[number - 1]
        try hosts.select(row.key, for: host, userHost: parts.count > 1 ? String(parts[1]) : nil)
    }
}
