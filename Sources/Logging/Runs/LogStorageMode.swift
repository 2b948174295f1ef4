/// When a log call returns, which determines the lines that a killed process loses.
public enum LogStorageMode: Hashable, Sendable {
    /// The call returns after write(2): a killed process loses nothing.
    ///
    /// This is the default. A line is written with one write(2).
    case writeThrough
    /// The call returns when the line is in a memory-mapped file: a killed process loses nothing.
    ///
    /// A line needs no system call. If the file can't be mapped safely, ``writeThrough`` is used instead, and
    /// ``LogStartReport/mode`` reports this.
    case mapped
}

/// When a run continues in a new file, and which part of the run is retained.
public struct LogRotation: Hashable, Sendable {
    /// The size of a segment in bytes, 4 KiB to 1 GiB.
    ///
    /// A segment ends between two lines.
    public var segmentBytes: Int
    /// The maximum time during which a segment is written, or nil for no limit.
    public var interval: Duration?
    /// The size of the retained part of a run in bytes: its first segment, which is shorter, and the newest segments.
    ///
    /// At least three segments are retained.
    public var runBytes: Int

    /// The size of the first segment, which is retained with the run because it explains the rest.
    var firstSegmentBytes: Int { min(segmentBytes, max(4096, min(262_144, runBytes / 4))) }

    /// Whether a segment that began at `start`, by the monotonic clock, must end.
    func isDue(since start: Int64) -> Bool {
        guard let interval else { return false }
        return SystemCalls.monotonicClock() - start >= interval.clampedNanoseconds
    }

    /// Creates a rotation; by default with segments of 1 MiB, 8 MiB per run, and no time limit.
    package init(segmentBytes: Int = 1 << 20, interval: Duration? = nil, runBytes: Int = 8 << 20) {
        self.segmentBytes = segmentBytes
        self.interval = interval
        self.runBytes = runBytes
        self = withinLimits
    }

    /// The same rotation with valid sizes, because the properties accept any value.
    var withinLimits: LogRotation {
        var result = self
        result.segmentBytes = min(max(4096, segmentBytes), 1 << 30)
        let least = result.segmentBytes.multipliedReportingOverflow(by: 3)
        result.runBytes = max(least.overflow ? .max : least.partialValue, runBytes)
        return result
    }
}

/// The finished runs to retain.
///
/// Those that ended last are retained. The prior run and runs that failed and that no start has reported are always
/// retained. Running runs are never removed.
public struct LogRetention: Hashable, Sendable {
    /// The maximum number of finished runs.
    public var runs: Int
    /// The maximum size of all finished runs together, in bytes.
    public var bytes: Int
    /// The maximum age of a finished run since its start.
    public var age: Duration

    /// Creates a retention; by default 5 runs, 20 MB and 14 days.
    package init(runs: Int = 5, bytes: Int = 20_000_000, age: Duration = .seconds(14 * 86_400)) {
        self.runs = max(1, runs)
        self.bytes = max(0, bytes)
        self.age = age
    }
}
