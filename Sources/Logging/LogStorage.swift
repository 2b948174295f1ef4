/// When a call that logs a line returns, and therefore what a killed process loses.
public enum LogStorageMode: Hashable, Sendable {
    /// The line has been handed to the kernel with write(2): a killed process loses nothing. The default.
    ///
    /// Threads that log at the same moment share one write.
    case everyLine
    /// The line lies in a memory-mapped file: a killed process loses nothing, and a line costs no system call.
    ///
    /// Only for local file systems; where the file cannot be mapped safely, ``everyLine`` is used and
    /// ``StartReport/mode`` says so.
    case mapped
    /// The line lies in memory of the process: a killed process loses at most `bytes` bytes of lines, and at most
    /// those of the last `milliseconds` milliseconds.
    ///
    /// Lines of ``LogLevel/critical`` and worse are written at once, with all before them.
    case buffered(bytes: Int = 65536, milliseconds: Int = 200)
}

/// When a run goes on in a new file, and how much of it is kept.
public struct LogRotation: Hashable, Sendable {
    /// The size of a segment in bytes, 4 KiB to 1 TiB (in ``LogStorageMode/mapped`` 1 GiB); a line is never divided
    /// between two.
    public var segmentBytes: Int
    /// How long a segment is written at most, or `nil` for no limit.
    public var interval: Duration?
    /// How much of one run is kept in bytes: its first segment, which is shorter, and the newest ones; at least three
    /// segments.
    public var runBytes: Int

    /// The size of the first segment, which is kept as long as the run: how a run began is what explains it.
    var firstSegmentBytes: Int { min(segmentBytes, max(4096, min(262_144, runBytes / 4))) }

    /// Whether a segment that was begun at `start`, by the monotonic clock, has been written long enough.
    func isDue(since start: Int64) -> Bool {
        guard let interval else { return false }
        return SystemCalls.monotonicClock() - start >= interval.clampedNanoseconds
    }

    /// Creates a rotation: segments of 1 MiB, 8 MiB a run, no limit in time.
    public init(segmentBytes: Int = 1 << 20, interval: Duration? = nil, runBytes: Int = 8 << 20) {
        (self.segmentBytes, self.interval, self.runBytes) = (segmentBytes, interval, runBytes)
        self = withinLimits(isMapped: false)
    }

    /// The same with sizes that can be: what is set later is not looked at before it is used.
    func withinLimits(isMapped: Bool) -> LogRotation {
        var result = self
        result.segmentBytes = min(max(4096, segmentBytes), isMapped ? 1 << 30 : 1 << 40)
        result.runBytes = max(3 * result.segmentBytes, runBytes)
        return result
    }
}

/// Which finished runs are kept.
///
/// The newest prior run always is, and those still running are never touched.
public struct LogRetention: Hashable, Sendable {
    /// How many finished runs are kept.
    public var runs: Int
    /// How many bytes finished runs may take together.
    public var bytes: Int
    /// How old a finished run may be, counted from its start.
    public var age: Duration

    /// Creates a retention: 5 runs, 20 MB, 14 days.
    public init(runs: Int = 5, bytes: Int = 20_000_000, age: Duration = .seconds(14 * 86_400)) {
        (self.runs, self.bytes, self.age) = (max(1, runs), max(0, bytes), age)
    }
}
