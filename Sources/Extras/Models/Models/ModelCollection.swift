internal import AshlarCore
public import AshlarNetworking

/// An observable, ordered collection of models.
///
/// Handlers of a collection also receive the events of its models. A model can be in several collections; the first one
/// provides its path. Handlers run on the thread that causes the event, without a lock.
///
/// ```swift
/// let notes = ModelCollection()
/// let observation = notes.observe { event in print(event.name, event.model?.idText ?? "") }
/// try notes.add([Model(["id": 1, "title": "Milk"]), Model(["id": 2, "title": "Bread"])])
/// assert(notes[id: "2"]?["title"].string() == "Bread" && notes.first?.idText == "1")
/// observation.cancel()
/// ```
///
/// The design and the names are those of iStructure's `ISCollection`; the rules are those of Backbone 0.5.3.
public final class ModelCollection: Sendable {
    struct State {
        var models: [Model] = []
        var byID: [String: Model] = [:]
        var byCID: [String: Model] = [:]
        /// The identifiers under which `byID` contains the models, by CID.
        var ids: [String: String] = [:]

        mutating func setID(_ id: String?, of model: Model) {
            if let old = ids.removeValue(forKey: model.cid), byID[old] === model { byID[old] = nil }
            guard let id else { return }
            byID[id] = model
            ids[model.cid] = id
        }
    }

    /// The settings for models that the collection creates, and its path.
    public let schema: ModelSchema
    let sync: (any ModelSync)?
    private let comparator: (@Sendable (Model, Model) -> Bool)?
    let state: Mutex<State>
    let handlers = ModelHandlers()

    /// Creates a collection without events.
    ///
    /// - Parameters:
    ///   - models: The models; repetitions are ignored.
    ///   - schema: The settings for models that the collection creates; its path is the collection's.
    ///   - sync: The backing store.
    ///   - comparator: Returns whether a model precedes another; nil means the order of insertion.
    public init(
        _ models: [Model] = [], schema: ModelSchema = .init(), sync: (any ModelSync)? = nil,
        sortedBy comparator: (@Sendable (Model, Model) -> Bool)? = nil
    ) {
        self.schema = schema
        self.sync = sync
        self.comparator = comparator
        state = Mutex(State())
        for model in models { try? add([model], silent: true) }
    }

    // MARK: Reading

    /// The models in order.
    public var models: [Model] { state.withLock { $0.models } }
    /// The number of models.
    public var count: Int { state.withLock { $0.models.count } }
    /// Whether there are no models.
    public var isEmpty: Bool { count == 0 }
    /// The first model, or nil.
    public var first: Model? { state.withLock { $0.models.first } }
    /// The last model, or nil.
    public var last: Model? { state.withLock { $0.models.last } }
    /// Returns the model with an identifier, or nil.
    public subscript(id id: String) -> Model? { state.withLock { $0.byID[id] } }
    /// Returns the model with a name in this process, or nil.
    public subscript(cid cid: String) -> Model? { state.withLock { $0.byCID[cid] } }
    /// Returns the model at an index, or nil; a negative index counts from the end.
    public subscript(at index: Int) -> Model? {
        state.withLock { state in
            let place = index < 0 ? state.models.count + index : index
            return state.models.indices.contains(place) ? state.models[place] : nil
        }
    }

    /// Returns the models that satisfy a condition, in order.
    public func filter(_ isIncluded: (Model) throws -> Bool) rethrows -> [Model] { try models.filter(isIncluded) }

    /// Returns the values of an attribute in the order of the models.
    public func pluck(_ name: String) -> [JSONEntity] { models.map { $0[name] } }

    /// The models' attributes as an array.
    public var json: JSONEntity { JSONEntity(array: models.map(\.json)).formatted(sync?.json) }

    // MARK: Changes

    /// Adds models and sends `add` for each.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - index: The index of the first model, clamped to the collection; nil means the end, or the comparator's
    ///     position.
    ///   - silent: Whether to send no events.
    /// - Complexity: O(*n*) calls of handlers; O(*n* log *m*) calls of a comparator in a collection of *m* models.
    /// - Throws: `.duplicateModel` if the collection contains one of the models, or one with its identifier; the models
    ///   before it are added.
    public func add(_ models: [Model], at index: Int? = nil, silent: Bool = false) throws(NetworkError) {
        for (offset, model) in models.enumerated() {
            let id = model.idText
            let isAdded = state.withLock { state in
                guard state.byCID[model.cid] == nil, id.flatMap({ state.byID[$0] }) == nil else { return false }
                state.byCID[model.cid] = model
                if let id { state.setID(id, of: model) }
                return true
            }
            guard isAdded else {
                throw NetworkError(
                    .duplicateModel, "the collection has the model \(id.map { "with id \($0)" } ?? model.cid) already",
                    key: id)
            }
            // The comparator is foreign code and runs outside the lock on a copy; the position is computed again
            // inside.
            let place =
                index.map { min(max(0, $0), Int.max - offset) + offset }
                ?? comparator.map { Self.place(of: model, in: self.models, $0) }
            model.state.withLock { $0.collections.append(Weak(self)) }
            let isPresent = state.withLock { state in
                guard state.byCID[model.cid] === model else { return false }
                state.models.insert(model, at: min(max(0, place ?? .max), state.models.count))
                return true
            }
            // Other code has removed it meanwhile.
            guard isPresent else {
                forget(model)
                continue
            }
            if !silent { model.tell(ModelEvent(kind: .add, model: model, collection: self)) }
        }
    }

    /// Returns the index behind the models that a model doesn't precede, by bisection.
    private static func place(of model: Model, in models: [Model], _ isBefore: (Model, Model) -> Bool) -> Int {
        var (low, high) = (0, models.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(model, models[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Removes models and then sends `remove` for each; models that aren't in the collection are ignored.
    ///
    /// - Complexity: O(*n*) in the number of models in the collection and in the argument.
    public func remove(_ models: [Model], silent: Bool = false) {
        let removed = state.withLock { state in
            let removed = models.filter { state.byCID.removeValue(forKey: $0.cid) != nil }
            for model in removed {
                state.setID(nil, of: model)
            }
            if !removed.isEmpty { state.models.removeAll { state.byCID[$0.cid] == nil } }
            return removed
        }
        for model in removed {
            if !silent { model.tell(ModelEvent(kind: .remove, model: model, collection: self)) }
            forget(model)
        }
    }

    /// Replaces all models and sends `reset` once.
    ///
    /// - Throws: `.duplicateModel` for a repeated model; nothing is changed.
    public func reset(_ models: [Model] = [], silent: Bool = false) throws(NetworkError) {
        let fresh = ModelCollection(sortedBy: comparator)
        for model in models where fresh.state.withLock({ $0.byCID[model.cid] }) != nil {
            throw NetworkError(.duplicateModel, "the model \(model.cid) is repeated")
        }
        try fresh.add(models, silent: true)
        let new = fresh.state.withLock { $0 }
        fresh.dissolve()
        let old = state.withLock { state in
            defer { state = new }
            return state.models
        }
        for model in old { forget(model) }
        for model in new.models { model.state.withLock { $0.collections.append(Weak(self)) } }
        if !silent { handlers.call(ModelEvent(kind: .reset, collection: self)) }
    }

    deinit { dissolve() }

    private func dissolve() { for model in models { forget(model) } }

    private func forget(_ model: Model) {
        // The weak references aren't read under the lock, because the last use of a collection releases its handlers.
        model.state.withLock { state in
            if let index = state.collections.firstIndex(where: { $0.id == ObjectIdentifier(self) }) {
                state.collections.remove(at: index)
            }
        }
    }

    /// Records a model's new identifier.
    func reindex(_ model: Model) {
        let id = model.idText
        state.withLock { state in
            if state.byCID[model.cid] != nil { state.setID(id, of: model) }
        }
    }

    // MARK: Events

    /// Adds a handler for the events of the collection and its models, until the observation is cancelled or released.
    ///
    /// - Parameter handler: Called on the thread that causes the event.
    /// - Returns: The observation.
    public func observe(_ handler: @escaping @Sendable (ModelEvent) -> Void) -> ModelObservation {
        handlers.add(handler)
    }

    /// Handles an event of a model.
    func receive(_ event: ModelEvent) {
        if event.kind == .add || event.kind == .remove, event.collection !== self { return }
        if event.kind == .destroy, let model = event.model { remove([model]) }
        handlers.call(event)
    }
}

/// The effect of a fetch on a collection.
public enum ModelFetchMode: Hashable, Sendable {
    /// Replaces all models.
    case reset
    /// Adds the models whose identifiers are new.
    case add
    /// Updates existing models by identifier and adds the others.
    ///
    /// A model that is fetched, saved or deleted meanwhile isn't updated, because the list can be older.
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
            let target = ModelSyncTarget(host: schema.host, path: schema.path)
            let operations = Dictionary(uniqueKeysWithValues: models.map { ($0.cid, $0.endedOperations) })
            try take(try attributes(in: try await requiredSync().perform(.read, target)), mode, operations)
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
            NetworkError(
                .decodingFailed, "expected \(expected), found \(place.kindName)", phase: .decode, path: place.path)
        }
        let list = schema.parseList(answer.json)
        guard list.isArray else { throw failure(list, "an array of models") }
        var all: [[String: JSONEntity]] = []
        for element in list {
            guard let attributes = schema.parse(element).dictionary() else { throw failure(element, "an object") }
            all.append(attributes)
        }
        return all
    }

    /// Takes up the attributes of a list; `operations` are those of each model when the list was requested.
    private func take(
        _ all: [[String: JSONEntity]], _ mode: ModelFetchMode, _ operations: [String: Int?]
    ) throws(NetworkError) {
        if mode == .reset { return try reset(all.map { Model($0, schema: schema, sync: sync) }) }
        for attributes in all {
            let id = attributes[schema.idAttribute].flatMap(Model.text)
            if let known = id.flatMap({ self[id: $0] }) {
                if mode == .merge { try known.merge(attributes, after: operations[known.cid] ?? nil) }
            } else {
                try add([Model(attributes, schema: schema, sync: sync)])
            }
        }
    }
}
