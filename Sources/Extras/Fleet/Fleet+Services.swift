internal import AshlarCore

extension Fleet {
    /// Runs code as the only leader of a job among all processes of the fleet.
    ///
    /// The method waits until this process is the leader, runs the body, and returns when the body returns. If the
    /// leadership is lost, the body's task is cancelled, and the method waits again after the body's end. Cancel the task
    /// to resign: the body ends first, and another process then takes over at once.
    ///
    /// The leader renews its lease at each third of it, and cancels the body when two thirds have passed since the last
    /// confirmed renewal began. Another process takes over when it has seen no renewal for a whole lease by its own clock.
    /// So two bodies run at the same time only if the end of a body takes longer than a third of the lease, the process
    /// is suspended, or the clocks of two machines run at rates that differ by more than a third; compare
    /// ``FleetLeadership/term`` where that matters. The times of day on the machines don't matter.
    ///
    /// ```swift
    /// func cleanUp(_ fleet: Fleet) async throws {
    ///     try await fleet.lead("nightly") { leadership in
    ///         print("term", leadership.term)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - job: The name of the job: letters, digits, `-` and `_`.
    ///   - lease: The time after which another process takes over from a leader that doesn't respond.
    ///   - body: The work of the leader.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body; `CancellationError`; or ``FleetError`` with the code `invalidOptions`, or with
    ///   `rejected` if the server has no JetStream.
    public func lead<Value: Sendable>(
        _ job: String, lease: Duration = .seconds(15),
        _ body: @escaping @Sendable (FleetLeadership) async throws -> Value
    ) async throws -> Value {
        guard FleetAddresses.isToken(job) else {
            throw FleetError(
                .invalidOptions, "expected letters, digits, '-' and '_' as the name of a job", subject: job)
        }
        let election = FleetElection(leaders, job, lease: lease, holder: id, clock: ContinuousClock())
        while true {
            let term = try await election.win()
            if let value = try await election.run(term, body) { return value }
        }
    }

    /// The processes that are present, with this one, ordered by role.
    ///
    /// The first use of it, or of ``memberChanges()``, begins to follow the processes and returns none or few of them.
    public var members: [FleetMember] {
        presence.follow()
        return presence.members.current
    }

    /// Returns the processes that are present, and then each change.
    public func memberChanges() -> AsyncStream<[FleetMember]> {
        presence.follow()
        return presence.members.changes()
    }
}
