public import Synchronization

/// One registered watch: what is called, and everything the bus must know to call it.
///
/// Unchecked because it has subclasses: every stored property is immutable, atomic or, in `WatchDetails`, weak.
@usableFromInline
class Watcher: @unchecked Sendable {
    /// The registration number, unique on the bus and growing.
    let id: UInt64
    private let fileStart: UnsafePointer<UInt8>
    private let line: UInt32
    private let fileCount: UInt16
    private let column: UInt16
    let priority: Int8
    /// 0 for a live watcher that wants nothing but a plain call; otherwise a set of `WatcherState` bits.
    @usableFromInline let state: Atomic<UInt8>
    /// Properties of some watchers only; nil for plain ones, which stay small.
    let details: WatchDetails?
    /// What those wait for who want to know that the last trigger has let go of the watcher.
    private let departure = Atomic<Unmanaged<Departure>?>(nil)

    init(_ options: WatchOptions, id: UInt64, traits: WatcherState) {
        self.id = id
        (fileStart, fileCount) = (options.fileID.utf8Start, UInt16(clamping: options.fileID.utf8CodeUnitCount))
        (line, column) = (options.line, UInt16(clamping: options.column))
        (priority, details) = (options.priority, options.details)
        state = Atomic((options.once ? traits.union(.once) : traits).rawValue)
    }

    deinit {
        if let departure = departure.load(ordering: .acquiring) {
            departure._withUnsafeGuaranteedRef { $0.isOver() }
            departure.release()
        }
    }

    /// Returns what is over once nothing holds the watcher any more.
    final func makeDeparture() -> Departure {
        if let known = departure.load(ordering: .acquiring) { return known.takeUnretainedValue() }
        let new = Unmanaged.passRetained(Departure())
        let (isMine, known) = departure.compareExchange(
            expected: nil, desired: new, ordering: .acquiringAndReleasing)
        if isMine { return new.takeUnretainedValue() }
        new.release()
        return known?.takeUnretainedValue() ?? Departure()
    }

    /// The source location of the watch.
    var location: EventLocation {
        EventLocation(
            file: String(decoding: UnsafeBufferPointer(start: fileStart, count: Int(fileCount)), as: UTF8.self),
            line: Int(line), column: Int(column))
    }

    final var isLive: Bool { state.load(ordering: .relaxed) & WatcherState.cancelled.rawValue == 0 }

    /// Whether the owner or the source that the watch lives with is gone.
    final var isOrphan: Bool { details?.isOrphan ?? false }

    /// Marks the watcher so that no call starts any more; returns whether it was live.
    final func cancel() -> Bool {
        let cancelled = WatcherState.cancelled.rawValue
        return state.bitwiseOr(cancelled, ordering: .acquiringAndReleasing).oldValue & cancelled == 0
    }

    /// Marks the one event of a `once` watch as taken; returns whether it was not.
    final func claim() -> Bool {
        let claimed = WatcherState.claimed.rawValue
        return state.bitwiseOr(claimed, ordering: .acquiringAndReleasing).oldValue & claimed == 0
    }

    /// Called once, outside all locks, after the watcher was cancelled and taken out of the lists.
    func didCancel() {}

    /// Whether events are taken now and handled later.
    var isQueued: Bool { false }

    /// Whether this watcher is called before the other one for the same event.
    final func precedes(_ other: Watcher) -> Bool {
        priority != other.priority ? priority > other.priority : id < other.id
    }
}

/// What is particular about a watcher; a watcher without any of these is called directly.
@usableFromInline
struct WatcherState: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @usableFromInline init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No call may start any more.
    @usableFromInline static let cancelled = Self(rawValue: 0x80)
    /// The one event of a `once` watch has been taken.
    static let claimed = Self(rawValue: 0x40)
    /// The first event ends the watch.
    static let once = Self(rawValue: 0x01)
    /// The handler takes any payload.
    @usableFromInline static let untyped = Self(rawValue: 0x02)
    /// Events are taken by `TypedWatcher.take` and not by a call of the handler.
    static let indirect = Self(rawValue: 0x04)
}

/// The arguments of a `watch` call, except the handler.
struct WatchOptions {
    var priority: Int8
    var once: Bool
    let details: WatchDetails?
    let fileID: StaticString
    let line: UInt32
    let column: UInt32
    /// The bag that holds the watch before its handler is first called.
    let bag: WatchBag?

    init<Payload>(
        _ selection: EventSelection<Payload>, source: AnyObject?, owner: AnyObject? = nil, bag: WatchBag? = nil,
        priority: Int8 = 0, once: Bool = false, location: (fileID: StaticString, line: UInt32, column: UInt32)
    ) {
        details = .make(owner: owner, source: source, pattern: selection.pattern)
        (self.bag, self.priority, self.once) = (bag, priority, once)
        (fileID, line, column) = location
    }

    var location: EventLocation { EventLocation(fileID, line, column) }
}

/// The owner and the source of a watch, neither retained.
final class WatchDetails: @unchecked Sendable {
    // Unchecked because of the weak references, which are set once and are safe to read from any thread.
    private weak var owner: AnyObject?
    private weak var source: AnyObject?
    let ownerType: (any AnyObject.Type)?
    let ownerID: ObjectIdentifier?
    let sourceID: ObjectIdentifier?

    /// The pattern that was watched, if it was not a topic.
    let pattern: TopicPattern?

    init(owner: AnyObject?, source: AnyObject?, pattern: TopicPattern?) {
        (self.owner, self.source, self.pattern) = (owner, source, pattern)
        ownerType = owner.map { type(of: $0) }
        ownerID = owner.map { ObjectIdentifier($0) }
        sourceID = source.map { ObjectIdentifier($0) }
    }

    /// Nil when a watch has none of them, so that it costs nothing.
    static func make(
        owner: AnyObject? = nil, source: AnyObject?, pattern: TopicPattern? = nil
    ) -> WatchDetails? {
        // A pattern without stars is the name of the topic that it is registered with.
        let pattern = pattern?.exactName == nil ? pattern : nil
        if owner == nil && source == nil && pattern == nil { return nil }
        return WatchDetails(owner: owner, source: source, pattern: pattern)
    }

    var isOrphan: Bool { ownerType != nil && owner == nil || sourceID != nil && source == nil }

    /// Whether this very object is the source: its address alone could have been used again.
    func isSource(_ object: AnyObject) -> Bool { source === object }
}

/// A watcher whose handler takes events of one payload type; a watcher of any payload is a
/// `TypedWatcher<any Sendable>` with the trait `untyped`.
@usableFromInline
class TypedWatcher<Payload: Sendable>: Watcher, @unchecked Sendable {
    @usableFromInline typealias Handler = @Sendable (Signal<Payload>) throws -> Void

    @usableFromInline final let handler: Handler

    init(_ options: WatchOptions, id: UInt64, traits: WatcherState, handler: @escaping Handler) {
        self.handler = handler
        super.init(options, id: id, traits: traits)
    }

    /// Takes an event in the watcher's own way; the plain way is to call the handler.
    func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        try handler(signal)
        return .delivered
    }
}

/// What a watcher did with an event.
@usableFromInline
enum Taking {
    case delivered
    case queued
    /// The event is queued, and an older one was dropped for it.
    case displaced
    /// The event itself was dropped.
    case dropped
    case skipped
}
