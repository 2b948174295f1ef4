internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking

/// The leadership of a job, while it lasts.
public struct FleetLeadership: Sendable {
    /// The name of the job.
    public let job: String
    /// A number that increases with each new leader.
    ///
    /// A store that rejects writes with a lower number than the last one excludes a former leader that was suspended.
    public let term: Int
}

/// The attempts of one process to lead a job.
///
/// The key of the job contains the holder and a number that changes with each renewal; its absence means that nobody
/// leads.
final class FleetElection: Sendable {
    private struct State: Sendable {
        /// The last change of the key, and when this process saw it.
        var revision = 0
        var isHeld = false
        var seen = ContinuousClock.now
        var isKnown = false
    }

    private let bucket: KeyValueBucket
    private let job: String
    private let lease: Duration
    private let holder: String
    private let state = Broadcast(State())
    private let watch = Mutex<KeyValueWatch?>(nil)
    private let log = Log("fleet")

    init(_ bucket: KeyValueBucket, _ job: String, lease: Duration, holder: String) throws(FleetError) {
        self.bucket = bucket
        self.job = job
        self.lease = lease
        // One process can have several elections.
        self.holder = holder + " " + NatsConnection.randomToken()
        let new = try bucket.watch { [state] entries, isComplete in
            let entry = entries.last { $0.key == job }
            guard entry != nil || isComplete else { return }
            state.update { old in
                var new = old
                new.isKnown = true
                new.revision = entry?.revision ?? 0
                new.isHeld = entry?.value != nil
                // A renewal that was seen before isn't a new sign of life.
                if new.revision != old.revision || !old.isKnown { new.seen = .now }
                return new
            }
        }
        watch.withLock { $0 = new }
    }

    /// Waits until this process holds the lease; returns its term, the revision of the key.
    func win() async throws -> Int {
        for await current in state.changes() {
            guard current.isKnown else { continue }
            if current.isHeld {
                let rest = lease - current.seen.duration(to: .now)
                if rest > .zero {
                    // Either the lease ends, or a change ends the wait.
                    guard await isUnchanged(current.revision, for: rest) else { continue }
                }
            }
            try Task.checkCancellation()
            do {
                return try await bucket.put(Array(holder.utf8), for: job, expecting: current.revision)
            } catch let error as FleetError where error.code == .conflict {
                // Another process was first; the watch reports it.
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                log.warning("the leadership of '\(job)' can't be obtained: \(error)")
                try await Task.sleep(for: lease / 3)
                state.update { $0 }
            }
        }
        throw CancellationError()
    }

    private func isUnchanged(_ revision: Int, for time: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                (try? await Task.sleep(for: time)) != nil
            }
            group.addTask { [state] in
                for await current in state.changes() where current.revision != revision || !current.isHeld {
                    return false
                }
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first && state.current.revision == revision
        }
    }

    /// Runs the body while the lease is renewed; returns nil if the leadership was lost.
    func run<Value: Sendable>(
        _ term: Int, _ body: @escaping @Sendable (FleetLeadership) async throws -> Value
    ) async throws -> Value? {
        log.info("this process leads '\(job)' (term \(term))")
        let revision = Shared(term)
        let hasLost = Shared(false)
        let work = Task { [job] in try await body(FleetLeadership(job: job, term: term)) }
        let renewal = Task { [self] in
            var confirmed = ContinuousClock.now
            while true {
                let next = confirmed + lease / 3
                let end = confirmed + lease * 2 / 3
                try await Task.sleep(until: max(next, ContinuousClock.now), clock: .continuous)
                let start = ContinuousClock.now
                let isRenewed = await renewed(revision, until: end)
                if isRenewed { confirmed = start } else { break }
            }
            hasLost.withLock { $0 = true }
            log.warning("this process no longer leads '\(job)' (term \(term))")
            work.cancel()
        }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        renewal.cancel()
        _ = await renewal.result
        if hasLost.withLock({ $0 }) {
            try Task.checkCancellation()
            if case .success(let value) = result { return value }
            return nil
        }
        // In a task of its own, because a cancelled one can't wait for the server.
        await Task { [self] in
            guard let current = try? await ownEntry() else { return }
            _ = try? await bucket.put(nil, for: job, expecting: current.revision)
        }.value
        return try result.get()
    }

    /// Returns the entry of the job if this election has set it.
    private func ownEntry() async throws -> KeyValueBucket.Entry? {
        guard let entry = try await bucket.entry(job), entry.value == Array(holder.utf8) else { return nil }
        return entry
    }

    /// Renews the lease, if necessary several times, until a point in time.
    private func renewed(_ revision: Shared<Int>, until end: ContinuousClock.Instant) async -> Bool {
        await withTaskGroup(of: Bool?.self) { group in
            group.addTask { [self] in
                while !Task.isCancelled {
                    do {
                        let old = revision.withLock { $0 }
                        let new = try await bucket.put(Array(holder.utf8), for: job, expecting: old)
                        revision.withLock { $0 = new }
                        return true
                    } catch let error as FleetError where error.code == .conflict {
                        // The response to an earlier renewal may have been lost.
                        guard let own = try? await ownEntry() else { return false }
                        revision.withLock { $0 = own.revision }
                    } catch {
                        try? await Task.sleep(for: lease / 30)
                    }
                }
                return false
            }
            group.addTask {
                try? await Task.sleep(until: end, clock: .continuous)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first ?? false
        }
    }
}
