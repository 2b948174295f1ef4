internal import AshlarCore
internal import CAshlarLogging

/// A sink that appends lines to its own file, such as JSON lines for a collector.
///
/// Each line is written before the call returns, so a killed process loses no lines. Several processes can append to
/// one file and rotate it; on Apple systems, where the sink holds no lock, only one of them should rotate it. If another
/// program moves the file, as `logrotate` does, the sink creates it again within 256 lines; if it deletes the file, with
/// the next line. If a line can't be written, the sink fails, and the line isn't stored.
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
        /// Whether the file ends in the middle of a line.
        var isTorn = false
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
    /// How often a file is compressed that grows meanwhile; then it is retained without compression.
    private static let compressionAttempts = 3
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
        if file.writesUntilCheck <= 0 || !isInFolder(file) {
            guard check(&file, at: second) else { return false }
        }
        if mustEnd(file, before: line, at: second) {
            // Another process may have replaced or truncated the file since the last check.
            guard check(&file, at: second) else { return false }
        }
        // If the file can't be renamed now, it continues beyond its limit.
        if mustEnd(file, before: line, at: second) {
            if endFile(file) { rotated = file.identity }
            guard check(&file, at: second) else { return false }
        }
        file.writesUntilCheck -= 1
        guard append(line, to: &file) else { return false }
        if isInFolder(file) { return true }
        // Another process compressed or removed the file in the meantime, possibly before the line was in it.
        return check(&file, at: second) && append(line, to: &file)
    }

    private func append(_ line: LogText, to file: inout File) -> Bool {
        if file.isTorn { file.isTorn = !endLine(of: file) }
        guard !file.isTorn else { return false }
        let descriptor = file.descriptor
        let written = SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, line) }
        file.size += Int64(max(0, written))
        guard written != line.count else { return true }
        // The next line checks the file.
        file.writesUntilCheck = 0
        file.isTorn = written > 0 && !endLine(of: file)
        return false
    }

    /// Ends a torn line, so that the next line is complete; returns `false` if the disk is still full.
    private func endLine(of file: File) -> Bool {
        SystemCalls.withoutWriteSignals { LogText.withBytes([10]) { SystemCalls.write(file.descriptor, $0) } } == 1
    }

    /// Whether the descriptor still refers to the file, and no other process has removed it after a rotation.
    private func isInFolder(_ file: File) -> Bool {
        guard let status = SystemCalls.status(file.descriptor) else { return false }
        return status.identity == file.identity && status.links > 0
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
        file.isTorn = false
        let status = SystemCalls.status(file.descriptor)
        (file.identity, file.size) = (status?.identity, status?.size ?? 0)
        file.periodEnd = rotation.schedule?.end(after: min(last, second)) ?? .max
        return file.descriptor >= 0
    }

    private var retainedFiles: Int { min(max(1, rotation.retainedFiles), LogFileRotation.mostRetainedFiles) }

    private func rotatedPath(_ number: Int) -> String { "\(path).\(number)" }

    /// Ends the file that is open, unless another process has ended it or is renaming files.
    private func endFile(_ file: File) -> Bool {
        let isEnded = SystemCalls.withFolderLocked(of: path) {
            SystemCalls.status(path: path)?.identity == file.identity && shiftFiles()
        }
        return isEnded == true
    }

    /// Runs `body` while no process renames files; returns nil if that doesn't succeed for a second.
    private func whileNamesAreStable<Result>(_ body: () -> Result) -> Result? {
        for _ in 0..<1000 {
            if let result = file.withLock({ _ in SystemCalls.withFolderLocked(of: path, body) }) { return result }
            SystemCalls.sleep(milliseconds: 1)
        }
        return nil
    }

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
            _ = whileNamesAreStable { removeOldFiles(at: second) }
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
        let source = whileNamesAreStable { current().map { SystemCalls.openForReading($0) } ?? -1 } ?? -1
        guard source >= 0 else { return }
        defer { SystemCalls.close(source) }
        for _ in 0..<Self.compressionAttempts {
            guard let before = SystemCalls.status(source), ashlar_log_gzip(source, temporary) == 0 else { return }
            let isDone = whileNamesAreStable { () -> Bool in
                // Another process appends to the file until it notices the rotation.
                guard let name = current(), SystemCalls.status(source)?.size == before.size,
                    SystemCalls.rename(temporary, to: name + ".gz")
                else { return false }
                SystemCalls.remove(name)
                return true
            }
            guard isDone != true else { return }
            SystemCalls.remove(temporary)
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
