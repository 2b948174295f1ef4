internal import AshlarCore
public import AshlarLogging

/// Conditions for the lines to read; without conditions, all lines match.
///
/// ```swift
/// var query = LogQuery(level: .warning, context: "net")
/// query.fields["status"] = 503
/// ```
public struct LogQuery: Sendable {
    /// The least severe level.
    public var level: LogLevel?
    /// A context with its components: `net` matches `net` and `net.http`, but not `network`.
    public var context: String?
    /// The time of the first lines.
    public var since: LogTime?
    /// The time after the last lines; lines with exactly this time don't match.
    public var until: LogTime?
    /// Text that the line contains, ignoring the case of ASCII letters.
    public var text: String?
    /// The values of fields; a key such as `timing.wait` refers to a member of an object.
    ///
    /// Values are compared in printed form, so `503` matches the text `"503"` of a format without types.
    public var fields: [String: any LogFieldConvertible] = [:]

    /// Creates a query.
    public init(level: LogLevel? = nil, context: String? = nil, text: String? = nil) {
        self.level = level
        self.context = context
        self.text = text
    }

    /// Whether a line satisfies all conditions.
    ///
    /// A line in an unknown format has neither a level, a context nor fields.
    public func matches(_ line: LogLine) -> Bool {
        guard includes(line.time) else { return false }
        if let text, !Self.contains(line.text, text) { return false }
        guard level != nil || context != nil || !fields.isEmpty else { return true }
        guard let record = line.record else { return false }
        if let level, record.level > level { return false }
        if let context, !LogThresholds.matches(context, record.context) { return false }
        return fields.allSatisfy { key, wanted in
            Self.value(of: key, in: record.fields)?.description == wanted.logFieldValue.description
        }
    }

    /// Whether a text contains another one, ignoring the case of ASCII letters.
    private static func contains(_ text: String, _ wanted: String) -> Bool {
        let wanted = wanted.utf8.map(\.asciiLowercased)
        guard let first = wanted.first else { return true }
        let text = text.utf8.map(\.asciiLowercased)
        return text.indices.contains { text[$0] == first && text[$0...].starts(with: wanted) }
    }

    func includes(_ time: LogTime) -> Bool {
        if let since, time < since { return false }
        return until.map { time < $0 } ?? true
    }

    private static func value(of path: String, in fields: LogFields) -> LogFieldValue? {
        if let value = fields[path] { return value }
        for dot in path.indices where path[dot] == "." {
            if case .object(let inner) = fields[String(path[..<dot])],
                let value = value(of: String(path[path.index(after: dot)...]), in: inner)
            {
                return value
            }
        }
        return nil
    }
}
