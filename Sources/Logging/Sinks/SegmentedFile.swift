internal import AshlarBase

/// The files that a ``SegmentedFile`` writes one after the other.
protocol SegmentSeries: Sendable {
    /// Opens the current file, which may exist.
    func open() -> AppendedFile
    /// Begins the next file, with room for a number of bytes.
    ///
    /// On success, it closes the current file. A result without a file says why there is none.
    mutating func next(after file: inout AppendedFile, room: Int) -> AppendedFile
    /// Whether an open file is still the current one.
    func isCurrent(_ file: AppendedFile) -> Bool
    /// The size at which a file ends.
    func limit(of file: AppendedFile) -> Int64
    /// Removes an old file from a full disk.
    func makeRoom()
    /// Returns the lines of all files, or the last whole ones.
    func contents(limit: Int?) -> [UInt8]
    /// Records changes of the number of dropped and waiting lines, after a write.
    func note(_ losses: SegmentLosses, since before: SegmentLosses)
}

/// The lines that a file has lost, or loses if the process ends now.
struct SegmentLosses: Equatable {
    var dropped = 0
    var waiting = 0
    var failedWrites = 0
}

/// A file with its continuations; it carries out a ``SegmentPlan``.
final class SegmentedFile: Sendable {
    private struct State {
        var series: any SegmentSeries
        var file: AppendedFile
        var plan: SegmentPlan
        var noted = SegmentLosses()

        mutating func perform(_ first: SegmentPlan.Call) -> Bool {
            var call = first
            while true {
                let outcome: SegmentPlan.Outcome
                switch call {
                case .append(let bytes): outcome = file.append(bytes)
                case .check: outcome = series.isCurrent(file) ? opened : .failed(SystemCalls.missing)
                case .open:
                    file.close()
                    file = series.open()
                    outcome = opened
                case .rotate(let room):
                    let next = series.next(after: &file, room: room)
                    if next.descriptor >= 0 { file = next }
                    outcome = next.descriptor >= 0 ? opened : .failed(-next.descriptor)
                case .makeRoom:
                    series.makeRoom()
                    outcome = .madeRoom
                case .done(let isStored):
                    noteLosses()
                    return isStored
                }
                call = plan.next(outcome)
            }
        }

        private var opened: SegmentPlan.Outcome {
            file.descriptor < 0
                ? .failed(-file.descriptor) : .file(size: file.currentSize, limit: series.limit(of: file))
        }

        private mutating func noteLosses() {
            let losses = SegmentLosses(
                dropped: plan.dropped, waiting: plan.waiting.count, failedWrites: plan.failedWrites)
            guard losses != noted else { return }
            series.note(losses, since: noted)
            noted = losses
        }
    }

    private let state: Guarded<State>

    /// Creates a file that is open, or that the first line opens.
    init(_ series: any SegmentSeries, file: AppendedFile = AppendedFile(), plan: SegmentPlan) {
        var plan = plan
        if file.descriptor >= 0 { plan.use(size: file.currentSize, limit: series.limit(of: file)) }
        state = Guarded(State(series: series, file: file, plan: plan))
    }

    deinit {
        state.withLock { state in
            // Lines that still wait are lost.
            let (plan, noted) = (state.plan, state.noted)
            if plan.waiting.count > 0 {
                let losses = SegmentLosses(
                    dropped: noted.dropped + plan.waiting.count, waiting: 0, failedWrites: noted.failedWrites)
                state.series.note(losses, since: noted)
            }
            state.file.close()
        }
    }

    /// Writes a line with its line end; returns whether it is stored in the file or waits.
    func write(_ line: [UInt8]) -> Bool { state.withLock { $0.perform($0.plan.write(line[...])) } }

    /// Continues in a new file, unless the current one is empty; returns whether the next line begins a file.
    func rotate() -> Bool { state.withLock { $0.perform($0.plan.rotate()) } }

    /// Writes the waiting lines, and with `sync` waits for the disk; returns whether everything has been written.
    func flush(sync: Bool) -> Bool {
        state.withLock {
            _ = $0.perform($0.plan.flush())
            return (!sync || $0.file.synchronize()) && !$0.plan.isWaiting
        }
    }

    /// Writes the waiting lines and runs `body`; a mapped file is unmapped, and later lines are appended to it.
    func close(_ body: () -> Void) {
        state.withLock {
            _ = $0.perform($0.plan.flush())
            if $0.file.isMapped { _ = $0.perform($0.plan.reopen()) }
            body()
        }
    }

    /// Runs `body` under the lock.
    func withLock(_ body: () -> Void) { state.withLock { _ in body() } }

    /// Returns the lines of all files, or the last ones, and those that wait.
    func contents(limit: Int?) -> [UInt8] {
        state.withLock { $0.series.contents(limit: limit) + $0.plan.unwritten }
    }

    /// The descriptor of the current file; negative if none is open.
    var descriptor: Int32 { state.withLock { $0.file.descriptor } }
}
