/// Stores the newest lines below the threshold until an error writes them.
final class LineRecorder: Sendable {
    private struct State {
        var copies: [LogRecord.Copy] = []
        var first = 0
        var bytes = 0
    }

    private let state = Guarded(State())
    private let capacity: Int
    /// The least severe level that is recorded.
    let level: LogLevel
    var forkLock: ForkSafeLock { state.lock }

    init(_ recording: LogRecording) { (level, capacity) = (recording.level, max(1024, recording.bytes)) }

    func append(_ copy: LogRecord.Copy) {
        let removed = state.withLock { state in
            state.copies.append(copy)
            state.bytes += copy.footprint
            while state.bytes > capacity, state.first < state.copies.count {
                state.bytes -= state.copies[state.first].footprint
                state.first += 1
            }
            guard state.first > 64, state.first * 2 > state.copies.count else { return [LogRecord.Copy]() }
            let removed = Array(state.copies[..<state.first])
            state.copies.removeFirst(state.first)
            state.first = 0
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    func take() -> [LogRecord.Copy] {
        state.withLock { state in
            defer { state = State() }
            return Array(state.copies[state.first...])
        }
    }
}

/// The lines below the threshold that are recorded in memory and written before an error.
///
/// A line of ``LogLevel/error`` or above writes the recorded lines before itself.
public struct LogRecording: Hashable, Sendable {
    /// The least severe level that is recorded.
    public var level: LogLevel
    /// The approximate memory of the recorded lines, in bytes.
    public var bytes: Int

    /// Creates a recording; by default of debug lines in 64 KiB.
    public init(level: LogLevel = .debug, bytes: Int = 65536) { (self.level, self.bytes) = (level, bytes) }
}
