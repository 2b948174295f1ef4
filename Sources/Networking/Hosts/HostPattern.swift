internal import AshlarCore
import Foundation

/// The host of an environment, with `<@>` for typed text and `<#>` for typed digits.
struct HostPattern: Hashable, Sendable {
    let text: String?
    let editing: HostEditing

    /// Creates a pattern; nil is a host that is typed as a whole.
    init(_ text: String?) {
        self.text = text
        editing = HostEntry(key: "", host: text).editing
    }

    private var mark: String { editing == .digits ? "<#>" : "<@>" }

    /// The reason that no text can complete this pattern to a host, or nil if some text can.
    var problem: String? {
        guard let text else { return nil }
        let marks = text.components(separatedBy: mark)
        if editing != .none, marks.count > 2 { return "expected one placeholder" }
        if text.contains("<@>"), text.contains("<#>") { return "expected one placeholder" }
        // A placeholder can be a name, a part of a name, an address or a port; a digit is valid in each.
        return HostSyntax.problem(marks.joined(separator: editing == .none ? mark : "1"))
    }

    /// Returns the host with typed text in place of the placeholder.
    ///
    /// - Throws: `.invalidUserHost` with the expected form.
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

    /// Returns the text that was typed for a host, or nil if the host doesn't match this pattern.
    func typedText(of host: String) -> String? {
        guard let text else { return host }
        let parts = text.components(separatedBy: mark)
        guard editing != .none, parts.count == 2, host.hasPrefix(parts[0]), host.hasSuffix(parts[1]),
            host.utf8.count > parts[0].utf8.count + parts[1].utf8.count
        else { return nil }
        return String(host.dropFirst(parts[0].count).dropLast(parts[1].count))
    }

    /// Returns typed text for display: short, without control characters, and without the part before an `@`.
    private static func shown(_ typed: String) -> String {
        var text = typed
        if let at = text.lastIndex(of: "@") { text = SecretNames.placeholder + text[at...] }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(60).map { $0.value < 0x20 ? "?" : $0 }))
    }
}
