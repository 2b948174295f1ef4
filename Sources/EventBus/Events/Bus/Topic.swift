internal import AshlarCore
public import Synchronization

/// A name bound to one payload type, with which events are triggered and watched.
///
/// A name consists of 1 to 255 bytes of UTF-8 in segments separated by `:`, such as `network:on`. Topics with equal
/// names are equal. Store a topic in a `static let`, because it caches its slot on the bus:
///
/// ```swift
/// enum Topics {
///     static let signedIn = Topic<Int>("account:signedIn")
/// }
/// EventBus.shared.trigger(Topics.signedIn, 42)
/// ```
public struct Topic<Payload: Sendable>: Sendable, Hashable, CustomStringConvertible {
    @usableFromInline let core: TopicCore

    /// Creates a topic with a literal name.
    ///
    /// A topic that stores events delivers its last events to each new watcher, including watchers of a pattern, before
    /// any new event of the topic. Such a topic is ordered. An ordered topic delivers one event at a time, even if
    /// several threads trigger it: a trigger during a delivery is queued, and so are the stored events for a new watch.
    /// Both properties apply to all topics with this name on a bus.
    ///
    /// - Precondition: The name is well-formed; `0 <= keeping`.
    public init(
        _ name: StaticString, of payload: Payload.Type = Payload.self, keeping: Int = 0, ordered: Bool = false
    ) {
        let text = name.description
        if let mistake = TopicName.mistake(in: text) { preconditionFailure(mistake.description) }
        precondition(keeping >= 0, "a topic cannot keep \(keeping) events")
        core = TopicCore(text, keeping: keeping, isOrdered: ordered)
    }

    /// Creates a topic with a name known at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName` and the offset of the mistake, or `invalidCapacity`.
    public init(
        named name: String, of payload: Payload.Type = Payload.self, keeping: Int = 0, ordered: Bool = false
    ) throws(EventBusError) {
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        guard keeping >= 0 else {
            throw EventBusError(.invalidCapacity, subject: name, expected: "0 or more to keep", found: "\(keeping)")
        }
        core = TopicCore(name, keeping: keeping, isOrdered: ordered)
    }

    /// Creates a topic whose name may be malformed; only the pattern `**` is certain to match it.
    init(unchecked name: String) { core = TopicCore(name) }

    init(core: TopicCore) { self.core = core }

    /// The topic's name.
    public var name: String { core.name }

    /// The topic's name.
    public var description: String { core.name }

    /// Topics are equal if their names have the same bytes.
    public static func == (a: Self, b: Self) -> Bool {
        a.core === b.core || a.core.name.hasSameBytes(as: b.core.name)
    }

    /// Hashes the bytes of the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(core.hash) }
}

/// The shared part of a topic: its name, and its slot on the first bus with which it was used.
@usableFromInline
final class TopicCore: Sendable {
    let name: String
    let hash: UInt64
    let keeping: Int
    let isOrdered: Bool

    /// The slot on the bus with which the topic is mostly used; `remembered` contains every slot that was cached.
    @usableFromInline let cached = Atomic<Unmanaged<TopicSlot>?>(nil)
    private let remembered = Mutex<[TopicSlot]>([])
    private static let mostRemembered = 16

    init(_ name: String, keeping: Int = 0, isOrdered: Bool = false) {
        (self.keeping, self.isOrdered) = (keeping, isOrdered)
        var name = name
        name.makeContiguousUTF8()
        self.name = name
        hash = name.withUTF8 { TopicName.hash($0) }
    }

    deinit {
        let slots = remembered.withLock { slots in
            defer { slots = [] }
            return slots
        }
        for slot in slots { slot.unpin() }
    }

    /// Caches the slot, unless a slot of another existing bus is cached.
    ///
    /// A slot that a reader may be using isn't released before the topic, so readers don't retain it.
    func remember(_ slot: TopicSlot) {
        remembered.withLock { slots in
            if let current = cached.load(ordering: .relaxed) {
                guard !current._withUnsafeGuaranteedRef({ $0.isOpen }), slots.count < Self.mostRemembered else {
                    return
                }
            }
            guard slot.pin() else { return }
            slots.append(slot)
            cached.store(Unmanaged.passUnretained(slot), ordering: .releasing)
        }
    }
}
