import Synchronization

/// An ordered set of models that tells what happens to it and to them.
///
/// A collection hears the events of its models and passes them on to its own handlers. A model may be in several
/// collections; the first one lends it a path. Handlers run on the thread that causes the event, under no lock.
///
/// ```swift
/// let notes = ModelCollection()
/// let observation = notes.observe { event in print(event.name, event.model?.idText ?? "") }
/// try notes.add([Model(["id": 1, "title": "Milk"]), Model(["id": 2, "title": "Bread"])])
/// assert(notes[id: "2"]?["title"].string() == "Bread" && notes.first?.idText == "1")
/// observation.cancel()
/// ```
///
/// The idea and the names are those of iStructure's `ISCollection`, the rules those of Backbone 0.5.3.
public final class ModelCollection: Sendable {
    struct State {
        var models: [Model] = []
        var byID: [String: Model] = [:]
        var byCID: [String: Model] = [:]
    }

    /// What the collection's models share, for those that it makes itself, and its path.
    public let schema: ModelSchema
    let sync: (any ModelSync)?
    private let comparator: (@Sendable (Model, Model) -> Bool)?
    let state: Mutex<State>
    let handlers = ModelHandlers()

    /// Creates a collection; nothing is told.
    ///
    /// - Parameters:
    ///   - models: The models, repeats left out.
    ///   - schema: What models made by the collection share; its path is the collection's.
    ///   - sync: Where the models are kept.
    ///   - comparator: Whether a model stands before another; nil keeps the order in which they are added.
    public init(
        _ models: [Model] = [], schema: ModelSchema = .init(), sync: (any ModelSync)? = nil,
        sortedBy comparator: (@Sendable (Model, Model) -> Bool)? = nil
    ) {
        (self.schema, self.sync, self.comparator) = (schema, sync, comparator)
        state = Mutex(State())
        for model in models { try? add([model], silent: true) }
    }

    // MARK: Reading

    /// The models in order.
    public var models: [Model] { state.withLock { $0.models } }
    /// How many models there are.
    public var count: Int { state.withLock { $0.models.count } }
    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }
    /// The first model, or nil.
    public var first: Model? { state.withLock { $0.models.first } }
    /// The last model, or nil.
    public var last: Model? { state.withLock { $0.models.last } }
    /// The model of an id, or nil.
    public subscript(id id: String) -> Model? { state.withLock { $0.byID[id] } }
    /// The model of a name in this process, or nil.
    public subscript(cid cid: String) -> Model? { state.withLock { $0.byCID[cid] } }
    /// The model at a place, or nil if there is none; a negative place counts from the end.
    public subscript(at index: Int) -> Model? {
        state.withLock { state in
            let place = index < 0 ? state.models.count + index : index
            return state.models.indices.contains(place) ? state.models[place] : nil
        }
    }

    /// The models that a condition holds for, in order.
    public func filter(_ isIncluded: (Model) throws -> Bool) rethrows -> [Model] { try models.filter(isIncluded) }

    /// The values of an attribute, one for each model.
    public func pluck(_ name: String) -> [JSONEntity] { models.map { $0[name] } }

    /// The models' attributes as an array.
    public var json: JSONEntity { JSONEntity(array: models.map(\.json)) }

    // MARK: Changing

    /// Adds models and tells `add` for each.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - index: Where to put them, kept within the collection; nil is the end, or the comparator's place.
    ///   - silent: Whether to tell nothing.
    /// - Throws: `.duplicateModel` if one of them, or one with its id, is there already; those before it are added.
    public func add(_ models: [Model], at index: Int? = nil, silent: Bool = false) throws(NetworkError) {
        for (offset, model) in models.enumerated() {
            let id = model.idText
            let isAdded = state.withLock { state in
                guard state.byCID[model.cid] == nil, id.flatMap({ state.byID[$0] }) == nil else { return false }
                state.byCID[model.cid] = model
                if let id { state.byID[id] = model }
                return true
            }
            guard isAdded else {
                var error = NetworkError(
                    .duplicateModel, "the collection has the model \(id.map { "with id \($0)" } ?? model.cid) already")
                error.key = id
                throw error
            }
            // The comparator is the user's and runs outside the lock, on a copy; its place is found again inside.
            let place =
                index.map { $0 + offset }
                ?? comparator.flatMap { isBefore in
                    self.models.firstIndex { isBefore(model, $0) }
                }
            state.withLock { state in
                state.models.insert(model, at: min(max(0, place ?? .max), state.models.count))
            }
            model.state.withLock { $0.collections.append(Model.WeakCollection(value: self)) }
            if !silent { model.tell(ModelEvent(kind: .add, model: model, collection: self)) }
        }
    }

    /// Removes models and tells `remove` for each; those that are not there are passed over.
    public func remove(_ models: [Model], silent: Bool = false) {
        for model in models {
            let isRemoved = state.withLock { state in
                guard state.byCID.removeValue(forKey: model.cid) != nil else { return false }
                state.byID = state.byID.filter { $0.value !== model }
                state.models.removeAll { $0 === model }
                return true
            }
            guard isRemoved else { continue }
            if !silent { model.tell(ModelEvent(kind: .remove, model: model, collection: self)) }
            forget(model)
        }
    }

    /// Replaces all models and tells `reset`, once.
    ///
    /// - Throws: `.duplicateModel` if one is given twice; nothing is changed.
    public func reset(_ models: [Model] = [], silent: Bool = false) throws(NetworkError) {
        let fresh = ModelCollection(sortedBy: comparator)
        for model in models where fresh.state.withLock({ $0.byCID[model.cid] }) != nil {
            throw NetworkError(.duplicateModel, "the model \(model.cid) is given twice")
        }
        defer { fresh.dissolve() }
        try fresh.add(models, silent: true)
        let new = fresh.state.withLock { $0 }
        let old = state.withLock { state in
            defer { state = new }
            return state.models
        }
        for model in old { forget(model) }
        for model in new.models { model.state.withLock { $0.collections.append(Model.WeakCollection(value: self)) } }
        if !silent { handlers.call(ModelEvent(kind: .reset, collection: self)) }
    }

    private func dissolve() { for model in models { forget(model) } }

    private func forget(_ model: Model) {
        model.state.withLock { state in
            if let index = state.collections.firstIndex(where: { $0.value === self }) {
                state.collections.remove(at: index)
            }
            state.collections.removeAll { $0.value == nil }
        }
    }

    /// Takes note of a model's new id.
    func reindex(_ model: Model) {
        let id = model.idText
        state.withLock { state in
            state.byID = state.byID.filter { $0.value !== model }
            if let id, state.byCID[model.cid] != nil { state.byID[id] = model }
        }
    }

    // MARK: Events

    /// Adds a handler for the events of the collection and of its models, until the observation is cancelled or released.
    ///
    /// - Parameter handler: Called on the thread that causes the event.
    /// - Returns: What keeps the handler in place.
    public func observe(_ handler: @escaping @Sendable (ModelEvent) -> Void) -> ModelObservation {
        handlers.add(handler)
    }

    /// Hears an event of a model.
    func receive(_ event: ModelEvent) {
        if event.kind == .add || event.kind == .remove, event.collection !== self { return }
        if event.kind == .destroy, let model = event.model { remove([model]) }
        handlers.call(event)
    }
}
