internal import AshlarCore
public import AshlarNetworking

/// A sync that stores records and unsent changes in files and sends the changes in order when the server answers.
///
/// Every save and deletion is stored first and then sent with all earlier changes. If the server doesn't answer, or
/// answers with 401, 407, 408, 425, 429 or 5xx, the change stays in the queue and the operation succeeds with the local
/// attributes; it waits at most 0.3 s for the answer, which later reaches the model. Each operation, and ``drain()``,
/// sends the queue again. Fetches return the stored records while the server doesn't answer.
///
/// ```swift
/// func open(_ client: NetworkClient, _ folder: String) async throws -> ModelCollection {
///     let schema = ModelSchema(host: "api.example.com", path: "notes")
///     let sync = try OfflineSync(RESTSync(client), folder: folder, schema: schema)
///     let notes = ModelCollection(schema: schema, sync: sync)
///     try await notes.fetch()  // from the server, or from the folder
///     try await notes.create(["title": "Milk"])  // stored, and sent as soon as the server answers
///     for change in sync.pending where change.failure != nil { try sync.resolve(change, .mine) }
///     return notes
/// }
/// ```
///
/// A killed process loses no change and leaves no partial file. The records are also in memory. One sync at a time can
/// use a folder.
public final class OfflineSync: ModelSync {
    struct State {
        var table: OfflineTable
        /// The files of records that can't be read.
        var unreadable: [String]
        var drain: SharedTask?
        /// The operations that wait for the first attempt to send a change, by key.
        var waits: [String: Wait] = [:]
        /// The models that receive the answers to changes that no operation waits for, by key.
        var models: [String: Weak<Model>] = [:]
        /// The number of accepted changes and removals.
        var stamp = 0
        /// The stamp of the latest removal; an older fetch must not store its answer.
        var removal = 0
        /// The number of changes of records.
        var revision = 0
    }

    /// An operation that waits for a change.
    struct Wait {
        var count = 1
        /// Whether the change was made by the waiting operation alone.
        var isFresh: Bool
        var result: Result<ModelSyncAnswer, NetworkError>?
    }

    let sync: any ModelSync
    let schema: ModelSchema
    let folder: OfflineFolder
    let state: Mutex<State>
    /// Held while a file and then the table change; the state's lock is only held for moments.
    private let changing = Mutex(())
    private let answerTime: Duration

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - sync: The sync that sends the changes and fetches records.
    ///   - folder: The path of the folder, which is created if necessary. Use one folder for each server and user.
    ///   - schema: The identifier's attribute, `parse` and `parseList` of all records in the folder. Paths and hosts
    ///     are those of the models.
    ///   - cipher: Encrypts the files; nil, the default, leaves them as JSON that the user of the program can read.
    ///   - answerTime: The time that a save or deletion waits for the server's answer. Later answers reach the model, and
    ///     later refusals ``pending``.
    /// - Throws: `.fileFailed` if the folder can't be used, or if another sync uses it, in this process or in another. On
    ///   iOS, tvOS, watchOS and visionOS, the new sync takes the folder over instead, and operations of the other one throw
    ///   `.fileFailed`: the system ends an app that holds a lock while it is suspended.
    /// - Complexity: O(*n*) in the size of the stored records.
    public init(
        _ sync: any ModelSync, folder: String, schema: ModelSchema = .init(), cipher: OfflineCipher? = nil,
        answerTime: Duration = .milliseconds(300)
    ) throws(NetworkError) {
        self.sync = sync
        self.answerTime = answerTime
        self.schema = schema
        self.folder = try OfflineFolder(folder, cipher: cipher)
        let content = try self.folder.load()
        state = Mutex(State(table: OfflineTable(content), unreadable: content.unreadable))
    }

    // MARK: The queue

    /// The changes that the server hasn't accepted, in the order in which they are sent.
    ///
    /// A change with a ``OfflineChange/failure`` waits for ``resolve(_:_:)``, together with later changes of the same
    /// record and those that refer to a record not yet created. Other changes don't wait for it.
    public var pending: [OfflineChange] {
        let table = state.withLock { $0.table }
        return table.queue.map { record, change in
            OfflineChange(
                id: change.key, verb: change.verb, path: table.resolve(change.path),
                mine: table.resolve(change.body).formatted(json), base: record.base.formatted(json),
                theirs: (change.refusal?.theirs ?? .missing).formatted(json), failure: change.refusal?.error)
        }
    }

    /// The files of records in the folder that are damaged or can't be read; they remain unchanged.
    public var unreadableFiles: [String] { state.withLock { $0.unreadable } }

    /// Resolves a refused change, which is sent by the next operation or ``drain()``.
    ///
    /// `.theirs` also removes a change that the server hasn't refused. The method has no effect on changes that are no
    /// longer pending. The model that made the change gets the server's attributes and version: after `.theirs` at once,
    /// otherwise when the server has accepted the resolved change. Other models of the record keep the version that they
    /// have, so that their next save reports a conflict; fetch them.
    ///
    /// - Throws: `.fileFailed`, or `.encodingFailed` unless the merged attributes are an object; the change is then
    ///   unresolved.
    public func resolve(_ change: OfflineChange, _ resolution: OfflineResolution) throws(NetworkError) {
        if case .merged(let attributes) = resolution, !attributes.isObject {
            throw NetworkError(.encodingFailed, "expected an object, found \(attributes.kindName)")
        }
        let key = LocalID.randomName()
        let adoption = try edit { state -> Edit<Adoption?> in
            guard var record = state.table.record(withFirst: change.id),
                record.changes[0].refusal != nil || resolution.isRemoval
            else { return Edit { _ in nil } }
            let sent = record.changes[0].body
            record.resolve(resolution, key: key, id: schema.idAttribute)
            return Edit(record) { [record] state in
                let model = state.models.removeValue(forKey: change.id)
                if !resolution.isRemoval {
                    state.models[key] = model
                    return nil
                }
                return model.map { Adoption(model: $0, attributes: record.base, sent: sent, version: record.version) }
            }
        }
        guard let adoption, let attributes = adoption.attributes.dictionary() else { return }
        adoption.model.object?.adopt(attributes, sent: adoption.sent, version: adoption.version)
    }

    /// The server's attributes for the model whose change was removed.
    private struct Adoption: Sendable {
        let model: Weak<Model>
        let attributes: JSONEntity
        let sent: JSONEntity
        let version: String?
    }

    /// Removes all records and unsent changes, and files that can't be read; for example, when a user logs out.
    ///
    /// Running fetches store nothing afterward. The change that is being sent can still reach the server.
    ///
    /// - Throws: `.fileFailed` for a file that can't be removed; all others are removed.
    public func removeAll() throws(NetworkError) {
        try changing.withLock { _ throws(NetworkError) in
            state.withLock { state in
                state.stamp += 1
                state.revision += 1
                state.table = OfflineTable(.init())
                state.unreadable = []
                state.models = [:]
                state.removal = state.stamp
            }
            try folder.removeAll()
        }
    }

    /// A decision about a record.
    struct Edit<Result: Sendable> {
        /// The record to store, to remove if it is empty, or nil to leave all records as they are.
        let record: OfflineRecord?
        /// Whether the record is a copy of the server's, which is used even if its file can't be written.
        let isCopy: Bool
        /// Completes the change after the record is stored.
        let finish: @Sendable (inout State) -> Result

        init(
            _ record: OfflineRecord? = nil, isCopy: Bool = false, finish: @escaping @Sendable (inout State) -> Result
        ) {
            self.record = record
            self.isCopy = isCopy
            self.finish = finish
        }
    }

    /// Writes a record to its file and then to the table.
    ///
    /// The cipher runs without a lock. If another change comes first, the decision is made again.
    func edit<Result>(_ decide: (inout State) -> Edit<Result>) throws(NetworkError) -> Result {
        while true {
            let (edit, revision) = state.withLock { (decide(&$0), $0.revision) }
            var file: OfflineFolder.File?
            do throws(NetworkError) {
                if let record = edit.record { file = try folder.file(of: record) }
            } catch  where edit.isCopy {}
            let result = try changing.withLock { _ throws(NetworkError) -> Result? in
                guard state.withLock({ $0.revision }) == revision else { return nil }
                do throws(NetworkError) {
                    if let file { try folder.write(file, isDurable: !edit.isCopy) }
                } catch  where edit.isCopy {}
                return state.withLock { state in
                    if let record = edit.record {
                        state.table.store(record)
                        state.revision += 1
                    }
                    return edit.finish(&state)
                }
            }
            if let result { return result }
        }
    }

    /// Writes a list to its file and then to the table, unless everything was removed after a stamp.
    func setList(_ place: OfflinePlace, _ names: [String], _ file: OfflineFolder.File?, since stamp: Int) {
        changing.withLock { _ in
            guard state.withLock({ stamp >= $0.removal }) else { return }
            if let file { try? folder.write(file, isDurable: false) }
            state.withLock { $0.table.setList(place, names) }
        }
    }

    // MARK: Operations

    /// The format of the sync that sends the changes.
    public var json: JSONFormat { sync.json }

    /// Performs an operation; see ``OfflineSync``.
    ///
    /// If the task is cancelled, a stored change stays in the queue.
    ///
    /// - Throws: `.fileFailed` if a change can't be stored; then it isn't sent. The server's refusal of the change, which
    ///   is then not in the queue. For a fetch, the sync's errors if nothing is stored or the server refuses the fetch.
    public func perform(
        _ verb: ModelSyncVerb, _ target: ModelSyncTarget
    ) async throws(NetworkError) -> ModelSyncAnswer {
        if verb == .read { return try await read(target) }
        guard let (key, name) = try enqueue(verb, target) else { return parsed(.missing, nil) }
        let sending = Task { await attempt(key) }
        await withTaskCancellationHandler {
            _ = await Patience.value(within: answerTime) { done in
                Task { done(await sending.value) }
            }
        } onCancel: {
            sending.cancel()
        }
        if let result = leave(key) { return try result.get() }
        if Task.isCancelled { throw NetworkError(.cancelled, "the change remains in the queue") }
        return state.withLock { state in
            guard let record = state.table.records[name] else { return parsed(.missing, nil) }
            let attributes = record.attributes(id: schema.idAttribute).map { state.table.resolve($0) }
            return parsed(attributes ?? .missing, record.version)
        }
    }

    /// Sends the queue until a change was sent or refused, or can't be sent.
    private func attempt(_ key: String) async {
        while !Task.isCancelled {
            var failure: NetworkError?
            do { try await drain() } catch { failure = error }
            let isReady = state.withLock { state in
                state.waits[key]?.result == nil && state.table.record(withFirst: key).map(state.table.isReady) ?? false
            }
            // The drain may have been one that ended before the change, or that other tasks have cancelled.
            guard isReady, failure?.isCancellation ?? true else { return }
        }
    }

    func parsed(_ json: JSONEntity, _ version: String?) -> ModelSyncAnswer {
        var answer = ModelSyncAnswer(json, version: version)
        answer.isParsed = true
        return answer
    }

    /// Stores a change and returns its key and record, or nil if there is nothing to send.
    private func enqueue(
        _ verb: ModelSyncVerb, _ target: ModelSyncTarget
    ) throws(NetworkError) -> (key: String, name: String)? {
        try edit { state -> Edit<(key: String, name: String)?> in
            let known = verb == .create ? nil : state.table.record(target.host, target.path)
            var change = OfflineRecord.Change(
                key: LocalID.randomName(), verb: verb, path: target.path, body: target.body ?? .missing,
                order: state.table.nextOrder())
            var record = known ?? newRecord(change, target)
            if record.hasLeft(target.path) { change.path = record.path }
            let earlier = record.changes
            let isRepeatedDeletion = verb == .delete && earlier.last?.verb == .delete
            if isRepeatedDeletion, let last = earlier.last {
                change.key = last.key
            } else {
                let body = record.withoutLocalID(change.body, schema.idAttribute)
                let joins = earlier.last.map { state.table.canJoin(body, $0, of: record) } ?? false
                change.version = record.version(of: target.version)
                guard let key = record.add(change, id: schema.idAttribute, joins: joins) else {
                    return Edit(record) { state in
                        for change in earlier { state.models[change.key] = nil }
                        return nil
                    }
                }
                change.key = key
            }
            let isFresh = record.changes.count == 1 && record.changes[0].order == change.order
            return Edit(isRepeatedDeletion ? nil : record) { [key = change.key, name = record.name] state in
                state.models[key] = target.model
                if state.waits[key] == nil {
                    state.waits[key] = Wait(isFresh: isFresh)
                } else {
                    state.waits[key]?.count += 1
                    state.waits[key]?.isFresh = false
                }
                return (key, name)
            }
        }
    }

    private func newRecord(_ change: OfflineRecord.Change, _ target: ModelSyncTarget) -> OfflineRecord {
        let name = LocalID.randomName()
        guard change.verb == .create else { return OfflineRecord(name: name, host: target.host, path: target.path) }
        let id = LocalID.make()
        var record = OfflineRecord(name: name, host: target.host, path: target.path.appendingSegment(id))
        record.localID = id
        record.collection = target.path
        record.creation = change.order
        return record
    }

    /// Ends the wait for a change, and returns the answer if there is one.
    private func leave(_ key: String) -> Result<ModelSyncAnswer, NetworkError>? {
        state.withLock { state in
            let result = state.waits[key]?.result
            state.waits[key]?.count -= 1
            // A refused change still waits for its resolution.
            if result != nil, state.table.record(withFirst: key) == nil { state.models[key] = nil }
            if state.waits[key]?.count == 0 { state.waits[key] = nil }
            return result
        }
    }
}

extension OfflineResolution {
    fileprivate var isRemoval: Bool { if case .theirs = self { true } else { false } }
}

/// A change that an ``OfflineSync`` has stored and the server hasn't accepted yet.
public struct OfflineChange: Identifiable, Sendable {
    /// The name of the change, which requests send as `Idempotency-Key`.
    public let id: String
    /// The operation.
    public let verb: ModelSyncVerb
    /// The path of the request.
    public let path: String
    /// The attributes to send; missing for a deletion.
    public let mine: JSONEntity
    /// The server's attributes when the change was made; missing if they are unknown.
    public let base: JSONEntity
    /// The server's attributes when it refused the change; missing if the server has no such record.
    public let theirs: JSONEntity
    /// The reason why the server refused the change, or nil if the change waits to be sent.
    ///
    /// The code is `.conflict`, or the status is 409 or 412, if the server has a newer version. The status is 404 or
    /// 410 if the record has been deleted on the server.
    public let failure: NetworkError?
}

/// A decision about a change that the server refused.
public enum OfflineResolution: Sendable {
    /// Sends the change again and replaces the server's version, or creates the record again.
    case mine
    /// Removes the unsent changes of the record.
    case theirs
    /// Sends these attributes instead and replaces the server's version.
    case merged(JSONEntity)
}
