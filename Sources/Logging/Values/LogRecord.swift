internal import Synchronization

/// The contents of one line, as passed to the run file and the sinks.
///
/// A record borrows the bytes of the message and can't outlive the call; a sink stores a ``Copy``.
public struct LogRecord: ~Copyable {
    /// The number of the line in this process, from 1; it never decreases.
    public let sequence: UInt64
    /// The severity of the line.
    public let level: LogLevel
    /// The time of the line, by the wall clock.
    public let time: LogTime
    /// The depth of the indent.
    public let depth: Int
    /// The fields of the line.
    public let fields: LogFields
    /// The line of the call in its file.
    public let line: UInt
    /// The kernel's ID of the thread that logged.
    public let threadID: UInt64

    /// The context, which the logger retains.
    unowned(unsafe) let source: LogContext
    let place: LogPlace
    let text: LogText
    /// The fields as patterns print them, if that is known.
    let fieldText: LogText?
    /// The number of bytes cut from the message.
    let omitted: Int

    init(
        sequence: UInt64, level: LogLevel, time: LogTime, depth: Int, fields: consuming LogFields, line: UInt,
        threadID: UInt64, source: LogContext, place: LogPlace, text: LogText, fieldText: LogText? = nil, omitted: Int
    ) {
        (self.sequence, self.level, self.time, self.depth) = (sequence, level, time, depth)
        (self.line, self.threadID, self.place) = (line, threadID, place)
        (self.text, self.fieldText, self.omitted) = (text, fieldText, omitted)
        self.fields = fields
        self.source = source
    }

    /// The context of the logger.
    public var context: String { source.name }
    /// The message as it was logged, without escapes.
    public var message: String { text.string }
    /// The file of the call, as `Module/File.swift`.
    public var file: String { place.file.string }
    /// The function of the call, such as `get(from:)`.
    public var function: String { place.function.string }

    /// Returns the contents of the record as a value that can be stored.
    public func copy() -> Copy {
        Copy(
            sequence: sequence, level: level, time: time, depth: depth, context: context, message: message,
            fields: fields, file: file, function: function, line: line, threadID: threadID)
    }

    /// The contents of a record as a value that can be stored.
    public struct Copy: Hashable, Sendable {
        /// The number of the line in its process; 0 if the log that was read doesn't contain it.
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
        /// The function of the call.
        public let function: String
        /// The line of the call in its file.
        public let line: UInt
        /// The kernel's ID of the thread that logged.
        public let threadID: UInt64

        /// Runs `body` with a record that has these contents.
        public func withRecord<Result>(_ body: (borrowing LogRecord) -> Result) -> Result {
            let context = LogContext(context)
            return LogText.withBytes(message) { text in
                LogPlace.with(file: file, function: function) { place in
                    let record = LogRecord(
                        sequence: sequence, level: level, time: time, depth: depth, fields: fields, line: line,
                        threadID: threadID, source: context, place: place, text: text, omitted: 0)
                    return withExtendedLifetime(context) { body(record) }
                }
            }
        }

        /// Creates a line that the logger itself logs.
        static func notice(
            _ message: String, level: LogLevel = .warning, sequence: UInt64 = 0, context: String = "AshlarLogging"
        ) -> Copy {
            Copy(
                sequence: sequence, level: level, time: .now, depth: 0, context: context, message: message,
                fields: [:], file: #fileID, function: #function, line: #line, threadID: 0)
        }

        /// The approximate memory of the copy, in bytes.
        var footprint: Int { 200 + message.utf8.count + fields.elements.count * 64 }
    }
}

/// The position of a call in the program; valid during the lifetime of the record.
struct LogPlace {
    let file: LogText
    let function: LogText

    @inline(__always)
    init(file: StaticString, function: StaticString) {
        (self.file, self.function) = (LogText(file), LogText(function))
    }

    private init(file: LogText, function: LogText) { (self.file, self.function) = (file, function) }

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
