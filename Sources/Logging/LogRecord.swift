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

    let source: LogContext
    let place: LogPlace
    let messageStart: UnsafePointer<UInt8>
    let messageCount: Int
    let messageOmitted: Int

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
            var text = message
            return text.withUTF8 { bytes in
                withUnsafePointer(to: 0 as UInt8) { nothing in
                    let record = LogRecord(
                        sequence: sequence, level: level, time: time, depth: depth, fields: fields, line: line,
                        threadID: threadID, source: LogContext(context),
                        place: LogPlace(file: .text(file), function: .text(function)),
                        messageStart: bytes.baseAddress ?? nothing, messageCount: bytes.count, messageOmitted: 0)
                    return body(record)
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
        static func notice(_ message: String, sequence: UInt64 = 0) -> Copy {
            Copy(
                sequence: sequence, level: .warning, time: .now, depth: 0, context: "AshlarLogging", message: message,
                fields: [:], file: #fileID, function: #function, line: #line, threadID: 0)
        }

        /// About what the copy takes in memory.
        var footprint: Int { 200 + message.utf8.count + fields.elements.count * 64 }
    }
}

/// Where a call stands in the program.
struct LogPlace {
    var file: LogText
    var function: LogText
}

/// Text that is mostly static.
enum LogText {
    case fixed(StaticString)
    case text(String)

    var string: String {
        switch self {
        case .fixed(let text): text.description
        case .text(let text): text
        }
    }

    @inline(__always)
    func withBytes<R>(_ body: (UnsafePointer<UInt8>, Int) -> R) -> R {
        switch self {
        case .fixed(let text) where text.hasPointerRepresentation: return body(text.utf8Start, text.utf8CodeUnitCount)
        case .fixed(let text): return LogText.text(text.description).withBytes(body)
        case .text(var text):
            return text.withUTF8 { bytes in
                withUnsafePointer(to: 0 as UInt8) { body(bytes.baseAddress ?? $0, bytes.count) }
            }
        }
    }
}

/// The context of a logger, with its printed form made once.
final class LogContext: Sendable {
    /// Longer contexts, functions and keys are cut in a line.
    static let longest = 1024

    let name: String
    /// The name with control characters neutralised, for text formats.
    let escaped: StaticBytes

    init(_ name: String) {
        self.name = name
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
        LogText.text(text).withBytes { start, count in
            _ = style.append(start, count, to: buffer, end: LogContext.longest)
        }
        self.init(buffer.bytes)
    }

    deinit { start.deallocate() }
}
