/// The syntax of hosts, in a map and as typed by the user.
enum HostSyntax {
    /// Returns a host for comparison: in lowercase, without the trailing dot of its name.
    ///
    /// An international name is compared in its ASCII form.
    static func normalized(_ host: String) -> String {
        var host = host.lowercased()
        if let bad = host.utf8.firstIndex(where: { $0 >= 0x80 }) {
            let end = host[bad...].firstIndex(of: ":") ?? host.endIndex
            if let name = HostText.ascii(String(host[..<end])) { host = name + host[end...] }
        }
        if host.last == "." {
            host.removeLast()
        } else if let dot = host.range(ofFirst: ".:") {
            host.remove(at: dot)
        }
        return host
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
        var name = text[...]
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return "expected ']' after the IPv6 address" }
            let inside = Array(text[..<end].utf8.dropFirst())
            let address = inside.prefix { $0 != UInt8(ascii: "%") }
            guard HostText.isIPv6(address), address.count == inside.count || HostText.isZone(inside[address.count...])
            else { return "expected an IPv6 address in the brackets" }
            let rest = text[text.index(after: end)...]
            return rest.isEmpty ? nil : rest.first == ":" ? portProblem(rest.dropFirst()) : "expected ':' after ']'"
        }
        if let colon = text.firstIndex(of: ":") {
            if let problem = portProblem(text[text.index(after: colon)...]) { return problem }
            name = text[..<colon]
        }
        if name.isEmpty { return "expected a host before the port" }
        if name.utf8.contains(where: { $0 >= 0x80 }) {
            guard let ascii = HostText.ascii(String(name)) else {
                return "expected a valid international host name (UTS #46)"
            }
            name = ascii[...]
        }
        if name.utf8.count > 253 { return "expected a host of at most 253 characters" }
        for label in name.split(separator: ".", omittingEmptySubsequences: false).dropLast(name.last == "." ? 1 : 0) {
            if label.isEmpty || label.utf8.count > 63 {
                return "expected labels of 1 to 63 characters between the dots"
            }
        }
        let isPlain = name.utf8.allSatisfy {
            ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F || $0 == 0x7E
        }
        return isPlain ? nil : "expected letters, digits, '-', '.', '_' and '~' in a host"
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

extension String {
    /// Returns the index of the first occurrence of two adjacent characters.
    fileprivate func range(ofFirst pair: String) -> Index? {
        guard let first = pair.first, let second = pair.last else { return nil }
        return indices.first { self[$0] == first && index(after: $0) < endIndex && self[index(after: $0)] == second }
    }
}
