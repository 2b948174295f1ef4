import AshlarEventBus
import BenchmarkHarness
import Foundation
import Synchronization

extension BenchmarkSuite {
    mutating func deliveryRows() {
        mailboxRow()
        streamRow()
    }

    /// A burst into one mailbox, until the last event has been handled.
    private mutating func mailboxRow() {
        let bus = EventBus()
        let topic = Topic<Int>("bench:queue")
        let handled = Tally()
        let watch = bus.watch(topic, buffer: .unbounded) { _ in handled.count.add(1, ordering: .relaxed) }
        let name = Notification.Name("bench:queue")
        let center = NotificationCenter()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
            queue.addOperation { handled.count.add(1, ordering: .relaxed) }
        }
        row(
            "a burst of 10,000 events through a mailbox", note: "triggered and handled",
            ours: Contender(async: "AshlarEventBus") { n in
                for _ in 0..<n {
                    let before = handled.count.load(ordering: .relaxed)
                    for i in 0..<10_000 { bus.trigger(topic, i) }
                    while handled.count.load(ordering: .relaxed) < before + 10_000 { await Task.yield() }
                }
            },
            against: [
                Peer(
                    Contender(async: "NotificationCenter and a serial OperationQueue") { n in
                        for _ in 0..<n {
                            let before = handled.count.load(ordering: .relaxed)
                            for _ in 0..<10_000 { center.post(name: name, object: nil) }
                            while handled.count.load(ordering: .relaxed) < before + 10_000 { await Task.yield() }
                        }
                    }, .atMost(1))
            ])
        watch.cancel()
        center.removeObserver(token)
    }

    /// One consumer of a sequence that never waits.
    private mutating func streamRow() {
        let bus = EventBus()
        let topic = Topic<Int>("bench:stream")
        row(
            "an element of a sequence, one consumer", note: "produced and consumed",
            ours: Contender(async: "AshlarEventBus") { n in
                var iterator = bus.events(topic, buffer: .unbounded).makeAsyncIterator()
                for i in 0..<n { bus.trigger(topic, i) }
                for _ in 0..<n { blackHole(await iterator.next()?.payload) }
            },
            against: [
                Peer(
                    Contender(async: "AsyncStream") { n in
                        let (stream, continuation) = AsyncStream<Int>.makeStream()
                        var iterator = stream.makeAsyncIterator()
                        for i in 0..<n { continuation.yield(i) }
                        for _ in 0..<n { blackHole(await iterator.next()) }
                    })
            ])
    }
}

private final class Tally: Sendable { let count = Atomic(0) }
