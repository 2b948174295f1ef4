/// An event in a queue: one reference, whatever its payload.
///
/// Queues hold these and not signals, so that their code is compiled once and not for each type of payload, which
/// would have it look the types up at run time with every event.
class QueuedEvent: @unchecked Sendable {
    // Unchecked because it has subclasses: what they add is immutable.
}

/// A signal in a queue.
final class QueuedSignal<Payload: Sendable>: QueuedEvent, @unchecked Sendable {
    // Unchecked because the superclass is.
    let signal: Signal<Payload>

    init(_ signal: Signal<Payload>) { self.signal = signal }

    /// The signal of an event that came out of a queue for this payload.
    static func signal(of event: QueuedEvent) -> Signal<Payload> {
        unsafeDowncast(event, to: QueuedSignal<Payload>.self).signal
    }
}

/// A whole trigger that waits to be delivered.
final class QueuedTrigger: QueuedEvent, @unchecked Sendable {
    // Unchecked because the superclass is.
    let deliver: @Sendable () -> Void

    init(_ deliver: @escaping @Sendable () -> Void) { self.deliver = deliver }
}
