internal import AshlarCore
internal import AshlarLogging

/// Sends the batches of a sink; a task runs only while lines wait.
///
/// `add` never waits for the disk or the collector: files are written, read and removed without the lock of the state.
final class OTLPDelivery: ForkAware {
    /// Sends the body of a request.
    typealias Send = @Sendable (_ body: [UInt8]) async -> OTLPCollector.Outcome

    private struct State {
        var backlog: OTLPBacklog
        var isRunning = false
        /// The last request that is being sent.
        var sending: Task<Duration?, Never>?
        /// The number of attempts since the last response that wasn't to be repeated.
        var failures = 0
    }

    private let state: Guarded<State>
    private let backoff = Backoff(first: .seconds(1), ceiling: .seconds(60))
    /// Held while batches are written, so that they reach the folder in order.
    private let spilling = ForkSafeLock(inForks: .ignored)
    private let folder: OTLPSpillFolder?
    private let envelope: OTLPEnvelope
    private let interval: Duration
    private let send: Send
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        envelope: OTLPEnvelope, interval: Duration, backlog: OTLPBacklog, folder: OTLPSpillFolder?,
        send: @escaping Send, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.envelope = envelope
        self.interval = interval
        self.folder = folder
        self.send = send
        self.sleep = sleep
        state = Guarded(State(backlog: backlog))
        ForkRegistry.add(self)
        if !backlog.isEmpty { start(after: .zero) }
    }

    var lostLines: Int { state.withLock { $0.backlog.lostLines } }

    func add(_ record: [UInt8]) {
        let begins = state.withLock { state in
            state.backlog.add(record)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { start(after: interval) }
    }

    private func start(after pause: Duration) {
        state.withLock { $0.isRunning = true }
        Task.detached { [self] in
            var pause = pause
            while true {
                // The task is never cancelled; only tests let the pause fail, to end the task.
                do { try await sleep(pause) } catch { return }
                pause = await sendAll() ?? interval
                let isDone = state.withLock {
                    if $0.backlog.isEmpty { $0.isRunning = false }
                    return $0.backlog.isEmpty
                }
                if isDone { return }
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

    private func sendBatches() async -> Duration? {
        while let batch = state.withLock({ $0.backlog.first(in: envelope) }) {
            guard let body = await body(of: batch) else {
                state.withLock { $0.backlog.remove(batch.number, isLost: true) }
                continue
            }
            let outcome = await send(body)
            if case .retry(let asked) = outcome {
                let pause = state.withLock {
                    $0.backlog.giveBack()
                    $0.failures += 1
                    return max(backoff.pause(beforeRetry: $0.failures), asked ?? .zero)
                }
                // A crash loses nothing that is in a file.
                await onHelperThread { $0.spill() }
                return pause
            }
            state.withLock {
                $0.failures = 0
                $0.backlog.remove(batch.number, isLost: outcome == .rejected)
            }
            // Before the next request, so that a crash repeats one request at most.
            await onHelperThread { $0.removeUnneededFiles() }
        }
        return nil
    }

    private func body(of batch: OTLPBacklog.Batch) async -> [UInt8]? {
        switch batch.place {
        case .memory(let body): return body
        case .file(let name):
            let result = Guarded<[UInt8]?>(nil)
            await onHelperThread { delivery in
                let body = delivery.folder?.read(name, limit: batch.bytes)
                result.withLock { $0 = body }
            }
            return result.withLock { $0 }
        }
    }

    // MARK: The folder

    /// Writes the waiting lines into the folder; lines that arrive meanwhile stay in memory.
    func spill() {
        guard let folder else { return }
        spilling.lock()
        defer { spilling.unlock() }
        removeUnneededFiles()
        guard let last = state.withLock({ $0.backlog.closeBatches(in: envelope) }) else { return }
        var written = Int64.min
        while let batch = state.withLock({ $0.backlog.firstInMemory(after: written, through: last) }),
            case .memory(let body) = batch.place
        {
            // On a full disk, this batch and later ones stay in memory until the next attempt.
            guard let name = folder.write(body, of: batch) else { break }
            state.withLock { $0.backlog.noteWritten(batch.number, to: name) }
            written = batch.number
        }
        removeUnneededFiles()
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

    // MARK: Forks

    func becomeForkedChild() {
        state.held.backlog.forget()
        (state.held.isRunning, state.held.sending) = (false, nil)
    }
}
