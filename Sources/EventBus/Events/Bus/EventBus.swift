internal import AshlarCore
import Synchronization

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
public final class EventBus: Sendable {
    /// The bus that the whole app shares.
    public static let shared = EventBus()

    let depthLimit: Int
    let delivery: EventDelivery
    /// The entries of topics.
    private let topics = Mutex(TopicTable())
    /// Increases with every new pattern and every change of interceptors.
    ///
    /// Each topic adopts them at its next trigger, so the cost of a change doesn't depend on the number of topics.
    let generation = Atomic<UInt64>(1)
    /// What triggers must consider.
    let features = Atomic<UInt8>(0)
    /// The triggers of a bus that delivers on the main actor only.
    let mainQueue = SerialRunner(onMain: true)
    /// The observers of the first and the last watch of a topic or pattern.
    let interest = InterestObservers()
    /// The watchers of patterns and of objects.
    let patterns: PatternWatchers
    /// The interceptors, in the order of registration.
    let interceptors = Mutex<[InterceptorEntry]>([])
    /// The topics that store events.
    let storing = Mutex<[ObjectIdentifier: TopicEntry]>([:])
    private let triggerCount = Atomic<UInt64>(0)
    private let watchCount = Atomic<UInt64>(0)
    private let hooks = Mutex(EventHooks())

    private static let numbers = Atomic<UInt32>(0)
    /// The number of the bus in this process.
    @usableFromInline let number = EventBus.numbers.add(1, ordering: .relaxed).newValue

    /// Creates a bus.
    ///
    /// - Parameters:
    ///   - depthLimit: The maximum number of nested triggers on one thread, 1 to 1,000. A deeper trigger is refused: no
    ///     watcher receives the event, and the result and the failure hook contain the error.
    ///   - delivery: Whether handlers run inside `trigger`, or always later on the main actor.
    public init(depthLimit: Int = 64, delivery: EventDelivery = .inline) {
        precondition(1...1000 ~= depthLimit, "EventBus needs a depth limit of 1 to 1000, not \(depthLimit)")
        self.depthLimit = depthLimit
        patterns = PatternWatchers(interest)
        self.delivery = delivery
        if delivery != .inline { insert(.queueing) }
    }

    deinit {
        for topic in allTopics {
            if let contents = topic.close(evenIfUsed: true) { topic.end(contents) }
        }
        patterns.close()
    }

    func nextWatchID() -> UInt64 { watchCount.wrappingAdd(1, ordering: .relaxed).newValue }

    func nextSequence() -> UInt64 { triggerCount.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Topics

    /// Returns the entry of a name, and creates it if necessary.
    func topic(_ name: String) -> TopicEntry {
        var name = name
        return name.withUTF8 { bytes in
            let hash = ByteHash.hash(bytes)
            return topics.withLock { topics in
                if let known = topics.find(bytes, hash: hash) { return known }
                let topic = TopicEntry(name: String(decoding: bytes, as: UTF8.self), hash: hash, bus: self)
                topics.insert(topic)
                return topic
            }
        }
    }

    /// Returns the entry of a name, if there is one.
    ///
    /// - Complexity: O(1), independent of the number of names.
    func topic(ifKnown name: UnsafeBufferPointer<UInt8>) -> TopicEntry? {
        let hash = ByteHash.hash(name)
        return topics.withLock { $0.find(name, hash: hash) }
    }

    /// Returns the entry of a name, if there is one.
    func topic(ifKnown name: String) -> TopicEntry? {
        var name = name
        return name.withUTF8 { topic(ifKnown: $0) }
    }

    /// Removes an unused entry, and closes it before another entry can have its name.
    func removeIfUnused(_ topic: TopicEntry) {
        let contents = topics.withLock { topics -> TopicEntry.State? in
            guard let contents = topic.close() else { return nil }
            topics.remove(topic)
            return contents
        }
        if let contents { topic.end(contents) }
    }

    /// All entries, in any order.
    ///
    /// - Complexity: O(*n*) in the number of names.
    var allTopics: [TopicEntry] { topics.withLock { $0.all } }

    // MARK: Features

    func insert(_ feature: BusFeatures) {
        features.bitwiseOr(feature.rawValue, ordering: .sequentiallyConsistent)
    }

    private func remove(_ feature: BusFeatures) {
        features.bitwiseAnd(~feature.rawValue, ordering: .sequentiallyConsistent)
    }

    func has(_ feature: BusFeatures) -> Bool { features.load(ordering: .relaxed) & feature.rawValue != 0 }

    /// Makes every topic adopt the current patterns and interceptors at its next trigger.
    func didChangePatterns() {
        insert(.patterned)
        generation.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    // MARK: Hooks

    /// Sets the hook called for every failure: an error of a handler, or a refused trigger.
    ///
    /// The hook runs on the thread of the trigger or of the delivery. A failure inside the hook isn't reported again. The
    /// hook replaces an earlier one; nil removes it.
    public func onFailure(_ hook: (@Sendable (EventFailure) throws -> Void)?) {
        // The replaced hook is released outside the lock.
        _ = hooks.withLock { hooks in
            defer { hooks.failure = hook }
            return hooks.failure
        }
    }

    /// Sets the hook called for every undelivered event.
    ///
    /// Events that the hook triggers aren't reported to it. The hook replaces an earlier one; nil removes it.
    public func onUndelivered(_ hook: (@Sendable (Signal<any Sendable>) -> Void)?) {
        // The replaced hook is released outside the lock.
        _ = hooks.withLock { hooks in
            defer { hooks.undelivered = hook }
            return hooks.undelivered
        }
        if hook != nil { insert(.observed) } else { remove(.observed) }
    }

    var undeliveredHook: (@Sendable (Signal<any Sendable>) -> Void)? { hooks.withLock { $0.undelivered } }

    /// Reports a failure to the hook, outside all locks.
    func report(_ failure: EventFailure) {
        guard let hook = hooks.withLock({ $0.failure }) else { return }
        _ = try? BusThread.current.run(.failureHook, ofBus: number) { try hook(failure) }
    }
}

/// When the handlers of a bus run.
public enum EventDelivery: Hashable, Sendable {
    /// Inside `trigger`, unless a watch specifies another delivery.
    case inline
    /// Later, on the main actor, in the order of the triggers, as in iStructure.
    case queuedOnMain
}

private struct EventHooks {
    var failure: (@Sendable (EventFailure) throws -> Void)?
    var undelivered: (@Sendable (Signal<any Sendable>) -> Void)?
}

/// The entries of topics by name.
private struct TopicTable: Sendable {
    private var byHash: [UInt64: TopicEntry] = [:]
    /// The entries whose hash is that of another entry, which practically never exist.
    private var others: [TopicEntry] = []

    var all: [TopicEntry] { Array(byHash.values) + others }

    func find(_ name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> TopicEntry? {
        if let topic = byHash[hash], topic.hasName(name) { return topic }
        return others.isEmpty ? nil : others.first { $0.hasName(name) }
    }

    mutating func insert(_ topic: TopicEntry) {
        if byHash[topic.hash] == nil { byHash[topic.hash] = topic } else { others.append(topic) }
    }

    mutating func remove(_ topic: TopicEntry) {
        if byHash[topic.hash] === topic { byHash[topic.hash] = nil } else { others.removeAll { $0 === topic } }
    }
}

/// What triggers of a bus must consider in addition to the watchers of their topic.
struct BusFeatures: OptionSet {
    let rawValue: UInt8

    /// There is a hook for undelivered events.
    static let observed = Self(rawValue: 1)
    /// There are watchers of all events from one object.
    static let sourced = Self(rawValue: 2)
    /// The bus delivers on the main actor.
    static let queueing = Self(rawValue: 4)
    /// There are, or were, watchers of patterns or interceptors.
    static let patterned = Self(rawValue: 8)

    /// The features that concern events without a watcher.
    static let observing: Self = [.observed, .queueing]
}
