/// The path of an endpoint; each interpolated value is escaped so that it stays within one segment.
///
/// The literal parts are taken as they are: `/` separates, `%41` is an escape, what a path may not hold raw is
/// escaped. An interpolated value never adds segments; one that would make its segment empty, `.` or `..` is
/// refused when the request is built, because the path would lead elsewhere.
///
/// ```swift
/// let name = "a/b c?"
/// let path: EndpointPath = "users/\(name)/notes/\(7)"
/// assert(path.description == "users/a%2Fb%20c%3F/notes/7")
/// ```
public struct EndpointPath: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The path, escaped.
    public private(set) var description: String
    private var defect: String?

    /// Creates a path from text without interpolations.
    public init(stringLiteral value: String) {
        self.init(stringInterpolation: Interpolation(literal: value))
    }

    /// Creates a path from text whose `/` separate segments; what may not stand raw is escaped.
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
    }

    /// Builds a path from literal parts and values.
    public struct Interpolation: StringInterpolationProtocol {
        var bytes: [UInt8] = []
        var defect: String?
        private var segmentStart = 0
        private var segmentHasValue = false

        /// Creates an empty builder.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        init(literal: String) {
            appendLiteral(literal)
        }

        /// Appends text whose `/` separate segments.
        public mutating func appendLiteral(_ literal: String) {
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
                } else if PercentEncoding.isPathByte(byte) {
                    bytes.append(byte)
                } else {
                    PercentEncoding.append(byte, to: &bytes)
                }
            }
        }

        /// Appends a value that stays within its segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            segmentHasValue = true
            PercentEncoding.append(value.description, to: &bytes, allowed: PercentEncoding.isUnreserved)
        }

        /// Appends text as if it were literal: its `/` separate segments.
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

    /// Puts the path behind the URL's own, with exactly one slash between them.
    func append(to url: inout HTTPURL) throws(NetworkError) {
        if let defect { throw NetworkError(.invalidURL, defect, phase: .prepare) }
        guard !description.isEmpty else { return }
        let isAbsolute = description.utf8.first == UInt8(ascii: "/")
        if url.path == "/" {
            url.path = isAbsolute ? description : "/" + description
            return
        }
        if url.path.utf8.last == UInt8(ascii: "/") { url.path.removeLast() }
        url.path += isAbsolute ? description : "/" + description
    }
}
