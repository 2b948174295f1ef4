/// A sink that appends lines to a file of its own, such as JSON lines for a collector beside the run file.
///
/// Each line is written with one write(2) before the call returns, so a killed process loses none. Several processes may
/// append to one file. A file that is moved away or deleted, as programs that rotate logs do, is made again within 256
/// lines. A line that cannot be written is a failure of the sink; it is not kept.
///
/// ```swift
/// let sink = FileSink(path: "/tmp/example-logs/events.jsonl", format: .jsonLines, threshold: .warning)
/// ```
public final class FileSink: LogSink, @unchecked Sendable {  // what changes is used under `lock`
    /// The path of the file.
    public let path: String
    /// The least severe level that is written.
    public let threshold: LogLevel

    private let format: LogFormat
    private let maximumBytes: Int
    private let lock = ForkSafeLock()
    private(set) var descriptor: Int32 = -1
    private var identity: SystemCalls.FileIdentity?
    private var size: Int64 = 0
    private var writesUntilCheck = 0

    /// How many writes pass between two looks at whether the path still names the file.
    private static let checkInterval = 256

    /// Creates a sink; the file is made with its first line, readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: Where the file is; its folder has to be there. A symbolic link is not followed.
    ///   - format: How lines are printed.
    ///   - threshold: The least severe level that is written.
    ///   - maximumBytes: When the file would grow beyond this it is renamed to `path.1`, in place of the one before, and
    ///     a new one begun; at first there is no limit.
    public init(
        path: String, format: LogFormat = .timed, threshold: LogLevel = .verbose, maximumBytes: Int = .max
    ) {
        (self.path, self.format, self.threshold) = (path, format, threshold)
        self.maximumBytes = max(1, maximumBytes)
    }

    deinit { if SystemCalls.isSame(descriptor, identity) { SystemCalls.close(descriptor) } }

    /// Appends the line; `false` if that failed.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let line = ThreadContext.current.line
        line.reset()
        _ = format.compiled.write(record, to: line, limit: 65536)
        line.append(byte: 10)
        let bytes = line.bytes
        defer { line.shrink() }
        return lock.withLock { write(bytes) }
    }

    /// Under `lock`.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Beside what a line costs here, a look whether the number still is our file's is cheap.
        if writesUntilCheck <= 0 || !SystemCalls.isSame(descriptor, identity) { guard check() else { return false } }
        if size > 0, size + Int64(bytes.count) > Int64(maximumBytes) { guard rotate() else { return false } }
        writesUntilCheck -= 1
        let written = SystemCalls.withoutWriteSignals {
            SystemCalls.write(descriptor, bytes.baseAddress!, bytes.count)
        }
        size += Int64(max(0, written))
        guard written != bytes.count else { return true }
        // Looked at anew with the next line; a torn line is ended, so that it stays the only one.
        writesUntilCheck = 0
        if written > 0 {
            _ = SystemCalls.withoutWriteSignals {
                withUnsafeBytes(of: 10 as UInt8) { SystemCalls.write(descriptor, $0.baseAddress!, 1) }
            }
        }
        return false
    }

    /// Opens the file if it is not open, or not the one that the path names.
    private func check() -> Bool {
        writesUntilCheck = Self.checkInterval
        if descriptor >= 0 {
            let open = SystemCalls.status(descriptor)
            if let open, open.identity == identity, SystemCalls.status(path: path)?.identity == identity {
                size = open.size
                return true
            }
            // Another file behind our number belongs to the host by now.
            if open?.identity == identity { SystemCalls.close(descriptor) }
        }
        descriptor = SystemCalls.openForAppending(path, exclusive: false)
        let status = SystemCalls.status(descriptor)
        (identity, size) = (status?.identity, status?.size ?? 0)
        return descriptor >= 0
    }

    private func rotate() -> Bool {
        guard SystemCalls.rename(path, to: path + ".1") else { return false }
        return check()
    }

    /// Nothing is held back.
    public func flush() {}
}

extension FileSink: ForkAware {
    var forkLocks: [any ForkLock] { [lock] }
    func becomeForkedChild() {}
}
