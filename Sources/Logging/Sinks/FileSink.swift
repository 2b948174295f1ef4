internal import AshlarBase

/// A sink that appends lines to its own file, such as JSON lines for a collector.
///
/// Each line is written before the call returns, so a killed process loses no lines. One sink writes the file. If another
/// program moves the file, as `logrotate` does, the sink creates it again within 256 lines; if it deletes the file, with
/// the next line. If a line can't be written, the sink fails, and the line isn't stored.
///
/// ```swift
/// let sink = FileSink(
///     path: "/var/log/notes/events.jsonl", format: .jsonLines, maximumBytes: 10_000_000, retainedFiles: 7)
/// ```
public final class FileSink: LineSink {
    private struct State {
        var file = AppendedFile()
        var writesUntilCheck = 0
        /// Whether the file ends in the middle of a line.
        var isTorn = false
    }

    /// The least severe level that is written.
    public let threshold: LogLevel

    private let path: String
    package let format: LogFormat?
    private let maximumBytes: Int64
    private let retainedFiles: Int
    private let state = Guarded(State())

    /// The number of writes between two checks that the path still names the file.
    private static let checkInterval = 256
    private static let mostRetainedFiles = 10_000

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
        self.path = FileSystem.absolutePath(path)
        self.format = format
        self.threshold = threshold
        self.maximumBytes = Int64(max(1, maximumBytes))
        self.retainedFiles = min(max(1, retainedFiles), Self.mostRetainedFiles)
    }

    deinit { state.withLock { $0.file.close() } }

    /// Appends the line; returns `false` if that fails.
    public func receive(_ record: LogRecord) -> Bool { writeLine(of: record) }

    package func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        state.withLock { write(line[...], to: &$0) }
    }

    /// Continues in a new file at once, such as after a command of an administrator; the old file becomes `path.1`.
    ///
    /// Without a file or with an empty one, nothing changes.
    ///
    /// - Returns: Whether the next line goes to a new or empty file.
    @discardableResult
    public func rotate() -> Bool {
        state.withLock { state in
            guard FileStatus(path, followingLinks: false) != nil else { return true }
            guard check(&state), state.file.size == 0 || shiftFiles() else { return false }
            return check(&state)
        }
    }

    private func write(_ line: ArraySlice<UInt8>, to state: inout State) -> Bool {
        if state.writesUntilCheck <= 0 || state.file.status == nil {
            guard check(&state) else { return false }
        }
        if mustEnd(state.file, before: line) {
            // Another program may have replaced or truncated the file since the last check.
            guard check(&state) else { return false }
        }
        // If the file can't be renamed now, it continues beyond its limit.
        if mustEnd(state.file, before: line), shiftFiles() {
            guard check(&state) else { return false }
        }
        state.writesUntilCheck -= 1
        if state.isTorn { state.isTorn = !endLine(of: &state) }
        guard !state.isTorn else { return false }
        let written = state.file.append(line)
        guard written != line.count else { return true }
        // The next line checks the file.
        state.writesUntilCheck = 0
        state.isTorn = written > 0 && !endLine(of: &state)
        return false
    }

    /// Ends a torn line, so that the next line is complete; returns `false` if the disk is still full.
    private func endLine(of state: inout State) -> Bool { state.file.append([.newline]) == 1 }

    private func mustEnd(_ file: AppendedFile, before line: ArraySlice<UInt8>) -> Bool {
        file.size > 0 && file.size + Int64(line.count) > maximumBytes
    }

    /// Opens the file unless it is open and still the one that the path names.
    private func check(_ state: inout State) -> Bool {
        state.writesUntilCheck = Self.checkInterval
        if let open = state.file.status, state.file.isSame(as: FileStatus(path, followingLinks: false)) {
            state.file.size = open.size
            return true
        }
        state.file.close()
        state.file = AppendedFile(path, exclusive: false)
        if state.file.descriptor == -SystemCalls.missing, let slash = path.lastIndex(of: "/") {
            try? FolderListing.create(String(path[..<slash]), permissions: 0o700)
            state.file = AppendedFile(path, exclusive: false)
        }
        if state.file.status?.isOwn != true { state.file.close() }
        state.isTorn = false
        return state.file.descriptor >= 0
    }

    /// Renames the file to `path.1`, that one to `path.2`, and so on up to the first free number; the last one is removed.
    private func shiftFiles() -> Bool {
        func name(_ number: Int) -> String { "\(path).\(number)" }
        var free = 1
        while free < retainedFiles, FileStatus(name(free), followingLinks: false) != nil { free += 1 }
        if free == retainedFiles {
            // Files with higher numbers are left by a sink that retained more.
            var surplus = free
            while FileSystem.remove(name(surplus)) { surplus += 1 }
        }
        for number in stride(from: free - 1, to: 0, by: -1) {
            _ = FileSystem.rename(name(number), to: name(number + 1))
        }
        return FileSystem.rename(path, to: name(1))
    }

    /// The descriptor of the file; -1 before the first line.
    var descriptor: Int32 { state.withLock { $0.file.descriptor } }
}
