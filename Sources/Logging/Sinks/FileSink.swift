internal import AshlarBase
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
        var identity: FileIdentity?
        var size: Int64 = 0
        var writesUntilCheck = 0
        /// Whether the file ends in the middle of a line.
        var isTorn = false
        /// The time at which the schedule ends the file, in seconds since 1970.
        var periodEnd = Int64.max
    }

    /// The path of the file.
    let path: String
    /// The least severe level that is written.
    public let threshold: LogLevel

    private let format: LogFormat
    private let rotation: LogFileRotation
    private let file = Guarded(File())
    /// The lock that is held while a file is compressed.
    private let compression = ForkSafeLock(inForks: .ignored)

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
        self.path = FileSystem.absolutePath(path)
        self.format = format
        self.threshold = threshold
        self.rotation = rotation
    }

    deinit { file.withLock { if SystemCalls.isSame($0.descriptor, $0.identity) { SystemCalls.close($0.descriptor) } } }

    /// Appends the line; returns `false` if that fails.
    public func receive(_ record: LogRecord) -> Bool {
        let second = record.time.parts.second
        var rotated: FileIdentity?
        let isWritten = LineWriter.withLine(of: record, format) { line in
            file.withLock { write(line, at: second, to: &$0, &rotated) }
        }
        if let rotated { finishRotation(of: rotated, at: second) }
        return isWritten
    }

    private func write(
        _ line: LogText, at second: Int64, to file: inout File, _ rotated: inout FileIdentity?
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
        SystemCalls.withoutWriteSignals { LogText.withBytes([.newline]) { SystemCalls.write(file.descriptor, $0) } }
            == 1
    }

    /// Whether the descriptor still refers to the file, and no other process has removed it after a rotation.
    private func isInFolder(_ file: File) -> Bool {
        guard let status = FileStatus(descriptor: file.descriptor) else { return false }
        return status.identity == file.identity && status.links > 0
    }

    private func mustEnd(_ file: File, before line: LogText, at second: Int64) -> Bool {
        second >= file.periodEnd || file.size > 0 && file.size + Int64(line.count) > Int64(rotation.maximumBytes)
    }

    /// Opens the file unless it is open and still the one that the path names.
    private func check(_ file: inout File, at second: Int64) -> Bool {
        file.writesUntilCheck = Self.checkInterval
        if file.descriptor >= 0 {
            let open = FileStatus(descriptor: file.descriptor)
            if let open, open.identity == file.identity,
                FileStatus(path, followingLinks: false)?.identity == file.identity
            {
                file.size = open.size
                return true
            }
            // The app may have reused the descriptor's number.
            if open?.identity == file.identity { SystemCalls.close(file.descriptor) }
        }
        // A file from an earlier period ends with this line.
        let last =
            FileStatus(path, followingLinks: false).flatMap { $0.size > 0 ? $0.signature.modified.seconds : nil }
            ?? second
        file.descriptor = SystemCalls.openForAppending(path, exclusive: false)
        file.isTorn = false
        let status = FileStatus(descriptor: file.descriptor)
        file.identity = status?.identity
        file.size = status?.size ?? 0
        file.periodEnd = rotation.schedule?.end(after: min(last, second)) ?? .max
        return file.descriptor >= 0
    }

    private var retainedFiles: Int { min(max(1, rotation.retainedFiles), LogFileRotation.mostRetainedFiles) }

    private func rotatedPath(_ number: Int) -> String { "\(path).\(number)" }

    /// Ends the file that is open, unless another process has ended it or is renaming files.
    private func endFile(_ file: File) -> Bool {
        let isEnded = SystemCalls.withFolderLocked(of: path) {
            FileStatus(path, followingLinks: false)?.identity == file.identity && shiftFiles()
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
        while free < retainedFiles, names(free).contains(where: { FileStatus($0, followingLinks: false) != nil }) {
            free += 1
        }
        if free == retainedFiles {
            // Files with higher numbers are left by a sink that retained more.
            var surplus = free
            while names(surplus).filter({ FileSystem.remove($0) }).isEmpty == false { surplus += 1 }
        }
        for number in stride(from: free - 1, to: 0, by: -1) {
            for (name, next) in zip(names(number), names(number + 1)) { _ = FileSystem.rename(name, to: next) }
        }
        return FileSystem.rename(path, to: rotatedPath(1))
    }

    /// Removes old files and compresses the new one, if possible on a helper thread.
    private func finishRotation(of rotated: FileIdentity, at second: Int64) {
        guard rotation.compresses || rotation.maximumAge != nil else { return }
        let work: @Sendable () -> Void = { [self] in
            compression.lock()
            defer { compression.unlock() }
            if rotation.compresses { compress(rotated) }
            _ = whileNamesAreStable { removeOldFiles(at: second) }
        }
        if !HelperThread.start(work) { work() }
    }

    private func compress(_ rotated: FileIdentity) {
        // A later rotation can rename the file in the meantime.
        func current() -> String? {
            (1...retainedFiles).map(rotatedPath).first { FileStatus($0, followingLinks: false)?.identity == rotated }
        }
        let temporary = path + ".gz.tmp"
        if let other = FileStatus(temporary, followingLinks: false) {
            // Another process compresses a file, or was killed a while ago. Without compression the file is retained too.
            guard SystemCalls.wallClock() / 1_000_000_000 - other.signature.modified.seconds > Self.longestCompression
            else { return }
            FileSystem.remove(temporary)
        }
        let source = whileNamesAreStable { current().map { SystemCalls.openForReading($0) } ?? -1 } ?? -1
        guard source >= 0 else { return }
        defer { SystemCalls.close(source) }
        for _ in 0..<Self.compressionAttempts {
            guard let before = FileStatus(descriptor: source), ashlar_log_gzip(source, temporary) == 0 else { return }
            let isDone = whileNamesAreStable { () -> Bool in
                // Another process appends to the file until it notices the rotation.
                guard let name = current(), FileStatus(descriptor: source)?.size == before.size,
                    FileSystem.rename(temporary, to: name + ".gz")
                else { return false }
                FileSystem.remove(name)
                return true
            }
            guard isDone != true else { return }
            FileSystem.remove(temporary)
        }
    }

    private func removeOldFiles(at second: Int64) {
        guard let age = rotation.maximumAge else { return }
        for number in 1...retainedFiles {
            for path in [rotatedPath(number), rotatedPath(number) + ".gz"] {
                guard let status = FileStatus(path, followingLinks: false) else { continue }
                if second - status.signature.modified.seconds > age.components.seconds { FileSystem.remove(path) }
            }
        }
    }

    /// The descriptor of the file; -1 before the first line.
    var descriptor: Int32 { file.withLock { $0.descriptor } }
}
/// When a ``FileSink`` continues in a new file, and which old files it retains.
///
/// The old file is renamed to `path.1`, the previous one to `path.2`, and so on, with `.gz` if it is compressed.
public struct LogFileRotation: Hashable, Sendable {
    /// Times of the local clock at which a file ends.
    public enum Schedule: Hashable, Sendable {
        /// Each full hour.
        case hourly
        /// Each midnight.
        case daily

        /// Returns the end of the period that contains a second, in seconds since 1970.
        ///
        /// An hour in which the clock is set back lasts longer. A day ends later if the clock skips midnight.
        func end(after second: Int64, offset: (Int64) -> Int = SystemCalls.localOffset) -> Int64 {
            let length: Int64 = self == .hourly ? 3600 : 86_400
            func period(_ second: Int64) -> Int64 {
                let local = second + Int64(offset(second))
                return local >= 0 ? local / length : (local - length + 1) / length
            }
            let present = period(second)
            let localEnd = (present + 1) * length
            // The offset may change in between, and also at the end itself.
            let guess = localEnd - Int64(offset(second))
            let ends = [guess, localEnd - Int64(offset(guess))]
            var end = ends.sorted().first { $0 > second && period($0) > present } ?? second + length
            // A clock that skips the full hour ends the period at the skip.
            var last = second
            while end - last > 1 {
                let middle = last + (end - last) / 2
                if period(middle) > present { end = middle } else { last = middle }
            }
            return end
        }
    }

    /// The maximum size of a file in bytes; a line that would exceed it is written to a new file.
    public var maximumBytes: Int
    /// The times at which a file ends independently of its size.
    public var schedule: Schedule?
    /// The number of old files that are retained, from 1 to 10,000.
    public var retainedFiles: Int
    static let mostRetainedFiles = 10_000
    /// The age since their last line at which old files are removed, checked when a file ends.
    public var maximumAge: Duration?
    /// Whether old files are compressed with gzip, if the system has zlib.
    public var compresses: Bool

    /// Creates a rotation; by default the file never ends.
    public init(
        maximumBytes: Int = .max, schedule: Schedule? = nil, retainedFiles: Int = 1, maximumAge: Duration? = nil,
        compresses: Bool = false
    ) {
        self.maximumBytes = max(1, maximumBytes)
        self.schedule = schedule
        self.retainedFiles = max(1, retainedFiles)
        self.maximumAge = maximumAge
        self.compresses = compresses
    }
}
