internal import AshlarCore

extension HTTPURL {
    /// Returns the target of a reference on a page with this URL (RFC 3986, section 5.2).
    ///
    /// Spaces and other characters that a URL can't contain are percent-encoded, as in browsers.
    ///
    /// - Throws: `.invalidURL` for a reference to another scheme, or one that isn't a URL.
    package func resolving(_ reference: String) throws(NetworkError) -> HTTPURL {
        guard reference.utf8.contains(where: { !$0.isHTTPSpace }) else {
            var result = self
            result.fragment = nil
            return result
        }
        return try resolve(location: Array(reference.utf8))
    }

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
