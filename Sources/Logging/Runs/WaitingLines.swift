/// The lines that wait in memory while the file of a run can't be written.
struct WaitingLines {
    /// The `errno` of the failed write.
    let error: Int32
    /// Whether the file ends in the middle of a line.
    var isTorn: Bool
    /// The number of lines that didn't fit, and that the log doesn't report yet.
    private(set) var dropped = 0
    private var lines: BoundedQueue<[UInt8]>
    private let retryBytes: Int
    private var nextAttempt: Int64
    private var linesSinceAttempt = 0
    private var bytesSinceAttempt = 0

    static let linesBetweenAttempts = 256
    static let nanosecondsBetweenAttempts: Int64 = 1_000_000_000

    init(error: Int32, isTorn: Bool, capacity: Int) {
        self.error = error
        self.isTorn = isTorn
        lines = BoundedQueue(capacity: capacity)
        retryBytes = capacity / 2
        nextAttempt = SystemCalls.monotonicClock() + Self.nanosecondsBetweenAttempts
    }
    var contents: [UInt8] { lines.contents }
    /// The number of lines that are lost if the process ends now, apart from the dropped ones.
    var count: Int { lines.count }

    /// Adds whole lines; returns the number of lines that were dropped for them.
    mutating func append(_ text: ArraySlice<UInt8>) -> Int {
        var rest = text
        let before = dropped
        while let end = rest.firstIndex(of: .newline) {
            dropped += lines.appendNewest(Array(rest[...end]))
            rest = rest[(end + 1)...]
        }
        return dropped - before
    }

    /// Counts new lines, and decides whether to write again before they are added.
    ///
    /// That is after a second, 256 lines, or half of the capacity, because later lines would replace waiting ones.
    mutating func mustRetry(before text: ArraySlice<UInt8>) -> Bool {
        linesSinceAttempt += text.count { $0 == .newline }
        bytesSinceAttempt += text.count
        return linesSinceAttempt >= Self.linesBetweenAttempts || bytesSinceAttempt >= retryBytes
            || SystemCalls.monotonicClock() >= nextAttempt
    }

    mutating func noteAttempt() {
        linesSinceAttempt = 0
        bytesSinceAttempt = 0
        nextAttempt = SystemCalls.monotonicClock() + Self.nanosecondsBetweenAttempts
    }

    /// Writes the line that reports dropped lines, then the waiting lines; returns whether everything was written.
    mutating func write(_ notice: (_ lost: Int, _ error: Int32) -> [UInt8], with put: (ArraySlice<UInt8>) -> Int)
        -> Bool
    {
        let head = (isTorn ? [.newline] : []) + (dropped > 0 ? notice(dropped, error) : [])
        if !head.isEmpty {
            let written = put(head[...])
            guard written == head.count else {
                if written > 0 { isTorn = true }
                return false
            }
            isTorn = false
            dropped = 0
        }
        var rest = lines.isEmpty ? 0 : put(lines.contents[...])
        while let next = lines.first, rest >= next.count {
            rest -= next.count
            _ = lines.popFirst()
        }
        isTorn = rest > 0
        return lines.isEmpty
    }
}
