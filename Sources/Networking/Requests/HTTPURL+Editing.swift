internal import AshlarCore

extension HTTPURL {
    /// Sets the host: a name, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// - Throws: `.invalidURL`; the URL is then unchanged.
    public mutating func setHost(_ text: String) throws(NetworkError) {
        let bytes = Array(text.utf8)
        let (host, end) = try HostText.parse(bytes, bytes.indices, allowsZone: true)
        guard end == bytes.count else { throw HTTPURLParser.invalid("expected a host without a port", end) }
        self.host = host
    }

    /// Sets the port; nil means the scheme's default.
    ///
    /// - Throws: `.invalidURL` outside 1–65535; the URL is then unchanged.
    public mutating func setPort(_ port: Int?) throws(NetworkError) {
        if let port, !(1...65535).contains(port) {
            throw HTTPURLParser.invalid("expected a port from 1 to 65535, found \(port)", 0)
        }
        self.port = port
    }

    /// Sets the whole path, which must start with `/`; escapes are preserved, and other characters are escaped if
    /// necessary.
    ///
    /// - Throws: `.invalidURL` under the conditions of ``init(_:)``; the URL is then unchanged.
    public mutating func setPath(_ text: String) throws(NetworkError) {
        guard text.utf8.first == UInt8(ascii: "/") else { throw HTTPURLParser.invalid("expected / and a path", 0) }
        path = try HTTPURLParser(text).component { PercentCoding.isSegmentByte($0) || $0 == UInt8(ascii: "/") }
    }

    /// Sets the whole query without its `?`; nil removes it.
    ///
    /// To append names and values, use ``append(_:)-(HTTPQuery)``.
    ///
    /// - Throws: `.invalidURL` under the conditions of ``init(_:)``; the URL is then unchanged.
    public mutating func setQuery(_ text: String?) throws(NetworkError) { query = try Self.tail(text) }

    /// Sets the fragment without its `#`; nil removes it.
    ///
    /// - Throws: `.invalidURL` under the conditions of ``init(_:)``; the URL is then unchanged.
    public mutating func setFragment(_ text: String?) throws(NetworkError) { fragment = try Self.tail(text) }

    private static func tail(_ text: String?) throws(NetworkError) -> String? {
        guard let text else { return nil }
        return try HTTPURLParser(text).component {
            PercentCoding.isSegmentByte($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
        }
    }

    /// Appends names and values to the query.
    public mutating func append(_ items: HTTPQuery) {
        guard !items.isEmpty else { return }
        let text = items.queryText
        query = query.map { $0.isEmpty ? text : $0 + "&" + text } ?? text
    }
}
