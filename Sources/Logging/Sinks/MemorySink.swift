/// A sink that stores the newest lines in a fixed amount of memory, for a log view in the app.
public final class MemorySink: LogSink {
    /// The least severe level that is stored.
    public let threshold: LogLevel
    private let format: LogFormat
    private let lines: Guarded<RecentLines>

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - bytes: The maximum size of the stored lines in bytes, at most 1 GiB.
    ///   - format: The format of lines.
    ///   - threshold: The least severe level that is stored.
    public init(bytes: Int = 256 * 1024, format: LogFormat = .standard, threshold: LogLevel = .verbose) {
        self.format = format
        self.threshold = threshold
        lines = Guarded(RecentLines(capacity: min(max(0, bytes), 1 << 30)))
    }

    /// The stored lines, the oldest first, each with its line end.
    public var log: String { String(decoding: lines.withLock { $0.contents }, as: UTF8.self) }

    /// Stores the line and removes older lines to make room.
    public func receive(_ record: LogRecord) -> Bool {
        LineWriter.withLine(of: record, format) { line in lines.withLock { _ = $0.append(line) } }
        return true
    }
}

extension MemorySink: ForkAware {
    package var forkLocks: [ForkSafeLock] { [lines.lock] }
    package func becomeForkedChild() {}
}

/// Formats lines for sinks.
enum LineWriter {
    /// Runs `body` with the formatted line and its line end.
    static func withLine<Result>(
        of record: LogRecord, _ format: LogFormat, _ body: (LogText) -> Result
    ) -> Result {
        let line = ThreadContext.current.line
        line.reset()
        record.withLine { _ = format.compiled.write($0, to: line, limit: 65536) }
        line.append(byte: .newline)
        defer { line.shrink() }
        return body(line.text)
    }
}
