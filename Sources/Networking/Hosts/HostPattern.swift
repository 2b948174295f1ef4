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

/// The syntax of hosts, in a map and as typed by the user.
enum HostSyntax {
    /// Returns a host for comparison: in lowercase, without the trailing dot of its name.
    static func normalized(_ host: String) -> String {
        var host = host.lowercased()
        if host.last == "." {
            host.removeLast()
        } else if let dot = host.firstRange(of: ".:") {
            host.remove(at: dot.lowerBound)
        }
        return host
    }

    /// Returns a host as in URLs: in lowercase ASCII, without port and trailing dot.
    ///
    /// An IPv6 address needs no brackets.
    static func urlHost(_ host: String) -> String {
        let isAddress = host.split(separator: ":", omittingEmptySubsequences: false).count > 2 && !host.hasPrefix("[")
        let url = try? HTTPURL(authority: isAddress ? "[\(host)]" : host, scheme: .https)
        return url?.hostWithoutDot ?? host.lowercased()
    }

    /// Returns the reason that a string isn't `host`, `host:port`, `[IPv6]` or `[IPv6]:port`, or nil if it is.
    static func problem(_ text: String) -> String? {
        guard !text.isEmpty else { return "expected a host, found nothing" }
        if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            return "expected a host without spaces and control characters"
        }
        if text.contains("://") { return "expected a host without a scheme" }
        if text.contains("@") { return "expected a host without user name and password" }
        if text.contains(where: { "/?#\\".contains($0) }) { return "expected a host without a path or query" }
        if text.hasPrefix(":") { return "expected a host before the port" }
        let isAddress = text.hasPrefix("[")
        let end = isAddress ? text.firstIndex(of: "]") ?? text.endIndex : text.startIndex
        if let colon = text[end...].firstIndex(of: ":"), let problem = portProblem(text[colon...].dropFirst()) {
            return problem
        }
        if !isAddress, text.contains("%") { return "expected a host without escapes" }
        do {
            let host = try HTTPURL(authority: text, scheme: .https).host
            // A longer label can't be resolved.
            let isShort = host.split(separator: ".").allSatisfy { $0.utf8.count <= 63 }
            return isShort ? nil : "expected labels of at most 63 characters between the dots"
        } catch {
            return error.message
        }
    }

    /// Returns the reason that a string isn't a port from 1 to 65535, or nil if it is.
    static func portProblem(_ text: Substring) -> String? {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = Int(text),
            (1...65535).contains(port)
        else { return "expected a port from 1 to 65535" }
        return nil
    }

    /// Returns `http` or `https` for a string such as `HTTPS` or `https://`, or nil.
    static func scheme(_ text: String) -> String? {
        let text = text.lowercased()
        let name = text.hasSuffix("://") ? String(text.dropLast(3)) : text
        return name == "http" || name == "https" ? name : nil
    }
}
