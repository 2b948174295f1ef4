/// The word by which a trigger recognizes a slot that needs only a plain delivery, or no delivery.
///
/// From the top, the bits are: 30 bits for the generation of the bus's patterns and flags, 28 bits for the number of
/// the bus, and 6 flags.
@usableFromInline
struct SlotWord: Sendable {
    @usableFromInline let rawValue: UInt64

    /// There can be watchers.
    static let watched = Self(rawValue: 1)
    /// The bus has a hook for undelivered events.
    static let observed = Self(rawValue: 2)
    /// There are watchers of all events from one object.
    static let sourced = Self(rawValue: 4)
    /// The bus has a tap.
    static let tapped = Self(rawValue: 8)
    /// Events need the full delivery: the topic stores, orders or intercepts them, or the bus queues them.
    static let diverted = Self(rawValue: 16)
    /// There are watchers of patterns, or interceptors; only the bus has this flag.
    static let patterned = Self(rawValue: 32)

    static var detours: UInt64 { 8 | 16 }
    static var generation: UInt64 { 1 << 34 }
    /// The bits of the number of the bus.
    @inlinable static var bus: UInt64 { 0x3_ffff_ffc0 }
    /// The bit of `watched`, for inlined code.
    @inlinable static var watchedBit: UInt64 { 1 }
    /// All bits but `observed` and `sourced`, which don't require the full delivery.
    @inlinable static var notDiverting: UInt64 { ~6 }

    static func make(generation: UInt64, bus: UInt32) -> UInt64 { generation << 34 | UInt64(bus) << 6 & Self.bus }

    /// Whether two words have the same generation.
    static func areSameAge(_ a: UInt64, _ b: UInt64) -> Bool { (a ^ b) >> 34 == 0 }
}
