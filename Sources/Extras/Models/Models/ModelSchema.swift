internal import AshlarCore

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
