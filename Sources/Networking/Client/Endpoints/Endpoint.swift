internal import AshlarCore

/// The path of an endpoint; each interpolated value is escaped so that it stays within one segment.
///
/// In the literal parts, `/` separates segments and `%41` is an escape; other bytes that a path can't contain, such as
/// `?`, are escaped. An interpolated value never adds segments. If it makes its segment empty, `.` or `..`, the path would lead
/// elsewhere, and building the request throws.
///
/// ```swift
/// let name = "a/b c?"
/// let path: EndpointPath = "users/\(name)/notes/\(7)"
/// assert(path.description == "users/a%2Fb%20c%3F/notes/7")
/// ```
public struct EndpointPath: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The escaped path.
    public private(set) var description: String
    private var defect: String?
    /// Whether the string is a URL instead of a path; see ``NetworkClient/get(_:query:headers:)``.
    let isURL: Bool

    /// Creates a path from a string literal.
    public init(stringLiteral value: String) {
        self.init(stringInterpolation: Interpolation(literal: value))
    }

    /// Creates a path from a string in which `/` separates segments; other bytes that a path can't contain are escaped.
    public init(_ text: String) { self.init(stringLiteral: text) }

    /// Creates a path from segments, each escaped as a whole.
    public init(segments: [String]) {
        var interpolation = Interpolation(literalCapacity: 0, interpolationCount: segments.count)
        for (index, segment) in segments.enumerated() {
            if index > 0 { interpolation.appendLiteral("/") }
            interpolation.appendInterpolation(segment)
        }
        self.init(stringInterpolation: interpolation)
    }

    /// Creates a path from literal parts and values.
    public init(stringInterpolation: Interpolation) {
        var interpolation = stringInterpolation
        interpolation.endSegment()
        description = String(decoding: interpolation.bytes, as: UTF8.self)
        defect = interpolation.defect
        isURL = interpolation.isURL
    }

    /// Builds a path from literal parts and values.
    public struct Interpolation: StringInterpolationProtocol {
        var bytes: [UInt8] = []
        var defect: String?
        /// Whether the string starts with `http://` or `https://`.
        fileprivate(set) var isURL = false
        private var segmentStart = 0
        private var segmentHasValue = false

        /// Creates an empty builder.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        init(literal: String) {
            appendLiteral(literal)
        }

        /// Appends a literal part, in which `/` separates segments.
        public mutating func appendLiteral(_ literal: String) {
            if bytes.isEmpty { isURL = Self.hasScheme(literal) }
            let text = Array(literal.utf8)
            for (index, byte) in text.enumerated() {
                if byte == UInt8(ascii: "/") {
                    endSegment()
                    bytes.append(byte)
                    segmentStart = bytes.count
                } else if byte == UInt8(ascii: "%") {
                    let isEscape =
                        index + 2 < text.count && text[index + 1].hexValue != nil && text[index + 2].hexValue != nil
                    if !isEscape { defect = defect ?? "expected two hex digits after % in the path" }
                    bytes.append(byte)
                } else if isURL || PercentCoding.isSegmentByte(byte) {
                    bytes.append(byte)
                } else {
                    PercentCoding.append(byte, to: &bytes)
                }
            }
        }

        private static func hasScheme(_ literal: String) -> Bool {
            ["http://", "https://"].contains { literal.prefix($0.count).equalsIgnoringASCIICase($0) }
        }

        /// Appends a value as part of one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            segmentHasValue = true
            PercentCoding.append(value.description.utf8, to: &bytes, allowed: PercentCoding.isUnreserved)
        }

        /// Appends a string like a literal: `/` separates segments.
        public mutating func appendInterpolation(raw text: String) { appendLiteral(text) }

        mutating func endSegment() {
            defer { segmentHasValue = false }
            guard segmentHasValue else { return }
            let segment = bytes[segmentStart...]
            if segment.isEmpty {
                defect = defect ?? "a value leaves its path segment empty"
            } else if segment.elementsEqual([0x2E]) || segment.elementsEqual([0x2E, 0x2E]) {
                defect = defect ?? "a value makes its path segment . or .."
            }
        }
    }

    func check() throws(NetworkError) {
        if let defect { throw NetworkError(.invalidURL, defect, phase: .prepare) }
    }
}

extension HTTPURL {
    /// Appends segments to the path, separated by exactly one slash.
    ///
    /// - Throws: `.invalidURL` for a value that would lead elsewhere; see ``EndpointPath``. The URL is then unchanged.
    public mutating func append(_ segments: EndpointPath) throws(NetworkError) {
        try segments.check()
        guard !segments.description.isEmpty else { return }
        let text =
            segments.description.utf8.first == UInt8(ascii: "/") ? segments.description : "/" + segments.description
        path = path.utf8.last == UInt8(ascii: "/") ? path.dropLast() + text : path + text
    }
}
