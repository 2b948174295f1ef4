internal import AshlarCore

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
package struct EventSubjects: Sendable {
    private let prefix: String

    /// Creates a mapping.
    ///
    /// - Parameter prefix: One or more tokens before every subject, without a `.` at the end; may be empty.
    package init(prefix: String = "") { self.prefix = prefix.isEmpty ? "" : prefix + "." }

    /// Returns the only name that a pattern matches; nil if it contains wildcards.
    package func exactName(of pattern: TopicPattern) -> String? { pattern.exactName }

    /// Returns the subject of a name.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName`.
    package func subject(of name: String) throws(EventBusError) -> String {
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        return prefix + Self.tokens(of: name).joined(separator: ".")
    }

    /// Returns the name of a subject; nil if it isn't the subject of any name.
    package func name(of subject: String) -> String? {
        guard subject.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = subject.utf8.dropFirst(prefix.utf8.count)
        var segments: [String] = []
        for token in rest.split(separator: .dot, omittingEmptySubsequences: false) {
            guard let segment = PercentCoding.decode(String(decoding: token, as: UTF8.self)) else { return nil }
            segments.append(segment)
        }
        let name = segments.joined(separator: ":")
        // Other subjects that decode to the same name aren't its subject.
        guard let same = try? self.subject(of: name), same == subject else { return nil }
        return name
    }

    /// Returns the subjects that together match the same names as a pattern.
    package func subjects(of pattern: TopicPattern) -> [String] {
        let tokens = pattern.segments.map { $0.map { Self.token($0) } ?? "*" }
        let head = prefix + tokens.joined(separator: ".")
        guard pattern.hasTail else { return [head] }
        return tokens.isEmpty ? [prefix + ">"] : [head, head + ".>"]
    }

    private static func tokens(of name: String) -> [String] {
        TopicName.segments(of: name).map { token($0) }
    }

    private static func token(_ segment: String) -> String {
        PercentCoding.encode(segment) { (0x21...0x7E).contains($0) && !".*>%$".utf8.contains($0) }
    }
}
