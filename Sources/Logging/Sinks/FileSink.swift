internal import AshlarCore
internal import CAshlarLogging

/// A sink that appends lines to its own file, such as JSON lines for a collector.
///
/// Each line is written before the call returns, so a killed process loses no lines. Several processes can append to
/// one file. If another program moves or deletes the file, as `logrotate` does, the sink creates it again within 256
/// lines. If a line can't be written, the sink fails, and the line isn't stored.
///
/// ```swift
/// let rotation = LogFileRotation(maximumBytes: 10_000_000, schedule: .daily, retainedFiles: 7, compresses: true)
/// let sink = FileSink(path: "/tmp/example-logs/events.jsonl", format: .jsonLines, rotation: rotation)
/// ```
public final class FileSink: LogSink {
    private struct File {
        var descriptor: Int32 = -1
        var identity: SystemCalls.FileIdentity?
        var size: Int64 = 0
        var writesUntilCheck = 0
        /// The time at which the schedule ends the file, in seconds since 1970.
        var periodEnd = Int64.max
    }

    /// The path of the file.
    public let path: String
    /// The least severe level that is written.
    public let threshold: LogLevel

    private let format: LogFormat
    private let rotation: LogFileRotation
    private let file = Guarded(File())
    /// The lock that is held while a file is compressed.
    private let compression = ForkSafeLock()

    /// The seconds after which an unfinished compression is removed.
    private static let longestCompression: Int64 = 600
    /// The number of writes between two checks that the path still names the file.
    private static let checkInterval = 256

    /// Creates a sink.
    ///
    /// The file is created with its first line, accessible to its owner only.
    ///
    /// - Parameters:
    ///   - path: The path of the file in an existing folder. A symbolic link isn't followed.
    ///   - format: The format of lines.
    ///   - threshold: The least severe level that is written.
    ///   - rotation: When a new file replaces the file; by default never.
    public init(
        path: String, format: LogFormat = .standard, threshold: LogLevel = .verbose,
        rotation: LogFileRotation = LogFileRotation()
    ) {
        self.path = SystemCalls.absolutePath(path)
        (self.format, self.threshold, self.rotation) = (format, threshold, rotation)
    }

    deinit { file.withLock { if SystemCalls.isSame($0.descriptor, $0.identity) { SystemCalls.close($0.descriptor) } } }

    /// Appends the line; returns `false` if that fails.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let second = record.time.parts.second
        var rotated: SystemCalls.FileIdentity?
        let isWritten = LineWriter.withLine(of: record, format) { line in
            file.withLock { write(line, at: second, to: &$0, &rotated) }
        }
        if let rotated { finishRotation(of: rotated, at: second) }
        return isWritten
    }

    private func write(
        _ line: LogText, at second: Int64, to file: inout File, _ rotated: inout SystemCalls.FileIdentity?
    ) -> Bool {
        if file.writesUntilCheck <= 0 || !SystemCalls.isSame(file.descriptor, file.identity) {
            guard check(&file, at: second) else { return false }
        }
        if mustEnd(file, before: line, at: second) {
            // Another process may have replaced or truncated the file since the last check.
            guard check(&file, at: second) else { return false }
        }
        // If the file can't be renamed, it continues beyond its limit.
        if mustEnd(file, before: line, at: second), shiftFiles() {
            rotated = file.identity
            guard check(&file, at: second) else { return false }
        }
        file.writesUntilCheck -= 1
        let descriptor = file.descriptor
        let written = SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, line) }
        file.size += Int64(max(0, written))
        guard written != line.count else { return true }
        // The next line checks the file. A torn line is terminated, so that the next line is complete.
        file.writesUntilCheck = 0
        if written > 0 {
            _ = SystemCalls.withoutWriteSignals { LogText.withBytes([10]) { SystemCalls.write(descriptor, $0) } }
        }
        return false
    }

    private func mustEnd(_ file: File, before line: LogText, at second: Int64) -> Bool {
        second >= file.periodEnd || file.size > 0 && file.size + Int64(line.count) > Int64(rotation.maximumBytes)
    }

    /// Opens the file unless it is open and still the one that the path names.
    private func check(_ file: inout File, at second: Int64) -> Bool {
        file.writesUntilCheck = Self.checkInterval
        if file.descriptor >= 0 {
            let open = SystemCalls.status(file.descriptor)
            if let open, open.identity == file.identity, SystemCalls.status(path: path)?.identity == file.identity {
                file.size = open.size
                return true
            }
            // The app may have reused the descriptor's number.
            if open?.identity == file.identity { SystemCalls.close(file.descriptor) }
        }
        // A file from an earlier period ends with this line.
        let last = SystemCalls.status(path: path).flatMap { $0.size > 0 ? $0.changedAt : nil } ?? second
        file.descriptor = SystemCalls.openForAppending(path, exclusive: false)
        let status = SystemCalls.status(file.descriptor)
        (file.identity, file.size) = (status?.identity, status?.size ?? 0)
        file.periodEnd = rotation.schedule?.end(after: min(last, second)) ?? .max
        return file.descriptor >= 0
    }

    private var retainedFiles: Int { min(max(1, rotation.retainedFiles), LogFileRotation.mostRetainedFiles) }

    private func rotatedPath(_ number: Int) -> String { "\(path).\(number)" }

    /// Renames the file to `path.1`, that one to `path.2`, and so on up to the first free number; the last one is removed.
    private func shiftFiles() -> Bool {
        func names(_ number: Int) -> [String] { [rotatedPath(number), rotatedPath(number) + ".gz"] }
        var free = 1
        while free < retainedFiles, names(free).contains(where: { SystemCalls.status(path: $0) != nil }) { free += 1 }
        if free == retainedFiles {
            // Files with higher numbers are left by a sink that retained more.
            var surplus = free
            while names(surplus).filter({ SystemCalls.remove($0) }).isEmpty == false { surplus += 1 }
        }
        for number in stride(from: free - 1, to: 0, by: -1) {
            for (name, next) in zip(names(number), names(number + 1)) { _ = SystemCalls.rename(name, to: next) }
        }
        return SystemCalls.rename(path, to: rotatedPath(1))
    }

    /// Removes old files and compresses the new one, if possible on a helper thread.
    private func finishRotation(of rotated: SystemCalls.FileIdentity, at second: Int64) {
        guard rotation.compresses || rotation.maximumAge != nil else { return }
        let work: @Sendable () -> Void = { [self] in
            compression.lock()
            defer { compression.unlock() }
            if rotation.compresses { compress(rotated) }
            file.withLock { _ in removeOldFiles(at: second) }
        }
        if !HelperThread.start(work) { work() }
    }

    private func compress(_ rotated: SystemCalls.FileIdentity) {
        // A later rotation can rename the file in the meantime.
        func current() -> String? {
            (1...retainedFiles).map(rotatedPath).first { SystemCalls.status(path: $0)?.identity == rotated }
        }
        let temporary = path + ".gz.tmp"
        if let other = SystemCalls.status(path: temporary) {
            // Another process compresses a file, or was killed a while ago. Without compression the file is retained too.
            guard SystemCalls.wallClock() / 1_000_000_000 - other.changedAt > Self.longestCompression else { return }
            SystemCalls.remove(temporary)
        }
        guard let source = file.withLock({ _ in current() }), ashlar_log_gzip(source, temporary) == 0 else { return }
        file.withLock { _ in
            let isRenamed = current().map { SystemCalls.rename(temporary, to: $0 + ".gz") && SystemCalls.remove($0) }
            if isRenamed != true { SystemCalls.remove(temporary) }
        }
    }

    private func removeOldFiles(at second: Int64) {
        guard let age = rotation.maximumAge else { return }
        for number in 1...retainedFiles {
            for path in [rotatedPath(number), rotatedPath(number) + ".gz"] {
                guard let status = SystemCalls.status(path: path) else { continue }
                if second - status.changedAt > age.components.seconds { SystemCalls.remove(path) }
            }
        }
    }

    /// The descriptor of the file.
    ///
    /// For tests.
    var descriptor: Int32 { file.withLock { $0.descriptor } }
}

extension FileSink: ForkAware {
    /// Not the lock of compressions: a fork does not wait for one.
    var forkLocks: [any ForkLock] { [file.lock] }
    func becomeForkedChild() { compression.resetInForkedChild() }
}
