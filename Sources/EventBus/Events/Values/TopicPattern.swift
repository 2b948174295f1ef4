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
    /// The pattern as written.
    public let description: String
    /// The segments before a `**`; nil represents `*`.
    let segments: [String?]
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
        let parts = TopicName.segments(of: text)
        var segments: [String?] = []
        var offset = 0
        var hasTail = false
        var hasWildcard = false
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard !part.isEmpty else { throw mistake(offset, "a segment", isLast ? "the end" : "':'") }
            if part == "**" {
                guard isLast else { throw mistake(offset, "'**' as the last segment only", "'**' before others") }
                hasTail = true
                hasWildcard = true
            } else if part == "*" {
                segments.append(nil)
                hasWildcard = true
            } else if let star = part.utf8.firstIndex(of: TopicName.star) {
                let inside = part.utf8.distance(from: part.startIndex, to: star)
                throw mistake(offset + inside, "'*' or '**' as a whole segment", "'\(part)'")
            } else {
                segments.append(part)
            }
            offset += part.utf8.count + 1
        }
        description = text
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
        if isEverything { return true }
        if !hasWildcard { return description == name }
        let parts = TopicName.segments(of: name)
        guard hasTail ? parts.count >= segments.count : parts.count == segments.count else { return false }
        return zip(segments, parts).allSatisfy { wanted, part in wanted.map { $0 == part } ?? !part.isEmpty }
    }
}
