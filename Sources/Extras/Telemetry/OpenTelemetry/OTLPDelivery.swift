internal import AshlarCore
internal import AshlarLogging

/// Sends the batches of a sink; a task runs only while lines wait.
///
/// `add` never waits for the disk or the collector: files are written, read and removed without the lock of the state.
final class OTLPDelivery: Sendable {
    /// Sends the body of a request.
    typealias Send = @Sendable (_ body: [UInt8]) async -> OTLPCollector.Outcome
    /// Waits; tests throw an error other than `CancellationError` to end the task.
    typealias Sleep = @Sendable (Duration) async throws -> Void
    /// Writes a line about lost lines into the log.
    typealias Note = @Sendable (String) -> Void

    private struct State {
        var backlog: OTLPBacklog
        /// Whether the task runs that sends lines.
        var isRunning = false
        /// The pause of the task, and whether it ends early.
        var sleeper: Task<Void, any Error>?
        var isWoken = false
        /// Whether the task also sends the records of a batch that isn't full.
        var sendsAll = false
        /// The last request that is being sent.
        var sending: Task<Duration?, Never>?
        /// The number of failed attempts since the last response, and in total.
        var failures = 0
        var attempts = 0
        var isSpilling = false
        /// The numbers of lost lines by reason, which the log doesn't report yet.
        var losses: [String: Int] = [:]
    }

    private let state: Guarded<State>
    private let backoff = Backoff(first: .seconds(1), ceiling: .seconds(60))
    /// Held while batches are written, so that they reach the folder in order.
    private let spilling = ConditionLock()
    private let folder: OTLPSpillFolder?
    private let interval: Duration
    private let send: Send
    private let sleep: Sleep
    private let note: Note

    private static let isFull = "more lines wait for the collector than the limits of its sink allow"

    init(
        interval: Duration, backlog: OTLPBacklog, folder: OTLPSpillFolder?, send: @escaping Send,
        sleep: @escaping Sleep, note: @escaping Note
    ) {
        self.folder = folder
        self.interval = interval
        self.send = send
        self.sleep = sleep
        self.note = note
        state = Guarded(State(backlog: backlog))
        if !backlog.isEmpty { start(after: .zero) }
    }

    var lostLines: Int { state.withLock { $0.backlog.lostLines } }

    func add(_ record: [UInt8]) {
        change { $0.add(record) }
        var (begins, spills) = (false, false)
        let sleeper: Task<Void, any Error>? = state.withLock { state in
            begins = !state.isRunning
            state.isRunning = true
            let isFailing = state.failures > 0
            spills =
                folder != nil && !state.isSpilling
                && (state.backlog.shouldSpill || isFailing && state.backlog.hasBatchInMemory)
            if spills { state.isSpilling = true }
            guard state.backlog.hasBatch, !isFailing, !state.isWoken else { return nil }
            state.isWoken = true
            return state.sleeper
        }
        sleeper?.cancel()
        if begins { start(after: interval) }
        if spills {
            let work: @Sendable () -> Void = { [self] in
                _ = spill()
                state.withLock { $0.isSpilling = false }
            }
            if !HelperThread.start(work) { state.withLock { $0.isSpilling = false } }
        }
    }

    /// Changes the backlog; lines that are lost by it are counted, and reported later.
    private func change<Result>(_ reason: String = isFull, _ body: (inout OTLPBacklog) -> Result) -> Result {
        let (result, lost) = state.withLock { state in
            let before = state.backlog.lostLines
            let result = body(&state.backlog)
            let lost = state.backlog.lostLines - before
            if lost > 0 { state.losses[reason, default: 0] += lost }
            return (result, lost)
        }
        if lost > 0 { LogCounters.countLostInExport(lost) }
        return result
    }

    /// Reports lost lines in the log: one line for each reason.
    private func noteLosses() {
        let losses = state.withLock { state in
            defer { state.losses = [:] }
            return state.losses
        }
        for (reason, lines) in losses.sorted(by: { $0.key < $1.key }) {
            note("\(lines) \(lines == 1 ? "line" : "lines") lost: \(reason)")
        }
    }

    // MARK: The task

    private func start(after pause: Duration) {
        state.withLock { $0.isRunning = true }
        Task.detached { [self] in
            var pause = pause
            while await wait(pause) {
                pause = await sendAll() ?? interval
                let isDone = state.withLock {
                    if $0.backlog.isEmpty { $0.isRunning = false }
                    return $0.backlog.isEmpty
                }
                if isDone { return }
            }
        }
    }

    /// Waits until a pause ends or the task is woken; returns `false` if the task ends.
    private func wait(_ pause: Duration) async -> Bool {
        let sleeper = Task { [sleep] in try await sleep(pause) }
        let isWoken = state.withLock {
            $0.sleeper = sleeper
            return $0.isWoken
        }
        if isWoken { sleeper.cancel() }
        let result = await sleeper.result
        return state.withLock {
            $0.sleeper = nil
            let isWoken = $0.isWoken
            $0.isWoken = false
            switch result {
            case .success:
                $0.sendsAll = true
                return true
            case .failure(let error): return isWoken && error is CancellationError
            }
        }
    }

    // MARK: Sending

    /// Sends all batches after those that are being sent; returns the pause if the collector can't be reached.
    @discardableResult
    func sendAll() async -> Duration? {
        let task = state.withLock { state in
            let before = state.sending
            let task = Task.detached { [self] in
                _ = await before?.value
                return await sendBatches()
            }
            state.sending = task
            return task
        }
        return await task.value
    }

    /// Sends everything, regardless of the interval.
    func sendNow() async {
        state.withLock { $0.sendsAll = true }
        await sendAll()
    }

    private func sendBatches() async -> Duration? {
        var pause: Duration?
        // Lines that arrive from now on wait until their batch is full, or for the next interval.
        state.withLock { state in
            if state.sendsAll { state.backlog.closeBatch() }
            state.sendsAll = false
        }
        while pause == nil {
            let request = state.withLock { $0.backlog.nextRequest() }
            guard !request.isEmpty else { break }
            let bodies = await bodies(of: request)
            for (batch, body) in zip(request, bodies) where body == nil {
                change("their file can't be read") { $0.remove(batch.number, isLost: true) }
            }
            let readable = bodies.compactMap(\.self)
            guard !readable.isEmpty else { continue }
            let outcome = await send(OTLPEnvelope.merged(readable))
            pause = finish(zip(request, bodies).filter { $0.1 != nil }.map(\.0), outcome)
            // Before the next request, so that a crash repeats one request at most and loses nothing that is in a file.
            let isFailed = pause != nil
            await onHelperThread { if isFailed { _ = $0.spill() } else { $0.removeUnneededFiles() } }
        }
        noteLosses()
        return pause
    }

    /// Removes the batches of a request, unless it must be repeated; then the result is the pause before.
    private func finish(_ batches: [OTLPBacklog.Batch], _ outcome: OTLPCollector.Outcome) -> Duration? {
        defer { state.lock.wakeAll() }
        let reason: String
        var rejected = 0
        switch outcome {
        case .retry(let asked):
            change { $0.giveBack() }
            return state.withLock {
                $0.failures += 1
                $0.attempts += 1
                return max(backoff.pause(beforeRetry: $0.failures), asked ?? .zero)
            }
        case .rejected(let message): reason = Self.reason("the collector rejects their request", message)
        case .accepted(let lines, let message):
            reason = Self.reason("the collector rejects them", message)
            rejected = min(lines, batches.reduce(0) { $0 + $1.lines })
            if lines == 0, !message.isEmpty { note("the collector warns: \(message)") }
        }
        let isLost = if case .rejected = outcome { true } else { false }
        change(reason) { backlog in
            for batch in batches { backlog.remove(batch.number, isLost: isLost) }
            backlog.noteRejected(rejected)
        }
        state.withLock { $0.failures = 0 }
        return nil
    }

    private static func reason(_ text: String, _ message: String) -> String {
        message.isEmpty ? text : "\(text) (\(message))"
    }

    /// Returns the bodies of batches; nil for one whose file can't be read.
    private func bodies(of batches: [OTLPBacklog.Batch]) async -> [[UInt8]?] {
        let result = Guarded<[[UInt8]?]>([])
        let read: @Sendable (OTLPDelivery) -> Void = { delivery in
            let bodies = batches.map { batch -> [UInt8]? in
                switch batch.place {
                case .memory(let body): body
                case .file(let name):
                    delivery.folder?.read(name, limit: batch.bytes).flatMap { OTLPEnvelope.isRequest($0) ? $0 : nil }
                }
            }
            result.withLock { $0 = bodies }
        }
        if batches.allSatisfy(\.isInMemory) { read(self) } else { await onHelperThread(read) }
        return result.withLock { $0 }
    }

    // MARK: Flushing

    /// Writes the waiting lines into the folder; without one, sends them.
    ///
    /// Returns whether no line that was added before is in memory only, or lost meanwhile.
    func flush(within limit: Duration) -> Bool {
        defer { noteLosses() }
        if folder != nil, spill() { return true }
        let (last, attempts, lost, begins, sleeper) = state.withLock { state in
            state.backlog.closeBatch()
            let begins = !state.isRunning && !state.backlog.isEmpty
            state.isRunning = state.isRunning || begins
            state.isWoken = true
            state.sendsAll = true
            return (state.backlog.lastBatch, state.attempts, state.backlog.lostLines, begins, state.sleeper)
        }
        guard let last else { return true }
        sleeper?.cancel()
        if begins { start(after: .zero) }
        let end = ContinuousClock.now + limit
        state.lock.lock()
        defer { state.lock.unlock() }
        while state.held.backlog.firstInMemory(through: last) != nil, state.held.attempts == attempts {
            let (seconds, attoseconds) = (end - .now).components
            guard seconds >= 0, attoseconds > 0 || seconds > 0 else { break }
            state.lock.wait(nanoseconds: min(seconds, 3600) * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
        return state.held.backlog.firstInMemory(through: last) == nil && state.held.backlog.lostLines == lost
    }

    /// Writes the waiting lines into the folder; lines that arrive meanwhile stay in memory.
    ///
    /// Returns whether all of them are in the folder.
    private func spill() -> Bool {
        guard let folder else { return false }
        return spilling.withLock {
            removeUnneededFiles()
            let last = state.withLock { state in
                state.backlog.closeBatch()
                return state.backlog.lastBatch
            }
            guard let last else { return true }
            var written = Int64.min
            while let batch = state.withLock({ $0.backlog.firstInMemory(after: written, through: last) }),
                case .memory(let body) = batch.place
            {
                // On a full disk, this batch and later ones stay in memory until the next attempt.
                guard let name = folder.write(body, of: batch) else { break }
                change { $0.noteWritten(batch.number, to: name) }
                written = batch.number
            }
            removeUnneededFiles()
            return state.withLock { $0.backlog.firstInMemory(through: last) } == nil
        }
    }

    private func removeUnneededFiles() {
        for name in state.withLock({ $0.backlog.takeUnneededFiles() }) { folder?.remove(name) }
    }

    /// Runs work that waits for the disk on a thread of its own, because all tasks share a few threads.
    private func onHelperThread(_ work: @escaping @Sendable (OTLPDelivery) -> Void) async {
        guard folder != nil else { return }
        await withCheckedContinuation { done in
            let all: @Sendable () -> Void = { [self] in
                work(self)
                done.resume()
            }
            if !HelperThread.start(all) { all() }
        }
    }
}
