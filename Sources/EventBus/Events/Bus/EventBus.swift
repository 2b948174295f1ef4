internal import AshlarCore
public import Synchronization

/// Delivers events to watchers, by name, by type, by source object, or by pattern.
///
/// A handler runs inside `trigger`, on the thread of the caller, unless its watch specifies another delivery. Handlers
/// of one event run in the order of their priority, then of their registration. A bus is thread-safe and holds no lock
/// while it runs your code.
///
/// ```swift
/// let bus = EventBus()
/// let watch = bus.watch("network:on") { signal in print(signal.name, signal.payload) }
/// bus.trigger("network:on", ["host": "example.org"])
/// watch.cancel()
/// ```
///
/// Only the bus retains its watchers. When the bus is released, its watches end.
public final class EventBus: WatcherBus {
    /// The bus that the whole app shares.
    public static let shared = EventBus()

    /// The word of a slot that is up to date and has no work to do; see `SlotWord`.
    ///
    /// It changes with every new pattern, hook and tap. The next trigger updates a slot with another word, so the cost
    /// of these changes doesn't depend on the number of topics.
    @usableFromInline let word: Atomic<UInt64>
    let slots = SlotTable()
    let depthLimit: Int
    let delivery: EventDelivery
    let nesting: EventNesting
    /// The triggers of a bus that delivers on the main actor only.
    let mainQueue = Mailbox(.unbounded)
    /// The watchers of patterns and of objects.
    let wide: WideWatchers
    /// The cancelled watchers that are still in use.
    let departing = DepartingWatchers()
    /// The interceptors, in the order of registration.
    let interceptors = Mutex<[InterceptorEntry]>([])
    /// The topics that store events.
    let storing = Mutex<[ObjectIdentifier: TopicSlot]>([:])
    private let counters = BusCounters()
    private let flags = Atomic<UInt64>(0)
    private let hooks = Mutex(EventHooks())
    /// Whether there is a failure hook, so that a handler that throws doesn't need the lock of the hooks.
    private let hasFailureHook = Atomic(false)

    private static let numbers = Atomic<UInt32>(0)
    /// The number of the bus in this process.
    let number = EventBus.numbers.add(1, ordering: .relaxed).newValue

    /// Creates a bus.
    ///
    /// - Parameters:
    ///   - depthLimit: The maximum number of nested triggers on one thread, 1 to 1,000. A deeper trigger is refused: no
    ///     watcher receives the event, and the result and the failure hook contain the error.
    ///   - delivery: Whether handlers run inside `trigger`, or always later on the main actor.
    ///   - nesting: When a trigger inside a handler is delivered.
    public init(
        depthLimit: Int = 64, delivery: EventDelivery = .inline, nesting: EventNesting = .depthFirst
    ) {
        precondition(1...1000 ~= depthLimit, "EventBus needs a depth limit of 1 to 1000, not \(depthLimit)")
        (self.depthLimit, self.delivery, self.nesting) = (depthLimit, delivery, nesting)
        wide = WideWatchers(departing: departing)
        word = Atomic(SlotWord.make(generation: 1, bus: number))
        if delivery != .inline || nesting != .depthFirst { raise(.diverted) }
    }

    deinit {
        for slot in slots.removeAll() { slot.close(evenIfUsed: true)?.end() }
        wide.close()
    }

    func nextWatchID() -> UInt64 { counters.watches.wrappingAdd(1, ordering: .relaxed).newValue }

    func nextSequence() -> UInt64 { counters.triggers.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Slots

    /// Returns the slot of a name, and creates it if necessary.
    func slot(_ name: String, hash: UInt64) -> TopicSlot {
        slots.findOrInsert(name, hash: hash) { TopicSlot(name: name, hash: hash, bus: self) }
    }

    /// Returns the slot of a name, if there is one.
    func slot(ifKnown name: String) -> TopicSlot? {
        var name = name
        return name.withUTF8 { slots.find($0, hash: TopicName.hash($0)) }
    }

    func retireIfUnused(_ slot: TopicSlot) { slots.removeIfUnused(slot) }

    /// Makes every slot check for new patterns and flags at its next trigger.
    func outdateSlots() { word.wrappingAdd(SlotWord.generation, ordering: .sequentiallyConsistent) }

    /// Sets a flag on every current and later slot.
    func raise(_ flag: SlotWord) {
        let old = flags.bitwiseOr(flag.rawValue, ordering: .sequentiallyConsistent).oldValue
        if old & flag.rawValue == 0 { outdateSlots() }
    }

    /// Clears a flag on every slot.
    func lower(_ flag: SlotWord) {
        flags.bitwiseAnd(~flag.rawValue, ordering: .sequentiallyConsistent)
        outdateSlots()
    }

    /// The flags of every slot.
    var raised: UInt64 { flags.load(ordering: .sequentiallyConsistent) & ~SlotWord.patterned.rawValue }

    func hasRaised(_ flag: SlotWord) -> Bool { flags.load(ordering: .relaxed) & flag.rawValue != 0 }

    // MARK: Hooks

    /// Sets the hook called for every failure: an error of a handler, or a refused trigger.
    ///
    /// The hook runs on the thread of the trigger or of the delivery. A failure inside the hook isn't reported again. The
    /// hook replaces an earlier one; nil removes it.
    public func onFailure(_ hook: (@Sendable (EventFailure) throws -> Void)?) {
        let old = hooks.withLock { hooks in
            defer { hooks.failure = hook }
            return hooks.failure
        }
        hasFailureHook.store(hook != nil, ordering: .releasing)
        _ = consume old
    }

    /// Sets the hook called for every undelivered event.
    ///
    /// Events that the hook triggers aren't reported to it. The hook replaces an earlier one; nil removes it.
    public func onUndelivered(_ hook: (@Sendable (Signal<any Sendable>) -> Void)?) {
        let old = hooks.withLock { hooks in
            defer { hooks.undelivered = hook }
            return hooks.undelivered
        }
        _ = consume old
        if hook != nil { raise(.observed) } else { lower(.observed) }
    }

    /// The number of errors that the failure hook threw, and of failures inside it.
    package var hookFailureCount: Int { counters.hookFailures.load(ordering: .relaxed) }

    /// The number of triggers that were refused because they were nested too deeply.
    package var refusedCount: Int { counters.refused.load(ordering: .relaxed) }

    /// The number of nodes in the trie of watched patterns.
    package var patternNodeCount: Int { wide.patternNodeCount }

    func countRefused() { counters.refused.add(1, ordering: .relaxed) }

    /// Sets the hook called after the inline handlers of each trigger.
    ///
    /// A bus without a tap has no extra cost. Triggers inside the tap aren't traced. The tap replaces an earlier one;
    /// nil removes it.
    public func tap(_ tap: (@Sendable (EventTrace) -> Void)?) {
        let old = hooks.withLock { hooks in
            defer { hooks.tap = tap }
            return hooks.tap
        }
        _ = consume old
        if tap != nil { raise(.tapped) } else { lower(.tapped) }
    }

    var tapHook: (@Sendable (EventTrace) -> Void)? { hooks.withLock { $0.tap } }

    var undeliveredHook: (@Sendable (Signal<any Sendable>) -> Void)? { hooks.withLock { $0.undelivered } }

    /// Reports a failure to the hook, outside all locks.
    func report(_ failure: EventFailure) {
        guard hasFailureHook.load(ordering: .acquiring), let hook = hooks.withLock({ $0.failure }) else { return }
        let hasRun = try? BusThread.current.run(.failureHook, ofBus: number) { try hook(failure) }
        if hasRun != true { counters.hookFailures.add(1, ordering: .relaxed) }
    }
}

/// When the handlers of a bus run.
public enum EventDelivery: Hashable, Sendable {
    /// Inside `trigger`, unless a watch specifies another delivery.
    case inline
    /// Later, on the main actor, in the order of the triggers, as in iStructure.
    case queuedOnMain
}

/// When a trigger inside a handler is delivered.
public enum EventNesting: Hashable, Sendable {
    /// At once, inside the outer trigger.
    case depthFirst
    /// After all handlers of the outer trigger, as in Guava's event bus.
    case breadthFirst
}

private struct EventHooks {
    var failure: (@Sendable (EventFailure) throws -> Void)?
    var undelivered: (@Sendable (Signal<any Sendable>) -> Void)?
    var tap: (@Sendable (EventTrace) -> Void)?
}

/// The counters of a bus, in a separate object so that the cache lines of the bus are only read.
private final class BusCounters: Sendable {
    private let before: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
    let triggers = Atomic<UInt64>(0)
    private let between: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    let watches = Atomic<UInt64>(0)
    let hookFailures = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
}
