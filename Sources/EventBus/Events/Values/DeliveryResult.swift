/// The result of a trigger: the number of deliveries and the errors of handlers.
public struct DeliveryResult: Sendable {
    /// The number of the trigger on its bus, from 1; 0 if there was no watcher.
    @usableFromInline package let sequence: UInt64
    /// The number of handlers that ran, including those that threw.
    public var delivered: Int { Int(counts.delivered) }
    /// The number of watchers that receive the event later: on an actor, in a task or in a stream.
    public var queued: Int { Int(counts.queued) }
    /// The number of events that were dropped because a watcher's buffer was full, including older events.
    public var dropped: Int { Int(counts.dropped) }
    /// Small integers, so that a result is returned in registers: row "trigger to 1 watchers".
    @usableFromInline var counts: (delivered: UInt32, queued: UInt32, dropped: UInt32)
    /// The errors of the handlers in order, and the bus's own error if it refused the trigger.
    public var failures: [any Error] { errors ?? [] }

    /// Nil instead of empty: every trigger creates a result, and even an empty array is reference-counted.
    @usableFromInline var errors: [any Error]?

    @inlinable
    init(sequence: UInt64 = 0) {
        self.sequence = sequence
        counts = (0, 0, 0)
        errors = nil
    }

    /// Returns the result with further deliveries, such as those in another process.
    public func adding(
        delivered: Int = 0, queued: Int = 0, dropped: Int = 0, failures: [any Error] = []
    ) -> DeliveryResult {
        var result = self
        result.counts = (
            UInt32(clamping: self.delivered + delivered), UInt32(clamping: self.queued + queued),
            UInt32(clamping: self.dropped + dropped)
        )
        for failure in failures { result.add(failure) }
        return result
    }

    /// Returns the result together with a later part of it.
    func adding(_ other: DeliveryResult) -> DeliveryResult {
        var result = DeliveryResult(sequence: sequence == 0 ? other.sequence : sequence)
        result.counts = counts
        result.errors = errors
        return result.adding(
            delivered: other.delivered, queued: other.queued, dropped: other.dropped, failures: other.failures)
    }

    mutating func add(_ failure: any Error) { errors = failures + [failure] }

    mutating func count(_ outcome: TakeOutcome) {
        switch outcome {
        case .delivered: counts.delivered += 1
        case .queued: counts.queued += 1
        case .displaced:
            counts.queued += 1
            counts.dropped += 1
        case .dropped: counts.dropped += 1
        case .skipped: break
        }
    }

    /// The result of an event that an ``EventInterceptor`` has dropped.
    public static var droppedEvent: DeliveryResult { DeliveryResult().adding(dropped: 1) }

    /// The result of an event whose whole delivery takes place later.
    public static var postponed: DeliveryResult { DeliveryResult().adding(queued: 1) }

    /// Whether no watcher has received the event, not even by dropping it.
    @inlinable var isEmpty: Bool { counts == (0, 0, 0) && errors == nil }

    /// Whether no watcher receives the event, now or later.
    package var isUndelivered: Bool { delivered == 0 && queued == 0 }
}

/// The result of passing an event to a watcher.
enum TakeOutcome {
    case delivered
    case queued
    /// The event was queued, and an older event was dropped.
    case displaced
    /// The event itself was dropped.
    case dropped
    case skipped
}
