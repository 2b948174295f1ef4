/// The counts of this process's lines since its start.
public struct LogCounters: Hashable, Sendable {
    /// Lines that passed the thresholds.
    public internal(set) var emitted = 0
    /// Lines that were truncated because they were too long.
    public internal(set) var truncated = 0
    /// Lines that were suppressed by sampling, a rate limit or collapsing.
    public internal(set) var suppressed = 0
    /// Lines that were dropped because log calls were nested more than eight deep.
    public internal(set) var droppedRecursive = 0
    /// Lines before ``LogSystem/start(_:)`` that didn't fit into memory.
    public internal(set) var droppedEarly = 0
    /// Lines that couldn't be written to the run file and didn't fit into memory.
    public internal(set) var droppedByStorage = 0
    /// Lines that bounded sinks dropped because their queue was full.
    public internal(set) var droppedByQueues = 0
    /// Lines that a sink failed to receive, or that it wasn't passed during its quarantine.
    public internal(set) var failedInSinks = 0
    /// Quarantines of sinks.
    public internal(set) var quarantines = 0
    /// Surplus calls of `indent(false)`, and scopes that ended at another depth.
    public internal(set) var unbalancedIndents = 0
    /// Failed writes to the run file.
    public internal(set) var failedWrites = 0
    /// Segments of this run that were removed to keep it within its limit.
    public internal(set) var removedSegments = 0

    /// The counters of `LogSystem`.
    static let process = Guarded(LogCounters())
}
