/// An absolute URL with a host, split into its parts in their normal form.
///
/// Requests and routes use this parser, so that a URL has one verdict and one normal form in both. The syntax is that of
/// RFC 3986 for a scheme, `://`, an authority, a path, a query and a fragment:
///
/// - The scheme and host are in lowercase. Every part contains only the bytes that RFC 3986 permits; other characters,
///   such as `ü` or `"`, are percent-encoded as UTF-8 (RFC 3987). Existing escapes are preserved.
/// - An empty path is `/`. The default port of a scheme is not part of ``text``.
/// - Dot segments, double slashes, the final dot of a host and the spelling of an IP address are preserved.
///
/// Where RFC 3986 and the WHATWG URL standard differ:
///
/// | text | RFC 3986 | WHATWG | here |
/// |---|---|---|---|
/// | `\`, control characters | invalid | a slash, or removed | invalid |
/// | space | invalid | `%20` | invalid; `%20` in a received URL |
/// | `%` without two digits | invalid | preserved | invalid; `%25` in a received URL and in a fragment |
/// | `"`, `<`, `^`, `{`, `ü` | invalid | encoded in some parts | encoded |
/// | `[fe80::1%25eth0]` | RFC 6874 | invalid | valid; invalid in a received URL |
/// | `[v1.a:b]` | valid | invalid | invalid |
/// | `https://bücher.example` | valid as an IRI | converted (IDNA) | invalid; `xn--bcher-kva.example` is valid |
/// | `https://a..b`, `https://a!b` | valid | valid | invalid: no DNS name |
/// | `https://0x7f.1` | a name | `127.0.0.1` | a name |
/// | `https://a/../b` | `/b` after normalization | `/b` | preserved |
/// | `https:/a`, `https:a` | a path without a host | `https://a` | invalid |
/// | `:0` | valid | valid | invalid for a web scheme, where nothing listens on it |
/// | `https://a/%FF` | valid | valid | valid; a route's values are text, so none matches it |
/// | `myapp://a%20b` | valid | preserved | invalid: no character of a host |
package struct URLText: Hashable, Sendable {
    /// The scheme in lowercase.
    package var scheme: String
    /// The user name and password (`name:password`), percent-encoded, or nil.
    package var userInfo: String?
    /// The host, see ``URLHost``; empty if the URL has no authority.
    package var host: String
    /// The port as written, or nil.
    package var port: Int?
    /// The percent-encoded path, which starts with `/`.
    package var path: String
    /// The percent-encoded query without `?`, or nil.
    package var query: String?
    /// The percent-encoded fragment without `#`, or nil.
    package var fragment: String?

    /// Parses a URL that a programmer or user wrote.
    ///
    /// - Throws: The first fault.
    /// - Complexity: O(*n*) in the length of the text.
    package init(_ text: String) throws(URLFault) { try self.init(Array(text.utf8)) }

    /// Parses the bytes of a URL.
    ///
    /// - Parameters:
    ///   - bytes: The text as UTF-8.
    ///   - isReceived: Whether a server sent the URL. As in browsers, spaces are encoded and a lone `%` becomes `%25`. A
    ///     zone of an IPv6 address is refused, because it has no meaning on this machine.
    /// - Throws: The first fault.
    package init(_ bytes: [UInt8], isReceived: Bool = false) throws(URLFault) {
        try Self.checkCharacters(bytes, isReceived: isReceived)
        guard let colon = Self.schemeEnd(bytes) else { throw URLFault(.scheme, 0, "expected a scheme and ://") }
        guard bytes[colon...].starts(with: "://".utf8) else {
            throw URLFault(.scheme, colon + 1, "expected // and a host after the scheme")
        }
        scheme = String(decoding: bytes[..<colon].lazy.map { $0.asciiLowercased }, as: UTF8.self)
        let start = colon + 3
        let end = bytes[start...].firstIndex(where: Self.endsAuthority) ?? bytes.count
        let rules = URLHost.Rules(scheme: scheme, allowsZone: !isReceived)
        (userInfo, host, port) = try Self.authority(start..<end, in: bytes, rules)
        (path, query, fragment) = try Self.tail(bytes[end...], isReceived: isReceived)
    }

    /// The URL in its normal form, with the user information.
    package var text: String {
        var text = scheme + "://"
        if let userInfo { text += userInfo + "@" }
        text += host
        if let port, port != Self.defaultPorts[scheme] { text += ":\(port)" }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// The default ports of the schemes whose hosts are DNS names or IP addresses: the schemes of the web and `ftp`, which
    /// WHATWG calls special.
    package static let defaultPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21]

    /// Returns a host as routes compare it: without a final dot, and with a port other than the scheme's default.
    package static func normalHost(_ host: String, port: Int?, scheme: String?) -> String {
        let name = host.utf8.count > 1 && host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        guard let port, scheme.flatMap({ defaultPorts[$0] }) != port else { return name }
        return "\(name):\(port)"
    }

    // MARK: Scheme

    /// Returns the end of the scheme that a URL starts with, or nil: a letter, then letters, digits and `+-.`, then a colon.
    package static func schemeEnd(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first.isLetter else { return nil }
        let end = bytes.firstIndex { !isSchemeByte($0) } ?? bytes.count
        return end < bytes.count && bytes[end] == UInt8(ascii: ":") ? end : nil
    }

    /// Whether a scheme can contain a byte after its first letter.
    package static func isSchemeByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    // MARK: Authority

    /// Whether a byte ends the authority of a URL.
    package static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Reads the text between `://` and the path: user information, host and port.
    ///
    /// - Precondition: The bytes contain no character that ``checkCharacters(_:isReceived:)`` rejects.
    package static func authority(
        _ range: Range<Int>, in bytes: [UInt8], _ rules: URLHost.Rules
    ) throws(URLFault) -> (userInfo: String?, host: String, port: Int?) {
        // Only a URL without an authority, such as file:///a, has no host.
        if range.isEmpty, !rules.isDNSName { return (nil, "", nil) }
        var start = range.lowerBound
        var userInfo: String?
        if let at = bytes[range].lastIndex(of: UInt8(ascii: "@")) {
            if let other = bytes[start..<at].firstIndex(of: UInt8(ascii: "@")) {
                throw URLFault(.authority, other, "found two @ before the host")
            }
            userInfo = try PercentCoding.normalForm(bytes[start..<at], as: .userInfo)
            start = at + 1
        }
        let (host, end) = try URLHost.parse(start..<range.upperBound, in: bytes, rules)
        guard end < range.upperBound else { return (userInfo, host, nil) }
        return (userInfo, host, try port(end + 1..<range.upperBound, in: bytes, least: rules.isDNSName ? 1 : 0))
    }

    private static func port(_ range: Range<Int>, in bytes: [UInt8], least: Int) throws(URLFault) -> Int? {
        guard !range.isEmpty else { return nil }
        var port = 0
        for offset in range {
            guard bytes[offset].isDigit else { throw URLFault(.authority, offset, "expected a port of digits") }
            port = min(port * 10 + Int(bytes[offset] - UInt8(ascii: "0")), 1_000_000)
        }
        guard (least...65_535).contains(port) else {
            throw URLFault(
                .authority, range.lowerBound,
                "expected a port from \(least) to 65535, found \(String(decoding: bytes[range], as: UTF8.self))")
        }
        return port
    }

    // MARK: Path, query and fragment

    /// Reads the text after the authority: a path, a query and a fragment in their normal form.
    ///
    /// It also reads a path alone, such as `/a?b#c`.
    package static func tail(
        _ tail: ArraySlice<UInt8>, isReceived: Bool = false
    ) throws(URLFault) -> (path: String, query: String?, fragment: String?) {
        let hash = tail.firstIndex(of: UInt8(ascii: "#"))
        let beforeFragment = tail[..<(hash ?? tail.endIndex)]
        let mark = beforeFragment.firstIndex(of: UInt8(ascii: "?"))
        let path = try PercentCoding.normalForm(
            beforeFragment[..<(mark ?? beforeFragment.endIndex)], as: .path, isReceived: isReceived)
        var query: String?
        if let mark {
            query = try PercentCoding.normalForm(beforeFragment[(mark + 1)...], as: .query, isReceived: isReceived)
        }
        var fragment: String?
        if let hash { fragment = try PercentCoding.normalForm(tail[(hash + 1)...], as: .fragment, isReceived: true) }
        return (path.isEmpty ? "/" : path, query, fragment)
    }

    /// Rejects the characters that no part of a URL can contain or encode.
    package static func checkCharacters(_ bytes: [UInt8], isReceived: Bool = false) throws(URLFault) {
        let least: UInt8 = isReceived ? 0x20 : 0x21
        guard let offset = bytes.firstIndex(where: { $0 < least || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
            return
        }
        switch bytes[offset] {
        case UInt8(ascii: " "): throw URLFault(.character, offset, "found a space, which is written %20")
        case UInt8(ascii: "\\"): throw URLFault(.character, offset, "found a backslash")
        case let byte:
            throw URLFault(.character, offset, "found the control character 0x\(String(byte, radix: 16))")
        }
    }
}

/// The first error in the text of a URL.
package struct URLFault: Error, Hashable, Sendable {
    /// The part that is wrong.
    package enum Kind: Hashable, Sendable {
        /// The text doesn't start with a scheme and `://`.
        case scheme
        /// A character that no part can contain.
        case character
        /// The user information, host or port.
        case authority
        /// A `%` without two hexadecimal digits.
        case escape
        /// Escapes that decode to ill-formed UTF-8.
        case utf8
    }

    package let kind: Kind
    /// The offset of the first wrong byte.
    package let offset: Int
    /// What was expected or found.
    package let message: String

    /// Creates a fault.
    package init(_ kind: Kind, _ offset: Int, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }

    /// The message without its first word, if it states the expected text.
    package var expected: String? {
        message.hasPrefix("expected ") ? String(message.dropFirst("expected ".count)) : nil
    }
    /// The message without its first word, if it states the text found.
    package var found: String? { message.hasPrefix("found ") ? String(message.dropFirst("found ".count)) : nil }
}
