/// The effect of a fetch on a collection.
public enum ModelFetchMode: Hashable, Sendable {
    /// Replaces all models.
    case reset
    /// Adds the models whose identifiers are new.
    case add
    /// Updates existing models by identifier and adds the others.
    case merge
}

extension ModelCollection {
    /// Fetches the list of models.
    ///
    /// - Parameter mode: The effect on the collection; by default, all models are replaced.
    /// - Throws: Any error of the sync; `.decodingFailed` unless the response is an array of objects;
    ///   `.validationFailed` if a merge is rejected; `.missingLocation`. Every failure also sends `error`.
    public func fetch(_ mode: ModelFetchMode = .reset) async throws(NetworkError) {
        do throws(NetworkError) {
            var target = ModelSyncTarget(host: schema.host, path: schema.path)
            target.isList = true
            try take(try attributes(in: try await requiredSync().perform(.read, target)), mode)
        } catch {
            handlers.call(ModelEvent(kind: .error, collection: self, error: error))
            throw error
        }
    }

    /// Creates a model, saves it, and adds it after the server has accepted it.
    ///
    /// - Parameter attributes: The model's attributes.
    /// - Returns: The model.
    /// - Throws: The errors of `Model.save(_:)`; the model is then not added.
    @discardableResult
    public func create(_ attributes: [String: JSONEntity]) async throws(NetworkError) -> Model {
        var schema = schema
        schema.path = self.schema.path
        let model = Model(schema.defaults, schema: schema, sync: try requiredSync())
        try model.set(attributes)
        try await model.save()
        try add([model])
        return model
    }

    private func requiredSync() throws(NetworkError) -> any ModelSync {
        guard !schema.path.isEmpty else {
            throw NetworkError(.missingLocation, "expected a path in the collection's schema")
        }
        guard let sync else { throw NetworkError(.missingLocation, "expected a sync in the collection") }
        return sync
    }

    private func attributes(in answer: ModelSyncAnswer) throws(NetworkError) -> [[String: JSONEntity]] {
        func failure(_ place: JSONEntity, _ expected: String) -> NetworkError {
            var error = NetworkError(.decodingFailed, "expected \(expected), found \(place.kindName)", phase: .decode)
            error.path = place.path
            return error
        }
        let list = answer.isParsed ? answer.json : schema.parseList(answer.json)
        guard list.isArray else { throw failure(list, "an array of models") }
        var all: [[String: JSONEntity]] = []
        for element in list {
            let object = answer.isParsed ? element : schema.parse(element)
            guard let attributes = object.object() else { throw failure(element, "an object") }
            all.append(attributes)
        }
        return all
    }

    private func take(_ all: [[String: JSONEntity]], _ mode: ModelFetchMode) throws(NetworkError) {
        if mode == .reset { return try reset(all.map { Model($0, schema: schema, sync: sync) }) }
        for attributes in all {
            let id = attributes[schema.idAttribute].flatMap(Model.text)
            if let known = id.flatMap({ self[id: $0] }) {
                if mode == .merge { try known.set(attributes) }
            } else {
                try add([Model(attributes, schema: schema, sync: sync)])
            }
        }
    }
}
