internal import AshlarCore

/// One segment of a path during a match.
struct RouteStep {
    /// The start of the segment's bytes in the matched text, and their number.
    var start: UInt32
    var length: UInt32
    /// The hash of the segment; 0 until it is computed.
    var hash: UInt64 = 0
    /// The next choice if the following segments don't match; see `RouteTree.find`.
    var next: Int32 = 0
    /// The choice taken at this segment.
    var taken: Int32 = 0
    /// The node in which this segment is looked up.
    var node: Int32 = 0

    @inline(__always)
    init(_ start: Int, _ end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        length = UInt32(truncatingIfNeeded: end - start)
    }
}

/// The ranges of a URL's parts in its UTF-8, found in one pass without copying.
struct RouteURL {
    /// An error in a URL.
    enum Fault: Error {
        case notAbsolute
        case tooLong
        case tooManySegments
        /// A byte that RFC 3986 forbids in an authority.
        case authority(Int)
        case coding(PercentCoding.Fault)
    }

    /// The end of the scheme; -1 if there is none.
    var schemeEnd = -1
    var pathStart = 0
    var pathEnd = 0
    /// The `?` before the query, or the end of the path.
    var queryStart = 0
    var queryEnd = 0
    /// The number of steps: two for the scheme and host, and one for each segment.
    var stepCount = 0
    var hasEscapes = false

    var hasAuthority: Bool { schemeEnd >= 0 }

    init() {}

    static func isSchemeByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    static func isHostByte(_ byte: UInt8) -> Bool {
        isSchemeByte(byte) && byte != UInt8(ascii: "+") || byte >= 0x80 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "~") || byte == .colon || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    /// Splits a URL into steps at its slashes.
    ///
    /// Steps for which there is no room are only counted; the caller then repeats the call with more room. The value is
    /// filled in place, because a copy of new fields waits for their stores.
    @inline(never)
    mutating func split(
        _ bytes: borrowing Span<UInt8>, options: RouteTreeOptions, limits: RouteLimits,
        into steps: inout MutableSpan<RouteStep>
    ) throws(Fault) {
        self = RouteURL()
        guard !bytes.isEmpty else { throw .notAbsolute }
        let end = bytes.count
        guard end <= limits.pathBytes &+ limits.otherBytes else { throw .tooLong }
        if bytes[0] != .slash { try findAuthority(bytes, into: &steps) }
        let most = stepCount &+ limits.segments
        let collapses = options.collapsesSlashes
        var (at, start, count) = (pathStart &+ 1, pathStart &+ 1, stepCount)
        pathEnd = end
        // If nothing follows the host, the path is "/".
        if pathStart < end, bytes[pathStart] == .slash {
            scan: while at < end {
                if at &- pathStart > limits.pathBytes { throw .tooLong }
                let left = end &- at
                var marks = RouteBytes.marks(RouteBytes.word(bytes, at, min(left, 8)))
                while marks != 0 {
                    let mark = at &+ marks.trailingZeroBitCount / 8
                    marks &= marks &- 1
                    switch bytes[mark] {
                    case .slash:
                        if !(collapses && mark == start) {
                            if count < steps.count { steps[count] = RouteStep(start, mark) }
                            count &+= 1
                            if count > most { throw .tooManySegments }
                        }
                        start = mark &+ 1
                    case .percent: hasEscapes = true
                    case .question, .hashMark:
                        pathEnd = mark
                        break scan
                    default: break
                    }
                }
                at &+= 8
            }
            if pathEnd &- pathStart > limits.pathBytes { throw .tooLong }
        } else {
            pathEnd = pathStart
            start = pathStart
        }
        let endsInSlash = start >= pathEnd
        // The text after the last slash; "/" has no segments, and one trailing slash can be ignored.
        if !endsInSlash || !options.ignoresTrailingSlash && count > stepCount {
            if count < steps.count { steps[count] = RouteStep(start, max(start, pathEnd)) }
            count &+= 1
            if count > most { throw .tooManySegments }
        }
        stepCount = count
        queryStart = pathEnd
        queryEnd = end
        if pathEnd < end {
            guard end &- (pathEnd &- pathStart) <= limits.otherBytes else { throw .tooLong }
            if bytes[pathEnd] == .question {
                var mark = pathEnd &+ 1
                while mark < end, bytes[mark] != .hashMark { mark &+= 1 }
                queryEnd = mark
            } else {
                queryEnd = pathEnd
            }
        }
    }

    /// Parses `scheme://authority` and writes the scheme and host as the first two steps.
    ///
    /// An authority that isn't in normal form is treated as escaped, and the slow path normalizes it.
    private mutating func findAuthority(
        _ bytes: borrowing Span<UInt8>, into steps: inout MutableSpan<RouteStep>
    ) throws(Fault) {
        let end = bytes.count
        guard bytes[0].isLetter else { throw .notAbsolute }
        var at = 0
        while at < end, Self.isSchemeByte(bytes[at]) { at += 1 }
        guard at + 2 < end, bytes[at] == .colon, bytes[at + 1] == .slash, bytes[at + 2] == .slash else {
            throw .notAbsolute
        }
        schemeEnd = at
        at += 3
        let start = at
        while at < end, bytes[at] != .slash, bytes[at] != .question, bytes[at] != .hashMark {
            if !RouteHost.isPlain(bytes[at]) { hasEscapes = true }
            at += 1
        }
        if at > start, bytes[at - 1] == UInt8(ascii: ".") { hasEscapes = true }
        pathStart = at
        if steps.count >= 2 {
            steps[0] = RouteStep(0, schemeEnd)
            steps[1] = RouteStep(start, pathStart)
        }
        stepCount = 2
    }
}
