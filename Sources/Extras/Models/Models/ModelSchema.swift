internal import AshlarCore
public import AshlarNetworking

/// Settings for all models of a kind: location, defaults and validation.
///
/// ```swift
/// var notes = ModelSchema(host: "api.example.com", path: "notes")
/// notes.defaults = ["done": false]
/// notes.validate = { changes, _ in changes["title"]?.string() == "" ? ["title must not be empty"] : [] }
/// let note = Model(["title": "Milk"], schema: notes)
/// assert(note.isNew && note["done"].bool() == false)
/// ```
public struct ModelSchema: Sendable {
    /// The events for a `set` in a handler of `change`.
    public enum NestedChanges: Hashable, Sendable {
        /// Another `change` follows; a handler that changes a value each time causes an endless loop.
        case announced
        /// Only the attributes' own events are sent, as in iStructure and Backbone 0.5.3.
        case seed
    }

    /// The host, which a client's host selection may replace; nil if `path` is an absolute URL.
    public var host: EndpointHost?
    /// The path of the collection; a model's path is this path, a slash and its encoded identifier.
    public var path: String
    /// The attribute that identifies a model on the server.
    public var idAttribute: String = "id"
    /// The default attributes of a new model.
    public var defaults: [String: JSONEntity] = [:]
    /// The events for a `set` in a handler of `change`; by default, another `change` follows.
    public var nestedChanges: NestedChanges = .announced
    /// Returns the reasons for rejecting attributes, in words for the user; an empty array accepts the attributes.
    ///
    /// The arguments are the attributes to set, with missing entities for those to remove, and the current attributes.
    /// A silent `set` isn't validated.
    public var validate: @Sendable (_ changes: [String: JSONEntity], _ current: [String: JSONEntity]) -> [String] = {
        _, _ in []
    }
    /// Returns a model's attributes from a response, which is an object by default.
    ///
    /// It runs on the thread on which the response arrives, not on the main thread.
    public var parse: @Sendable (_ answer: JSONEntity) -> JSONEntity = { $0 }
    /// Returns the list of models from the response to a collection's fetch, as an array of values for `parse`.
    public var parseList: @Sendable (_ answer: JSONEntity) -> JSONEntity = { $0 }
    /// Returns a path or absolute URL for a verb, or nil for the usual path.
    public var pathFor: @Sendable (_ verb: ModelSyncVerb, _ model: Model) -> String? = { _, _ in nil }

    /// Creates a schema.
    public init(host: EndpointHost? = nil, path: String = "") {
        self.host = host
        self.path = path
    }
}

/// An event of a model or a collection.
public struct ModelEvent: Sendable {
    /// The kind of an event.
    ///
    /// Kinds may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable {
        let name: String

        /// The value of an attribute changed; `attribute` is its name.
        public static let attribute = Kind(name: "change:")
        /// A model changed; sent once, after the events of its attributes.
        public static let change = Kind(name: "change")
        /// A model was added to a collection.
        public static let add = Kind(name: "add")
        /// A model was removed from a collection.
        public static let remove = Kind(name: "remove")
        /// All models of a collection were replaced.
        public static let reset = Kind(name: "reset")
        /// A model was destroyed, also on the server if it was stored there.
        public static let destroy = Kind(name: "destroy")
        /// A validation, fetch, save or destroy failed; `error` is the reason.
        public static let error = Kind(name: "error")
    }

    /// The kind of the event.
    public var kind: Kind
    /// The model, or nil for an event of the collection itself.
    public var model: Model?
    /// The collection, for an addition, a removal, a reset, or a failure of the collection itself.
    public var collection: ModelCollection?
    /// The name of the changed attribute.
    public var attribute: String?
    /// The failure.
    public var error: NetworkError?

    /// The event's name as in iStructure and Backbone, such as `change:title`.
    public var name: String { kind == .attribute ? "change:" + (attribute ?? "") : kind.name }
}

/// The lifetime of a handler, which ends when this object is cancelled or released.
public final class ModelObservation: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }
    deinit { cancel() }

    /// Removes the handler without waiting for a running call on another thread.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// The handlers of a model or collection, in the order of addition.
final class ModelHandlers: Sendable {
    private let list = Mutex<(next: Int, handlers: [(id: Int, call: @Sendable (ModelEvent) -> Void)])>((0, []))

    func add(_ handler: @escaping @Sendable (ModelEvent) -> Void) -> ModelObservation {
        let id = list.withLock { list in
            list.next += 1
            list.handlers.append((list.next, handler))
            return list.next
        }
        return ModelObservation { [weak self] in
            // Returned from the lock, so that objects captured by the handler are released outside it.
            _ = self?.list.withLock { list in
                list.handlers.firstIndex { $0.id == id }.map { list.handlers.remove(at: $0) }
            }
        }
    }

    func call(_ event: ModelEvent) {
        for handler in list.withLock({ $0.handlers }) { handler.call(event) }
    }
}
