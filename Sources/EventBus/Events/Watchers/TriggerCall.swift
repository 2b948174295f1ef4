internal import AshlarCore

/// The arguments of a trigger, except the payload.
struct TriggerCall: Sendable {
    let eventSource: EventSource
    var isolation: (any Actor)?
    let place: TriggerPlace
    /// The waits of an asynchronous caller; nil for a synchronous caller.
    let sending: PendingSends?
    var metadata: MetadataBox?
    /// Whether another process receives the event, too.
    var isExported = false

    init(
        source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace, sending: PendingSends? = nil,
        metadata: MetadataBox? = .ofTrigger
    ) {
        eventSource = EventSource(source)
        self.sending = sending
        self.metadata = metadata
        self.isolation = isolation
        self.place = place
    }

    var source: AnyObject? { eventSource.object }

    var location: EventLocation { place.location }

    /// Whether the sender waits for the handlers, and receives their results then.
    var awaitsHandlers: Bool { sending?.awaitsHandlers == true }

    /// Whether the caller is known to run on the main actor.
    var isOnMain: Bool { isolation === MainActor.shared }

    /// The event without its payload.
    func context(_ name: String, sequence: UInt64, depth: UInt32) -> SignalContext {
        SignalContext(name: name, sequence: sequence, depth: depth, source: eventSource, metadata: metadata)
    }

    /// Clears the isolation of the caller if another thread delivers the event.
    mutating func arrive(from thread: UInt32) {
        if BusThread.current.number != thread { isolation = nil }
    }
}

/// The place of a trigger or a watch in source code.
struct TriggerPlace: Sendable {
    let fileID: StaticString
    let line: UInt32

    init(_ fileID: StaticString, _ line: UInt32) {
        self.fileID = fileID
        self.line = line
    }

    var location: EventLocation { EventLocation(fileID, line) }
}

/// The waits of an asynchronous trigger.
final class PendingSends: Sendable {
    /// A closure that returns the part of the result for which the sender waits.
    typealias Wait = @Sendable () async -> DeliveryResult

    /// Whether the sender also waits for the handlers that run later.
    let awaitsHandlers: Bool
    private let waits = Mutex(Fifo<Wait>())

    init(awaitsHandlers: Bool = false) { self.awaitsHandlers = awaitsHandlers }

    /// Whether the sender needn't wait.
    var isEmpty: Bool { waits.withLock { $0.isEmpty } }

    func add(_ wait: @escaping Wait) { waits.withLock { $0.append(wait) } }

    /// Makes the sender wait for the returned delivery, whose result is a part of its own if it waits for handlers.
    func awaitDelivery() -> LateDelivery {
        let delivery = LateDelivery()
        add { [awaitsHandlers] in
            await delivery.end.wait()
            return awaitsHandlers ? delivery.result.withLock { $0 } : DeliveryResult()
        }
        return delivery
    }

    /// Waits, and returns a result with the parts for which it waited.
    func complete(_ result: DeliveryResult) async -> DeliveryResult {
        var result = result
        // During the wait, a delivery on another thread can add more.
        while let wait = waits.withLock({ $0.popFirst() }) { result = result.adding(await wait()) }
        return result
    }
}

/// A delivery that another thread may complete.
final class LateDelivery: Sendable {
    fileprivate let end = Completion()
    fileprivate let result = Mutex(DeliveryResult())

    func complete(_ delivered: DeliveryResult) {
        result.withLock { $0 = delivered }
        end.complete()
    }
}
