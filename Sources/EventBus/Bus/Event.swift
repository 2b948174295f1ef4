internal import AshlarCore

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
