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
        var waiting: BoundedQueue<[UInt8]>
        /// The records of the current request.
        var request: [[UInt8]] = []
        /// The size of both.
        var bytes: Int { waiting.bytes + requestBytes }
        var requestBytes = 0
        /// The number of records: added, sent although their batch isn't full, and accepted, rejected or dropped.
        var added = 0
        var due = 0
        var settled = 0
        /// The number of lost lines in total, and at the last flush.
        var lost = 0
        var lostAtFlush = 0
        /// The lost lines that the log doesn't report yet, by reason, and the time of the last report.
        var unreported: [(reason: String, lines: Int)] = []
        var lastReport: ContinuousClock.Instant?
        /// The number of calls that waited in vain for room since the last response.
        var vainWaits = 0
        /// Whether the task runs, its pause, and whether the pause ends early.
        var isRunning = false
        var sleeper: Task<Void, any Error>?
        var isWoken = false
        /// The number of failed attempts since the last response, and in total.
        var failures = 0
        var attempts = 0

        mutating func lose(_ lines: Int, _ reason: String) {
            guard lines > 0 else { return }
            lost += lines
            LogCounters.countLostInExport(lines)
            if let index = unreported.firstIndex(where: { $0.reason == reason }) {
                unreported[index].lines += lines
            } else {
                unreported.append((reason, lines))
            }
        }

        /// Returns the losses to report: at most once a minute, unless a flush asks for them.
        mutating func takeReports(forced: Bool) -> [String] {
            guard !unreported.isEmpty, forced || lastReport.map({ .now - $0 >= .seconds(60) }) ?? true
            else { return [] }
            lastReport = .now
            defer { unreported = [] }
            return unreported.map { "\($0.lines) \($0.lines == 1 ? "line" : "lines") lost: \($0.reason)" }
        }
    }

    private let state: Guarded<State>
    private let backoff = Backoff(first: .seconds(1), ceiling: .seconds(60))
    private let head: [UInt8]
    private let interval: Duration
    private let batchLines: Int
    /// The size at which a batch is full; collectors accept at least 4 MiB.
    private static let batchBytes = 1 << 20
    /// The time that a call waits for room.
    private let longestWait: Duration
    private let send: Send
    private let sleep: Sleep
    private let note: Note

    init(
        resource: LogFields, interval: Duration, batchLines: Int, maximumBytes: Int,
        longestWait: Duration = .milliseconds(10), send: @escaping Send, sleep: @escaping Sleep, note: @escaping Note
    ) {
        head =
            Array(#"{"resourceLogs":[{"resource":{"attributes":"#.utf8) + JSONLineWriter.attributes(resource)
            + Array(#"},"scopeLogs":[{"scope":{"name":"AshlarLogging"},"logRecords":["#.utf8)
        self.interval = interval
        self.batchLines = max(1, batchLines)
        state = Guarded(State(waiting: BoundedQueue(capacity: max(1024, maximumBytes))))
        self.longestWait = longestWait
        self.send = send
        self.sleep = sleep
        self.note = note
    }

    var lostLines: Int { state.withLock { $0.lost } }

    /// Adds a record, or counts it as lost if there is no room.
    func add(_ record: [UInt8]) {
        let (hasRoom, wakes) = state.withLock { state in
            let hasRoom = state.bytes + record.count <= state.waiting.capacity
            if hasRoom { Self.append(record, to: &state) }
            return (hasRoom, isFull(state) && state.failures == 0)
        }
        begin(wakes: wakes)
        if !hasRoom { addWhenThereIsRoom(record) }
    }

    private static func append(_ record: [UInt8], to state: inout State) {
        state.waiting.append(record, size: record.count)
        state.added += 1
    }

    /// The number of waits in vain after which calls don't wait until the collector responds.
    private static let mostVainWaits = 10

    /// Sends what waits, and waits for room while the collector responds.
    private func addWhenThereIsRoom(_ record: [UInt8]) {
        let mayWait = state.withLock { state in
            state.due = state.added
            return state.failures == 0 && state.vainWaits < Self.mostVainWaits
        }
        begin(wakes: mayWait)
        let end = ContinuousClock.now + (mayWait ? longestWait : .zero)
        state.lock.withLock {
            while state.held.bytes + record.count > state.held.waiting.capacity {
                let rest = end - .now
                guard state.held.failures == 0, rest > .zero else {
                    state.held.vainWaits += 1
                    state.held.lose(1, "more lines wait for the collector than the limit of its sink allows")
                    return
                }
                state.lock.wait(nanoseconds: Int64(rest / .nanoseconds(1)))
            }
            Self.append(record, to: &state.held)
        }
        begin(wakes: false)
    }

    private func isFull(_ state: State) -> Bool {
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
                guard let longer = finish(request, await send(body(of: request))) else { continue }
                pause = longer
                break
            }
        } while state.withLock {
            $0.isRunning = $0.settled < $0.added
            return $0.isRunning
        }
    }

    /// Returns the body of a request.
    private func body(of request: [[UInt8]]) -> [UInt8] {
        var body = head
        for (index, record) in request.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += record
        }
        return body + Array("]}]}]}".utf8)
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
            while let record = state.waiting.first, state.request.count < batchLines,
                state.requestBytes < Self.batchBytes
            {
                state.request.append(record)
                state.requestBytes += record.count
                _ = state.waiting.popFirst()
            }
            return state.request
        }
    }

    /// Removes a request, unless it must be repeated; then the result is the pause before.
    ///
    /// Losses are reported before the records are settled, so that a flush returns after the reports.
    private func finish(_ request: [[UInt8]], _ outcome: OTLPCollector.Outcome) -> Duration? {
        let reports = state.withLock { state in
            switch outcome {
            case .retry: break
            case .rejected(let message):
                state.lose(request.count, "the collector rejects their request" + Self.detail(message))
            case .accepted(let rejected, let message):
                state.lose(min(rejected, request.count), "the collector rejects them" + Self.detail(message))
            }
            return state.takeReports(forced: false)
        }
        for report in reports { note(report) }
        if case .accepted(0, let message) = outcome, !message.isEmpty { note("the collector warns: \(message)") }
        return state.withLock { state in
            defer { self.state.lock.wakeAll() }
            if case .retry(let asked) = outcome {
                state.failures += 1
                state.attempts += 1
                // What woke the task during the request must not end the pause.
                state.isWoken = false
                return max(backoff.pause(beforeRetry: state.failures), asked ?? .zero)
            }
            state.settled += request.count
            state.request = []
            state.requestBytes = 0
            state.failures = 0
            state.vainWaits = 0
            return nil
        }
    }

    private static func detail(_ message: String) -> String { message.isEmpty ? "" : " (\(message))" }

    /// Sends the records that were added before; returns whether all of them were accepted, and no line was lost since the
    /// last flush.
    ///
    /// An attempt that fails ends the wait.
    func flush(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        let (settled, target, attempts) = state.withLock { state in
            state.due = state.added
            return (state.settled, state.added, state.attempts)
        }
        if settled < target { begin(wakes: true) }
        let (isSent, reports) = state.lock.withLock {
            while state.held.settled < target, state.held.attempts == attempts {
                let rest = (end - .now) / .nanoseconds(1)
                guard rest > 0 else { break }
                state.lock.wait(nanoseconds: Int64(min(rest, 3.6e12)))
            }
            let isComplete = state.held.lost == state.held.lostAtFlush
            state.held.lostAtFlush = state.held.lost
            return (state.held.settled >= target && isComplete, state.held.takeReports(forced: true))
        }
        for report in reports { note(report) }
        return isSent
    }
}
