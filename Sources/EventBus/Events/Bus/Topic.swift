internal import AshlarCore
import Synchronization

/// A name bound to one payload type, with which events are triggered and watched.
///
/// A name consists of 1 to 255 bytes of UTF-8 in segments separated by `:`, such as `network:on`. Topics with equal
/// names are equal. Store a topic in a `static let`, because it caches its place on the bus:
///
/// ```swift
/// enum Topics {
///     static let signedIn = Topic<Int>("account:signedIn")
/// }
/// EventBus.shared.trigger(Topics.signedIn, 42)
/// ```
public struct Topic<Payload: Sendable>: Sendable, Hashable {
    let core: TopicCore

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
        core = TopicCore(text, payload, keeping: keeping, isLiteral: true)
    }

    /// Creates a topic with a name known at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName` and the offset of the mistake.
    /// - Precondition: `0 <= keeping`.
    public init(
        named name: String, of payload: Payload.Type = Payload.self, keeping: Int = 0
    ) throws(EventBusError) {
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        core = TopicCore(name, payload, keeping: keeping)
    }

    /// Creates a topic whose name may be malformed; only the pattern `**` is certain to match it.
    init(unchecked name: String) { core = TopicCore(name, Payload.self) }

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
        core = TopicCore(pattern)
    }

    /// The topic's name, or the pattern.
    public var name: String { core.name }

    /// Returns whether two topics have the same name.
    public static func == (a: Topic, b: Topic) -> Bool { a.name == b.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The shared part of a topic.
final class TopicCore: Sendable {
    let name: String
    let keeping: Int
    /// Whether the name is part of the program, so that a conflict of payload types is a mistake of the program.
    let isLiteral: Bool
    /// The payload type; nil for a pattern.
    let payload: Any.Type?
    /// Returns whether a payload has the type.
    let accepts: @Sendable (any Sendable) -> Bool
    /// The pattern that selects the watched topics; nil for a topic.
    let pattern: TopicPattern?
    /// The place of the topic on the bus that used it last; see `BusState`.
    let place = Atomic<UInt64>(0)

    init<Payload: Sendable>(
        _ name: String, _ payload: Payload.Type, keeping: Int = 0, isLiteral: Bool = false
    ) {
        precondition(keeping >= 0, "a topic can't keep \(keeping) events")
        self.keeping = keeping
        self.isLiteral = isLiteral
        self.payload = payload
        accepts = { $0 is Payload }
        pattern = nil
        var name = name
        name.makeContiguousUTF8()
        self.name = name
    }

    init(_ pattern: TopicPattern) {
        self.pattern = pattern
        name = pattern.description
        keeping = 0
        isLiteral = true
        payload = nil
        accepts = { _ in true }
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

    static func core<Payload: Sendable>(of type: Payload.Type) -> TopicCore {
        let id = ObjectIdentifier(type)
        if let core = cores.withLock({ $0[id] }) { return core }
        let core = TopicCore(name(of: type), type)
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
