/// A sink that stores the newest lines in a fixed amount of memory, for a log view in the app.
public final class MemorySink: LogSink {
    /// The least severe level that is stored.
    public let threshold: LogLevel
    private let format: LogFormat
    private let ring: Guarded<LineRing>

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - bytes: The maximum size of the stored lines in bytes, at most 1 GiB.
    ///   - format: The format of lines.
    ///   - threshold: The least severe level that is stored.
    public init(bytes: Int = 256 * 1024, format: LogFormat = .standard, threshold: LogLevel = .verbose) {
        (self.format, self.threshold) = (format, threshold)
        ring = Guarded(LineRing(capacity: min(max(0, bytes), 1 << 30)))
    }

    /// The stored lines, the oldest first, each with its line end.
    public var log: String { String(decoding: ring.withLock { $0.contents }, as: UTF8.self) }

    /// Stores the line and removes older lines to make room.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        LineWriter.withLine(of: record, format) { line in ring.withLock { _ = $0.append(line) } }
        return true
    }
}

extension MemorySink: ForkAware {
    var forkLocks: [any ForkLock] { [ring.lock] }
    func becomeForkedChild() {}
}

/// Formats lines for sinks.
enum LineWriter {
    /// Runs `body` with the formatted line and its line end.
    @inline(__always)
    static func withLine<Result>(
        of record: borrowing LogRecord, _ format: LogFormat, _ body: (LogText) -> Result
    ) -> Result {
        let line = ThreadContext.current.line
        line.reset()
        _ = format.compiled.write(record, to: line, limit: 65536)
        line.append(byte: 10)
        defer { line.shrink() }
        return body(line.text)
    }
}
