import Foundation

/// The host of an environment, in which `<@>` stands for typed text and `<#>` for typed digits.
struct HostPattern: Hashable, Sendable {
    let text: String?
    let editing: HostEditing

    /// Creates a pattern; nil is a host that is typed as a whole.
    init(_ text: String?) {
        self.text = text
        editing = HostEntry(key: "", host: text).editing
    }

    private var mark: String { editing == .digits ? "<#>" : "<@>" }

    /// Why nothing that is typed could make this a host, or nil if something can.
    var problem: String? {
        guard let text else { return nil }
        let marks = text.components(separatedBy: mark)
        if editing != .none, marks.count > 2 { return "expected one placeholder" }
        if text.contains("<@>"), text.contains("<#>") { return "expected one placeholder" }
        // A placeholder may stand for a name, a part of one, an address or a port; a digit can be all of them.
        return HostSyntax.problem(marks.joined(separator: editing == .none ? mark : "1"))
    }

    /// The host that typed text makes.
    ///
    /// - Throws: `.invalidUserHost` that says what was expected.
    func fill(_ typed: String) throws(NetworkError) -> String {
        if editing == .digits, typed.isEmpty || !typed.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            throw NetworkError(.invalidUserHost, "expected digits, found \"\(Self.shown(typed))\"")
        }
        let host = text.map { $0.components(separatedBy: mark).joined(separator: typed) } ?? typed
        if let problem = HostSyntax.problem(host) {
            throw NetworkError(.invalidUserHost, "\(problem), found \"\(Self.shown(typed))\"")
        }
        return host
    }

    /// The text that was typed to make a host, or nil if the host is not made by this pattern.
    func typedText(of host: String) -> String? {
        guard let text else { return host }
        let parts = text.components(separatedBy: mark)
        guard editing != .none, parts.count == 2, host.hasPrefix(parts[0]), host.hasSuffix(parts[1]),
            host.utf8.count > parts[0].utf8.count + parts[1].utf8.count
        else { return nil }
        return String(host.dropFirst(parts[0].count).dropLast(parts[1].count))
    }

    /// Typed text as it may be shown: short, control characters replaced, nothing before an `@`.
    private static func shown(_ typed: String) -> String {
        var text = typed
        if let at = text.lastIndex(of: "@") { text = "<hidden>" + text[at...] }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(60).map { $0.value < 0x20 ? "?" : $0 }))
    }
}
