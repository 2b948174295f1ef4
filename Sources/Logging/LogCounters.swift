/// What became of the lines of this process, counted since its start.
public struct LogCounters: Hashable, Sendable {
    /// Lines that passed the thresholds.
    public internal(set) var emitted = 0
    /// Lines that were cut because they were too long.
    public internal(set) var truncated = 0
    /// Lines that sampling or a rate limit held back.
    public internal(set) var suppressed = 0
    /// Lines that were dropped because logging was nested more than eight deep.
    public internal(set) var droppedRecursive = 0
    /// Lines that were logged before ``LogSystem/start(_:)`` and did not fit into memory.
    public internal(set) var droppedEarly = 0
    /// Lines that could not be written to the run file and did not fit into memory.
    public internal(set) var droppedByStorage = 0
    /// Lines that bounded sinks dropped because their queue was full.
    public internal(set) var droppedByQueues = 0
    /// Lines that a sink reported as failed, or did not get while it was in quarantine.
    public internal(set) var failedInSinks = 0
    /// How often a sink was put into quarantine.
    public internal(set) var quarantines = 0
    /// Calls of `indent(false)` without an `indent(true)` before, and scopes that ended with another depth.
    public internal(set) var unbalancedIndents = 0
    /// Writes to the run file that failed.
    public internal(set) var failedWrites = 0
    /// Segments of this run that were removed to keep it within its limit.
    public internal(set) var removedSegments = 0
}
