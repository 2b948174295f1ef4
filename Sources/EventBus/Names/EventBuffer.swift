/// How many events wait for a watcher that takes them later, and what becomes of those for which there is no room.
///
/// Every event that is thrown away is counted, in the result of the trigger and by the stream.
public struct EventBuffer: Sendable, Hashable, CustomStringConvertible {
    enum Overflow: Hashable {
        case dropOldest
        case dropNewest
        case suspend
    }
    let capacity: Int
    let overflow: Overflow

    private init(_ capacity: Int, _ overflow: Overflow) {
        precondition(capacity > 0, "an EventBuffer needs a capacity of at least 1, not \(capacity)")
        (self.capacity, self.overflow) = (capacity, overflow)
    }

    /// Keeps the newest events: a new one throws the oldest away.
    ///
    /// - Precondition: `0 < capacity`.
    public static func newest(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .dropOldest) }

    /// Keeps the oldest events: a new one that finds no room is thrown away itself.
    ///
    /// - Precondition: `0 < capacity`.
    public static func oldest(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .dropNewest) }

    /// Keeps the last event only.
    public static let latest = EventBuffer(1, .dropOldest)

    /// Keeps every event; memory is the limit.
    public static let unbounded = EventBuffer(.max, .dropNewest)

    /// Makes `send` wait until there is room; a `trigger`, which cannot wait, throws its event away.
    ///
    /// - Precondition: `0 < capacity`.
    public static func suspend(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .suspend) }

    /// Returns a buffer with a capacity that was made at run time, such as `checked(.newest, capacity: n)`.
    ///
    /// - Throws: ``EventBusError`` with the code `invalidCapacity` if there is no room in it.
    public static func checked(
        _ policy: (Int) -> EventBuffer, capacity: Int
    ) throws(EventBusError) -> EventBuffer {
        guard capacity > 0 else {
            throw EventBusError(
                .invalidCapacity, subject: "\(capacity)", expected: "a capacity of at least 1", found: "\(capacity)")
        }
        return policy(capacity)
    }

    /// The policy and its capacity, such as `newest(64)`.
    public var description: String {
        if self == .unbounded { return "unbounded" }
        return switch overflow {
        case .dropOldest: "newest(\(capacity))"
        case .dropNewest: "oldest(\(capacity))"
        case .suspend: "suspend(\(capacity))"
        }
    }
}
