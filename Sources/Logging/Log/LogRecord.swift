/// One line: what a call logs, on its way through formats and sinks.
public struct LogRecord: Hashable, Sendable {
    /// The number of the line in its process, from 1; it never decreases.
    ///
    /// It is 0 if a log that was read doesn't contain it.
    public let sequence: UInt64
    /// The severity of the line.
    public let level: LogLevel
    /// The time of the line, by the wall clock.
    public let time: LogTime
    /// The depth of the indent.
    public let depth: Int
    /// The context of the logger.
    public let context: String
    /// The message without its secrets, otherwise as it was logged.
    public let message: String
    /// The fields of the line.
    public let fields: LogFields
    /// The file of the call, as `Module/File.swift`.
    public let file: String
    /// The function of the call, such as `get(from:)`.
    public let function: String
    /// The line of the call in its file.
    public let line: UInt
    /// The kernel's ID of the thread that logged.
    package let threadID: UInt64

    package init(
        sequence: UInt64, level: LogLevel, time: LogTime, depth: Int, context: String, message: String,
        fields: LogFields, file: String, function: String, line: UInt, threadID: UInt64
    ) {
        self.sequence = sequence
        self.level = level
        self.time = time
        self.depth = depth
        self.context = context
        self.message = message
        self.fields = fields
        self.file = file
        self.function = function
        self.line = line
        self.threadID = threadID
    }

    /// Creates a line that the logger itself logs.
    static func notice(
        _ message: String, level: LogLevel = .warning, sequence: UInt64 = 0, context: String = "AshlarLogging"
    ) -> LogRecord {
        LogRecord(
            sequence: sequence, level: level, time: .now, depth: 0, context: context, message: message, fields: [:],
            file: #fileID, function: #function, line: #line, threadID: 0)
    }

    /// The line without secrets, as the names of secrets are now.
    var redacted: LogRecord {
        LogRecord(
            sequence: sequence, level: level, time: time, depth: depth, context: context,
            message: LogSecrets.redacted(message) ?? message, fields: LogSecrets.redacted(fields),
            file: file, function: function, line: line, threadID: threadID)
    }

    /// The approximate memory of the record, in bytes.
    var footprint: Int { 200 + message.utf8.count + fields.footprint(0) }
}

extension LogFields {
    fileprivate func footprint(_ depth: Int) -> Int { list.reduce(0) { $0 + 64 + $1.value.footprint(depth) } }
}

extension LogFieldValue {
    fileprivate func footprint(_ depth: Int) -> Int {
        switch self {
        case .string(let text): text.utf8.count
        case .array(let values) where depth < Self.deepestPrinted:
            values.reduce(0) { $0 + 32 + $1.footprint(depth + 1) }
        case .object(let fields) where depth < Self.deepestPrinted: fields.footprint(depth + 1)
        default: 0
        }
    }
}
