internal import AshlarBase

/// A sink that appends lines to its own file, such as JSON lines for a collector.
///
/// Each line is written before the call returns, so a killed process loses no lines. Several processes can append to
/// one file and rotate it; on Apple systems, where the sink holds no lock, only one of them should rotate it. If another
/// program moves the file, as `logrotate` does, the sink creates it again within 256 lines; if it deletes the file, with
/// the next line. If a line can't be written, the sink fails, and the line isn't stored.
///
/// ```swift
/// let rotation = LogFileRotation(maximumBytes: 10_000_000, schedule: .daily, retainedFiles: 7, compresses: true)
/// let sink = FileSink(path: "/var/log/notes/events.jsonl", format: .jsonLines, rotation: rotation)
/// ```
public final class FileSink: LogSink {
    private struct State {
        var file = AppendedFile()
        var writesUntilCheck = 0
        /// Whether the file ends in the middle of a line.
        var isTorn = false
        /// The time at which the schedule ends the file, in seconds since 1970.
        var periodEnd = Int64.max
    }

    /// The least severe level that is written.
    public let threshold: LogLevel

    private let format: LogFormat
    private let rotation: LogFileRotation
    let files: RotatedFiles
    private let state = Guarded(State())

    /// The number of writes between two checks that the path still names the file.
    private static let checkInterval = 256

    /// Creates a sink.
    ///
    /// The file is created with its first line, accessible to its owner only.
    ///
    /// - Parameters:
    ///   - path: The path of the file in an existing folder. A symbolic link isn't followed, and a file of another user or
    ///     with further names (hard links) isn't appended to.
    ///   - format: The format of lines.
    ///   - threshold: The least severe level that is written.
    ///   - rotation: When a new file replaces the file; by default never.
    public convenience init(
        path: String, format: LogFormat = .standard, threshold: LogLevel = .verbose,
        rotation: LogFileRotation = LogFileRotation()
    ) {
        self.init(path: path, format: format, threshold: threshold, rotation: rotation, rename: FileSystem.rename)
    }

    init(
        path: String, format: LogFormat, threshold: LogLevel = .verbose, rotation: LogFileRotation,
        rename: @escaping RotatedFiles.Rename
    ) {
        self.format = format
        self.threshold = threshold
        self.rotation = rotation
        files = RotatedFiles(path: FileSystem.absolutePath(path), rotation: rotation, rename: rename)
    }

    deinit { state.withLock { $0.file.close() } }

    /// Appends the line; returns `false` if that fails.
    public func receive(_ record: LogRecord) -> Bool {
        let second = record.time.parts.second
        var isRotated = false
        let isWritten = LineWriter.withLine(of: record, format) { line in
            state.withLock { write(line, at: second, to: &$0, &isRotated) }
        }
        if isRotated { files.finishRotation(at: second) }
        return isWritten
    }

    private func write(_ line: LogText, at second: Int64, to state: inout State, _ isRotated: inout Bool) -> Bool {
        if state.writesUntilCheck <= 0 || state.file.status == nil {
            guard check(&state, at: second) else { return false }
        }
        if mustEnd(state, before: line, at: second) {
            // Another process may have replaced or truncated the file since the last check.
            guard check(&state, at: second) else { return false }
        }
        // If the file can't be renamed now, it continues beyond its limit.
        if mustEnd(state, before: line, at: second) {
            isRotated = files.shift(ending: state.file)
            guard check(&state, at: second) else { return false }
        }
        state.writesUntilCheck -= 1
        guard append(line, to: &state) else { return false }
        if state.file.status != nil { return true }
        // Another process removed the file in the meantime, possibly before the line was in it.
        return check(&state, at: second) && append(line, to: &state)
    }

    private func append(_ line: LogText, to state: inout State) -> Bool {
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
    private func endLine(of state: inout State) -> Bool { LogText.withBytes([.newline]) { state.file.append($0) } == 1 }

    private func mustEnd(_ state: State, before line: LogText, at second: Int64) -> Bool {
        let size = state.file.size
        return second >= state.periodEnd || size > 0 && size + Int64(line.count) > Int64(rotation.maximumBytes)
    }

    /// Opens the file unless it is open and still the one that the path names.
    private func check(_ state: inout State, at second: Int64) -> Bool {
        state.writesUntilCheck = Self.checkInterval
        let named = FileStatus(files.path, followingLinks: false)
        if let open = state.file.status, state.file.isSame(as: named) {
            state.file.size = open.size
            return true
        }
        state.file.close()
        // A file from an earlier period ends with this line.
        let last = named.flatMap { $0.size > 0 ? $0.signature.modified.seconds : nil } ?? second
        state.file = AppendedFile(files.path, exclusive: false)
        if state.file.status?.isOwn != true { state.file.close() }
        state.isTorn = false
        state.periodEnd = rotation.schedule?.end(after: min(last, second)) ?? .max
        return state.file.descriptor >= 0
    }

    /// The descriptor of the file; -1 before the first line.
    var descriptor: Int32 { state.withLock { $0.file.descriptor } }
}
