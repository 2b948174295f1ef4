internal import AshlarCore
internal import AshlarNetworking

extension OfflineSync {
    /// Sends the unsent changes and fetches; returns the stored records if the server doesn't answer.
    func read(_ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer {
        var failure: NetworkError?
        if state.withLock({ $0.table.hasChanges }) {
            do { try await drain() } catch { failure = error }
        }
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled") }
        if let failure, failure.isUnavailable { return try stored(target, failure) }
        let (isLocal, path, stamp) = state.withLock { state in
            let record = target.isList ? nil : state.table.record(target.host, target.path)
            let isLocal = record.map { $0.isUnidentified || !$0.changes.isEmpty } ?? false
            return (isLocal, record?.path ?? state.table.resolve(target.path), state.stamp)
        }
        if isLocal { return try stored(target, failure) }
        var remote = target
        remote.path = path
        let answer: ModelSyncAnswer
        do throws(NetworkError) {
            answer = try await sync.perform(.read, remote)
        } catch {
            if error.isUnavailable { return try stored(target, error) }
            if error.isMissingRecord, !target.isList { forget(remote) }
            throw error
        }
        return target.isList ? try takeList(answer, remote, since: stamp) : takeRecord(answer, remote, since: stamp)
    }

    /// Returns the stored record, or the stored records of a list.
    ///
    /// - Throws: The failure if nothing is stored; an error with the status 404 for a record deleted here.
    private func stored(_ target: ModelSyncTarget, _ failure: NetworkError?) throws(NetworkError) -> ModelSyncAnswer {
        let table = state.withLock { $0.table }
        func attributes(_ record: OfflineRecord) -> JSONEntity? {
            record.attributes(id: schema.idAttribute).map { table.resolve($0) }
        }
        if target.isList {
            let place = OfflinePlace(target.host, table.resolve(target.path))
            if let members = table.members(of: place, id: schema.idAttribute) {
                return parsed(JSONEntity(array: members.compactMap(attributes)), nil)
            }
        } else if let record = table.record(target.host, target.path) {
            if let attributes = attributes(record) { return parsed(attributes, record.version) }
            var error = NetworkError(.unacceptableStatus, "the record is deleted")
            error.status = 404
            throw error
        }
        throw failure ?? NetworkError(.missingLocation, "the record isn't stored")
    }

    /// Removes a record that the server no longer has.
    private func forget(_ target: ModelSyncTarget) {
        try? exclusively { () throws(NetworkError) in
            guard var record = record(target.host, target.path), record.changes.isEmpty else { return }
            record.base = .missing
            try save(record)
        }
    }

    /// Stores the answer to the fetch of a record, unless the record has changed since the fetch began.
    private func takeRecord(_ answer: ModelSyncAnswer, _ target: ModelSyncTarget, since stamp: Int) -> ModelSyncAnswer {
        let json = answer.isParsed ? answer.json : schema.parse(answer.json)
        guard json.isObject else { return parsed(json, answer.version) }
        try? exclusively { () throws(NetworkError) in
            guard stamp >= state.withLock({ $0.removal }) else { return }
            let record =
                record(target.host, target.path)
                ?? OfflineRecord(name: LocalID.randomName(), host: target.host, path: target.path)
            update(record, json, answer.version, since: stamp)
        }
        return parsed(json, answer.version)
    }

    private func record(_ host: EndpointHost?, _ path: String) -> OfflineRecord? {
        state.withLock { $0.table.record(host, path) }
    }

    /// Returns the attributes of a record with all unsent changes, or nil for a deleted or unknown one.
    private func attributes(_ record: OfflineRecord) -> JSONEntity? {
        record.attributes(id: schema.idAttribute).map { attributes in state.withLock { $0.table.resolve(attributes) } }
    }

    /// Stores the answer to the fetch of a list, and returns it with the unsent changes.
    private func takeList(
        _ answer: ModelSyncAnswer, _ target: ModelSyncTarget, since stamp: Int
    ) throws(NetworkError) -> ModelSyncAnswer {
        let list = answer.isParsed ? answer.json : schema.parseList(answer.json)
        // The collection reports malformed lists.
        guard list.isArray else { return parsed(list, answer.version) }
        let elements = list.map { answer.isParsed ? $0 : schema.parse($0) }
        return try exclusively { () throws(NetworkError) in
            guard stamp >= state.withLock({ $0.removal }) else {
                return parsed(JSONEntity(array: elements), answer.version)
            }
            let place = OfflinePlace(target.host, target.path)
            var (names, isListed, values) = ([String](), Set<String>(), [JSONEntity]())
            for element in elements {
                guard element.isObject, let id = Model.text(of: element[schema.idAttribute]) else {
                    values.append(element)
                    continue
                }
                let path = target.path.appendingSegment(id)
                let record =
                    record(target.host, path)
                    ?? OfflineRecord(name: LocalID.randomName(), host: target.host, path: path)
                if record.changes.isEmpty {
                    let isSame = record.base == element
                    update(record, element, isSame ? record.version : nil, since: stamp)
                    values.append(element)
                } else if let mine = attributes(record) {
                    values.append(mine)
                }
                if isListed.insert(record.name).inserted { names.append(record.name) }
            }
            for record in state.withLock({ $0.table.members(of: place, id: schema.idAttribute) }) ?? []
            where !isListed.contains(record.name) {
                if !record.changes.isEmpty || record.stamp > stamp {
                    names.append(record.name)
                    if let mine = attributes(record) { values.append(mine) }
                } else {
                    try? folder.remove(record.name)
                    state.withLock { $0.table.remove(record.name) }
                }
            }
            // The stored list is a copy of the server's. The answer is valid even if the copy can't be written.
            try? folder.save(place, names)
            state.withLock { $0.table.setList(place, names) }
            return parsed(JSONEntity(array: values), answer.version)
        }
    }

    private func update(
        _ record: OfflineRecord, _ json: JSONEntity, _ version: String?, since stamp: Int
    ) {
        guard record.changes.isEmpty, record.stamp <= stamp else { return }
        let isSame = record.base == json && record.version == version
        if isSame { return }
        var record = record
        if record.version != version { record.ownVersions = [] }
        record.base = json.detached()
        record.version = version
        if (try? save(record, isDurable: false)) == nil { state.withLock { [record] in $0.table.store(record) } }
    }
}

extension NetworkError {
    /// Whether the server didn't answer, or can't answer at present.
    fileprivate var isUnavailable: Bool {
        if let status, status < 500 { return [408, 425, 429].contains(status) }
        return !isCancellation && (status != nil || isTransient || Self.unavailable.contains(code))
    }

    private static let unavailable: Set<Code> = [
        .proxyFailed, .tlsFailed, .certificateUntrusted, .badResponse, .corrupted,
    ]
}
