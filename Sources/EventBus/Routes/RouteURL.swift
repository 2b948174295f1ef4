internal import AshlarCore

/// A URL as routes match it: its parts, and its decoded segments.
///
/// The path is split at its slashes, and then each segment is decoded once. The query and the fragment are decoded, too, so that a
/// malformed escape anywhere in the URL is an error.
final class RouteURL: Sendable {
    /// The URL, as passed to the match.
    let text: String
    /// The scheme and the host in normal form; nil for a path.
    let authority: (scheme: String, host: String)?
    /// The scheme with the host, if the URL has them, and then the decoded segments of the path.
    let segments: [String]
    let pathRange: Range<Int>
    /// The decoded query; empty if there is none.
    let query: RouteQuery
    /// The decoded text after `#`; nil if there is none.
    let fragment: String?
    private let isCaseSensitive: Bool

    /// Splits and decodes a URL.
    ///
    /// A URL with a scheme is valid if requests accept it, too; see `URLText`. A path may contain any character.
    ///
    /// - Throws: ``EventBusError`` with the offset of the fault.
    /// - Complexity: O(*n*) in the length of the URL; O(1) if it exceeds the limits.
    static func parse(_ url: String, _ options: RouterOptions) throws(EventBusError) -> RouteURL {
        // Checked first, so that a URL over the limits costs no allocation.
        guard url.utf8.count <= RouteLimits.pathBytes + RouteLimits.otherBytes else { throw tooLong(url) }
        return try RouteURL(url, options)
    }

    private init(_ url: String, _ options: RouterOptions) throws(EventBusError) {
        let bytes = Array(url.utf8)
        var segments: [String] = []
        segments.reserveCapacity(8)
        var authority: (scheme: String, host: String)?
        var pathStart = 0
        if bytes.first != .slash {
            guard let schemeEnd = URLText.schemeEnd(bytes), bytes[schemeEnd...].starts(with: "://".utf8) else {
                throw EventBusError(.pathNotAbsolute, subject: url, offset: 0, expected: "/ or a scheme and ://")
            }
            let parts: URLText
            do { parts = try URLText(bytes) } catch { throw EventBusError(error, in: url) }
            pathStart = bytes[(schemeEnd + "://".utf8.count)...].firstIndex(where: URLText.endsAuthority) ?? bytes.count
            let host = URLText.normalHost(parts.host, port: parts.port, scheme: parts.scheme)
            authority = (parts.scheme, host)
            segments.append("\(parts.scheme)://\(host)")
        }
        let pathEnd = bytes[pathStart...].firstIndex { $0 == .question || $0 == .hashMark } ?? bytes.count
        let queryEnd = bytes[pathEnd...].firstIndex(of: .hashMark) ?? bytes.count
        guard pathEnd - pathStart <= RouteLimits.pathBytes,
            bytes.count - pathEnd + pathStart <= RouteLimits.otherBytes
        else { throw Self.tooLong(url) }
        let authorityCount = segments.count
        let hasEscapes = bytes[pathStart..<pathEnd].contains(.percent)
        do throws(URLFault) {
            query = pathEnd < queryEnd ? try RouteQuery(bytes[(pathEnd + 1)..<queryEnd]) : RouteQuery()
            fragment = queryEnd < bytes.count ? try Self.fragment(bytes[(queryEnd + 1)...]) : nil
            var start = pathStart + 1
            while start <= pathEnd, segments.count - authorityCount <= RoutePatternText.maximumSegments {
                let end = bytes[start..<pathEnd].firstIndex(of: .slash) ?? pathEnd
                defer { start = end + 1 }
                // "/" has no segments. An empty last segment is the slash at the end of a path.
                if start == pathEnd, segments.count == authorityCount || options.ignoresTrailingSlash { continue }
                let segment = bytes[start..<end]
                segments.append(
                    hasEscapes ? try PercentCoding.decode(segment) : String(decoding: segment, as: UTF8.self))
            }
        } catch {
            throw EventBusError(error, in: url)
        }
        guard segments.count - authorityCount <= RoutePatternText.maximumSegments else {
            throw EventBusError(.pathTooManySegments, subject: url)
        }
        text = url
        pathRange = pathStart..<pathEnd
        isCaseSensitive = options.isCaseSensitive
        self.authority = authority
        self.segments = segments
    }

    /// Returns a decoded fragment, in which a lone `%` is text, as in browsers.
    private static func fragment(_ bytes: ArraySlice<UInt8>) throws(URLFault) -> String {
        do {
            return try PercentCoding.decode(bytes)
        } catch {
            guard error.kind == .escape,
                let normalForm = try? PercentCoding.normalForm(bytes, as: .fragment, isReceived: true),
                let text = PercentCoding.decode(normalForm)
            else { throw error }
            return text
        }
    }

    private static func tooLong(_ url: String) -> EventBusError {
        EventBusError(.pathTooLong, subject: url, found: "\(url.utf8.count) bytes")
    }

    /// Returns a segment as it is compared with literals: in lowercase if the options ignore case.
    func key(at index: Int) -> String { key(of: segments[index]) }

    func key(of segment: String) -> String { isCaseSensitive ? segment : segment.asciiLowercased }
}

/// The ASCII characters with a special meaning in URLs.
extension UInt8 {
    static let slash = UInt8(ascii: "/")
    static let percent = UInt8(ascii: "%")
    static let question = UInt8(ascii: "?")
    static let hashMark = UInt8(ascii: "#")
    static let colon = UInt8(ascii: ":")
    static let dot = UInt8(ascii: ".")
}

extension EventBusError {
    /// The error of a URL or a path.
    init(_ fault: URLFault, in url: String) {
        let authority = url.utf8.prefix(fault.offset).drop { $0 != .colon }.dropFirst("://".utf8.count)
        let code: Code =
            switch fault.kind {
            case .escape: .invalidPercentEncoding
            case .utf8: .invalidUTF8
            case .character where authority.contains(where: URLText.endsAuthority): .invalidCharacter
            case .scheme, .authority, .character: .invalidAuthority
            }
        self.init(code, subject: url, offset: fault.offset, expected: fault.expected, found: fault.found)
    }
}

extension EventBusError.Code {
    /// A path or URL that starts neither with `/` nor with a scheme and `://`.
    package static let pathNotAbsolute = Self("pathNotAbsolute")
    /// A path, or the rest of a URL, is longer than the limit.
    package static let pathTooLong = Self("pathTooLong")
    /// A path with more segments than the limit.
    package static let pathTooManySegments = Self("pathTooManySegments")
    /// A URL whose host, port or user information is invalid.
    package static let invalidAuthority = Self("invalidAuthority")
    /// A URL with a scheme whose path, query or fragment contains a space, a backslash or a control character.
    package static let invalidCharacter = Self("invalidCharacter")
    /// A `%` without two hexadecimal digits.
    package static let invalidPercentEncoding = Self("invalidPercentEncoding")
    /// Percent-escapes that decode to bytes that aren't UTF-8.
    package static let invalidUTF8 = Self("invalidUTF8")
}
