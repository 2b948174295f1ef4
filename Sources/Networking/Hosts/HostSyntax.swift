/// The syntax of hosts, in a map and as typed by the user.
enum HostSyntax {
    /// Returns a host for comparison: in lower case, without the trailing dot of its name.
    static func normalized(_ host: String) -> String {
        var host = host.lowercased()
        if host.last == "." {
            host.removeLast()
        } else if let dot = host.range(ofFirst: ".:") {
            host.remove(at: dot)
        }
        return host
    }

    /// Returns the reason why a text isn't `host`, `host:port`, `[IPv6]` or `[IPv6]:port`, or nil if it is.
    static func problem(_ text: String) -> String? {
        guard !text.isEmpty else { return "expected a host, found nothing" }
        for byte in text.utf8 where byte <= 0x20 || byte >= 0x7F {
            return byte >= 0x80
                ? "expected a host in ASCII (write other scripts as Punycode)"
                : "expected a host without spaces and control characters"
        }
        if text.contains("://") { return "expected a host without a scheme" }
        if text.contains("@") { return "expected a host without user name and password" }
        if text.contains(where: { "/?#\\".contains($0) }) { return "expected a host without a path or query" }
        var name = text[...]
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return "expected ']' after the IPv6 address" }
            let address = text[text.index(after: text.startIndex)..<end]
            guard isIPv6(address) else { return "expected an IPv6 address in the brackets" }
            let rest = text[text.index(after: end)...]
            return rest.isEmpty ? nil : rest.first == ":" ? portProblem(rest.dropFirst()) : "expected ':' after ']'"
        }
        if let colon = text.firstIndex(of: ":") {
            if let problem = portProblem(text[text.index(after: colon)...]) { return problem }
            name = text[..<colon]
        }
        if name.isEmpty { return "expected a host before the port" }
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

    /// Returns the reason why a text isn't a port from 1 to 65535, or nil if it is.
    static func portProblem(_ text: Substring) -> String? {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = Int(text),
            (1...65535).contains(port)
        else { return "expected a port from 1 to 65535" }
        return nil
    }

    /// Returns `http` or `https` for a text such as `HTTPS` or `https://`, or nil.
    static func scheme(_ text: String) -> String? {
        let text = text.lowercased()
        let name = text.hasSuffix("://") ? String(text.dropLast(3)) : text
        return name == "http" || name == "https" ? name : nil
    }

    private static func isIPv6(_ text: Substring) -> Bool {
        guard text.utf8.count >= 2, text.utf8.count <= 45 else { return false }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return false }
        var groups = 0
        for (number, half) in halves.enumerated() where !half.isEmpty {
            let parts = half.split(separator: ":", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if part.contains("."), index == parts.count - 1, number == halves.count - 1 {
                    let octets = part.split(separator: ".", omittingEmptySubsequences: false)
                    guard octets.count == 4, octets.allSatisfy({ UInt8($0) != nil }) else { return false }
                    groups += 2
                } else {
                    guard (1...4).contains(part.utf8.count), part.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                        return false
                    }
                    groups += 1
                }
            }
        }
        return halves.count == 2 ? groups < 8 : groups == 8
    }
}

extension String {
    /// Returns the index of the first occurrence of two adjacent characters.
    fileprivate func range(ofFirst pair: String) -> Index? {
        guard let first = pair.first, let second = pair.last else { return nil }
        return indices.first { self[$0] == first && index(after: $0) < endIndex && self[index(after: $0)] == second }
    }
}
