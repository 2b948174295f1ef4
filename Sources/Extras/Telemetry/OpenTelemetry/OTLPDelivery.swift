internal import AshlarCore

/// Sends the batches of a sink; a task runs only while lines wait.
///
/// `add` never waits for the disk or the collector: files are written, read and removed without the lock of the state.
final class OTLPDelivery: Sendable {
    private struct State {
        var backlog: OTLPBacklog
        var isRunning = false
        /// The last request that is being sent.
        var sending: Task<Duration?, Never>?
        var pauses = OTLPPauses()
    }

    private let state: Guarded<State>
    /// Held while batches are written, so that they reach the folder in order.
    private let spilling = ForkSafeLock()
    private let folder: OTLPSpillFolder?
    private let envelope: OTLPEnvelope
    private let interval: Duration
    private let sender: OTLPSink.Sender
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        envelope: OTLPEnvelope, interval: Duration, backlog: OTLPBacklog, folder: OTLPSpillFolder?,
        sender: @escaping OTLPSink.Sender, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.envelope, self.interval, self.folder) = (envelope, interval, folder)
        (self.sender, self.sleep) = (sender, sleep)
        state = Guarded(State(backlog: backlog))
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
            let answer = (try? await sender(body)) ?? .retry(after: nil)
            if case .retry(let asked) = answer {
                let pause = state.withLock {
                    $0.backlog.giveBack()
                    return $0.pauses.next(asked: asked)
                }
                // A crash loses nothing that is in a file.
                await onHelperThread { $0.spill() }
                return pause
            }
            state.withLock {
                $0.pauses = OTLPPauses()
                $0.backlog.remove(batch.number, isLost: answer == .rejected)
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

    /// Not the lock of the folder: a fork does not wait for the disk.
    var forkLocks: [any ForkLock] { [state.lock] }

    func becomeForkedChild() {
        state.held.backlog.forget()
        (state.held.isRunning, state.held.sending) = (false, nil)
        spilling.resetInForkedChild()
    }
}

/// The growing pauses between attempts.
struct OTLPPauses {
    private var failures = 0

    /// The pause after another failure: 1 s, 2 s and so on to 60 s, shortened at random by up to a quarter so that
    /// programs don't return together; or the collector's own, if it is longer.
    mutating func next(asked: Duration?) -> Duration {
        let full = min(60_000, 1000 << min(failures, 6))
        failures += 1
        return max(.milliseconds(Int.random(in: full * 3 / 4...full)), asked ?? .zero)
    }
}
