import Synchronization

/// A thing with named attributes that may live on a server, and tells when it changes.
///
/// ```swift
/// let note = Model(["title": "Milk"])
/// let observation = note.observe { print($0.name) }  // change:title, change
/// try note.set(["title": "Bread"])
/// assert(note["title"].string() == "Bread")
/// observation.cancel()
/// ```
///
/// A set validates first; then it stores everything; then it tells `change:attribute` for every attribute that has
/// another value, in the order of their names, and at last `change`, once. A set made by a handler folds in: it tells
/// its attributes but no second `change`. So does one that another thread makes meanwhile. Handlers run on the thread
/// that sets, under no lock.
///
/// The idea and the names are those of iStructure's `ISModel`, the rules those of Backbone 0.5.3.
public final class Model: Sendable {
    struct State {
        var attributes: [String: JSONEntity] = [:]
        /// The attributes when the last change was told.
        var previous: [String: JSONEntity] = [:]
        /// Whether a set is telling its changes.
        var isTelling = false
        /// Whether there are changes that no `change` has told of.
        var hasUntold = false
        var version: String?
        var collections: [WeakCollection] = []
        var flight: ModelFlight?
    }

    struct WeakCollection {
        weak var value: ModelCollection?
    }

    /// What models of this sort share.
    public let schema: ModelSchema
    /// The model's name in this process, such as `c12`; no other model has it.
    public let cid: String
    let sync: (any ModelSync)?
    let state: Mutex<State>
    let handlers = ModelHandlers()

    private static let count = Atomic<Int>(0)

    /// Creates a model; nothing is validated or told.
    ///
    /// - Parameters:
    ///   - attributes: The attributes, over the schema's defaults.
    ///   - schema: What models of this sort share.
    ///   - sync: Where the model is kept; a model of a collection uses the collection's unless it has its own.
    public init(
        _ attributes: [String: JSONEntity] = [:], schema: ModelSchema = .init(), sync: (any ModelSync)? = nil
    ) {
        (self.schema, self.sync) = (schema, sync)
        cid = "c\(Self.count.add(1, ordering: .relaxed).newValue)"
        let all = schema.defaults.merging(attributes) { $1 }.filter(\.value.isValid)
        state = Mutex(State(attributes: all, previous: all))
    }

    // MARK: Reading

    /// The attributes.
    public var attributes: [String: JSONEntity] { state.withLock { $0.attributes } }

    /// The value of an attribute; missing if there is none.
    public subscript(name: String) -> JSONEntity { state.withLock { $0.attributes[name] ?? .missing } }

    /// What identifies the model on the server; missing or null if it is not there.
    public var id: JSONEntity { self[schema.idAttribute] }

    /// The id as text, or nil.
    public var idText: String? { Self.text(of: id) }

    static func text(of id: JSONEntity) -> String? { id.isValid && !id.isNull ? id.string() ?? id.text() : nil }

    /// Whether the model has no id, so that a save would create it.
    public var isNew: Bool { idText == nil }

    /// The first collection that the model is in, or nil.
    public var collection: ModelCollection? { collections.first }

    var collections: [ModelCollection] { state.withLock { $0.collections }.compactMap(\.value) }

    /// Whether an attribute, or any if none is named, differs from when the last `change` was told.
    ///
    /// Inside a handler: since the set that runs it began.
    public func hasChanged(_ name: String? = nil) -> Bool {
        let (now, before) = state.withLock { ($0.attributes, $0.previous) }
        if let name { return now[name] != before[name] }
        return now != before
    }

    /// The value of an attribute when the last `change` was told; missing if there was none.
    public func previous(_ name: String) -> JSONEntity { state.withLock { $0.previous[name] ?? .missing } }

    /// The attributes that differ from when the last `change` was told, missing for those that are gone.
    public var changedAttributes: [String: JSONEntity] {
        let (now, before) = state.withLock { ($0.attributes, $0.previous) }
        var changed = now.filter { before[$0.key] != $0.value }
        for name in before.keys where now[name] == nil { changed[name] = .missing }
        return changed
    }

    /// The attributes as an object, sorted by name: what a save sends.
    public var json: JSONEntity { JSONEntity(object: attributes) }

    /// A new model with the same attributes and schema, in no collection.
    public func clone() -> Model { Model(attributes, schema: schema, sync: sync) }

    // MARK: Changing

    /// Sets attributes; those that are missing are removed.
    ///
    /// - Parameters:
    ///   - changes: The attributes to set; the others stay.
    ///   - silent: Whether to skip validation and events. The next set that is not silent tells `change` for them too.
    /// - Throws: `.validationFailed` with `messages`; nothing is changed, and `error` is told. `.encodingFailed` for a value
    ///   that JSON cannot hold; nothing is changed.
    /// - Complexity: O(*n*) in the size of the values.
    public func set(_ changes: [String: JSONEntity], silent: Bool = false) throws(NetworkError) {
        if let (name, value) = changes.first(where: \.value.isImpossible) {
            throw NetworkError(.encodingFailed, "the attribute \"\(name)\" is \(value)")
        }
        if !silent { try validate(changes) }
        let (changed, isOutermost, moves) = state.withLock { state -> ([String], Bool, [WeakCollection]) in
            let oldID = state.attributes[schema.idAttribute]
            // A missing value equals another missing one.
            let changed = changes.filter { $0.value != state.attributes[$0.key] ?? .missing }
            for (name, value) in changed {
                if value.isValid { state.attributes[name] = value } else { state.attributes.removeValue(forKey: name) }
            }
            state.hasUntold = state.hasUntold || !changed.isEmpty
            let isOutermost = !silent && !state.isTelling
            if isOutermost { state.isTelling = true }
            let isMoved = oldID != state.attributes[schema.idAttribute]
            return (changed.keys.sorted(), isOutermost, isMoved ? state.collections : [])
        }
        for collection in moves { collection.value?.reindex(self) }
        if silent { return }
        for name in changed { tell(ModelEvent(kind: .attribute, model: self, attribute: name)) }
        guard isOutermost else { return }
        if state.withLock({ $0.hasUntold }) { tell(ModelEvent(kind: .change, model: self)) }
        state.withLock { state in
            state.previous = state.attributes
            (state.hasUntold, state.isTelling) = (false, false)
        }
    }

    /// Removes an attribute; see ``set(_:silent:)``.
    ///
    /// - Throws: `.validationFailed`.
    public func unset(_ name: String, silent: Bool = false) throws(NetworkError) {
        try set([name: .missing], silent: silent)
    }

    /// Removes all attributes; see ``set(_:silent:)``.
    ///
    /// - Throws: `.validationFailed`.
    public func clear(silent: Bool = false) throws(NetworkError) {
        try set(attributes.mapValues { _ in .missing }, silent: silent)
    }

    private func validate(_ changes: [String: JSONEntity]) throws(NetworkError) {
        let messages = schema.validate(changes, attributes)
        if messages.isEmpty { return }
        var error = NetworkError(.validationFailed, "attributes are refused")
        error.messages = messages
        tell(ModelEvent(kind: .error, model: self, error: error))
        throw error
    }

    // MARK: Events

    /// Adds a handler, called for every event of the model in order, until the observation is cancelled or released.
    ///
    /// - Parameter handler: Called on the thread that causes the event.
    /// - Returns: What keeps the handler in place.
    public func observe(_ handler: @escaping @Sendable (ModelEvent) -> Void) -> ModelObservation {
        handlers.add(handler)
    }

    /// Tells the model's handlers and then the collections it is in.
    func tell(_ event: ModelEvent) {
        let collections = collections
        handlers.call(event)
        for collection in collections { collection.receive(event) }
    }
}

extension Model: CustomStringConvertible {
    /// The model's name in this process and its attributes.
    public var description: String { "\(cid) \(json)" }
}
