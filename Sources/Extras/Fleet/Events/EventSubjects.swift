internal import AshlarCore
internal import AshlarEventBus

/// The names of topics as subjects of a message broker such as NATS, and back.
///
/// A subject consists of tokens separated by `.`, one for each segment of the name. Bytes that a token can't contain are
/// percent-encoded: `.`, `*`, `>`, `%`, `$`, spaces, control characters and all that aren't ASCII. A pattern has one
/// subject, and a pattern with `**` has two, because `a:**` also matches `a`, and `a.>` doesn't:
///
/// | name or pattern | subjects |
/// |---|---|
/// | `note:v1.2` | `note.v1%2E2` |
/// | `note:*:shown` | `note.*.shown` |
/// | `note:**` | `note` and `note.>` |
/// | `**` | `>` |
///
/// With the prefix `app`, `note:big picture` is `app.note.big%20picture`, and `note:**` is `app.note` and `app.note.>`.
struct EventSubjects: Sendable {
    private let prefix: String

    /// Creates a mapping.
    ///
    /// - Parameter prefix: One or more tokens before every subject, without a `.` at the end; may be empty.
    init(prefix: String = "") { self.prefix = prefix.isEmpty ? "" : prefix + "." }

    /// Returns the only name that a pattern matches; nil if it contains wildcards.
    func exactName(of pattern: TopicPattern) -> String? {
        let name = pattern.description
        return Self.segments(of: name).contains { $0 == "*" || $0 == "**" } ? nil : name
    }

    /// Returns the subject of a name.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName`.
    func subject(of name: String) throws(EventBusError) -> String {
        _ = try Topic<Void>(named: name)
        return prefix + Self.segments(of: name).map { Self.token($0) }.joined(separator: ".")
    }

    /// Returns the name of a subject; nil if it isn't the subject of any name.
    func name(of subject: String) -> String? {
        guard subject.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = subject.utf8.dropFirst(prefix.utf8.count)
        var segments: [String] = []
        for token in rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let segment = PercentCoding.decode(String(decoding: token, as: UTF8.self)) else { return nil }
            segments.append(segment)
        }
        let name = segments.joined(separator: ":")
        // Other subjects that decode to the same name aren't its subject.
        guard let same = try? self.subject(of: name), same == subject else { return nil }
        return name
    }

    /// Returns the subjects that together match the same names as a pattern.
    func subjects(of pattern: TopicPattern) -> [String] {
        let segments = Self.segments(of: pattern.description)
        let hasTail = segments.last == "**"
        let tokens = segments.dropLast(hasTail ? 1 : 0).map { $0 == "*" ? $0 : Self.token($0) }
        let head = prefix + tokens.joined(separator: ".")
        guard hasTail else { return [head] }
        return tokens.isEmpty ? [prefix + ">"] : [head, head + ".>"]
    }

    /// Returns the segments of a name or a pattern, which are split as bytes: a `:` and a combining accent form one character.
    private static func segments(of name: String) -> [String] {
        name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    private static func token(_ segment: String) -> String {
        PercentCoding.encode(segment) { (0x21...0x7E).contains($0) && !".*>%$".utf8.contains($0) }
    }
}
