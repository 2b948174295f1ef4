/// The result of a trigger: the number of deliveries and the errors of handlers.
public struct DeliveryResult: Sendable {
    /// The number of the trigger on its bus, from 1; 0 if there was no watcher.
    public let sequence: UInt64
    /// The number of handlers that ran, including those that threw.
    public var delivered: Int { Int(counts.delivered) }
    /// The number of watchers that receive the event later: on an actor, in a task or in a stream.
    public var queued: Int { Int(counts.queued) }
    /// The number of events that were dropped because a watcher's buffer was full, including older events.
    public var dropped: Int { Int(counts.dropped) }
    /// Small integers, so that a result is returned in registers: row "trigger to 1 watchers".
    @usableFromInline let counts: (delivered: UInt32, queued: UInt32, dropped: UInt32)
    /// The errors of the handlers in order, and the bus's own error if it refused the trigger.
    public var failures: [any Error] { errors ?? [] }

    /// Nil instead of empty: every trigger creates a result, and even an empty array is reference-counted.
    @usableFromInline let errors: [any Error]?

    @inlinable
    init() { self.init(sequence: 0, DeliveryTally()) }

    /// Creates the result of handlers that ran without an error; inlined into every trigger.
    @inlinable
    init(sequence: UInt64, delivered: Int) {
        self.sequence = sequence
        counts = (UInt32(truncatingIfNeeded: delivered), 0, 0)
        errors = nil
    }

    /// Returns the result with further deliveries, such as those in another process.
    public func adding(
        delivered: Int = 0, queued: Int = 0, dropped: Int = 0, failures: [any Error] = []
    ) -> DeliveryResult {
        let failures = self.failures + failures
        let tally = DeliveryTally(
            delivered: self.delivered + delivered, queued: self.queued + queued, dropped: self.dropped + dropped,
            failures: failures.isEmpty ? nil : failures)
        return DeliveryResult(sequence: sequence, tally)
    }

    /// Returns the result together with a later part of it.
    func adding(_ other: DeliveryResult) -> DeliveryResult {
        let result = sequence == 0 ? DeliveryResult(sequence: other.sequence, DeliveryTally(self)) : self
        return result.adding(
            delivered: other.delivered, queued: other.queued, dropped: other.dropped, failures: other.failures)
    }

    /// The result of an event that an ``EventInterceptor`` has dropped.
    public static var droppedEvent: DeliveryResult { DeliveryResult(sequence: 0, DeliveryTally(dropped: 1)) }

    /// The result of an event whose whole delivery takes place later.
    public static var postponed: DeliveryResult { DeliveryResult(sequence: 0, DeliveryTally(queued: 1)) }

    init(failure: any Error) { self.init(sequence: 0, DeliveryTally(failures: [failure])) }

    @usableFromInline
    init(sequence: UInt64, _ tally: DeliveryTally) {
        self.sequence = sequence
        errors = tally.failures
        counts = (
            UInt32(clamping: tally.delivered), UInt32(clamping: tally.queued), UInt32(clamping: tally.dropped)
        )
    }

    /// Whether no watcher receives the event, now or later.
    package var isUndelivered: Bool { delivered == 0 && queued == 0 }
}

/// The deliveries of an event so far.
@usableFromInline
struct DeliveryTally {
    @usableFromInline var delivered: Int
    @usableFromInline var queued: Int
    @usableFromInline var dropped: Int
    @usableFromInline var failures: [any Error]?

    @inlinable
    init(delivered: Int = 0, queued: Int = 0, dropped: Int = 0, failures: [any Error]? = nil) {
        self.delivered = delivered
        self.queued = queued
        self.dropped = dropped
        self.failures = failures
    }

    init(_ result: DeliveryResult) {
        self.init(
            delivered: result.delivered, queued: result.queued, dropped: result.dropped, failures: result.errors)
    }

    @inlinable var isEmpty: Bool { delivered == 0 && queued == 0 && dropped == 0 && failures == nil }

    mutating func count(_ outcome: TakeOutcome) {
        switch outcome {
        case .delivered: delivered += 1
        case .queued: queued += 1
        case .displaced:
            queued += 1
            dropped += 1
        case .dropped: dropped += 1
        case .skipped: break
        }
    }
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
