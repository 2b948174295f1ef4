internal import AshlarCore

/// A cookie as a server set it (RFC 6265bis); its encoded form contains the value.
public struct NetworkCookie: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name, which is case-sensitive.
    public var name: String
    /// The value, unchanged.
    public var value: String
    /// The host that the cookie belongs to, in lowercase.
    public var domain: String
    /// Whether the cookie belongs to that host only, not to the hosts below it.
    package var isHostOnly = true
    /// The path that the cookie belongs to, including all paths below it.
    public var path = "/"
    /// The expiration time in seconds since 1970, or nil for the lifetime of the jar.
    public var expires: Int?
    /// Whether the cookie is sent over https only.
    public var isSecure = false

    /// Creates a cookie for one host and all its paths.
    public init(_ name: String, _ value: String, host: String) {
        self.name = name
        self.value = value
        domain = host.lowercased()
    }

    /// The name, domain and path; the value is hidden.
    public var description: String { "\(name)=\(SecretNames.placeholder) for \(domain)\(path)" }

    /// Whether the cookie is sent with a request for a URL (RFC 6265bis, section 5.8).
    package func matches(_ url: HTTPURL) -> Bool {
        let host = url.host
        let hostMatches = host == domain || (!isHostOnly && !Self.isAddress(host) && host.hasSuffix("." + domain))
        return hostMatches && Self.path(url.path, isBelow: path) && (!isSecure || url.scheme == .https)
    }

    static func path(_ path: String, isBelow parent: String) -> Bool {
        path == parent
            || (path.hasPrefix(parent) && (parent.hasSuffix("/") || path.dropFirst(parent.count).first == "/"))
    }
}

extension NetworkCookie {
    /// Reads a `Set-Cookie` value of a response from a URL, or returns nil if it must be ignored (RFC 6265bis, section 5).
    ///
    /// These cookies are ignored: cookies without a name, with control characters, or whose name and value are longer
    /// than 4 KiB; cookies for a domain that doesn't contain the URL's host, or that is a public suffix or an IP address
    /// other than the host; secure cookies over http; and cookies that violate the prefix `__Secure-` or `__Host-` of
    /// their name. An attribute whose value is longer than 1 KiB is ignored.
    init?(setCookie text: String, from url: HTTPURL, now: Int) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return nil }
        let name = pair[0].trimmingHTTPSpace()
        let value = pair[1].trimmingHTTPSpace()
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= 4096 else { return nil }
        self.init(name, value, host: url.host)
        path = Self.defaultPath(of: url)
        var maxAge: Int?
        var domainText = ""
        var pathText: String?
        for part in parts.dropFirst() {
            let attribute = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = attribute.count > 1 ? attribute[1].trimmingHTTPSpace() : ""
            if value.utf8.count > 1024 { continue }
            switch attribute[0].trimmingHTTPSpace().lowercased() {
            case "expires": expires = HTTPDate.seconds(value).map { Int(clamping: $0) } ?? expires
            case "max-age": maxAge = Self.seconds(value) ?? maxAge
            case "domain": domainText = value.lowercased()
            case "path": pathText = value
            case "secure": isSecure = true
            default: break
            }
        }
        if let maxAge {
            expires = maxAge <= 0 ? 0 : now.addingReportingOverflow(maxAge).overflow ? Int.max : now + maxAge
        }
        if let pathText, pathText.hasPrefix("/") { path = pathText }
        guard acceptDomain(domainText, from: url), !isSecure || url.scheme == .https else { return nil }
        guard isAllowedByName(hasDomain: !domainText.isEmpty, path: pathText) else { return nil }
    }

    private mutating func acceptDomain(_ text: String, from url: HTTPURL) -> Bool {
        let wanted = text.hasPrefix(".") ? String(text.dropFirst()) : text
        if wanted.isEmpty { return true }
        let suffix = wanted.hasSuffix(".") ? String(wanted.dropLast()) : wanted
        let isShared = !Self.isAddress(url.host) && !Self.isAddress(wanted) && !PublicSuffixes.contains(suffix)
        if wanted == url.host {
            isHostOnly = !isShared
            return true
        }
        guard isShared, url.host.hasSuffix("." + wanted) else { return false }
        domain = wanted
        isHostOnly = false
        return true
    }

    /// Whether the cookie has the attributes that the prefix of its name requires (RFC 6265bis, section 4.1.3).
    private func isAllowedByName(hasDomain: Bool, path: String?) -> Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && !hasDomain && path == "/" }
        return !name.hasPrefix("__secure-") || isSecure
    }

    private static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { $0.isDigit || $0 == 0x2E }
    }

    private static func seconds(_ text: String) -> Int? {
        guard !text.hasPrefix("+") else { return nil }
        guard let number = Int(text) else {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
            return text.hasPrefix("-") ? 0 : Int.max
        }
        return number
    }

    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }
}

/// Domains under which anyone can register names, such as `co.uk` and `github.io`.
enum PublicSuffixes {
    /// The rules below each top-level domain.
    private static let rules = Dictionary(
        uniqueKeysWithValues: PublicSuffixTable.text.split(separator: " ").map { entry in
            let parts = entry.split(separator: ":")
            return (parts[0], Set(parts.dropFirst().first?.split(separator: ",") ?? []))
        })

    /// Whether a domain in lowercase ASCII is a public suffix; any top-level domain is one.
    ///
    /// - Complexity: O(*n*) in the length of the domain.
    static func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        guard labels.count > 1, let top = labels.last, let below = rules[top] else { return labels.count <= 1 }
        let name = domain.dropLast(top.count + 1)
        if below.contains("!" + name) { return false }
        let parent = name.firstIndex(of: ".").map { "*" + name[$0...] } ?? "*"
        return below.contains(name) || below.contains(parent[...])
    }
}
