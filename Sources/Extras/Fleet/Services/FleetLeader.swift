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
/// The key of the job contains the holder and gets a new revision with each renewal; its absence means that nobody leads.
/// All times are those of the local clock.
final class FleetElection<Ticks: Clock>: Sendable where Ticks.Duration == Duration {
    private struct State: Sendable, Equatable {
        /// The last change of the key; nil if it isn't known.
        var revision: Int?
        var isHeld = false
        /// When this process saw the change.
        var seen: Ticks.Instant
    }

    private let bucket: KeyValueBucket
    private let job: String
    private let lease: Duration
    private let holder: [UInt8]
    private let clock: Ticks
    private let state: Broadcast<State>
    private let watch: KeyValueWatch
    private let log = Log("fleet")

    init(_ bucket: KeyValueBucket, _ job: String, lease: Duration, holder: String, clock: Ticks) {
        self.bucket = bucket
        self.job = job
        self.lease = lease
        self.clock = clock
        // One process can have several elections.
        self.holder = Array("\(holder) \(NatsConnection.randomToken())".utf8)
        let state = Broadcast(State(seen: clock.now))
        self.state = state
        watch = KeyValueWatch(bucket) { entries, isComplete in
            let entry = entries.last { $0.key == job }
            guard entry != nil || isComplete else { return }
            state.update { old in
                let revision = entry?.revision ?? 0
                // A renewal that was seen before isn't a new sign of life.
                let seen = revision == old.revision ? old.seen : clock.now
                return State(revision: revision, isHeld: entry?.value != nil, seen: seen)
            }
        }
    }

    /// Waits until this process holds the lease; returns its term, the revision of the key.
    func win() async throws -> Int {
        while true {
            try Task.checkCancellation()
            let current = state.current
            if current.revision == nil { try await checkStore() }
            let rest = current.isHeld ? lease - current.seen.duration(to: clock.now) : .zero
            guard let revision = current.revision, rest <= .zero else {
                await wait(for: current.revision == nil ? lease : rest, orChangeOf: current)
                continue
            }
            do { return try await bucket.put(holder, for: job, expecting: revision) } catch {
                // After a conflict, the watch reports the process that was first.
                if (error as? FleetError)?.code != .conflict, !(error is CancellationError) {
                    log.warning("the leadership of '\(job)' can't be obtained: \(error)")
                }
                await wait(for: lease / 3, orChangeOf: current)
            }
        }
    }

    /// Throws an error if the server has no JetStream; other failures may end, and the watch tries again.
    private func checkStore() async throws {
        do { try await bucket.create() } catch let error as FleetError
            where [NatsConnection.notEnabled, NatsConnection.notEnabledForAccount].contains(error.number)
        {
            throw error
        } catch {}
    }

    private func wait(for time: Duration, orChangeOf old: State) async {
        await withTaskGroup { group in
            group.addTask { [clock] in try? await clock.sleep(for: time) }
            group.addTask { [state] in
                for await new in state.changes() where new != old { return }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Runs the body while the lease is renewed; returns nil if the leadership was lost.
    func run<Value: Sendable>(
        _ term: Int, _ body: @escaping @Sendable (FleetLeadership) async throws -> Value
    ) async throws -> Value? {
        log.info("this process leads '\(job)' (term \(term))")
        let work = Task { [job] in try await body(FleetLeadership(job: job, term: term)) }
        let loss = Task { [self] in
            var revision: Int? = term
            var confirmed = clock.now
            while let old = revision {
                try await clock.sleep(until: confirmed.advanced(by: lease / 3), tolerance: nil)
                let start = clock.now
                revision = await renew(old, until: confirmed.advanced(by: lease * 2 / 3))
                confirmed = start
            }
            try Task.checkCancellation()
            log.warning("this process no longer leads '\(job)' (term \(term))")
            work.cancel()
        }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        loss.cancel()
        if case .success = await loss.result {
            try Task.checkCancellation()
            return try? result.get()
        }
        // In a task of its own, because a cancelled one can't wait for the server.
        await Task { [self] in
            guard let revision = try? await ownRevision() else { return }
            _ = try? await bucket.put(nil, for: job, expecting: revision)
        }.value
        return try result.get()
    }

    /// Returns the revision of the key if this election has set it.
    private func ownRevision() async throws -> Int? {
        try await bucket.entry(job).flatMap { $0.value == holder ? $0.revision : nil }
    }

    /// Renews the lease, in several attempts if necessary; returns the new revision, or nil if that isn't possible in time.
    private func renew(_ revision: Int, until end: Ticks.Instant) async -> Int? {
        await withTaskGroup(of: Int?.self) { group in
            group.addTask { [self] in
                var revision = revision
                while !Task.isCancelled {
                    do {
                        return try await bucket.put(holder, for: job, expecting: revision)
                    } catch let error as FleetError where error.code == .conflict {
                        // The response to an earlier renewal may have been lost.
                        guard let own = try? await ownRevision() else { return nil }
                        revision = own
                    } catch {
                        try? await clock.sleep(for: lease / 30)
                    }
                }
                return nil
            }
            group.addTask { [clock] in
                try? await clock.sleep(until: end, tolerance: nil)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
