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
    public func matches(_ line: LogLine) -> Bool { matches(line, knowing: nil) }

    /// Whether a line satisfies all conditions; those for its header aren't checked again if it is known.
    func matches(_ line: LogLine, knowing header: LineHeader?) -> Bool {
        guard includes(line.time) else { return false }
        if header == nil && concernsHeader || !fields.isEmpty {
            guard let record = line.record,
                matches(LineHeader(level: record.level, context: record.context))
            else { return false }
            for (key, wanted) in fields {
                guard let value = Self.value(of: key, in: record.fields),
                    value.description == wanted.logFieldValue.description
                else { return false }
            }
        } else if header != nil, !line.hasRecord {
            return false
        }
        guard let needle = text.flatMap({ ByteNeedle($0) }) else { return true }
        var text = line.text
        return text.withUTF8 { needle.firstIndex(in: $0, from: 0) != nil }
    }

    /// Returns the lines in a part of a run's log that match.
    package func lines(in bytes: [UInt8], startedAt: LogTime, processID: Int32) -> [LogLine] {
        var scanner = LineScanner(startedAt: startedAt, processID: processID, parser: LineParser([]), query: self)
        return scanner.lines(in: bytes)
    }

    func includes(_ time: LogTime) -> Bool {
        if let since, time < since { return false }
        return until.map { time < $0 } ?? true
    }

    /// Whether there are conditions for the level or the context.
    var concernsHeader: Bool { level != nil || context != nil }

    func matches(_ header: LineHeader) -> Bool {
        if let level, header.level > level { return false }
        return context.map { LogThresholds.matches($0, header.context) } ?? true
    }

    /// What each matching line contains, the rarest first: fields in their printed form, then texts.
    var needles: [ByteNeedle] {
        var needles: [ByteNeedle] = []
        for (key, value) in fields {
            // Formats write the members of an object under the whole path or under their own name.
            let name = key.split(separator: ".").last.map(String.init) ?? key
            let text = value.logFieldValue.description
            // JSON writes a missing value as null.
            let hasText = Self.isPlain(text) && text != "nil"
            if Self.isPlain(name) {
                needles.append(ByteNeedle(exactly: name, value: hasText ? text : ""))
            } else if hasText {
                needles.append(ByteNeedle(exactly: text))
            }
        }
        if let text { needles += [ByteNeedle(text)].compactMap(\.self) }
        if let context, Self.isPlain(context) { needles += [ByteNeedle(context)].compactMap(\.self) }
        return needles
    }

    /// Whether every format writes a text as it is.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_-".utf8.contains($0) }
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
