/// A pattern that topic names are held against: `network:*`, `network:**`, or just a name.
///
/// `*` stands for exactly one segment, `**` for any number of segments, none included, and only at the end. A star
/// fills a whole segment. The rules are those of MQTT's topic filters.
///
/// | pattern | meets | does not meet |
/// |---|---|---|
/// | `a:b` | `a:b` | `a`, `a:b:c` |
/// | `a:*` | `a:b` | `a`, `a:b:c` |
/// | `*:b` | `a:b` | `b` |
/// | `a:**` | `a`, `a:b`, `a:b:c` | `ab` |
/// | `**` | every name | |
public struct TopicPattern: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The pattern as it was written.
    public let description: String
    private let segments: [Substring]
    private let hasTail: Bool
    private let hasWildcard: Bool

    /// Creates a pattern from text made at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedPattern` and the offset of the mistake.
    public init(parsing text: String) throws(EventBusError) {
        switch Self.parse(text) {
        case .success(let pattern): self = pattern
        case .failure(let error): throw error
        }
    }

    /// Creates a pattern written in the source.
    ///
    /// - Precondition: The pattern is well formed.
    public init(stringLiteral text: StaticString) {
        switch Self.parse(text.description) {
        case .success(let pattern): self = pattern
        case .failure(let error): preconditionFailure(error.description)
        }
    }

    private init(_ text: String, segments: [Substring], hasTail: Bool, hasWildcard: Bool) {
        (description, self.segments) = (text, segments)
        (self.hasTail, self.hasWildcard) = (hasTail, hasWildcard)
    }

    private static func parse(_ text: String) -> Result<TopicPattern, EventBusError> {
        func mistake(_ offset: Int, _ expected: String, _ found: String) -> Result<TopicPattern, EventBusError> {
            .failure(EventBusError(.malformedPattern, subject: text, offset: offset, expected: expected, found: found))
        }
        let count = text.utf8.count
        guard count > 0 else { return mistake(0, "1 to \(TopicName.longest) bytes", "an empty pattern") }
        guard count <= TopicName.longest else {
            return mistake(TopicName.longest, "1 to \(TopicName.longest) bytes", "\(count) bytes")
        }
        var segments = text.split(separator: ":", omittingEmptySubsequences: false)
        var (offset, hasWildcard) = (0, false)
        for (index, segment) in segments.enumerated() {
            if segment.isEmpty { return mistake(offset, "a segment", index < segments.count - 1 ? "':'" : "the end") }
            if segment == "**" {
                guard index == segments.count - 1 else {
                    return mistake(offset, "'**' as the last segment only", "'**' before others")
                }
            } else if segment != "*", let star = segment.utf8.firstIndex(of: TopicName.star) {
                let inside = segment.utf8.distance(from: segment.utf8.startIndex, to: star)
                return mistake(offset + inside, "'*' or '**' as a whole segment", "'\(segment)'")
            }
            hasWildcard = hasWildcard || segment.utf8.first == TopicName.star
            offset += segment.utf8.count + 1
        }
        let hasTail = segments.last == "**"
        if hasTail { segments.removeLast() }
        return .success(TopicPattern(text, segments: segments, hasTail: hasTail, hasWildcard: hasWildcard))
    }

    /// The one name that the pattern meets, or nil if it has stars.
    var exactName: String? { hasWildcard ? nil : description }

    /// Whether the pattern meets every name.
    var isEverything: Bool { hasTail && segments.isEmpty }

    /// Returns whether the pattern meets a name.
    ///
    /// - Complexity: O(*n*) in the bytes of the name.
    public func matches(_ name: String) -> Bool {
        var rest = name.utf8[...]
        for (index, segment) in segments.enumerated() {
            let end = rest.firstIndex(of: TopicName.separator) ?? rest.endIndex
            let head = rest[..<end]
            guard segment == "*" ? !head.isEmpty : head.elementsEqual(segment.utf8) else { return false }
            guard end < rest.endIndex else { return index == segments.count - 1 }
            rest = rest[rest.index(after: end)...]
            if index == segments.count - 1 { return hasTail }
        }
        return isEverything
    }

    /// Patterns are equal when they are written the same.
    public static func == (a: Self, b: Self) -> Bool { a.description.utf8.elementsEqual(b.description.utf8) }

    /// Hashes the text of the pattern.
    public func hash(into hasher: inout Hasher) { for byte in description.utf8 { hasher.combine(byte) } }
}
