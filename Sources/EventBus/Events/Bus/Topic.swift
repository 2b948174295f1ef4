internal import AshlarCore
public import Synchronization

/// A name bound to one payload type, with which events are triggered and watched.
///
/// A name consists of 1 to 255 bytes of UTF-8 in segments separated by `:`, such as `network:on`. Topics with equal
/// names are equal. Store a topic in a `static let`, because it caches its entry on the bus:
///
/// ```swift
/// enum Topics {
///     static let signedIn = Topic<Int>("account:signedIn")
/// }
/// EventBus.shared.trigger(Topics.signedIn, 42)
/// ```
public struct Topic<Payload: Sendable>: Sendable, Hashable {
    @usableFromInline let core: TopicCore

    /// Creates a topic with a literal name.
    ///
    /// A topic that stores events delivers its last events to each new watcher, including watchers of a pattern, before
    /// any new event of the topic. Such a topic is ordered: it delivers one event at a time, even if several threads
    /// trigger it. A trigger during a delivery is queued, and so are the stored events for a new watch. This applies to
    /// all topics with this name on a bus.
    ///
    /// - Precondition: The name is well-formed; `0 <= keeping`.
    public init(_ name: StaticString, of payload: Payload.Type = Payload.self, keeping: Int = 0) {
        let text = name.description
        if let mistake = TopicName.mistake(in: text) { preconditionFailure(mistake.description) }
        core = TopicCore(text, keeping: keeping, isLiteral: true)
    }

    /// Creates a topic with a name known at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName` and the offset of the mistake.
    /// - Precondition: `0 <= keeping`.
    public init(
        named name: String, of payload: Payload.Type = Payload.self, keeping: Int = 0
    ) throws(EventBusError) {
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        core = TopicCore(name, keeping: keeping)
    }

    /// Creates a topic whose name may be malformed; only the pattern `**` is certain to match it.
    init(unchecked name: String) { core = TopicCore(name) }

    init(core: TopicCore) { self.core = core }

    /// Creates the selection of all topics that a pattern matches, to watch or intercept them.
    ///
    /// ```swift
    /// let bus = EventBus()
    /// let watch = bus.watch(Topic(matching: "note:*"), buffer: .newest(16)) { print($0.name) }
    /// bus.trigger("note:saved")  // note:saved
    /// watch.cancel()
    /// ```
    ///
    /// Triggering such a topic is a mistake of the program.
    public init(matching pattern: TopicPattern) where Payload == any Sendable {
        core = TopicCore(pattern.description, isLiteral: true, pattern: pattern)
    }

    /// The topic's name, or the pattern.
    public var name: String { core.name }
}

/// The shared part of a topic: its name, and its entry on the first bus with which it was used.
@usableFromInline
final class TopicCore: Sendable, Hashable {
    let name: String
    let keeping: Int
    /// Whether the name is part of the program, so that a conflict of payload types is a mistake of the program.
    let isLiteral: Bool
    /// The pattern that selects the watched topics; nil for a topic.
    let pattern: TopicPattern?

    /// The number of the bus of `cached`, which is replaced only after this bus has been released; 0 without an entry.
    ///
    /// So a caller that retains the bus can use the entry, which its bus retains as long as the topic exists.
    ///
    /// Row "trigger to 0 watchers": without it, each trigger would take the lock of the bus and search for the name.
    @usableFromInline let cachedBus = Atomic<UInt32>(0)
    @usableFromInline let cached = Atomic<Unmanaged<TopicEntry>?>(nil)
    private let current = Mutex(WeakEntry(entry: nil))

    private struct WeakEntry: Sendable { weak let entry: TopicEntry? }

    init(_ name: String, keeping: Int = 0, isLiteral: Bool = false, pattern: TopicPattern? = nil) {
        precondition(keeping >= 0, "a topic can't keep \(keeping) events")
        self.keeping = keeping
        self.isLiteral = isLiteral
        self.pattern = pattern
        var name = name
        name.makeContiguousUTF8()
        self.name = name
    }

    deinit { current.withLock { $0.entry }?.unpin() }

    /// Topics are equal if their names have the same bytes.
    @usableFromInline
    static func == (a: TopicCore, b: TopicCore) -> Bool { a === b || a.name.hasSameBytes(as: b.name) }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(ByteText(name)) }

    /// Caches the entry, unless the entry of another existing bus is cached.
    func remember(_ entry: TopicEntry) {
        if cachedBus.load(ordering: .relaxed) == entry.busNumber { return }
        let old = current.withLock { current -> TopicEntry? in
            let old = current.entry
            guard old?.isOpen != true, entry.pin() else { return old }
            cachedBus.store(0, ordering: .relaxed)
            cached.store(Unmanaged.passUnretained(entry), ordering: .relaxed)
            cachedBus.store(entry.busNumber, ordering: .releasing)
            current = WeakEntry(entry: entry)
            return old
        }
        withExtendedLifetime(old) {}
    }
}

/// A type whose values are events; its topic has the name of the type.
///
/// ```swift
/// struct SignedIn: Event { let user: Int }
///
/// let watch = EventBus.shared.watch(SignedIn.topic) { print($0.payload.user) }
/// EventBus.shared.trigger(SignedIn(user: 42))
/// watch.cancel()
/// ```
///
/// The name is the full name of the type. Declare the topic if the name must not change with the name of the module, or
/// if the event is triggered very often: `static let topic = Topic<SignedIn>("account:signedIn")`.
public protocol Event: Sendable {
    /// The topic of events of this type.
    static var topic: Topic<Self> { get }
}

extension Event {
    /// The topic with the name of the type, created once per type.
    public static var topic: Topic<Self> { Topic(core: EventTopics.core(of: Self.self)) }
}

/// The topics of event types without a declared topic.
private enum EventTopics {
    private static let cores = Mutex<[ObjectIdentifier: TopicCore]>([:])

    static func core(of type: Any.Type) -> TopicCore {
        let id = ObjectIdentifier(type)
        if let core = cores.withLock({ $0[id] }) { return core }
        let core = TopicCore(name(of: type))
        return cores.withLock { cores in
            if let first = cores[id] { return first }
            cores[id] = core
            return core
        }
    }

    /// Returns the full name of a type; a name over the limit is truncated, and the number of the type makes it unique.
    private static func name(of type: Any.Type) -> String {
        let name = String(reflecting: type)
        guard TopicName.mistake(in: name) != nil else { return name }
        let mark = " \(UInt(bitPattern: ObjectIdentifier(type).hashValue))"
        let safe = String(name.map { $0 == "*" || $0 == ":" ? "_" : $0 })
        var front = safe.utf8.prefix(TopicName.longest - mark.utf8.count)
        while !front.isEmpty, String(front) == nil { front.removeLast() }
        return String(decoding: front, as: UTF8.self) + mark
    }
}
