internal import AshlarCore
public import Synchronization

/// A registered watch: its handler, and the data that the bus needs to call it.
@usableFromInline
class Watcher: @unchecked Sendable {
    // Unchecked because it has a subclass; every stored property is immutable or atomic.
    /// The registration number, unique on the bus and increasing.
    let id: UInt64
    private let fileStart: UnsafePointer<UInt8>
    private let line: UInt32
    private let fileCount: UInt16
    private let column: UInt16
    let priority: Int8
    /// 0 for a current watcher that needs only a plain call; otherwise a set of `WatcherState` bits.
    @usableFromInline let state: Atomic<UInt8>
    /// Properties that only some watchers have; nil for plain watchers, which remain small.
    let details: WatchDetails?
    private let attendance = Atomic<Unmanaged<Attendance>?>(nil)

    /// The watchers whose asynchronous handlers the current task is running.
    @TaskLocal static var drained: Set<ObjectIdentifier> = []

    fileprivate init(_ options: WatchOptions, id: UInt64, traits: WatcherState) {
        self.id = id
        (fileStart, fileCount) = (options.fileID.utf8Start, UInt16(clamping: options.fileID.utf8CodeUnitCount))
        (line, column) = (options.line, UInt16(clamping: options.column))
        (priority, details) = (options.priority, options.details)
        var traits = options.once ? traits.union(.once) : traits
        if options.details?.hasOwner == true { traits.insert(.indirect) }
        state = Atomic(traits.rawValue)
    }

    deinit {
        guard let attendance = attendance.load(ordering: .acquiring) else { return }
        attendance._withUnsafeGuaranteedRef { $0.departure.isOver() }
        attendance.release()
    }

    /// Returns the attendance of the watcher, which is created on first use.
    final func makeAttendance() -> Attendance {
        if let known = attendance.load(ordering: .acquiring) { return known.takeUnretainedValue() }
        let new = Unmanaged.passRetained(Attendance())
        let (isMine, known) = attendance.compareExchange(
            expected: nil, desired: new, ordering: .acquiringAndReleasing)
        if isMine { return new.takeUnretainedValue() }
        new.release()
        return known?.takeUnretainedValue() ?? Attendance()
    }

    /// The source location of the watch.
    var location: EventLocation {
        EventLocation(
            file: String(decoding: UnsafeBufferPointer(start: fileStart, count: Int(fileCount)), as: UTF8.self),
            line: Int(line), column: Int(column))
    }

    final var isLive: Bool { state.load(ordering: .relaxed) & WatcherState.cancelled.rawValue == 0 }

    /// Whether the owner or the source of the watch has been released.
    final var isOrphan: Bool { details?.isOrphan ?? false }

    /// Marks the watcher as cancelled; returns whether this call cancelled it.
    final func cancel() -> Bool { insert(.cancelled) }

    /// Claims the only event of a `once` watch; returns whether it was unclaimed.
    final func claim() -> Bool { insert(.claimed) }

    /// Sets a bit of the state; returns whether it was clear.
    final func insert(_ bit: WatcherState) -> Bool {
        state.bitwiseOr(bit.rawValue, ordering: .acquiringAndReleasing).oldValue & bit.rawValue == 0
    }

    // MARK: Stored events

    /// Makes the watcher skip the new events of a topic until it has received the stored events.
    final func beginJoining(_ topic: AnyObject) {
        makeAttendance().joining.withLock { _ = $0.insert(ObjectIdentifier(topic)) }
        _ = insert(.joining)
    }

    final func endJoining(_ topic: AnyObject) {
        makeAttendance().joining.withLock { topics in
            topics.remove(ObjectIdentifier(topic))
            guard topics.isEmpty else { return }
            state.bitwiseAnd(~WatcherState.joining.rawValue, ordering: .acquiringAndReleasing)
        }
    }

    final func isJoining(_ topic: AnyObject) -> Bool {
        makeAttendance().joining.withLock { $0.contains(ObjectIdentifier(topic)) }
    }

    /// Called once, outside all locks, after the watcher was cancelled and removed from the lists.
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

    init(_ options: WatchOptions, id: UInt64, traits: WatcherState, _ delivery: WatchDelivery<Payload>) {
        switch delivery {
        case .inline(let handler):
            (self.handler, queue) = (handler, nil)
            super.init(options, id: id, traits: traits)
        case .queued(let queue):
            (handler, self.queue) = ({ _ in }, queue)
            super.init(options, id: id, traits: traits.union(.indirect))
        }
    }

    /// Receives an event: calls the handler or queues the event.
    func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
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
struct WatcherState: OptionSet, Sendable {
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
}

/// The state of a watcher that only few watchers need.
final class Attendance: Sendable {
    /// The departure of the last trigger that uses the cancelled watcher.
    let departure = Departure()
    /// The topics whose stored events the watcher hasn't received yet.
    let joining = Mutex<Set<ObjectIdentifier>>([])
}

/// The arguments of a `watch` call, except the handler.
struct WatchOptions: Sendable {
    var priority: Int8
    var once: Bool
    let details: WatchDetails?
    let fileID: StaticString
    let line: UInt32
    let column: UInt32
    /// The bag in which the watch is stored before its handler is first called.
    let bag: WatchBag?
    /// Whether the watch answers requests, which only one watch of a topic can do.
    let isResponder: Bool

    init(
        pattern: TopicPattern?, source: AnyObject?, owner: AnyObject? = nil, bag: WatchBag? = nil,
        priority: Int8 = 0, once: Bool = false, isResponder: Bool = false,
        location: (fileID: StaticString, line: UInt32, column: UInt32)
    ) {
        details = .make(owner: owner, source: source, pattern: pattern)
        (self.bag, self.priority, self.once, self.isResponder) = (bag, priority, once, isResponder)
        (fileID, line, column) = location
    }

    var location: EventLocation { EventLocation(fileID, line, column) }
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

    private init(owner: AnyObject?, source: AnyObject?, pattern: TopicPattern?) {
        (self.owner, self.source, self.pattern) = (WeakObject(owner), WeakObject(source), pattern)
        ownerType = owner.map { type(of: $0) }
        ownerID = owner.map { ObjectIdentifier($0) }
        sourceID = source.map { ObjectIdentifier($0) }
    }

    /// Returns nil for a watch without any of these properties.
    static func make(owner: AnyObject?, source: AnyObject?, pattern: TopicPattern?) -> WatchDetails? {
        // A pattern without stars is the name of the topic with which it is registered.
        let pattern = pattern?.exactName == nil ? pattern : nil
        if owner == nil && source == nil && pattern == nil { return nil }
        return WatchDetails(owner: owner, source: source, pattern: pattern)
    }

    var hasOwner: Bool { ownerID != nil }

    var isOrphan: Bool { ownerID != nil && owner.object == nil || sourceID != nil && source.object == nil }

    /// Returns whether an object is the source; its address alone could belong to a later object.
    func isSource(_ object: AnyObject) -> Bool { source.object === object }
}
