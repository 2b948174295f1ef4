internal import AshlarBase

/// Decides which system call follows the result of the last one, for a file that continues in further files.
///
/// The plan calls nothing itself; ``SegmentedFile`` carries it out. A failed write never traps or blocks: the newest lines
/// wait in memory. When writing succeeds again, a line reports the lost lines, and the waiting lines follow.
struct SegmentPlan: Sendable {
    /// What to do next.
    enum Call: Equatable {
        /// Append bytes to the open file.
        case append(ArraySlice<UInt8>)
        /// Compare the open file with its name.
        case check
        /// Close the file and open it by its name.
        case open
        /// Continue in a new file that has room for a number of bytes.
        case rotate(room: Int)
        /// Remove old files from a full disk.
        case makeRoom
        /// Nothing: the operation has ended. A line that is neither written nor waits isn't stored.
        case done(isStored: Bool)
    }

    /// The result of a call.
    enum Outcome: Equatable {
        /// The open file: its size, and the one at which it ends.
        case file(size: Int64, limit: Int64)
        /// The number of appended bytes.
        case appended(Int)
        case madeRoom
        /// The `errno` of the call.
        case failed(Int32)
    }

    private enum Phase { case idle, checking, opening, rotating, appending, makingRoom, draining }

    /// The state of the lines that wait after a failed write.
    private struct Wait {
        let error: Int32
        /// Whether the file ends in the middle of a line.
        var isTorn: Bool
        /// The number of dropped lines that the log doesn't report yet.
        var unreported = 0
        var nextAttempt: Int64
        var linesSinceAttempt = 0
        var bytesSinceAttempt = 0
    }

    /// The number of lines between two checks whether the open file is still the one with its name.
    let checkInterval: Int
    /// The maximum time during which a file is written, in nanoseconds; nil for no limit.
    let interval: Int64?
    /// Returns nanoseconds of a clock that never goes backwards.
    let clock: @Sendable () -> Int64
    /// Returns the line that reports lost lines.
    let notice: @Sendable (_ lost: Int, _ error: Int32) -> [UInt8]

    private var phase = Phase.idle
    private var size: Int64 = 0
    private var limit: Int64 = 0
    private var began: Int64
    private var linesUntilCheck: Int
    /// The line of the current operation, and how much of it is written.
    private var line: ArraySlice<UInt8> = []
    private var written = 0
    /// Steps of the current operation that happen at most once.
    private var (isRecovering, hasOpened, hasRotated, endsFile) = (false, false, false, false)
    private var wait: Wait?
    /// The length of the line end and the notice before the waiting lines, in the current write.
    private var headLength = 0
    /// Whether lines wait, or the file ends in the middle of a line.
    var isWaiting: Bool { wait != nil }
    /// The lines that wait.
    private(set) var waiting: BoundedQueue<[UInt8]>
    /// What follows the file in the log: the end of a torn line, and the lines that wait.
    var unwritten: [UInt8] { (wait?.isTorn == true ? [.newline] : []) + waiting.contents }
    /// The number of lines that were dropped because they didn't fit, and of failed writes.
    private(set) var dropped = 0
    private(set) var failedWrites = 0

    static let linesBetweenAttempts = 256
    static let nanosecondsBetweenAttempts: Int64 = 1_000_000_000

    /// Creates a plan for a file that isn't open yet.
    ///
    /// With `waitingBytes` 0, a line that can't be written isn't stored.
    init(
        checkInterval: Int, interval: Duration? = nil, waitingBytes: Int,
        clock: @escaping @Sendable () -> Int64 = { SystemCalls.monotonicClock() },
        notice: @escaping @Sendable (_ lost: Int, _ error: Int32) -> [UInt8] = { _, _ in [] }
    ) {
        self.checkInterval = checkInterval
        self.interval = interval?.clampedNanoseconds
        self.clock = clock
        self.notice = notice
        began = clock()
        linesUntilCheck = 0
        waiting = BoundedQueue(capacity: waitingBytes)
    }

    // MARK: Operations

    /// Uses a file that has just been opened.
    mutating func use(size: Int64, limit: Int64) {
        self.size = size
        self.limit = limit
        linesUntilCheck = checkInterval
    }

    /// Writes a line with its line end, which can be several lines of a message.
    mutating func write(_ line: ArraySlice<UInt8>) -> Call {
        begin(line)
        if wait != nil {
            wait?.linesSinceAttempt += line.count { $0 == .newline }
            wait?.bytesSinceAttempt += line.count
        }
        linesUntilCheck -= 1
        return linesUntilCheck < 0 ? call(.checking, .check) : proceed()
    }

    /// Writes the lines that wait.
    mutating func flush() -> Call {
        begin([])
        return wait == nil ? .done(isStored: true) : recover()
    }

    /// Continues in a new file, unless the current one is empty.
    mutating func rotate() -> Call {
        begin([])
        endsFile = true
        return call(.checking, .check)
    }

    /// Opens the file again.
    mutating func reopen() -> Call {
        begin([])
        hasOpened = true
        return call(.opening, .open)
    }

    private mutating func begin(_ line: ArraySlice<UInt8>) {
        self.line = line
        written = 0
        (isRecovering, hasOpened, hasRotated, endsFile) = (false, false, false, false)
    }

    // MARK: Steps

    /// Returns what follows the result of the last call.
    mutating func next(_ outcome: Outcome) -> Call {
        switch (phase, outcome) {
        case (.checking, .file(let size, let limit)), (.opening, .file(let size, let limit)):
            use(size: size, limit: limit)
            return proceed()
        case (.checking, _): return call(.opening, .open)
        case (.opening, .failed(let error)): return fail(error)
        case (.rotating, .file(let size, let limit)):
            use(size: size, limit: limit)
            began = clock()
            if isRecovering { return drain() }
            // The file before ends in the middle of the line, which is written again as a whole.
            if written > 0 { line = ArraySlice([.newline] + unwrittenLines) }
            written = 0
            return append()
        case (.rotating, _): return continueBeyondLimit()
        case (.appending, .appended(let count)):
            size += Int64(count)
            written += count
            if written == line.count { return end(isStored: true) }
            return count > 0 ? append() : fail(SystemCalls.inputOutput)
        case (.appending, .failed(let error)):
            if error == SystemCalls.badDescriptor, !hasOpened {
                hasOpened = true
                return call(.opening, .open)
            }
            guard error == SystemCalls.fileTooLarge, !hasRotated else { return fail(error) }
            hasRotated = true
            return call(.rotating, .rotate(room: line.count))
        case (.makingRoom, _): return call(.checking, .check)
        case (.draining, .appended(let count)):
            remove(count)
            return count > 0 ? drain() : end(isStored: keep(line))
        case (.draining, .failed(SystemCalls.fileTooLarge)) where !hasRotated:
            hasRotated = true
            return call(.rotating, .rotate(room: waiting.bytes))
        default: return end(isStored: keep(line))
        }
    }

    private mutating func call(_ phase: Phase, _ call: Call) -> Call {
        self.phase = phase
        return call
    }

    private mutating func end(isStored: Bool) -> Call { call(.idle, .done(isStored: isStored)) }

    /// Continues an operation whose file is open.
    private mutating func proceed() -> Call {
        if isRecovering { return drain() }
        if hasOpened || hasRotated { return append() }
        if let wait {
            let isDue =
                wait.linesSinceAttempt >= Self.linesBetweenAttempts || wait.bytesSinceAttempt * 2 >= waiting.capacity
                || clock() >= wait.nextAttempt
            return isDue ? recover() : end(isStored: keep(line))
        }
        return writeLine()
    }

    private mutating func writeLine() -> Call {
        guard size > 0, endsFile || !line.isEmpty else { return append() }
        let isDue = interval.map { clock() - began >= $0 } ?? false
        return endsFile || isDue || size + Int64(line.count) > limit
            ? call(.rotating, .rotate(room: line.count)) : append()
    }

    private mutating func append() -> Call {
        line.isEmpty ? end(isStored: true) : call(.appending, .append(line.dropFirst(written)))
    }

    /// Continues in the current file because there is no new one.
    private mutating func continueBeyondLimit() -> Call {
        failedWrites += 1
        began = clock()
        if endsFile { return end(isStored: false) }
        // A mapped file doesn't grow, but opened again it isn't mapped.
        return hasRotated ? call(.opening, .open) : append()
    }

    // MARK: Lines that wait

    /// The part of the line after the last line end that is written.
    private var unwrittenLines: ArraySlice<UInt8> {
        let end = line.prefix(written).lastIndex(of: .newline)
        return end.map { line[($0 + 1)...] } ?? line
    }

    private mutating func fail(_ error: Int32) -> Call {
        if wait == nil {
            failedWrites += 1
            wait = Wait(error: error, isTorn: written > line.count - unwrittenLines.count, nextAttempt: 0)
            noteAttempt()
        }
        return end(isStored: keep(unwrittenLines))
    }

    /// Adds lines to those that wait, and drops the oldest ones for them; returns whether lines can wait at all.
    private mutating func keep(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let end = rest.firstIndex(of: .newline) {
            let lost = waiting.appendNewest(Array(rest[...end]))
            wait?.unreported += lost
            dropped += lost
            rest = rest[(end + 1)...]
        }
        return waiting.capacity > 0
    }

    private mutating func noteAttempt() {
        wait?.linesSinceAttempt = 0
        wait?.bytesSinceAttempt = 0
        wait?.nextAttempt = clock() + Self.nanosecondsBetweenAttempts
    }

    /// Tries to write the lines that wait.
    private mutating func recover() -> Call {
        isRecovering = true
        noteAttempt()
        return wait?.error == SystemCalls.noSpace ? call(.makingRoom, .makeRoom) : call(.checking, .check)
    }

    /// Writes a line end, the line that reports dropped lines, and the waiting lines.
    private mutating func drain() -> Call {
        guard let wait else { return writeLine() }
        let head =
            (wait.isTorn ? [.newline] : []) + (wait.unreported > 0 ? notice(wait.unreported, wait.error) : [])
        headLength = head.count
        guard !head.isEmpty || !waiting.isEmpty else {
            self.wait = nil
            isRecovering = false
            return writeLine()
        }
        return call(.draining, .append((head + waiting.contents)[...]))
    }

    /// Removes the waiting lines that have been written.
    private mutating func remove(_ count: Int) {
        size += Int64(count)
        guard count >= headLength else {
            if count > 0 { wait?.isTorn = true }
            return
        }
        wait?.unreported = 0
        var rest = count - headLength
        while let next = waiting.first, rest >= next.count {
            rest -= next.count
            _ = waiting.popFirst()
        }
        wait?.isTorn = rest > 0
    }
}
