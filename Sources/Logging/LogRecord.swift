import Synchronization

/// One line on its way to the run file and the sinks.
///
/// A record borrows the bytes of the message and is gone when the call returns: a sink that keeps lines keeps a
/// ``Copy``.
public struct LogRecord: ~Copyable {
    /// The number of the line in this process, counted from 1; it never goes back.
    public let sequence: UInt64
    /// How severe the line is.
    public let level: LogLevel
    /// When the line was logged, by the wall clock.
    public let time: LogTime
    /// How deep the line is indented.
    public let depth: Int
    /// The fields of the line.
    public let fields: LogFields
    /// The line of the call in its file.
    public let line: UInt
    /// The identity of the thread that logged, as the kernel names it.
    public let threadID: UInt64

    /// Kept alive by the logger, or by whoever makes the record.
    unowned(unsafe) let source: LogContext
    /// That of `source`, here to be read without counting a reference.
    let sourceIdentity: UInt64
    let place: LogPlace
    let messageStart: UnsafePointer<UInt8>
    let messageCount: Int
    let messageOmitted: Int

    init(
        sequence: UInt64, level: LogLevel, time: LogTime, depth: Int, fields: consuming LogFields, line: UInt,
        threadID: UInt64, source: LogContext, place: LogPlace, messageStart: UnsafePointer<UInt8>, messageCount: Int,
        messageOmitted: Int
    ) {
        (self.sequence, self.level, self.time, self.depth) = (sequence, level, time, depth)
        (self.line, self.threadID, self.place) = (line, threadID, place)
        self.fields = fields
        (self.source, sourceIdentity) = (source, source.identity)
        self.messageStart = messageStart
        self.messageCount = messageCount
        self.messageOmitted = messageOmitted
    }

    /// The context of the logger.
    public var context: String { source.name }
    /// The message as it was logged, not escaped.
    public var message: String { String(decoding: messageBytes, as: UTF8.self) }
    /// `Module/File.swift` of the call.
    public var file: String { place.file.string }
    /// The function of the call, such as `get(from:)`.
    public var function: String { place.function.string }

    var messageBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: messageStart, count: messageCount) }

    /// Runs `body` with the UTF-8 bytes of the message, which are valid during the call only.
    public func withMessageBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { body(messageBytes) }

    /// The line as a format prints it, without a line end.
    ///
    /// - Complexity: O(*n*) in the length of the line.
    public func formatted(as format: LogFormat, maximumBytes: Int = 65536) -> String {
        let line = ByteBuffer()
        defer { line.deallocate() }
        _ = format.compiled.write(self, to: line, limit: maximumBytes)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// What a sink may keep of a record.
    public func copy() -> Copy {
        Copy(
            sequence: sequence, level: level, time: time, depth: depth, context: context, message: message,
            fields: fields, file: file, function: function, line: line, threadID: threadID)
    }

    /// The contents of a record as a value that can be kept.
    public struct Copy: Sendable {
        /// The number of the line in this process.
        public let sequence: UInt64
        /// How severe the line is.
        public let level: LogLevel
        /// When the line was logged, by the wall clock.
        public let time: LogTime
        /// How deep the line is indented.
        public let depth: Int
        /// The context of the logger.
        public let context: String
        /// The message as it was logged, not escaped.
        public let message: String
        /// The fields of the line.
        public let fields: LogFields
        /// `Module/File.swift` of the call.
        public let file: String
        /// The function of the call.
        public let function: String
        /// The line of the call in its file.
        public let line: UInt
        /// The identity of the thread that logged.
        public let threadID: UInt64

        /// Runs `body` with a record of these contents.
        public func withRecord<R>(_ body: (borrowing LogRecord) -> R) -> R {
            let context = LogContext(context)
            return LogText.withBytes(message) { text in
                LogPlace.with(file: file, function: function) { place in
                    let record = LogRecord(
                        sequence: sequence, level: level, time: time, depth: depth, fields: fields, line: line,
                        threadID: threadID, source: context, place: place, messageStart: text.start,
                        messageCount: text.count, messageOmitted: 0)
                    return withExtendedLifetime(context) { body(record) }
                }
            }
        }

        /// The line as a format prints it, without a line end.
        ///
        /// - Complexity: O(*n*) in the length of the line.
        public func formatted(as format: LogFormat, maximumBytes: Int = 65536) -> String {
            withRecord { $0.formatted(as: format, maximumBytes: maximumBytes) }
        }

        /// A line of the logger's own.
        static func notice(_ message: String, level: LogLevel = .warning, sequence: UInt64 = 0) -> Copy {
            Copy(
                sequence: sequence, level: level, time: .now, depth: 0, context: "AshlarLogging", message: message,
                fields: [:], file: #fileID, function: #function, line: #line, threadID: 0)
        }

        /// About what the copy takes in memory.
        var footprint: Int { 200 + message.utf8.count + fields.elements.count * 64 }
    }
}

/// Where a call stands in the program; valid as long as the record.
struct LogPlace {
    let file: LogText
    let function: LogText

    @inline(__always)
    init(file: StaticString, function: StaticString) {
        (self.file, self.function) = (LogText(file), LogText(function))
    }

    private init(file: LogText, function: LogText) { (self.file, self.function) = (file, function) }

    /// Runs `body` with a place that is known at run time only.
    static func with<R>(file: String, function: String, _ body: (LogPlace) -> R) -> R {
        LogText.withBytes(file) { file in
            LogText.withBytes(function) { function in body(LogPlace(file: file, function: function)) }
        }
    }
}

/// UTF-8 bytes that someone else keeps alive.
struct LogText {
    let start: UnsafePointer<UInt8>
    let count: Int

    @inline(__always)
    init(start: UnsafePointer<UInt8>, count: Int) { (self.start, self.count) = (start, count) }

    /// Static text; the compiler's names of files and functions always have an address.
    @inline(__always)
    init(_ text: StaticString) {
        let addressed: StaticString = text.hasPointerRepresentation ? text : "unknown"
        self.init(start: addressed.utf8Start, count: addressed.utf8CodeUnitCount)
    }

    /// Runs `body` with the bytes of a string.
    @inline(__always)
    static func withBytes<R>(_ string: String, _ body: (LogText) -> R) -> R {
        var string = string
        return string.withUTF8 { bytes in
            withUnsafePointer(to: 0 as UInt8) { body(LogText(start: bytes.baseAddress ?? $0, count: bytes.count)) }
        }
    }

    var string: String { String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self) }
}

/// The context of a logger, with its printed form made once.
final class LogContext: Sendable {
    /// Longer contexts, functions and keys are cut in a line.
    static let longest = 1024

    let name: String
    /// Never used twice, unlike an address; not 0.
    let identity: UInt64
    /// The name with control characters neutralised, for text formats.
    let escaped: StaticBytes

    private static let lastIdentity = Atomic<UInt64>(0)

    init(_ name: String) {
        self.name = name
        identity = Self.lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue
        escaped = StaticBytes(escaping: name, as: .text)
    }
}

/// Bytes that do not change as long as their owner lives.
final class StaticBytes: @unchecked Sendable {  // written in `init` only
    let start: UnsafePointer<UInt8>
    let count: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
        if let source = bytes.baseAddress {
            copy.update(from: source.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        (start, count) = (UnsafePointer(copy), bytes.count)
    }

    convenience init(escaping text: String, as style: Escaping) {
        let buffer = ByteBuffer()
        defer { buffer.deallocate() }
        LogText.withBytes(text) { _ = style.append($0.start, $0.count, to: buffer, end: LogContext.longest) }
        self.init(buffer.bytes)
    }

    deinit { start.deallocate() }
}
