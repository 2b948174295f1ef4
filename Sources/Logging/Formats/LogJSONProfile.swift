/// The member names of JSON lines, for a log collector.
///
/// The fields `trace_id` and `span_id` are also members where the collector expects them, so that it can show a line with
/// its trace.
public struct LogJSONProfile: Sendable {
    /// The content of a member.
    package enum Member: Sendable {
        case time, sequence, level, lowercaseLevel, googleSeverity, number, depth, context
        case message, fields, file, function, line, lineText, thread
        case literal(StaticString)
        /// The text of a field, left out unless the line has it; for correlation. OpenTelemetry takes hexadecimal digits
        /// only, and a collector refuses a whole request because of another text.
        case identifier(field: String, hexDigits: Int? = nil)
        case members([(name: StaticString, member: Member)])
        /// Written by another module; the closure returns whether it truncated anything.
        case custom(@Sendable (borrowing LineRecord, JSONLineWriter) -> Bool)
    }

    let members: [(name: StaticString, member: Member)]

    package init(members: [(name: StaticString, member: Member)]) { self.members = members }

    /// Ashlar's names.
    package static let standard = LogJSONProfile(members: [
        ("time", .time), ("seq", .sequence), ("level", .level), ("severity", .number), ("depth", .depth),
        ("file", .file), ("function", .function), ("line", .line), ("thread", .thread), ("context", .context),
        ("message", .message), ("fields", .fields),
    ])

    /// The Elastic Common Schema.
    public static let ecs = LogJSONProfile(members: [
        ("@timestamp", .time), ("log.level", .lowercaseLevel), ("ecs.version", .literal("1.12.0")),
        ("log.logger", .context), ("event.sequence", .sequence), ("log.origin.file.name", .file),
        ("log.origin.file.line", .line), ("log.origin.function", .function), ("process.thread.id", .thread),
        ("trace.id", .identifier(field: "trace_id")), ("span.id", .identifier(field: "span_id")),
        ("message", .message), ("labels", .fields),
    ])

    /// Google Cloud's structured logging.
    public static let googleCloud = LogJSONProfile(members: [
        ("time", .time), ("severity", .googleSeverity), ("logger", .context),
        (
            "logging.googleapis.com/sourceLocation",
            .members([("file", .file), ("line", .lineText), ("function", .function)])
        ),
        ("logging.googleapis.com/trace", .identifier(field: "trace_id")),
        ("logging.googleapis.com/spanId", .identifier(field: "span_id")),
        ("message", .message), ("fields", .fields),
    ])
}

extension LogLevel {
    /// Creates a level from its severity in Google Cloud.
    package init?(googleSeverity name: String) {
        guard let level = Self.allCases.first(where: { $0.googleSeverity.description == name }) else { return nil }
        self = level
    }

    /// The severity in Google Cloud.
    var googleSeverity: StaticString {
        switch self {
        case .unrecoverable: "ALERT"
        case .critical: "CRITICAL"
        case .error: "ERROR"
        case .warning: "WARNING"
        case .info: "NOTICE"
        case .logging: "INFO"
        case .debug, .analytic, .verbose: "DEBUG"
        }
    }
}
