internal import AshlarCore
public import AshlarNetworking

extension OfflineSync {
    /// A change to send.
    private struct Job: Sendable {
        let name: String
        let change: OfflineRecord.Change
        let target: ModelSyncTarget
        let base: JSONEntity
        /// Whether the record must be compared with the server's, because its version is unknown.
        let needsComparison: Bool
    }

    /// Sends the unsent changes in order.
    ///
    /// A running call is joined; it is cancelled when all waiting tasks are cancelled. Each request has the name of the
    /// change as `Idempotency-Key`, which is the same after a crash or a lost answer, and the version on which the
    /// change is based as `If-Match`. If the version is unknown, the record is fetched and compared with the stored
    /// one. If the server's record already equals the change, the change is complete.
    ///
    /// - Throws: The failure that ended the attempt; the unsent changes remain. Changes that the server refuses aren't
    ///   failures; see ``pending``.
    public func drain() async throws(NetworkError) {
        let task = state.withLock { state in
            if let running = state.drain, running.join() { return running }
            let previous = state.drain
            let task = SharedTask { [self] in
                await previous?.end()
                while let job = try next() { try await send(job) }
            }
            state.drain = task
            return task
        }
        try await task.wait()
    }

    /// Returns the next change, which is marked as sent in its file, or nil if no change can be sent.
    private func next() throws(NetworkError) -> Job? {
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled") }
        return try edit { state -> Edit<Job?> in
            guard var record = state.table.next else { return Edit { _ in nil } }
            let change = record.changes[0]
            var target = ModelSyncTarget(
                host: record.host, path: state.table.resolve(change.path),
                body: change.body.isValid ? state.table.resolve(change.body) : nil, version: change.version)
            target.idempotencyKey = change.key
            let needsComparison = change.version == nil && change.verb != .create && record.base.isValid
            let job = Job(
                name: record.name, change: change, target: target, base: record.base, needsComparison: needsComparison)
            record.changes[0].isSent = true
            return Edit(change.isSent ? nil : record) { _ in job }
        }
    }

    private func send(_ job: Job) async throws(NetworkError) {
        var target = job.target
        do throws(NetworkError) {
            if job.needsComparison {
                let theirs = try await fetch(job)
                if isApplied(job, theirs.json) { return try accept(job, theirs) }
                guard theirs.json.contains(job.base) else {
                    let conflict = NetworkError(.conflict, "the server has a newer version")
                    return try refuse(job, conflict, theirs: theirs.json, version: theirs.version)
                }
                target.version = theirs.version
            }
            var answer = try await sync.perform(job.change.verb, target)
            if answer.json.isValid, !answer.isParsed { answer = parsed(schema.parse(answer.json), answer.version) }
            try accept(job, answer)
        } catch {
            try await handle(error, job)
        }
    }

    private func handle(_ error: NetworkError, _ job: Job) async throws(NetworkError) {
        if error.isMissingRecord, job.change.verb == .delete { return try accept(job, parsed(.missing, nil)) }
        if error.isMissingRecord, job.change.verb == .update {
            return try refuse(job, error, theirs: .missing, version: nil)
        }
        guard error.isRefusal else {
            unmark(job, error)
            throw error
        }
        guard error.isConflict, job.change.verb != .create else {
            return try refuse(job, error, theirs: job.change.verb == .create ? .missing : job.base, version: nil)
        }
        do throws(NetworkError) {
            let theirs = try await fetch(job)
            if isApplied(job, theirs.json) { return try accept(job, theirs) }
            try refuse(job, error, theirs: theirs.json, version: theirs.version)
        } catch {
            try await handle(error, job)
        }
    }

    /// Fetches the server's record.
    private func fetch(_ job: Job) async throws(NetworkError) -> ModelSyncAnswer {
        let target = ModelSyncTarget(host: job.target.host, path: job.target.path)
        let answer = try await sync.perform(.read, target)
        return parsed(answer.isParsed ? answer.json : schema.parse(answer.json), answer.version)
    }

    /// Whether the server's record is the one after the change.
    ///
    /// The identifiers aren't compared: a model can have a string where the server has a number.
    private func isApplied(_ job: Job, _ theirs: JSONEntity) -> Bool {
        guard let body = job.target.body, theirs.isObject else { return false }
        return body.allSatisfy { $0.key == schema.idAttribute || theirs[$0.key] == $0 }
    }

    // MARK: Results

    private func accept(_ job: Job, _ answer: ModelSyncAnswer) throws(NetworkError) {
        let key = job.change.key
        let model = try edit { state -> Edit<Weak<Model>?> in
            state.waits[key]?.result = .success(answer)
            guard var record = state.table.records[job.name], record.changes.first?.key == key else {
                return Edit { _ in nil }
            }
            state.stamp += 1
            record.stamp = state.stamp
            // The references are resolved before the record has its own identifier.
            record.changes[0].body = job.target.body ?? .missing
            record.accept(answer.json, version: answer.version, id: schema.idAttribute)
            return Edit(record) { $0.waits[key] == nil ? $0.models.removeValue(forKey: key) : nil }
        }
        guard let model = model?.object, job.change.verb != .delete, let attributes = answer.json.dictionary() else {
            return
        }
        model.adopt(attributes, sent: job.change.body, version: answer.version)
    }

    private func refuse(
        _ job: Job, _ error: NetworkError, theirs: JSONEntity, version: String?
    ) throws(NetworkError) {
        let key = job.change.key
        try edit { state in
            state.waits[key]?.result = .failure(error)
            guard var record = state.table.records[job.name], let first = record.changes.first, first.key == key,
                let last = record.changes.last
            else { return Edit { _ in } }
            if state.waits[key]?.isFresh == true, record.changes.count == 1 {
                record.changes.removeAll()
            } else {
                let body = record.withoutLocalID(last.body, schema.idAttribute)
                let joins = state.table.canJoin(body, first, of: record)
                record.refuse(.init(error, theirs: theirs, version: version), id: schema.idAttribute, joins: joins)
            }
            return Edit(record) { _ in }
        }
    }

    /// Records that nothing of a change was sent, so that later changes can become part of it.
    private func unmark(_ job: Job, _ error: NetworkError) {
        guard error.isBeforeSending, !job.change.isSent else { return }
        try? edit { _ in
            Edit { state in
                guard var record = state.table.records[job.name], record.changes.first?.key == job.change.key else {
                    return
                }
                record.changes[0].isSent = false
                // The file isn't changed: a change that was perhaps sent is sent alone.
                state.table.store(record)
                state.revision += 1
            }
        }
    }
}

extension NetworkError {
    /// Whether the server has no such record.
    var isMissingRecord: Bool { status == 404 || status == 410 }

    /// Whether the server has a newer version of the record.
    fileprivate var isConflict: Bool { code == .conflict || status == 409 || status == 412 }

    /// Whether sending the same change again is useless.
    fileprivate var isRefusal: Bool {
        if let status { return (400...499).contains(status) && ![401, 407, 408, 425, 429].contains(status) }
        return [
            .conflict, .validationFailed, .invalidURL, .invalidHeader, .invalidBody, .encodingFailed, .missingLocation,
        ].contains(code)
    }
}

extension JSONEntity {
    /// Whether the members of another object have the same values in this one.
    fileprivate func contains(_ other: JSONEntity) -> Bool {
        isObject && other.allSatisfy { self[$0.key] == $0 }
    }
}
