/// Stores the newest lines below the threshold until an error writes them.
final class LineRecorder: Sendable {
    private struct State {
        var records: [LogRecord] = []
        var first = 0
        var bytes = 0
    }

    private let state = Guarded(State())
    private let capacity: Int
    /// The least severe level that is recorded.
    let level: LogLevel
    var forkLock: ForkSafeLock { state.lock }

    init(_ recording: LogRecording) {
        level = recording.level
        capacity = max(1024, recording.bytes)
    }

    func append(_ record: LogRecord) {
        let removed = state.withLock { state in
            state.records.append(record)
            state.bytes += record.footprint
            while state.bytes > capacity, state.first < state.records.count {
                state.bytes -= state.records[state.first].footprint
                state.first += 1
            }
            guard state.first > 64, state.first * 2 > state.records.count else { return [LogRecord]() }
            let removed = Array(state.records[..<state.first])
            state.records.removeFirst(state.first)
            state.first = 0
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    func take() -> [LogRecord] {
        state.withLock { state in
            defer { state = State() }
            return Array(state.records[state.first...])
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
    public init(level: LogLevel = .debug, bytes: Int = 65536) {
        self.level = level
        self.bytes = bytes
    }
}

/// The newest lines before the start, up to 64 KiB.
struct EarlyLines {
    static let capacity = 64 * 1024

    private(set) var records: [LogRecord] = []
    private var bytes = 0
    private var isClosed = false

    enum Verdict {
        case stored(dropped: Int)
        case tooLate
    }

    mutating func append(_ record: LogRecord) -> Verdict {
        guard !isClosed else { return .tooLate }
        records.append(record)
        bytes += record.footprint
        var surplus = 0
        while bytes > Self.capacity, surplus < records.count {
            bytes -= records[surplus].footprint
            surplus += 1
        }
        records.removeFirst(surplus)
        return .stored(dropped: surplus)
    }

    mutating func take() -> [LogRecord] {
        defer {
            records = []
            bytes = 0
        }
        return records
    }

    mutating func close() -> [LogRecord] {
        isClosed = true
        return take()
    }
}
