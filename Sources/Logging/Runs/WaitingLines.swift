/// The lines that wait in memory while the file of a run can't be written.
struct WaitingLines {
    /// The `errno` of the failed write.
    let error: Int32
    /// Whether the file ends in the middle of a line.
    var isTorn: Bool
    /// The number of lines that didn't fit, and that the log doesn't report yet.
    private(set) var dropped = 0
    private var lines: RecentLines
    private let retryBytes: Int
    private var nextAttempt: Int64
    private var linesSinceAttempt = 0
    private var bytesSinceAttempt = 0

    static let linesBetweenAttempts = 256
    static let nanosecondsBetweenAttempts: Int64 = 1_000_000_000

    init(error: Int32, isTorn: Bool, capacity: Int) {
        self.error = error
        self.isTorn = isTorn
        lines = RecentLines(capacity: capacity)
        retryBytes = capacity / 2
        nextAttempt = SystemCalls.monotonicClock() + Self.nanosecondsBetweenAttempts
    }

    var isEmpty: Bool { lines.count == 0 }
    var contents: [UInt8] { lines.contents }
    /// The number of lines that are lost if the process ends now, apart from the dropped ones.
    var count: Int { lines.lineCount }

    /// Adds lines; returns the number of lines that were dropped for them.
    mutating func append(_ text: LogText) -> Int {
        let surplus = lines.append(text)
        dropped += surplus
        return surplus
    }

    /// Counts new lines, and decides whether to write again before they are added.
    ///
    /// That is after a second, 256 lines, or half of the capacity, because later lines would replace waiting ones.
    mutating func mustRetry(before text: LogText) -> Bool {
        linesSinceAttempt += text.bytes.count { $0 == .newline }
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
    mutating func write(_ notice: (_ lost: Int, _ error: Int32) -> [UInt8], with put: (LogText) -> Int) -> Bool {
        var head: [UInt8] = isTorn ? [.newline] : []
        if dropped > 0 { head += notice(dropped, error) }
        if !head.isEmpty {
            let written = LogText.withBytes(head) { put($0) }
            guard written == head.count else {
                if written > 0 { isTorn = true }
                return false
            }
            isTorn = false
            dropped = 0
        }
        let waiting = lines.contents
        let written = waiting.isEmpty ? 0 : LogText.withBytes(waiting) { put($0) }
        if written > 0 {
            let whole = waiting[..<written].lastIndex(of: .newline).map { $0 + 1 } ?? 0
            isTorn = written > whole
            lines.drop(whole)
        }
        return isEmpty
    }
}
