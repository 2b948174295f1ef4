internal import AshlarCore
internal import AshlarLogging

/// The records of a sink that wait for its collector, and the task that sends them, which runs only while records wait.
final class OTLPDelivery: Sendable {
    typealias Send = @Sendable (_ body: [UInt8]) async -> OTLPCollector.Outcome
    /// Waits, or throws if the task is cancelled.
    typealias Sleep = @Sendable (Duration) async throws -> Void
    typealias Note = @Sendable (String) -> Void

    private struct State {
        /// The records that wait, the oldest first.
        var waiting: [[UInt8]] = []
        /// The records of the current request, which the limit doesn't drop because the collector may accept them.
        var request: [[UInt8]] = []
        /// The size of both.
        var bytes = 0
        /// The number of records: added, sent although their batch isn't full, and accepted, rejected or dropped.
        var added = 0
        var due = 0
        var settled = 0
        /// The number of lost lines, and of those that were dropped since the last report.
        var lost = 0
        var dropped = 0
        /// Whether the task runs, its pause, and whether the pause ends early.
        var isRunning = false
        var sleeper: Task<Void, any Error>?
        var isWoken = false
        /// The number of failed attempts since the last response, and in total.
        var failures = 0
        var attempts = 0
    }

    private let state = Guarded(State())
    private let backoff = Backoff(first: .seconds(1), ceiling: .seconds(60))
    private let head: [UInt8]
    private let interval: Duration
    private let batchLines: Int
    /// The size at which a batch is full; collectors accept at least 4 MiB.
    private static let batchBytes = 1 << 20
    private let maximumBytes: Int
    private let send: Send
    private let sleep: Sleep
    private let note: Note

    init(
        resource: LogFields, interval: Duration, batchLines: Int, maximumBytes: Int, send: @escaping Send,
        sleep: @escaping Sleep, note: @escaping Note
    ) {
        head =
            Array(#"{"resourceLogs":[{"resource":{"attributes":"#.utf8) + JSONLineWriter.attributes(resource)
            + Array(#"},"scopeLogs":[{"scope":{"name":"AshlarLogging"},"logRecords":["#.utf8)
        self.interval = interval
        self.batchLines = max(1, batchLines)
        self.maximumBytes = max(1024, maximumBytes)
        self.send = send
        self.sleep = sleep
        self.note = note
    }

    var lostLines: Int { state.withLock { $0.lost } }

    func add(_ record: [UInt8]) {
        let wakes = state.withLock { state in
            state.waiting.append(record)
            state.bytes += record.count
            state.added += 1
            while state.bytes > maximumBytes, !state.waiting.isEmpty {
                // Several at once, because removing each by itself would move the others.
                let oldest = min(batchLines, state.waiting.count)
                state.bytes -= state.waiting[..<oldest].reduce(0) { $0 + $1.count }
                state.waiting.removeFirst(oldest)
                state.settled += oldest
                state.lost += oldest
                state.dropped += oldest
                LogCounters.countLostInExport(oldest)
            }
            return isFull(state) && state.failures == 0
        }
        begin(wakes: wakes)
    }

    private func isFull(_ state: borrowing State) -> Bool {
        state.waiting.count >= batchLines || state.bytes >= Self.batchBytes
    }

    /// Starts the task, or ends its pause.
    private func begin(wakes: Bool) {
        let (begins, sleeper) = state.withLock { state in
            defer { state.isRunning = true }
            if wakes { state.isWoken = true }
            return (!state.isRunning, wakes ? state.sleeper : nil)
        }
        sleeper?.cancel()
        if begins { Task.detached { await self.run() } }
    }

    /// Sends full batches and due records, until no record waits.
    private func run() async {
        var pause = interval
        repeat {
            await wait(pause)
            pause = interval
            while case let request = nextRequest(), !request.isEmpty {
                let body = head + request.joined(separator: CollectionOfOne(UInt8(ascii: ","))) + Array("]}]}]}".utf8)
                guard let longer = finish(request, await send(body)) else { continue }
                pause = longer
                break
            }
        } while state.withLock {
            $0.isRunning = $0.settled < $0.added
            return $0.isRunning
        }
    }

    /// Waits until a pause ends, which makes all records due, or the task is woken.
    private func wait(_ pause: Duration) async {
        let sleeper = Task { [sleep] in try await sleep(pause) }
        let isWoken = state.withLock {
            $0.sleeper = sleeper
            return $0.isWoken
        }
        if isWoken { sleeper.cancel() }
        let isOver = (try? await sleeper.value) != nil
        state.withLock {
            $0.sleeper = nil
            $0.isWoken = false
            if isOver { $0.due = $0.added }
        }
    }

    private func nextRequest() -> [[UInt8]] {
        state.withLock { state in
            guard state.request.isEmpty, isFull(state) || state.settled < state.due else { return state.request }
            var size = 0
            state.request = Array(
                state.waiting.prefix(batchLines).prefix { line in
                    defer { size += line.count }
                    return size < Self.batchBytes
                })
            state.waiting.removeFirst(state.request.count)
            return state.request
        }
    }

    /// Removes a request, unless it must be repeated; then the result is the pause before.
    ///
    /// Losses are reported before the records are settled, so that a flush returns after the reports.
    private func finish(_ request: [[UInt8]], _ outcome: OTLPCollector.Outcome) -> Duration? {
        let dropped = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        report(dropped, "more lines wait for the collector than the limit of its sink allows")
        var lost = 0
        switch outcome {
        case .retry: break
        case .rejected(let message):
            lost = request.count
            report(lost, "the collector rejects their request", message)
        case .accepted(let rejected, let message):
            lost = min(rejected, request.count)
            report(lost, "the collector rejects them", message)
            if lost == 0, !message.isEmpty { note("the collector warns: \(message)") }
        }
        LogCounters.countLostInExport(lost)
        return state.withLock { state in
            defer { self.state.lock.wakeAll() }
            if case .retry(let asked) = outcome {
                state.failures += 1
                state.attempts += 1
                return max(backoff.pause(beforeRetry: state.failures), asked ?? .zero)
            }
            state.lost += lost
            state.settled += request.count
            state.bytes -= request.reduce(0) { $0 + $1.count }
            state.request = []
            state.failures = 0
            return nil
        }
    }

    private func report(_ lines: Int, _ reason: String, _ message: String = "") {
        guard lines > 0 else { return }
        note("\(lines) \(lines == 1 ? "line" : "lines") lost: \(reason)" + (message.isEmpty ? "" : " (\(message))"))
    }

    /// Sends the records that were added before; returns whether all of them were accepted and none was lost meanwhile.
    ///
    /// An attempt that fails ends the wait.
    func flush(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        let (settled, target, attempts, lost) = state.withLock { state in
            state.due = state.added
            return (state.settled, state.added, state.attempts, state.lost)
        }
        if settled < target { begin(wakes: true) }
        return state.lock.withLock {
            while state.held.settled < target, state.held.attempts == attempts {
                let rest = (end - .now) / .nanoseconds(1)
                guard rest > 0 else { break }
                state.lock.wait(nanoseconds: Int64(min(rest, 3.6e12)))
            }
            return state.held.settled >= target && state.held.lost == lost
        }
    }
}
