internal import AshlarCore
public import AshlarNetworking

import struct Synchronization.Atomic

/// An observable record, optionally backed by a server.
///
/// ```swift
/// let note = Model(["title": "Milk"])
/// let observation = note.observe { print($0.name) }  // change:title, change
/// try note.set(["title": "Bread"])
/// assert(note["title"].string() == "Bread")
/// observation.cancel()
/// ```
///
/// `set` validates and stores all attributes. Then it sends `change:attribute` for each changed attribute, in the order
/// of their names, and finally one `change`. This `change` also covers a `set` in a handler of the attributes' events
/// or, at the same time, on another thread; a `set` in a handler of `change` causes another `change`. Handlers run on
/// the setting thread, without a lock.
///
/// The design and the names are those of iStructure's `ISModel`; the rules are those of Backbone 0.5.3.
public final class Model: Sendable {
    struct State {
        var attributes: [String: JSONEntity] = [:]
        /// The attributes at the last `change`.
        var previous: [String: JSONEntity] = [:]
        /// Whether a `set` is sending its events.
        var isTelling = false
        /// Whether there are changes for which no `change` was sent.
        var hasUntold = false
        /// The version from the server, which is that of the attributes or older.
        var version: String?
        /// The number of operations that have begun.
        var operations = 0
        /// The collections that contain the model; each removes its entry before its release.
        var collections: [Weak<ModelCollection>] = []
        var flight: Flight?
    }

    /// The origin of attributes that are set.
    private enum Source {
        case app
        /// The answer of an operation; `sent` are the attributes that were saved.
        case operation(version: String?, sent: [String: JSONEntity]?)
        /// A list that was requested after a number of operations; nil if one was running.
        case list(operations: Int?)
    }

    /// A running operation.
    struct Flight {
        let verb: ModelSyncVerb
        let task: SharedTask
    }

    /// The settings for models of this kind.
    public let schema: ModelSchema
    /// A name that is unique in this process, such as `c12`.
    public let cid: String
    let sync: (any ModelSync)?
    let state: Mutex<State>
    let handlers = ModelHandlers()

    private static let count = Atomic<Int>(0)

    /// Creates a model without validation and events.
    ///
    /// - Parameters:
    ///   - attributes: The attributes, which replace the schema's defaults.
    ///   - schema: The settings for models of this kind.
    ///   - sync: The backing store; nil means that of the first collection.
    public init(
        _ attributes: [String: JSONEntity] = [:], schema: ModelSchema = .init(), sync: (any ModelSync)? = nil
    ) {
        self.schema = schema
        self.sync = sync
        cid = "c\(Self.count.add(1, ordering: .relaxed).newValue)"
        let all = schema.defaults.merging(attributes) { $1 }.filter(\.value.isValid).formatted(sync?.json)
        state = Mutex(State(attributes: all, previous: all))
    }

    // MARK: Reading

    /// The attributes.
    public var attributes: [String: JSONEntity] { state.withLock { $0.attributes } }

    /// Returns the value of an attribute, or a missing entity.
    public subscript(name: String) -> JSONEntity { state.withLock { $0.attributes[name] ?? .missing } }

    /// The identifier on the server; missing or null for a new model.
    public var id: JSONEntity { self[schema.idAttribute] }

    /// The identifier as a string, or nil.
    public var idText: String? { Self.text(of: id) }

    static func text(of id: JSONEntity) -> String? { id.isValid && !id.isNull ? id.string() ?? id.text() : nil }

    /// Whether the model has no identifier, so that saving creates it.
    public var isNew: Bool { idText == nil }

    /// The first collection that contains the model, or nil.
    public var collection: ModelCollection? { collections.first }

    var collections: [ModelCollection] { state.withLock { $0.collections }.compactMap(\.object) }

    /// Whether an attribute, or any attribute, has changed since the last `change`.
    ///
    /// In a handler, the comparison is with the value before the `set` that runs the handler.
    public func hasChanged(_ name: String? = nil) -> Bool {
        let (now, before) = state.withLock { ($0.attributes, $0.previous) }
        if let name { return now[name] != before[name] }
        return now != before
    }

    /// Returns the value of an attribute at the last `change`, or a missing entity.
    public func previousValue(for name: String) -> JSONEntity { state.withLock { $0.previous[name] ?? .missing } }

    /// The attributes that have changed since the last `change`; removed ones are missing entities.
    public var changedAttributes: [String: JSONEntity] {
        let (now, before) = state.withLock { ($0.attributes, $0.previous) }
        var changed = now.filter { before[$0.key] != $0.value }
        for name in before.keys where now[name] == nil { changed[name] = .missing }
        return changed
    }

    /// The attributes as an object sorted by name, as sent by `save`.
    public var json: JSONEntity { JSONEntity(object: attributes).formatted(format) }

    /// The format of the sync's attributes, or nil without a sync.
    private var format: JSONFormat? { anySync?.json }

    /// The model's own sync, or that of the first collection that has one.
    private var anySync: (any ModelSync)? { sync ?? collections.lazy.compactMap(\.sync).first }

    /// Returns a new model with the same attributes and schema, in no collection.
    public func clone() -> Model { Model(attributes, schema: schema, sync: sync) }

    // MARK: Changes

    /// Sets attributes; missing entities remove them.
    ///
    /// - Parameters:
    ///   - changes: The attributes to set; the others are unchanged.
    ///   - silent: Whether to skip validation and events. The next `set` that isn't silent also sends `change` for
    ///     these attributes.
    /// - Throws: `.validationFailed` with `messages`, after an `error` event, or `.encodingFailed` for a value that
    ///   JSON can't represent; nothing is changed.
    /// - Complexity: O(*n*) in the size of the values.
    public func set(_ changes: [String: JSONEntity], silent: Bool = false) throws(NetworkError) {
        try set(changes, silent: silent, from: .app)
    }

    /// Sets the attributes of a list, unless an operation was running when the list was requested or has begun since then:
    /// it may know newer ones.
    func merge(_ changes: [String: JSONEntity], after operations: Int?) throws(NetworkError) {
        try set(changes, silent: false, from: .list(operations: operations))
    }

    /// The number of operations so far, or nil while one is running.
    var endedOperations: Int? { state.withLock { $0.flight == nil ? $0.operations : nil } }

    private func set(_ changes: [String: JSONEntity], silent: Bool, from source: Source) throws(NetworkError) {
        if let (name, value) = changes.first(where: \.value.isImpossible) {
            throw NetworkError(.encodingFailed, "the attribute \"\(name)\" is \(value)")
        }
        let changes = changes.formatted(format)
        if !silent { try validate(changes) }
        let (changed, isOutermost, moves) = state.withLock { state -> ([String], Bool, [Weak<ModelCollection>]) in
            var changes = changes
            switch source {
            case .app: break
            case .operation(let version, let sent):
                if let version { state.version = version }
                // What the app has set since then is newer than the answer.
                if let sent { changes = changes.filter { state.attributes[$0.key] == sent[$0.key] } }
            case .list(let operations):
                if state.flight != nil || state.operations != operations { changes = [:] }
            }
            let oldID = state.attributes[schema.idAttribute]
            // A missing value equals another missing value.
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
        for collection in moves { collection.object?.reindex(self) }
        if silent { return }
        for name in changed { tell(ModelEvent(kind: .attribute, model: self, attribute: name)) }
        guard isOutermost else { return }
        while let announced = takeChange() {
            tell(ModelEvent(kind: .change, model: self))
            state.withLock { state in
                state.previous = announced
                guard schema.nestedChanges == .seed else { return }
                state.previous = state.attributes
                state.hasUntold = false
            }
        }
    }

    /// Returns the attributes that the next `change` announces, or nil if there is no change.
    private func takeChange() -> [String: JSONEntity]? {
        state.withLock { state in
            guard state.hasUntold else {
                state.previous = state.attributes
                state.isTelling = false
                return nil
            }
            state.hasUntold = false
            return state.attributes
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
        var error = NetworkError(.validationFailed, "rejected attributes")
        error.messages = messages
        tell(ModelEvent(kind: .error, model: self, error: error))
        throw error
    }

    // MARK: Events

    /// Adds a handler for all events, until the observation is cancelled or released.
    ///
    /// - Parameter handler: Called on the thread that causes the event.
    /// - Returns: The observation.
    public func observe(_ handler: @escaping @Sendable (ModelEvent) -> Void) -> ModelObservation {
        handlers.add(handler)
    }

    /// Notifies the model's handlers and then its collections.
    func tell(_ event: ModelEvent) {
        let collections = collections
        handlers.call(event)
        for collection in collections { collection.receive(event) }
    }
}

extension [String: JSONEntity] {
    /// Returns the attributes with another format; nil changes nothing.
    fileprivate func formatted(_ format: JSONFormat?) -> Self {
        format == nil ? self : mapValues { $0.formatted(format) }
    }
}

extension Model: CustomStringConvertible {
    /// The model's name in this process and its attributes.
    public var description: String { "\(cid) \(json)" }
}

extension Model {
    /// Fetches the model's attributes and sets them.
    ///
    /// - Throws: Any error of the sync; `.validationFailed` if the attributes are rejected; `.busy` during a different
    ///   operation; `.missingLocation`. Every failure except `.busy` also sends `error`.
    public func fetch() async throws(NetworkError) {
        try await run(.read) { model throws(NetworkError) in try await model.exchange(.read) }
    }

    /// Creates a new model on the server or replaces an existing one, and sets the returned attributes.
    ///
    /// A save during another save waits for it and doesn't send attributes set in between. They keep their values.
    ///
    /// - Parameter changes: Attributes to set first; if they are rejected, nothing is sent.
    /// - Throws: The errors of ``fetch()``; `.conflict` if the server has a newer version than the fetched one.
    public func save(_ changes: [String: JSONEntity] = [:]) async throws(NetworkError) {
        if !changes.isEmpty { try set(changes) }
        let verb: ModelSyncVerb = isNew ? .create : .update
        try await run(verb) { model throws(NetworkError) in try await model.exchange(verb) }
    }

    /// Deletes the model on the server and sends `destroy`, which removes it from its collections.
    ///
    /// A new model is destroyed without a request.
    ///
    /// - Throws: The errors of ``fetch()``.
    public func destroy() async throws(NetworkError) {
        if isNew {
            if state.withLock({ $0.flight != nil }) {
                throw NetworkError(.busy, "a delete can't start during a create")
            }
            return tell(ModelEvent(kind: .destroy, model: self, collection: collection))
        }
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
        if let path = schema.pathFor(verb, self) {
            return ModelSyncTarget(host: host, path: path, body: body, version: version)
        }
        var path = collection.map(\.path).flatMap { $0.isEmpty ? nil : $0 } ?? schema.path
        guard !path.isEmpty else {
            throw NetworkError(.missingLocation, "expected a path in the model's schema or its collection's")
        }
        if let id = idText {
            path += (path.hasSuffix("/") ? "" : "/") + PercentCoding.encode(id)
        }
        return ModelSyncTarget(host: host, path: path, body: body, version: version)
    }

    private func requiredSync() throws(NetworkError) -> any ModelSync {
        guard let sync = anySync else {
            throw NetworkError(.missingLocation, "expected a sync in the model or its collection")
        }
        return sync
    }

    /// Performs an operation, and sets the attributes and the version of its answer together: a version never belongs to
    /// attributes that the model doesn't have.
    private func exchange(_ verb: ModelSyncVerb) async throws(NetworkError) {
        let sent = verb == .read ? nil : attributes
        let body = sent.map { JSONEntity(object: $0).formatted(format) }
        let answer = try await requiredSync().perform(verb, target(verb, body: body))
        guard answer.json.isValid else {
            if let version = answer.version { state.withLock { $0.version = version } }
            return
        }
        let object = schema.parse(answer.json)
        guard let attributes = object.dictionary() else {
            throw NetworkError(
                .decodingFailed, "expected an object, found \(object.kindName)", phase: .decode, path: object.path)
        }
        try set(attributes, silent: false, from: .operation(version: answer.version, sent: sent))
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
            state.operations += 1
            return flight
        }
        guard let flight else {
            throw NetworkError(.busy, "a \(verb.rawValue) can't start during another operation")
        }
        try await flight.task.wait()
    }
}
