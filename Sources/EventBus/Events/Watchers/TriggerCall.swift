internal import AshlarCore

/// The arguments of a trigger, except the payload.
@usableFromInline
struct TriggerCall: Sendable {
    @usableFromInline let eventSource: EventSource
    @usableFromInline var isolation: (any Actor)?
    @usableFromInline let fileID: StaticString
    @usableFromInline let line: UInt32
    @usableFromInline let column: UInt32
    /// The waits of an asynchronous caller; nil for a synchronous caller.
    @usableFromInline var sending: PendingSends?
    /// 0 for a new trigger; otherwise the number of the trigger, or `max` if it has none.
    @usableFromInline var stage: UInt64
    /// The metadata of the event, once it is known.
    @usableFromInline var metadata: MetadataBox?

    @inlinable
    init(
        source: AnyObject?, isolation: (any Actor)?, fileID: StaticString, line: UInt32, column: UInt32
    ) {
        (eventSource, self.isolation) = (EventSource(source), isolation)
        (self.fileID, self.line, self.column) = (fileID, line, column)
        // Initialized here instead of at the declaration, which would be a call that can't be inlined.
        (sending, stage, metadata) = (nil, 0, nil)
    }

    @inlinable var source: AnyObject? { eventSource.object }

    var location: EventLocation { EventLocation(fileID, line, column) }

    /// Whether the caller is known to run on the main actor.
    var isOnMain: Bool { isolation === MainActor.shared }

    /// Clears the isolation of the caller if another thread delivers the event.
    mutating func arrive(from thread: UInt32) {
        if BusThread.current.number != thread { isolation = nil }
    }
}

/// The waits of an asynchronous trigger.
@usableFromInline
final class PendingSends: Sendable {
    /// A closure that returns whether there was room for the event; nil for a wait with another purpose.
    typealias Wait = @Sendable () async -> Bool?

    private let waits = Mutex(Fifo<Wait>())

    func add(_ wait: @escaping Wait) { waits.withLock { $0.append(wait) } }

    /// Makes the sender wait for the returned departure.
    func awaitPassage() -> Departure {
        let passage = Departure()
        add {
            await passage.wait()
            return nil
        }
        return passage
    }

    func next() -> Wait? { waits.withLock { $0.popFirst() } }
}
