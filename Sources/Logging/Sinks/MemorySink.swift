/// A sink that keeps the newest lines in a fixed amount of memory, for a log view inside the app.
public final class MemorySink: LogSink, @unchecked Sendable {  // `ring` is used under `lock` only
    /// The least severe level that is kept.
    public let threshold: LogLevel
    private let format: LogFormat
    private let lock = ForkSafeLock()
    private var ring: LineRing

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - bytes: How many bytes of lines are kept, at most 1 GiB.
    ///   - format: How lines are printed.
    ///   - threshold: The least severe level that is kept.
    public init(bytes: Int = 256 * 1024, format: LogFormat = .standard, threshold: LogLevel = .verbose) {
        (self.format, self.threshold) = (format, threshold)
        ring = LineRing(capacity: min(max(1, bytes), 1 << 30))
    }

    /// The lines that are kept, the oldest first, each with its line end.
    public var log: String {
        let bytes = lock.withLock { ring.contents }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Keeps the line; older ones go for it.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let line = ThreadContext.current.line
        line.reset()
        _ = format.compiled.write(record, to: line, limit: 65536)
        line.append(byte: 10)
        let bytes = line.bytes
        lock.withLock { _ = ring.append(bytes) }
        line.shrink()
        return true
    }

    /// Nothing is held back.
    public func flush() {}
}

extension MemorySink: ForkAware {
    var forkLocks: [any ForkLock] { [lock] }
    func becomeForkedChild() {}
}

extension CapturingSink: ForkAware {
    var forkLocks: [any ForkLock] { [kept.lock] }
    func becomeForkedChild() {}
}
