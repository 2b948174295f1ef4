import Synchronization

/// Something that happened to a model or a collection.
public struct ModelEvent: Sendable {
    /// What happened.
    ///
    /// Kinds may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable {
        let name: String

        /// One attribute of a model has another value; `attribute` names it.
        public static let attribute = Kind(name: "change:")
        /// A model has changed; comes once, after its attributes' own events.
        public static let change = Kind(name: "change")
        /// A model was added to a collection.
        public static let add = Kind(name: "add")
        /// A model was removed from a collection.
        public static let remove = Kind(name: "remove")
        /// A collection has other models altogether.
        public static let reset = Kind(name: "reset")
        /// A model was destroyed, on the server too if it was there.
        public static let destroy = Kind(name: "destroy")
        /// A validation, a fetch, a save or a destroy failed; `error` says why.
        public static let error = Kind(name: "error")
    }

    /// What happened.
    public var kind: Kind
    /// The model, or nil if the event is a collection's own.
    public var model: Model?
    /// The collection that was added to, removed from or reset, or that failed.
    public var collection: ModelCollection?
    /// The attribute that has another value.
    public var attribute: String?
    /// What failed.
    public var error: NetworkError?

    /// The event's name as iStructure and Backbone write it, such as `change:title`.
    public var name: String { kind == .attribute ? "change:" + (attribute ?? "") : kind.name }
}

/// Keeps a handler in place; cancelled when released.
public final class ModelObservation: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }
    deinit { cancel() }

    /// Takes the handler out; a call that is under way on another thread is not waited for.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// The handlers of one model or collection, in the order they were added.
final class ModelHandlers: Sendable {
    private let list = Mutex<(next: Int, handlers: [(id: Int, call: @Sendable (ModelEvent) -> Void)])>((0, []))

    func add(_ handler: @escaping @Sendable (ModelEvent) -> Void) -> ModelObservation {
        let id = list.withLock { list in
            list.next += 1
            list.handlers.append((list.next, handler))
            return list.next
        }
        return ModelObservation { [weak self] in
            // Handed out of the lock, so that what the handler holds is released outside.
            _ = self?.list.withLock { list in
                list.handlers.firstIndex { $0.id == id }.map { list.handlers.remove(at: $0) }
            }
        }
    }

    func call(_ event: ModelEvent) {
        for handler in list.withLock({ $0.handlers }) { handler.call(event) }
    }
}
