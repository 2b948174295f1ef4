internal import AshlarCore
import Foundation

/// A valid http or https URL, split into its parts.
///
/// An invalid URL throws when it is created or changed, not when it is sent. A URL is invalid if it has a missing or
/// malformed host, another scheme, control characters, spaces, backslashes, a bad port or a malformed escape. Other
/// characters that a path or query can't contain, such as `ü` or `"`, are percent-encoded as UTF-8. Nothing else is
/// changed except the case of scheme and host, so `/a/../b` and `/a//b` are sent as written.
///
/// The syntax is that of RFC 3986, and routes use the same. A host is a name, an IPv4 address, or an IPv6 address in
/// brackets, optionally with a zone (`[fe80::1%25eth0]`, RFC 6874). A name consists of letters, digits and `-._~`; escapes
/// in it are decoded. An international name such as `bücher.example` is invalid; write its ASCII form,
/// `xn--bcher-kva.example`.
///
/// ```swift
/// var url = try HTTPURL("https://API.example.com:8443/notes?tag=a")
/// assert(url.host == "api.example.com" && url.port == 8443 && url.path == "/notes" && url.query == "tag=a")
/// url.append(["draft": true])
/// assert(url.target == "/notes?tag=a&draft=true")
/// ```
public struct HTTPURL: Hashable, Sendable {
    /// The supported schemes.
    public enum Scheme: String, Hashable, Sendable {
        /// Without encryption; the default port is 80.
        case http
        /// Over TLS; the default port is 443.
        case https

        /// The default port.
        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme.
    public var scheme: Scheme
    /// The user name and password as written (`name:password`), or nil; a request with them is rejected.
    package internal(set) var userInfo: String?
    /// The host in lowercase ASCII; an IPv6 address has brackets and may have a zone.
    public internal(set) var host: String
    /// The port as written, or nil for the default.
    public internal(set) var port: Int?
    /// The percent-encoded path, which starts with `/`.
    public internal(set) var path: String
    /// The percent-encoded query without `?`, or nil.
    public internal(set) var query: String?
    /// The fragment without `#`, or nil; never sent.
    package internal(set) var fragment: String?

    /// The port of the connection.
    package var effectivePort: Int { port ?? scheme.defaultPort }

    /// The host and port as in a `Host` field, without the default port and without a zone.
    package var authority: String {
        var name = host
        if let zone = name.firstIndex(of: "%") { name.replaceSubrange(zone..., with: "]") }
        guard let port, port != scheme.defaultPort else { return name }
        return "\(name):\(port)"
    }

    /// The scheme, host and port, which define the origin (RFC 6454).
    package var origin: String { "\(scheme.rawValue)://\(host):\(effectivePort)" }

    /// The path and query as in a request line.
    public var target: String { query.map { path + "?" + $0 } ?? path }

    /// Whether both URLs have the same scheme, host and port.
    package func hasSameOrigin(as other: HTTPURL) -> Bool {
        scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
    }

    /// The URL as requested, without user information and fragment.
    package var requestText: String {
        var text = scheme == .https ? "https://" : "http://"
        text.reserveCapacity(text.utf8.count + host.utf8.count + 6 + path.utf8.count + (query?.utf8.count ?? 0) + 1)
        text += host
        if let port, port != scheme.defaultPort { text += ":" + String(port) }
        text += path
        if let query { text += "?" + query }
        return text
    }
}

extension HTTPURL {
    /// Parses a URL.
    ///
    /// - Throws: `.invalidURL` with the `offset` of the first invalid byte.
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ text: String) throws(NetworkError) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Parses the bytes of a URL; one that a server sent is read as browsers do, see `URLText`.
    init(bytes: [UInt8], isReceived: Bool = false) throws(NetworkError) {
        let url = try NetworkError.invalidURL { () throws(URLFault) in
            try URLText(bytes, isReceived: isReceived)
        }
        guard let scheme = Scheme(rawValue: url.scheme) else {
            throw NetworkError(invalidURL: "expected http or https, found \(url.scheme.debugDescription)", offset: 0)
        }
        self.init(
            scheme: scheme, userInfo: url.userInfo, host: url.host, port: url.port, path: url.path, query: url.query,
            fragment: url.fragment)
    }
}

// MARK: Changes

extension HTTPURL {
    /// Appends names and values to the query.
    public mutating func append(_ items: HTTPQuery) {
        guard !items.isEmpty else { return }
        let text = items.queryText
        query = query.map { $0.isEmpty ? text : $0 + "&" + text } ?? text
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The whole URL with user information hidden; use `NetworkRedaction` to hide secret query values.
    public var description: String {
        let start = "\(scheme.rawValue)://"
        let user = userInfo == nil ? "" : SecretNames.placeholder + "@"
        return start + user + requestText.dropFirst(start.count) + (fragment.map { "#" + $0 } ?? "")
    }
}

extension NetworkError {
    init(invalidURL message: String, offset: Int) {
        self.init(.invalidURL, message, phase: .prepare)
        self.offset = offset
    }

    /// Reads a part of a URL; throws its fault as `.invalidURL`.
    fileprivate static func invalidURL<Part>(_ read: () throws(URLFault) -> Part) throws(NetworkError) -> Part {
        do {
            return try read()
        } catch {
            throw NetworkError(invalidURL: error.message, offset: error.offset)
        }
    }
}

/// Reads IP addresses.
enum IPAddress {
    /// Reads four decimal numbers with dots.
    static func ipv4(_ text: some StringProtocol) -> UInt32? {
        var address: UInt32 = 0
        return inet_pton(AF_INET, String(text), &address) == 1 ? UInt32(bigEndian: address) : nil
    }

    /// Reads an IPv4 address also in its old forms, such as `127.1` and `0x7f000001`.
    static func ipv4(anyFormOf text: String) -> UInt32? {
        var address = in_addr()
        return inet_aton(text, &address) != 0 ? UInt32(bigEndian: address.s_addr) : nil
    }

    /// Reads an IPv6 address without brackets; a zone identifier is ignored.
    static func ipv6(_ text: some StringProtocol) -> (high: UInt64, low: UInt64)? {
        var address: (UInt64, UInt64) = (0, 0)
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return nil }
        return (UInt64(bigEndian: address.0), UInt64(bigEndian: address.1))
    }
}

extension HTTPURL {
    /// Whether the host is this machine: `localhost` (RFC 6761, 6.3), an address in `127.0.0.0/8`, or `::1`.
    package var isLoopback: Bool {
        if host.hasPrefix("[") {
            guard let address = IPAddress.ipv6(host.dropFirst().dropLast()) else { return false }
            return address == (0, 1) || address.high == 0 && address.low >> 24 == 0xFFFF_7F
        }
        let name = hostWithoutDot
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return IPAddress.ipv4(name).map { $0 >> 24 == 127 } ?? false
    }

    /// The host without the dot at the end of a fully qualified name.
    var hostWithoutDot: String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}

extension HTTPURL {
    /// Resolves the bytes of a Location field against this URL (RFC 3986, 5.2).
    ///
    /// As in browsers, spaces and bytes outside ASCII are percent-encoded, and a lone `%` becomes `%25`. Control
    /// characters, backslashes and schemes other than http and https are rejected.
    func resolve(location: [UInt8]) throws(NetworkError) -> HTTPURL {
        let trimmed = Array(location.drop(while: \.isHTTPSpace).reversed().drop(while: \.isHTTPSpace).reversed())
        guard !trimmed.isEmpty else { throw NetworkError(invalidURL: "expected a URL, found nothing", offset: 0) }
        if URLText.schemeEnd(trimmed) != nil { return try HTTPURL(bytes: trimmed, isReceived: true).normalized() }
        if trimmed.starts(with: Array("//".utf8)) {
            let absolute = Array((scheme.rawValue + ":").utf8) + trimmed
            return try HTTPURL(bytes: absolute, isReceived: true).normalized()
        }
        // The parser checks a relative reference after a host, by the rules of an absolute URL.
        let isPath = trimmed[0] == UInt8(ascii: "/")
        let probe = Array("http://a/".utf8) + (isPath ? trimmed.dropFirst() : trimmed[...])
        let reference = try HTTPURL(bytes: probe, isReceived: true)
        var result = self
        result.userInfo = nil
        result.fragment = reference.fragment
        switch trimmed[0] {
        case UInt8(ascii: "#"): break
        case UInt8(ascii: "?"): result.query = reference.query
        default:
            let base = isPath ? "" : String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            result.path = base + reference.path
            result.query = reference.query
        }
        return result.normalized()
    }

    /// The URL without the segments `.` and `..`, including their escaped forms (RFC 3986, 5.2.4).
    func normalized() -> HTTPURL {
        var result = self
        result.path = Self.removingDotSegments(path)
        return result
    }

    static func removingDotSegments(_ path: String) -> String {
        var output: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in zip(segments.indices, segments) {
            let isLast = index == segments.endIndex - 1
            switch segment.lowercased().replacingEscapedDots() {
            case ".": if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/")
    }
}

extension String {
    fileprivate func replacingEscapedDots() -> String {
        utf8.contains(0x25) && utf8.count <= 6
            ? split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".") : self
    }
}
