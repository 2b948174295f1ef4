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
        try? edit { state in
            guard var record = state.table.record(target.host, target.path), record.changes.isEmpty else {
                return Edit { _ in }
            }
            record.base = .missing
            return Edit(record) { _ in }
        }
    }

    /// Stores the answer to the fetch of a record, unless the record has changed since the fetch began.
    private func takeRecord(_ answer: ModelSyncAnswer, _ target: ModelSyncTarget, since stamp: Int) -> ModelSyncAnswer {
        let json = answer.isParsed ? answer.json : schema.parse(answer.json)
        guard json.isObject else { return parsed(json, answer.version) }
        try? edit { state in
            guard stamp >= state.removal else { return Edit { _ in } }
            let record = record(target.host, target.path, in: state)
            return Edit(updated(record, json, answer.version, since: stamp), isCopy: true) { _ in }
        }
        return parsed(json, answer.version)
    }

    /// Returns a record, or a new one without attributes.
    private func record(_ host: EndpointHost?, _ path: String, in state: State) -> OfflineRecord {
        state.table.record(host, path) ?? OfflineRecord(name: LocalID.randomName(), host: host, path: path)
    }

    /// Returns the attributes of a record with all unsent changes, or nil for a deleted or unknown one.
    private func attributes(_ record: OfflineRecord, in state: State) -> JSONEntity? {
        record.attributes(id: schema.idAttribute).map { state.table.resolve($0) }
    }

    /// Stores the answer to the fetch of a list, and returns it with the unsent changes.
    private func takeList(
        _ answer: ModelSyncAnswer, _ target: ModelSyncTarget, since stamp: Int
    ) throws(NetworkError) -> ModelSyncAnswer {
        let list = answer.isParsed ? answer.json : schema.parseList(answer.json)
        // The collection reports malformed lists.
        guard list.isArray else { return parsed(list, answer.version) }
        let elements = list.map { answer.isParsed ? $0 : schema.parse($0) }
        let place = OfflinePlace(target.host, target.path)
        var (names, isListed, values) = ([String](), Set<String>(), [JSONEntity]())
        for element in elements {
            guard element.isObject, let id = Model.text(of: element[schema.idAttribute]) else {
                values.append(element)
                continue
            }
            let path = target.path.appendingSegment(id)
            let (name, value) = try takeElement(element, target.host, path, since: stamp)
            if let value { values.append(value) }
            if let name, isListed.insert(name).inserted { names.append(name) }
        }
        for member in state.withLock({ $0.table.members(of: place, id: schema.idAttribute) }) ?? []
        where !isListed.contains(member.name) {
            guard let (name, value) = try takeOmission(member.name, since: stamp) else { continue }
            names.append(name)
            if let value { values.append(value) }
        }
        // The stored list is a copy of the server's. The answer is valid even if the copy can't be written.
        setList(place, names, try? folder.file(of: place, names), since: stamp)
        return parsed(JSONEntity(array: values), answer.version)
    }

    /// Stores an element of a list, and returns its record and its value with the unsent changes, nil if it is deleted.
    private func takeElement(
        _ element: JSONEntity, _ host: EndpointHost?, _ path: String, since stamp: Int
    ) throws(NetworkError) -> (name: String?, value: JSONEntity?) {
        try edit { state in
            guard stamp >= state.removal else { return Edit { _ in (nil, element) } }
            let record = record(host, path, in: state)
            guard record.changes.isEmpty else {
                let mine = attributes(record, in: state)
                return Edit { _ in (record.name, mine) }
            }
            let version = record.base == element ? record.version : nil
            return Edit(updated(record, element, version, since: stamp), isCopy: true) { _ in (record.name, element) }
        }
    }

    /// Removes a record that the server's list doesn't contain, or returns it if it has changed here.
    private func takeOmission(
        _ name: String, since stamp: Int
    ) throws(NetworkError) -> (name: String, value: JSONEntity?)? {
        try edit { state in
            guard var record = state.table.records[name] else { return Edit { _ in nil } }
            guard record.changes.isEmpty, record.stamp <= stamp else {
                let mine = attributes(record, in: state)
                return Edit { _ in (name, mine) }
            }
            record.base = .missing
            return Edit(record, isCopy: true) { _ in nil }
        }
    }

    /// Returns a record with the server's attributes, or nil if it has changed since or has them already.
    private func updated(
        _ record: OfflineRecord, _ json: JSONEntity, _ version: String?, since stamp: Int
    ) -> OfflineRecord? {
        guard record.changes.isEmpty, record.stamp <= stamp else { return nil }
        if record.base == json, record.version == version { return nil }
        var record = record
        if record.version != version { record.ownVersions = [] }
        record.base = json.detached()
        record.version = version
        return record
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
