/// What became of one trigger: who got it, and which handlers failed.
public struct DeliveryResult: Sendable {
    /// The number of the trigger on its bus, from 1; 0 if nobody watched.
    public let sequence: UInt64
    /// How many handlers have run, those that threw included.
    public let delivered: Int
    /// How many watchers will get the event later: on an actor, in a mailbox or in a stream.
    public let queued: Int
    /// How many events were thrown away because a watcher's buffer was full; an older event may have made room.
    public let dropped: Int
    /// The errors of the handlers that have run, in their order, and the bus's own refusal if there was one.
    public var failures: [any Error] { errors ?? [] }

    /// Nil rather than empty: a trigger makes a result each time, and even an empty array is counted.
    private let errors: [any Error]?

    @inlinable
    init() { self.init(sequence: 0, DeliveryTally()) }

    /// The same result with what has come of the watchers that were waited for.
    func adding(queued: Int, dropped: Int) -> DeliveryResult {
        var tally = DeliveryTally()
        (tally.delivered, tally.queued, tally.dropped) = (delivered, self.queued + queued, self.dropped + dropped)
        tally.failures = errors
        return DeliveryResult(sequence: sequence, tally)
    }

    /// The result of an event that is delivered later, as a whole.
    static var queued: DeliveryResult {
        var tally = DeliveryTally()
        tally.queued = 1
        return DeliveryResult(sequence: 0, tally)
    }

    init(failure: any Error) {
        (sequence, delivered, queued, dropped) = (0, 0, 0, 0)
        errors = [failure]
    }

    @usableFromInline
    init(sequence: UInt64, _ tally: DeliveryTally) {
        (self.sequence, delivered, queued) = (sequence, tally.delivered, tally.queued)
        (dropped, errors) = (tally.dropped, tally.failures)
    }

    /// Whether nobody got the event, now or later.
    public var isUndelivered: Bool { delivered == 0 && queued == 0 }
}
