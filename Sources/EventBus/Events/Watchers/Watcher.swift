internal import AshlarCore
import Synchronization

/// A registered watch: what it watches, and whether it has ended; its handler is an `EventHandler`.
final class Watcher: WatchHost, Sendable {
    /// The registration number, unique in the process and increasing.
    let id: UInt64
    let priority: Int8
    /// Whether the watch observes events that others handle.
    let isObserver: Bool
    /// Whether the watch answers requests.
    let isResponder: Bool
    /// Whether the first event ends the watch.
    let isOnce: Bool
    /// The name of the topic, or the text of the pattern.
    let watched: String
    /// Properties that only some watchers have.
    let details: WatchDetails?
    private let place: TriggerPlace
    private weak let bus: (any WatcherHome)?
    /// 0 for a current watcher that needs only a call of its handler.
    private let flags: Atomic<UInt8>
    /// The state that only few watchers need, created on first use.
    private let usage = Mutex<Usage?>(nil)

    private static let numbers = Atomic<UInt64>(0)

    /// Returns the next registration number.
    static func nextID() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The watchers whose asynchronous handlers the current task is running.
    @TaskLocal static var handling: Set<UInt64> = []

    /// No further call starts.
    private static let cancelled: UInt8 = 1
    /// The only event of a `once` watch has been claimed.
    private static let claimed: UInt8 = 2
    /// The watch needs checks before each call.
    private static let checked: UInt8 = 4
    /// The stored events of some topics come first.
    private static let joining: UInt8 = 8
    /// The handler has been released.
    private static let released: UInt8 = 16

    init(_ watched: String, _ options: WatchOptions, on bus: any WatcherHome) {
        id = Self.nextID()
        self.watched = watched
        self.bus = bus
        priority = options.priority
        isObserver = options.isObserver
        isResponder = options.isResponder
        isOnce = options.once
        details = options.details
        place = options.place
        flags = Atomic(options.once || options.details?.ownerType != nil ? Self.checked : 0)
    }

    /// The source location of the watch.
    var location: EventLocation { place.location }

    /// Whether the watcher is current and needs only a call of its handler.
    var isPlain: Bool { flags.load(ordering: .relaxed) == 0 }

    var isLive: Bool { flags.load(ordering: .acquiring) & Self.cancelled == 0 }

    /// Whether the owner or the source of the watch has been released.
    var isOrphan: Bool { details?.isOrphan ?? false }

    /// The error of a watch whose bag has outlived its owner; nil for other orphans, which end with their object.
    var ownerError: EventBusError? {
        guard let details, details.outlivesOwner else { return nil }
        return EventBusError(
            .ownerReleased, subject: details.ownerType.map { "\($0)" } ?? "",
            expected: "a WatchOwner whose bag is released with it", found: "a watch without an owner",
            location: location)
    }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }

    func cancel() -> Bool { bus?.cancel(self) ?? false }

    /// Makes no further call start; returns whether this call ended the watch.
    func markCancelled() -> Bool { insert(Self.cancelled) }

    /// Claims the only event of a `once` watch; returns whether it was unclaimed.
    func claim() -> Bool { insert(Self.claimed) }

    /// Sets a flag; returns whether it was clear.
    private func insert(_ flag: UInt8) -> Bool {
        flags.bitwiseOr(flag, ordering: .acquiringAndReleasing).oldValue & flag == 0
    }

    // MARK: Rarely used state

    private struct Usage: Sendable {
        /// The end of the last trigger that uses the cancelled watch.
        let end = Completion()
        /// The topics whose stored events the watcher hasn't received yet.
        var joining: Set<String> = []
    }

    /// The release of the handler, which the bus and running triggers retain.
    var end: Completion {
        let end = use { $0.end }
        if flags.load(ordering: .acquiring) & Self.released != 0 { end.complete() }
        return end
    }

    /// Reports the release of the handler.
    func didRelease() {
        _ = insert(Self.released)
        usage.withLock { $0 }?.end.complete()
    }

    private func use<Result: Sendable>(_ body: (inout Usage) -> Result) -> Result {
        usage.withLock { usage in
            var used = usage ?? Usage()
            defer { usage = used }
            return body(&used)
        }
    }

    /// Makes the watcher skip the new events of a topic until it has received the stored events.
    func beginJoining(_ topic: String) {
        use { _ = $0.joining.insert(topic) }
        _ = insert(Self.joining)
    }

    func endJoining(_ topic: String) {
        use { usage in
            usage.joining.remove(topic)
            guard usage.joining.isEmpty else { return }
            flags.bitwiseAnd(~Self.joining, ordering: .acquiringAndReleasing)
        }
    }

    func isJoining(_ topic: String) -> Bool {
        flags.load(ordering: .acquiring) & Self.joining != 0 && use { $0.joining.contains(topic) }
    }
}

/// The bus of watchers, which removes those that end.
protocol WatcherHome: AnyObject, Sendable {
    /// Ends a watch; returns whether this call ended it.
    func cancel(_ watcher: Watcher) -> Bool
}

/// The handler of a watch, which only the bus and running triggers retain.
///
/// Nothing refers to it weakly, because calls would then count its references several times slower.
@usableFromInline
class EventHandler: @unchecked Sendable {
    // Unchecked because it has a subclass; every stored property is immutable.
    final let watcher: Watcher
    final let isObserver: Bool
    /// The closure that runs inside the trigger, if it takes any payload.
    final let untypedBody: (@Sendable (Signal<any Sendable>) throws -> Void)?

    fileprivate init(_ watcher: Watcher, _ untypedBody: (@Sendable (Signal<any Sendable>) throws -> Void)?) {
        self.watcher = watcher
        self.untypedBody = untypedBody
        isObserver = watcher.isObserver
    }

    deinit { watcher.didRelease() }

    /// Called once, when the watch has ended.
    func didCancel() {}

    /// Whether events are queued and handled later.
    var isQueued: Bool { false }

    /// Returns whether the handler takes a payload.
    func accepts(_ payload: any Sendable) -> Bool { false }

    /// Receives an event: calls the closure or queues the event; returns nil for a payload of another type.
    func take(_ payload: any Sendable, _ context: SignalContext, _ call: TriggerCall) throws -> TakeOutcome? { nil }
}

/// A handler of events of one payload type; `any Sendable` for a watch of patterns and bare names.
@usableFromInline
final class TypedHandler<Payload: Sendable>: EventHandler, @unchecked Sendable {
    // Unchecked because the superclass is.
    /// The closure that runs inside the trigger; nil if events are queued.
    @usableFromInline let body: (@Sendable (Signal<Payload>) throws -> Void)?
    let queue: EventQueue<Payload>?

    init(_ watcher: Watcher, _ delivery: WatchDelivery<Payload>) {
        switch delivery {
        case .inline(let body):
            self.body = body
            queue = nil
        case .queued(let queue):
            body = nil
            self.queue = queue
        }
        super.init(watcher, body as? @Sendable (Signal<any Sendable>) throws -> Void)
    }

    override func didCancel() { queue?.end() }

    override var isQueued: Bool { queue != nil }

    override func accepts(_ payload: any Sendable) -> Bool { payload is Payload }

    override func take(
        _ payload: any Sendable, _ context: SignalContext, _ call: TriggerCall
    ) throws -> TakeOutcome? {
        guard let payload = payload as? Payload else { return nil }
        let signal = Signal(payload, context)
        if let queue { return try queue.take(signal, call, for: self) }
        try body?(signal)
        return .delivered
    }
}

/// How a watch delivers events to its handler.
enum WatchDelivery<Payload: Sendable>: Sendable {
    /// Inside the trigger.
    case inline(@Sendable (Signal<Payload>) throws -> Void)
    /// Through a queue: on an actor, in a task, or as the elements of a stream.
    case queued(EventQueue<Payload>)
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
    let isObserver: Bool

    init(
        pattern: TopicPattern?, source: AnyObject?, owner: AnyObject? = nil, bag: WatchBag? = nil,
        priority: Int8 = 0, once: Bool = false, isResponder: Bool = false, isObserver: Bool = false,
        at place: TriggerPlace
    ) {
        // A pattern without stars is the name of the topic with which it is registered.
        let pattern = pattern?.exactName == nil ? pattern : nil
        let isPlain = owner == nil && source == nil && pattern == nil
        details = isPlain ? nil : WatchDetails(owner: owner, source: source, pattern: pattern, hasBag: bag != nil)
        self.bag = bag
        self.priority = priority
        self.once = once
        self.isResponder = isResponder
        self.isObserver = isObserver || pattern != nil
        self.place = place
    }
}

/// The owner, the source and the pattern of a watch.
final class WatchDetails: Sendable {
    private let owner: WeakObject
    let source: WeakObject
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

    /// Whether the watch can end with an object.
    var isOwned: Bool { ownerID != nil || sourceID != nil }
}
