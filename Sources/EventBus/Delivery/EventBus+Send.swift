import Synchronization

extension EventBus {
    /// Triggers an event and waits until every watcher with a buffer that suspends has room for it.
    ///
    /// Inline handlers run before anything is waited for. Waiting senders are let in in the order in which they came.
    /// If the task is cancelled while it waits, the event is thrown away where there was no room yet, and counted as
    /// dropped.
    @discardableResult
    public func send<Payload>(
        _ topic: Topic<Payload>, _ payload: Payload, from source: (any AnyObject & Sendable)? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line
    ) async -> TriggerReceipt {
        let sending = PendingSends()
        var call = TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line)
        call.sending = sending
        let receipt = resolveAndDeliver(topic.core, payload, call)
        var (queued, dropped) = (0, 0)
        for wait in sending.all {
            if await wait() { queued += 1 } else { dropped += 1 }
        }
        return receipt.adding(queued: queued, dropped: dropped)
    }

    /// Sends an event whose type is its topic.
    @discardableResult
    public func send<E: Event>(
        _ event: E, from source: (any AnyObject & Sendable)? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) async -> TriggerReceipt {
        await send(E.topic, event, from: source, isolation: isolation, fileID: fileID, line: line)
    }
}

/// The watchers that a sender has to wait for.
@usableFromInline
final class PendingSends: Sendable {
    private let waits = Mutex<[@Sendable () async -> Bool]>([])

    func add(_ wait: @escaping @Sendable () async -> Bool) { waits.withLock { $0.append(wait) } }

    var all: [@Sendable () async -> Bool] { waits.withLock { $0 } }

    var isEmpty: Bool { waits.withLock { $0.isEmpty } }
}
