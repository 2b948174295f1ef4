/// The contents of one line, as passed to the sinks.
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
    /// The message as it was logged, without escapes.
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
    /// The number of bytes cut from the message.
    private let omitted: Int

    package init(
        sequence: UInt64, level: LogLevel, time: LogTime, depth: Int, context: String, message: String,
        fields: LogFields, file: String, function: String, line: UInt, threadID: UInt64, omitted: Int = 0
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
        self.omitted = omitted
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
        let pairs = fields.list.map { LogFields.Element($0.key, $0.value) }
        return LogRecord(
            sequence: sequence, level: level, time: time, depth: depth, context: context,
            message: LogText.withBytes(message) { LogSecrets.redacted($0) } ?? message, fields: LogFields(pairs),
            file: file, function: function, line: line, threadID: threadID, omitted: omitted)
    }

    /// Runs `body` with the line that formats print.
    func withLine<Result>(_ body: (borrowing LineRecord) -> Result) -> Result {
        let context = LogContext(context)
        return LogText.withBytes(message) { text in
            LogPlace.with(file: file, function: function) { place in
                let record = LineRecord(
                    sequence: sequence, level: level, time: time, depth: depth, fields: fields, line: line,
                    threadID: threadID, source: context, place: place, text: text, omitted: omitted)
                return withExtendedLifetime(context) { body(record) }
            }
        }
    }

    /// The approximate memory of the record, in bytes.
    var footprint: Int { 200 + message.utf8.count + fields.list.count * 64 }
}

/// A line during its call: it borrows the bytes of the message and the names, so that a line needs no strings.
package struct LineRecord: ~Copyable {
    let sequence: UInt64
    package let level: LogLevel
    package let time: LogTime
    let depth: Int
    package let fields: LogFields
    package let line: UInt
    package let threadID: UInt64
    /// The context, which the logger retains.
    unowned(unsafe) let source: LogContext
    let place: LogPlace
    let text: LogText
    /// The number of bytes cut from the message.
    let omitted: Int

    package var context: String { source.name }
    package var file: String { place.file.string }
    package var function: String { place.function.string }

    /// The line as a value for sinks.
    var record: LogRecord {
        LogRecord(
            sequence: sequence, level: level, time: time, depth: depth, context: context, message: text.string,
            fields: fields, file: file, function: function, line: line, threadID: threadID, omitted: omitted)
    }
}

/// The position of a call in the program; valid during the lifetime of the record.
struct LogPlace {
    let file: LogText
    let function: LogText

    @inline(__always)
    init(file: StaticString, function: StaticString) {
        self.file = LogText(file)
        self.function = LogText(function)
    }

    private init(file: LogText, function: LogText) {
        self.file = file
        self.function = function
    }

    /// Runs `body` with a position that is known only at run time.
    static func with<Result>(file: String, function: String, _ body: (LogPlace) -> Result) -> Result {
        LogText.withBytes(file) { file in
            LogText.withBytes(function) { function in body(LogPlace(file: file, function: function)) }
        }
    }
}

/// The context of a logger.
final class LogContext: Sendable {
    /// The maximum length of contexts, functions and keys in a line.
    static let longest = 1024

    let name: String
    private let printed: LogMessage

    init(_ name: String) {
        self.name = name
        let owner = MessageBuffer()
        LogText.withBytes(name) { _ = Escaping.text.append($0, to: owner.buffer, end: Self.longest) }
        printed = LogMessage(owner: owner)
    }

    /// The name with control characters escaped, for text formats; valid as long as this object.
    var escaped: LogText { printed.text }
}
