/// Stores the newest lines below the threshold until an error writes them.
final class LineRecorder: Sendable {
    private let records: Guarded<RecentRecords>
    /// The least severe level that is recorded.
    let level: LogLevel

    init(_ level: LogLevel, capacity: Int) {
        self.level = level
        records = Guarded(RecentRecords(capacity: capacity))
    }

    func append(_ record: LogRecord) { records.withLock { _ = $0.append(record) } }

    func take() -> [LogRecord] { records.withLock { $0.take() } }
}

/// The newest records, up to a number of bytes.
struct RecentRecords {
    private let capacity: Int
    private var records: [LogRecord] = []
    /// The index of the oldest record; the array frees the ones before it together.
    private var first = 0
    private var bytes = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The records, the oldest first.
    var all: [LogRecord] { Array(records[first...]) }

    /// Appends a record; returns the number of older records that no longer fit.
    mutating func append(_ record: LogRecord) -> Int {
        records.append(record)
        bytes += record.footprint
        let before = first
        while bytes > capacity, first < records.count {
            bytes -= records[first].footprint
            first += 1
        }
        let removed = first - before
        if first > 64, first * 2 > records.count {
            records.removeFirst(first)
            first = 0
        }
        return removed
    }

    /// Removes and returns all records.
    mutating func take() -> [LogRecord] {
        defer { self = RecentRecords(capacity: capacity) }
        return all
    }
}
