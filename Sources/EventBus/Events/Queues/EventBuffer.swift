/// The capacity of a watcher's queue, and the event that is dropped when the queue is full.
///
/// Every dropped event is counted, in the result of the trigger and by the stream.
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
        self.capacity = capacity
        self.overflow = overflow
    }

    /// Stores the newest events; a new one replaces the oldest.
    ///
    /// - Precondition: `0 < capacity`.
    public static func newest(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .dropOldest) }

    /// Stores the oldest events; a new one is dropped if the buffer is full.
    ///
    /// - Precondition: `0 < capacity`.
    public static func oldest(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .dropNewest) }

    /// Stores only the last event.
    public static let latest = EventBuffer(1, .dropOldest)

    /// Stores every event, limited only by memory.
    public static let unbounded = EventBuffer(.max, .dropNewest)

    /// Makes `send` wait until there is room; `trigger`, which can't wait, drops its event.
    ///
    /// - Precondition: `0 < capacity`.
    public static func suspend(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .suspend) }

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
