/// The result of a trigger: the number of deliveries and the errors of handlers.
public struct DeliveryResult: Sendable {
    /// The number of the trigger on its bus, from 1; 0 if there was no watcher.
    package let sequence: UInt64
    /// The number of handlers that ran, including those that threw.
    public var delivered: Int { Int(counts.delivered) }
    /// The number of watchers that receive the event later: on an actor, in a task or in a stream.
    public var queued: Int { Int(counts.queued) }
    /// The number of events that were dropped because a watcher's buffer was full, including older events.
    public var dropped: Int { Int(counts.dropped) }
    /// The numbers of deliveries; of these, those to observers; and of the others, those whose handler threw.
    var counts: (delivered: UInt32, queued: UInt32, dropped: UInt32, observed: UInt32, failed: UInt32)
    /// The number of handlers that returned without an error, without observers.
    ///
    /// Only watches that name their topic handle events; those of patterns and ``EventBus/observe(_:fileID:line:_:)``
    /// observe them. The handlers that run later are included for a sender that waits for them.
    package var handled: Int { Int(counts.delivered - counts.observed - counts.failed) }
    /// The number of handlers that threw, without observers.
    package var failed: Int { Int(counts.failed) }
    /// The errors of the handlers in order, and the bus's own error if it refused the trigger.
    public var failures: [any Error] { errors ?? [] }

    /// Nil instead of empty: every trigger creates a result, and even an empty array is reference-counted.
    private var errors: [any Error]?
    /// Whether the wait of the sender counts a watcher.
    private var isAwaited = false

    init(sequence: UInt64 = 0) {
        self.sequence = sequence
        counts = (0, 0, 0, 0, 0)
        errors = nil
    }

    /// Returns the result with further deliveries, such as those in another process.
    public func adding(
        delivered: Int = 0, queued: Int = 0, dropped: Int = 0, failures: [any Error] = []
    ) -> DeliveryResult {
        var result = self
        result.counts = (
            UInt32(clamping: self.delivered + delivered), UInt32(clamping: self.queued + queued),
            UInt32(clamping: self.dropped + dropped), counts.observed, counts.failed
        )
        for failure in failures { result.add(failure) }
        return result
    }

    /// Returns the result of a call of a handler.
    static func called(isObserver: Bool, _ error: (any Error)?) -> DeliveryResult {
        var result = DeliveryResult()
        result.counts.delivered = 1
        result.counts.observed = isObserver ? 1 : 0
        if let error { result.add(error, isObserver: isObserver) }
        return result
    }

    /// Returns the result together with a later part of it.
    func adding(_ other: DeliveryResult) -> DeliveryResult {
        var result = DeliveryResult(sequence: sequence == 0 ? other.sequence : sequence)
        result.counts = counts
        result.errors = errors
        result.counts.observed += other.counts.observed
        result.counts.failed += other.counts.failed
        return result.adding(
            delivered: other.delivered, queued: other.queued, dropped: other.dropped, failures: other.failures)
    }

    mutating func add(_ failure: any Error) { errors = failures + [failure] }

    /// Adds the error of a handler.
    mutating func add(_ failure: any Error, isObserver: Bool) {
        add(failure)
        if !isObserver { counts.failed += 1 }
    }

    mutating func count(_ outcome: TakeOutcome, isObserver: Bool) {
        switch outcome {
        case .delivered:
            counts.delivered += 1
            if isObserver { counts.observed += 1 }
        case .queued: counts.queued += 1
        case .displaced:
            counts.queued += 1
            counts.dropped += 1
        case .dropped: counts.dropped += 1
        case .awaited: isAwaited = true
        case .skipped: break
        }
    }

    /// The result of an event that an ``EventInterceptor`` has dropped.
    public static var droppedEvent: DeliveryResult { DeliveryResult().adding(dropped: 1) }

    /// The result of an event whose whole delivery takes place later.
    public static var postponed: DeliveryResult { DeliveryResult().adding(queued: 1) }

    /// Whether no watcher has received the event, not even by dropping it.
    var isEmpty: Bool { counts == (0, 0, 0, 0, 0) && errors == nil && !isAwaited }

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
    /// The wait of the sender counts the event.
    case awaited
    case skipped
}
