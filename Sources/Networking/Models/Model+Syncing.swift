internal import AshlarCore

extension Model {
    /// Fetches the model's attributes and sets them.
    ///
    /// - Throws: Any error of the sync; `.validationFailed` if the attributes are rejected; `.busy` during a different
    ///   operation; `.missingLocation`. Every failure except `.busy` also sends `error`.
    public func fetch() async throws(NetworkError) {
        try await run(.read) { model throws(NetworkError) in try await model.exchange(.read, body: nil) }
    }

    /// Creates a new model on the server or replaces an existing one, and sets the returned attributes.
    ///
    /// A save during another save waits for it and doesn't send attributes set in between.
    ///
    /// - Parameter changes: Attributes to set first; if they are rejected, nothing is sent.
    /// - Throws: The errors of ``fetch()``; `.conflict` if the server has a newer version than the fetched one.
    public func save(_ changes: [String: JSONEntity] = [:]) async throws(NetworkError) {
        if !changes.isEmpty { try set(changes) }
        let verb: ModelSyncVerb = isNew ? .create : .update
        try await run(verb) { model throws(NetworkError) in try await model.exchange(verb, body: model.json) }
    }

    /// Deletes the model on the server and sends `destroy`, which removes it from its collections.
    ///
    /// A new model is destroyed without a request.
    ///
    /// - Throws: The errors of ``fetch()``.
    public func destroy() async throws(NetworkError) {
        if isNew { return tell(ModelEvent(kind: .destroy, model: self, collection: collection)) }
        try await run(.delete) { model throws(NetworkError) in
            let target = try model.target(.delete, body: nil)
            _ = try await model.requiredSync().perform(.delete, target)
            model.tell(ModelEvent(kind: .destroy, model: model, collection: model.collection))
        }
    }

    /// Returns the model's path: the collection's path, a slash and the encoded identifier.
    ///
    /// - Throws: `.missingLocation` if neither the model's schema nor its collection's schema has a host or path.
    public func location(for verb: ModelSyncVerb = .read) throws(NetworkError) -> ModelSyncTarget {
        try target(verb, body: nil)
    }

    private func target(_ verb: ModelSyncVerb, body: JSONEntity?) throws(NetworkError) -> ModelSyncTarget {
        let collection = collection?.schema
        let version = state.withLock { $0.version }
        let host = collection?.host ?? schema.host
        func target(_ host: EndpointHost?, _ path: String) -> ModelSyncTarget {
            var target = ModelSyncTarget(host: host, path: path, body: body, version: version)
            target.model.value = self
            return target
        }
        if let path = schema.pathFor(verb, self) {
            return target(host, path)
        }
        var path = collection.map(\.path).flatMap { $0.isEmpty ? nil : $0 } ?? schema.path
        guard !path.isEmpty else {
            throw NetworkError(.missingLocation, "expected a path in the model's schema or its collection's")
        }
        if let id = idText {
            path += (path.hasSuffix("/") ? "" : "/") + PercentCoding.encode(id)
        }
        return target(host, path)
    }

    private func requiredSync() throws(NetworkError) -> any ModelSync {
        guard let sync = sync ?? collections.lazy.compactMap(\.sync).first else {
            throw NetworkError(.missingLocation, "expected a sync in the model or its collection")
        }
        return sync
    }

    private func exchange(_ verb: ModelSyncVerb, body: JSONEntity?) async throws(NetworkError) {
        let answer = try await requiredSync().perform(verb, target(verb, body: body))
        if let version = answer.version { state.withLock { $0.version = version } }
        guard answer.json.isValid else { return }
        let object = answer.isParsed ? answer.json : schema.parse(answer.json)
        guard let attributes = object.object() else {
            var error = NetworkError(.decodingFailed, "expected an object, found \(object.kindName)", phase: .decode)
            error.path = object.path
            throw error
        }
        try set(attributes)
    }

    /// Sets the attributes of a late answer, except those that have changed since they were sent.
    func adopt(_ attributes: [String: JSONEntity], sent: JSONEntity, version: String?) {
        if let version { state.withLock { $0.version = version } }
        let current = self.attributes
        let changes = attributes.filter { name, _ in
            name == schema.idAttribute || current[name] ?? .missing == sent[name]
        }
        do throws(NetworkError) {
            try set(changes)
        } catch {
            // The model's rules reject the server's attributes. The identifier is needed nevertheless.
            try? set(changes.filter { $0.key == schema.idAttribute }, silent: true)
        }
    }

    /// Runs an operation, or joins a running one of the same verb; throws for a different verb.
    private func run(
        _ verb: ModelSyncVerb, _ operation: @escaping @Sendable (Model) async throws(NetworkError) -> Void
    ) async throws(NetworkError) {
        let flight = state.withLock { state -> Flight? in
            if let flight = state.flight { return flight.verb == verb && flight.task.join() ? flight : nil }
            let task = SharedTask {
                do throws(NetworkError) {
                    try await operation(self)
                    self.state.withLock { $0.flight = nil }
                } catch {
                    self.state.withLock { $0.flight = nil }
                    // The `set` has already sent the `error` event.
                    if error.code != .validationFailed || error.status != nil {
                        self.tell(ModelEvent(kind: .error, model: self, error: error))
                    }
                    throw error
                }
            }
            let flight = Flight(verb: verb, task: task)
            state.flight = flight
            return flight
        }
        guard let flight else {
            throw NetworkError(.busy, "a \(verb.rawValue) can't start during another operation")
        }
        try await flight.task.wait()
    }
}
