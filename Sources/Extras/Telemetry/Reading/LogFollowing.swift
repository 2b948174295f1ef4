internal import AshlarCore
internal import AshlarLogging

extension LogReader {
    /// Returns a sequence of the lines of all runs in the folder as they are written, until the task is cancelled.
    ///
    /// The sequence includes runs and segments that begin later. New lines of several runs are ordered by time.
    ///
    /// ```swift
    /// let reader = LogReader(folder: "/var/log/notes")
    /// let following = Task {
    ///     for await line in reader.follow(matching: LogQuery(level: .error)) { print(line) }
    /// }
    /// following.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - query: The conditions for lines.
    ///   - fromStart: Whether the sequence starts with the lines that are already in the folder.
    ///   - interval: The time between two checks of the folder.
    ///   - clock: Measures the interval.
    /// - Returns: A sequence that starts at the time of this call.
    public func follow(
        matching query: LogQuery = LogQuery(), fromStart: Bool = false, every interval: Duration = .milliseconds(200),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> LogFollowing {
        var follower = RunFollower(reader: self, query: query)
        if !fromStart { follower.skip() }
        return LogFollowing(follower: follower) { try await clock.sleep(for: interval) }
    }
}

/// The lines of a folder as they are written; see ``LogReader/follow(matching:fromStart:every:clock:)``.
public struct LogFollowing: AsyncSequence, Sendable {
    fileprivate let follower: RunFollower
    fileprivate let pause: @Sendable () async throws -> Void

    /// Creates an iterator, which starts where the sequence was created.
    public func makeAsyncIterator() -> Iterator { Iterator(follower: follower, pause: pause) }

    /// Checks the folder when all available lines have been returned.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var follower: RunFollower
        fileprivate let pause: @Sendable () async throws -> Void
        private var waiting: ArraySlice<LogLine> = []

        fileprivate init(follower: RunFollower, pause: @escaping @Sendable () async throws -> Void) {
            self.follower = follower
            self.pause = pause
        }

        /// Returns the next line, or nil after the task is cancelled.
        public mutating func next() async -> LogLine? {
            while !Task.isCancelled {
                if let line = waiting.popFirst() { return line }
                waiting = follower.newLines()[...]
                if waiting.isEmpty {
                    do { try await pause() } catch { return nil }
                }
            }
            return nil
        }
    }
}

/// Tracks how much of each run in a folder has been read.
struct RunFollower: Sendable {
    private struct Progress: Sendable {
        var scanner: LineScanner
        /// The number of bytes read of each file.
        var offsets: [String: Int] = [:]
        /// Whether the run has ended and everything has been read.
        var isFinished = false
        /// The files of the ended run at the last check.
        var lastFiles: [String] = []

        /// Returns the whole lines that were written into a file since the last call.
        mutating func newLines(in path: String) -> [LogLine] {
            let bytes = newBytes(in: path)
            return bytes.isEmpty ? [] : scanner.lines(in: bytes)
        }

        /// Returns the bytes of the whole lines that were written into a file since the last call.
        mutating func newBytes(in path: String) -> [UInt8] {
            var offset = offsets[path] ?? 0
            // Another program truncated the file, so it continues from its start.
            if let size = FileStatus(path)?.size, size < Int64(offset) { offset = 0 }
            let bytes = RunReader.bytes(of: path, from: offset)
            // A mapped file contains zeros after its last line, and a line in progress starts with a zero byte.
            let written = bytes.prefix { $0 != 0 }
            guard let end = written.lastIndex(of: .newline) else { return [] }
            offsets[path] = offset + end + 1
            return Array(written[...end])
        }

        /// Moves behind the lines of a live run; behind the file that grows, there can be one of signal handlers.
        mutating func skip(_ files: [String]) {
            for path in files {
                // The last line sets the time of lines without a time.
                let bytes = newBytes(in: path).dropLast()
                let start = bytes.lastIndex(of: .newline).map { $0 + 1 } ?? 0
                _ = scanner.lines(in: Array(bytes[start...]))
            }
        }
    }

    private let reader: LogReader
    private let query: LogQuery
    private var runs: [String: Progress] = [:]

    init(reader: LogReader, query: LogQuery = LogQuery()) {
        self.reader = reader
        self.query = query
    }

    private func progress(of run: PriorRun) -> Progress {
        runs[run.baseName] ?? Progress(scanner: LineScanner(run: run, query: query))
    }

    /// Moves behind the lines that are in the folder, without parsing them.
    mutating func skip() {
        for run in reader.runs {
            var progress = progress(of: run)
            // A run without files is about to begin.
            progress.isFinished = run.outcome != .stillRunning && !run.files.isEmpty
            if !progress.isFinished { progress.skip(run.files) }
            runs[run.baseName] = progress
        }
    }

    /// Returns the whole lines that were written since the last call.
    mutating func newLines() -> [LogLine] {
        var found: [[LogLine]] = []
        for run in reader.runs.reversed() where runs[run.baseName]?.isFinished != true {
            var progress = progress(of: run)
            if run.outcome == .stillRunning || runs[run.baseName] != nil {
                found.append(run.files.flatMap { progress.newLines(in: $0) })
            } else {
                // After a power failure, there can be holes, after which a live file has no lines.
                found.append(progress.scanner.lines(in: RunReader.contents(of: run.files, limit: nil)))
                for path in run.files { _ = progress.newBytes(in: path) }
            }
            // The files were listed before the outcome was read, so an ended run can have another one.
            let hasEnded = run.outcome != .stillRunning
            progress.isFinished = hasEnded && !run.files.isEmpty && progress.lastFiles == run.files
            progress.lastFiles = hasEnded ? run.files : []
            runs[run.baseName] = progress
        }
        return Self.merged(found)
    }

    /// Merges runs by time; a line follows all earlier lines of its run.
    private static func merged(_ runs: [[LogLine]]) -> [LogLine] {
        guard runs.count > 1 else { return runs.first ?? [] }
        var all: [(time: LogTime, order: Int, line: LogLine)] = []
        for lines in runs {
            var latest = LogTime(nanoseconds: .min)
            for line in lines {
                latest = max(latest, line.time)
                all.append((latest, all.count, line))
            }
        }
        all.sort { ($0.time, $0.order) < ($1.time, $1.order) }
        return all.map(\.line)
    }
}
