/// The counts of this process's lines since its start.
public struct LogCounters: Hashable, Sendable {
    /// Lines that passed the thresholds.
    public internal(set) var emitted = 0
    /// Lines that were truncated because they were too long.
    package internal(set) var truncated = 0
    /// Lines that a sink failed to receive; once for each sink.
    public internal(set) var failedInSinks = 0
    /// Lines that were lost: before the start, on a full disk, in full queues, by a collector, or in calls that were
    /// nested too deeply.
    public var lost: Int {
        droppedRecursive + droppedEarly + droppedByStorage + droppedByQueues + droppedInExport
    }

    /// Lines of log calls that were nested more than eight deep.
    package internal(set) var droppedRecursive = 0
    /// Lines before the start that didn't fit into memory.
    package internal(set) var droppedEarly = 0
    /// Lines that couldn't be written to the run file and didn't fit into memory.
    package internal(set) var droppedByStorage = 0
    /// Lines that bounded sinks dropped because their queue was full.
    package internal(set) var droppedByQueues = 0
    /// Lines that a collector rejected, or that didn't fit into the limits of a sink for a collector.
    package internal(set) var droppedInExport = 0
    /// Surplus calls of `indent(false)`, and scopes that ended at another depth.
    package internal(set) var unbalancedIndents = 0
    /// Failed writes to the run file.
    package internal(set) var failedWrites = 0
    /// Segments of this run that were removed to keep it within its limit.
    package internal(set) var removedSegments = 0

    /// The counters of `LogSystem`.
    static let process = Guarded(LogCounters())

    /// Counts lines that a sink for a collector lost.
    package static func countLostInExport(_ lines: Int) { process.withLock { $0.droppedInExport += lines } }
}
