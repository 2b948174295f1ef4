internal import AshlarBase

/// A sink that appends lines to its own file, such as JSON lines for a collector.
///
/// Each line is written before the call returns, so a killed process loses no lines. One sink writes the file. If another
/// program moves or deletes the file, as `logrotate` does, the next line creates it again. If a line can't be written, the
/// sink fails, and the line isn't stored.
///
/// ```swift
/// let sink = FileSink(
///     path: "/var/log/notes/events.jsonl", format: .jsonLines, maximumBytes: 10_000_000, retainedFiles: 7)
/// ```
public final class FileSink: LineSink {
    /// The least severe level that is written.
    public let threshold: LogLevel

    package let format: LogFormat?
    private let path: String
    let file: SegmentedFile

    /// Creates a sink.
    ///
    /// The file and its missing folders are created with the first line, accessible to their owner only.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A symbolic link isn't followed, and a file of another user or with further names
    ///     (hard links) isn't appended to.
    ///   - format: The format of lines.
    ///   - threshold: The least severe level that is written.
    ///   - maximumBytes: The maximum size of the file; a line that would exceed it is written to a new file. The old file
    ///     is renamed to `path.1`, the previous one to `path.2`, and so on. By default, the file never ends.
    ///   - retainedFiles: The number of old files that are retained, from 1 to 10,000.
    public init(
        path: String, format: LogFormat = .standard, threshold: LogLevel = .leastSevere, maximumBytes: Int = .max,
        retainedFiles: Int = 1
    ) {
        self.format = format
        self.threshold = threshold
        self.path = FileSystem.absolutePath(path)
        file = SegmentedFile(
            ShiftedFiles(
                path: self.path, maximumBytes: Int64(max(1, maximumBytes)),
                retained: min(max(1, retainedFiles), 10_000)),
            // Each line checks the file, because other programs may move it. No line waits.
            plan: SegmentPlan(checkInterval: 0, waitingBytes: 0))
    }

    /// Appends the line; returns `false` if that fails.
    public func receive(_ record: LogRecord) -> Bool { writeLine(of: record) }

    package func write(_ line: [UInt8], of record: LogRecord) -> Bool { file.write(line) }

    /// Continues in a new file at once, such as after a command of an administrator; the old file becomes `path.1`.
    ///
    /// Without a file or with an empty one, nothing changes.
    ///
    /// - Returns: Whether the next line goes to a new or empty file.
    @discardableResult
    public func rotate() -> Bool { FileStatus(path, followingLinks: false) == nil || file.rotate() }
}

/// A file that keeps its name; the old ones are renamed to `path.1`, `path.2`, and so on.
struct ShiftedFiles: SegmentSeries {
    let path: String
    let maximumBytes: Int64
    /// The number of old files that are retained.
    let retained: Int

    func open() -> AppendedFile {
        var file = AppendedFile(path, exclusive: false)
        if file.descriptor == -SystemCalls.missing, let slash = path.lastIndex(of: "/") {
            try? FolderListing.create(String(path[..<slash]), permissions: 0o700)
            file = AppendedFile(path, exclusive: false)
        }
        if file.descriptor >= 0, file.status?.isOwn != true { file.close() }
        return file
    }

    func isCurrent(_ file: AppendedFile) -> Bool {
        file.status != nil && file.isSame(as: FileStatus(path, followingLinks: false))
    }

    func limit(of file: AppendedFile) -> Int64 { min(maximumBytes, file.sizeLimit ?? .max) }

    func makeRoom() {}

    func contents(limit: Int?) -> [UInt8] { [] }

    func note(_ losses: SegmentLosses, since before: SegmentLosses) {}

    func next(after file: inout AppendedFile, room: Int) -> AppendedFile {
        guard shift() else { return AppendedFile() }
        file.close()
        return open()
    }

    /// Renames the file to `path.1`, that one to `path.2`, and so on up to the first free number; the last one is removed.
    private func shift() -> Bool {
        func name(_ number: Int) -> String { "\(path).\(number)" }
        var free = 1
        while free < retained, FileStatus(name(free), followingLinks: false) != nil { free += 1 }
        if free == retained {
            // Files with higher numbers are left by a sink that retained more.
            var surplus = free
            while FileSystem.remove(name(surplus)) { surplus += 1 }
        }
        for number in stride(from: free - 1, to: 0, by: -1) {
            _ = FileSystem.rename(name(number), to: name(number + 1))
        }
        return FileSystem.rename(path, to: name(1))
    }
}
