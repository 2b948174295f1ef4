/// A pattern for topic names: `network:*`, `network:**`, or a name.
///
/// `*` matches exactly one segment. `**` matches any number of segments, including none, and is permitted only at the
/// end. A star must be a whole segment. The rules are those of MQTT's topic filters.
///
/// | pattern | matches | doesn't match |
/// |---|---|---|
/// | `a:b` | `a:b` | `a`, `a:b:c` |
/// | `a:*` | `a:b` | `a`, `a:b:c` |
/// | `*:b` | `a:b` | `b` |
/// | `a:**` | `a`, `a:b`, `a:b:c` | `ab` |
/// | `**` | every name | |
public struct TopicPattern: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    private let text: ByteText
    /// The pattern as written.
    public var description: String { text.text }
    /// The segments before a `**`, in bytes; nil represents `*`.
    let segments: [[UInt8]?]
    let hasTail: Bool
    private let hasWildcard: Bool

    /// Creates a pattern from text known at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedPattern` and the offset of the mistake.
    public init(parsing text: String) throws(EventBusError) {
        func mistake(_ offset: Int, _ expected: String, _ found: String) -> EventBusError {
            EventBusError(.malformedPattern, subject: text, offset: offset, expected: expected, found: found)
        }
        let count = text.utf8.count
        guard count > 0 else { throw mistake(0, "1 to \(TopicName.longest) bytes", "an empty pattern") }
        guard count <= TopicName.longest else {
            throw mistake(TopicName.longest, "1 to \(TopicName.longest) bytes", "\(count) bytes")
        }
        // Bytes, because a `:` and a combining accent after it form one character.
        let parts = text.utf8.split(separator: TopicName.separator, omittingEmptySubsequences: false)
        var segments: [[UInt8]?] = []
        var offset = 0
        var hasTail = false
        var hasWildcard = false
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard !part.isEmpty else { throw mistake(offset, "a segment", isLast ? "the end" : "':'") }
            if part.elementsEqual("**".utf8) {
                guard isLast else { throw mistake(offset, "'**' as the last segment only", "'**' before others") }
                hasTail = true
                hasWildcard = true
            } else if part.elementsEqual("*".utf8) {
                segments.append(nil)
                hasWildcard = true
            } else if let star = part.firstIndex(of: TopicName.star) {
                let inside = part.distance(from: part.startIndex, to: star)
                throw mistake(offset + inside, "'*' or '**' as a whole segment", "'\(Substring(part))'")
            } else {
                segments.append(Array(part))
            }
            offset += part.count + 1
        }
        self.text = ByteText(text)
        self.segments = segments
        self.hasTail = hasTail
        self.hasWildcard = hasWildcard
    }

    /// Creates a pattern from a literal.
    ///
    /// - Precondition: The pattern is well-formed.
    public init(stringLiteral text: StaticString) {
        do throws(EventBusError) { self = try TopicPattern(parsing: text.description) } catch {
            preconditionFailure(error.description)
        }
    }

    /// The only name that the pattern matches; nil if it contains wildcards.
    var exactName: String? { hasWildcard ? nil : description }

    /// Whether the pattern matches every name.
    var isEverything: Bool { hasTail && segments.isEmpty }

    /// Returns whether the pattern matches a name.
    ///
    /// - Complexity: O(*n*) in the bytes of the name.
    public func matches(_ name: String) -> Bool {
        var rest = name.utf8[...]
        for (index, segment) in segments.enumerated() {
            let end = rest.firstIndex(of: TopicName.separator) ?? rest.endIndex
            let head = rest[..<end]
            guard segment.map({ head.elementsEqual($0) }) ?? !head.isEmpty else { return false }
            guard end < rest.endIndex else { return index == segments.count - 1 }
            rest = rest[rest.index(after: end)...]
            if index == segments.count - 1 { return hasTail }
        }
        return isEverything
    }
}
