/// When a log call returns, and therefore what a killed process loses.
public enum LogStorageMode: Hashable, Sendable {
    /// The call returns after write(2): a killed process loses nothing. The default.
    ///
    /// Threads that log at the same moment share one write.
    case writeThrough
    /// The call returns when the line is in a memory-mapped file: a killed process loses nothing.
    ///
    /// A line costs no system call. Where the file can't be mapped safely, ``writeThrough`` is used and
    /// ``LogStartReport/mode`` says so.
    case mapped
    /// The call returns when the line is in memory: a killed process loses at most `bytes` bytes of lines, and at most
    /// the lines of the last `milliseconds` milliseconds.
    ///
    /// Lines of ``LogLevel/critical`` and above are written at once, with all lines before them.
    case buffered(bytes: Int = 65536, milliseconds: Int = 200)
}

/// When a run continues in a new file, and how much of it is retained.
public struct LogRotation: Hashable, Sendable {
    /// The size of a segment in bytes, 4 KiB to 1 GiB.
    ///
    /// A line is never split between two segments.
    public var segmentBytes: Int
    /// The longest time for which a segment is written, or nil for no limit.
    public var interval: Duration?
    /// The bytes of one run that are retained: its first segment, which is shorter, and the newest ones.
    ///
    /// At least three segments.
    public var runBytes: Int

    /// The size of the first segment, which is retained as long as the run because it explains the rest.
    var firstSegmentBytes: Int { min(segmentBytes, max(4096, min(262_144, runBytes / 4))) }

    /// Whether a segment begun at `start`, by the monotonic clock, must end.
    func isDue(since start: Int64) -> Bool {
        guard let interval else { return false }
        return SystemCalls.monotonicClock() - start >= interval.clampedNanoseconds
    }

    /// Creates a rotation: segments of 1 MiB, 8 MiB a run, no limit in time.
    public init(segmentBytes: Int = 1 << 20, interval: Duration? = nil, runBytes: Int = 8 << 20) {
        (self.segmentBytes, self.interval, self.runBytes) = (segmentBytes, interval, runBytes)
        self = withinLimits
    }

    /// The same with possible sizes; the properties accept any value.
    var withinLimits: LogRotation {
        var result = self
        result.segmentBytes = min(max(4096, segmentBytes), 1 << 30)
        let least = result.segmentBytes.multipliedReportingOverflow(by: 3)
        result.runBytes = max(least.overflow ? .max : least.partialValue, runBytes)
        return result
    }
}

/// Which finished runs are retained.
///
/// The prior run always is. Running ones are never touched.
public struct LogRetention: Hashable, Sendable {
    /// The number of finished runs.
    public var runs: Int
    /// The bytes of all finished runs together.
    public var bytes: Int
    /// The age of a finished run since its start.
    public var age: Duration

    /// Creates a retention: 5 runs, 20 MB, 14 days.
    public init(runs: Int = 5, bytes: Int = 20_000_000, age: Duration = .seconds(14 * 86_400)) {
        (self.runs, self.bytes, self.age) = (max(1, runs), max(0, bytes), age)
    }
}
