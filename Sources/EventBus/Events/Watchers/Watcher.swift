internal import AshlarCore
public import Synchronization

/// A registered watch: its handler, and the data that the bus needs to call it.
@usableFromInline
class Watcher: @unchecked Sendable {
    // Unchecked because it has a subclass; every stored property is immutable or atomic.
    /// The registration number, unique on the bus and increasing.
    let id: UInt64
    private let place: TriggerPlace
    let priority: Int8
    /// 0 for a current watcher that needs only a plain call; otherwise a set of `WatcherFlags`.
    @usableFromInline let flags: Atomic<UInt8>
    /// Properties that only some watchers have; nil for plain watchers, which remain small.
    let details: WatchDetails?
    /// The state that only few watchers need, created on first use.
    private let usage = Mutex<WatcherUsage?>(nil)

    /// The watchers whose asynchronous handlers the current task is running.
    @TaskLocal static var handling: Set<ObjectIdentifier> = []

    fileprivate init(_ options: WatchOptions, id: UInt64, traits: WatcherFlags) {
        self.id = id
        place = options.place
        priority = options.priority
        details = options.details
        var traits = options.once ? traits.union(.once) : traits
        if options.details?.ownerID != nil { traits.insert(.indirect) }
        if options.isObserver { traits.insert(.observing) }
        flags = Atomic(traits.rawValue)
    }

    deinit { usage.withLock { $0 }?.end.complete() }

    /// The end of the last trigger that uses the watcher, and the topics whose stored events it waits for.
    final var currentUsage: WatcherUsage {
        usage.withLock { usage in
            if let usage { return usage }
            let new = WatcherUsage()
            usage = new
            return new
        }
    }

    /// The source location of the watch.
    var location: EventLocation { place.location }

    final var isLive: Bool { flags.load(ordering: .relaxed) & WatcherFlags.cancelled.rawValue == 0 }

    /// Whether the first event ends the watch.
    final var isOnce: Bool { flags.load(ordering: .relaxed) & WatcherFlags.once.rawValue != 0 }

    /// Whether the watch observes events that others handle; a watch of a pattern does.
    final var isObserver: Bool { flags.load(ordering: .relaxed) & WatcherFlags.observing.rawValue != 0 }

    /// Whether the owner or the source of the watch has been released.
    final var isOrphan: Bool { details?.isOrphan ?? false }

    /// The error of a watch whose bag has outlived its owner; nil for other orphans, which end with their object.
    final var ownerError: EventBusError? {
        guard let details, details.outlivesOwner else { return nil }
        return EventBusError(
            .ownerReleased, subject: details.ownerType.map { "\($0)" } ?? "",
            expected: "a WatchOwner whose bag is released with it", found: "a watch without an owner",
            location: location)
    }

    /// Cancels the watcher, outside all locks; returns whether this call cancelled it.
    final func cancel() -> Bool {
        guard insert(.cancelled) else { return false }
        didCancel()
        return true
    }

    /// Claims the only event of a `once` watch; returns whether it was unclaimed.
    final func claim() -> Bool { insert(.claimed) }

    /// Sets a flag; returns whether it was clear.
    private func insert(_ flag: WatcherFlags) -> Bool {
        flags.bitwiseOr(flag.rawValue, ordering: .acquiringAndReleasing).oldValue & flag.rawValue == 0
    }

    // MARK: Stored events

    /// Makes the watcher skip the new events of a topic until it has received the stored events.
    final func beginJoining(_ topic: AnyObject) {
        currentUsage.joining.withLock { _ = $0.insert(ObjectIdentifier(topic)) }
        _ = insert(.joining)
    }

    final func endJoining(_ topic: AnyObject) {
        currentUsage.joining.withLock { topics in
            topics.remove(ObjectIdentifier(topic))
            guard topics.isEmpty else { return }
            flags.bitwiseAnd(~WatcherFlags.joining.rawValue, ordering: .acquiringAndReleasing)
        }
    }

    final func isJoining(_ topic: AnyObject) -> Bool {
        currentUsage.joining.withLock { $0.contains(ObjectIdentifier(topic)) }
    }

    /// Called once, when the watcher has been cancelled.
    func didCancel() {}

    /// Whether events are queued and handled later.
    var isQueued: Bool { false }

    /// Returns whether this watcher is called before another one for the same event.
    final func precedes(_ other: Watcher) -> Bool {
        priority != other.priority ? priority > other.priority : id < other.id
    }
}

/// A watcher whose handler receives events of one payload type.
///
/// A watcher of any payload is a `TypedWatcher<any Sendable>` with the trait `untyped`.
@usableFromInline
final class TypedWatcher<Payload: Sendable>: Watcher, @unchecked Sendable {
    // Unchecked because the superclass is.
    @usableFromInline typealias Handler = @Sendable (Signal<Payload>) throws -> Void

    @usableFromInline let handler: Handler
    /// The queue of a watcher whose handler runs later; nil for an inline watcher.
    let queue: EventQueue<Payload>?

    init(_ options: WatchOptions, id: UInt64, traits: WatcherFlags, _ delivery: WatchDelivery<Payload>) {
        switch delivery {
        case .inline(let handler):
            self.handler = handler
            queue = nil
            super.init(options, id: id, traits: traits)
        case .queued(let queue):
            handler = { _ in }
            self.queue = queue
            super.init(options, id: id, traits: traits.union(.indirect))
        }
    }

    /// Receives an event: calls the handler or queues the event.
    func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> TakeOutcome {
        if let queue { return try queue.take(signal, call, for: self) }
        try handler(signal)
        return .delivered
    }

    override func didCancel() { queue?.end() }

    override var isQueued: Bool { queue != nil }
}

/// How a watch delivers events to its handler.
enum WatchDelivery<Payload: Sendable>: Sendable {
    /// Inside the trigger.
    case inline(TypedWatcher<Payload>.Handler)
    /// Through a queue: on an actor, in a task, or as the elements of a stream.
    case queued(EventQueue<Payload>)
}

/// The properties of a watcher that needs more than a plain call of the handler.
@usableFromInline
struct WatcherFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @usableFromInline init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No further call starts.
    @usableFromInline static let cancelled = Self(rawValue: 0x80)
    /// The only event of a `once` watch has been claimed.
    static let claimed = Self(rawValue: 0x40)
    /// The first event ends the watch.
    static let once = Self(rawValue: 0x01)
    /// The handler receives any payload.
    @usableFromInline static let untyped = Self(rawValue: 0x02)
    /// Events are received by `TypedWatcher.take` instead of a call of the handler.
    static let indirect = Self(rawValue: 0x04)
    /// The stored events of some topics come first.
    static let joining = Self(rawValue: 0x08)
    /// The watch doesn't handle events.
    static let observing = Self(rawValue: 0x10)
}

/// The state of a watcher that only few watchers need.
final class WatcherUsage: Sendable {
    /// The end of the last trigger that uses the cancelled watcher.
    let end = Completion()
    /// The topics whose stored events the watcher hasn't received yet.
    let joining = Mutex<Set<ObjectIdentifier>>([])
}

/// The arguments of a `watch` call, except the handler.
struct WatchOptions: Sendable {
    let priority: Int8
    let once: Bool
    let details: WatchDetails?
    let place: TriggerPlace
    /// The bag in which the watch is stored before its handler is first called.
    let bag: WatchBag?
    /// Whether the watch answers requests, which only one watch of a topic can do.
    let isResponder: Bool
    /// Whether the watch observes events without handling them.
    let isObserver: Bool

    init(
        pattern: TopicPattern?, source: AnyObject?, owner: AnyObject? = nil, bag: WatchBag? = nil,
        priority: Int8 = 0, once: Bool = false, isResponder: Bool = false, isObserver: Bool = false,
        at place: TriggerPlace
    ) {
        // A pattern without stars is the name of the topic with which it is registered.
        let pattern = pattern?.exactName == nil ? pattern : nil
        self.isObserver = isObserver || pattern != nil
        let isPlain = owner == nil && source == nil && pattern == nil
        details = isPlain ? nil : WatchDetails(owner: owner, source: source, pattern: pattern, hasBag: bag != nil)
        self.bag = bag
        self.priority = priority
        self.once = once
        self.isResponder = isResponder
        self.place = place
    }

    var location: EventLocation { place.location }
}

/// The owner, the source and the pattern of a watch.
final class WatchDetails: Sendable {
    private let owner: WeakObject
    private let source: WeakObject
    let ownerType: (any AnyObject.Type)?
    let ownerID: ObjectIdentifier?
    let sourceID: ObjectIdentifier?

    /// The watched pattern, if the watch isn't for a topic.
    let pattern: TopicPattern?
    /// Whether the bag of the owner ends the watch.
    private let hasBag: Bool

    init(owner: AnyObject?, source: AnyObject?, pattern: TopicPattern?, hasBag: Bool) {
        self.owner = WeakObject(owner)
        self.source = WeakObject(source)
        self.pattern = pattern
        self.hasBag = hasBag
        ownerType = owner.map { type(of: $0) }
        ownerID = owner.map { ObjectIdentifier($0) }
        sourceID = source.map { ObjectIdentifier($0) }
    }

    /// Whether the watch hasn't ended with its owner.
    var outlivesOwner: Bool { hasBag && ownerID != nil && owner.object == nil }

    var isOrphan: Bool { ownerID != nil && owner.object == nil || sourceID != nil && source.object == nil }

    /// Returns whether an object is the source; its address alone could belong to a later object.
    func isSource(_ object: AnyObject) -> Bool { source.object === object }
}
