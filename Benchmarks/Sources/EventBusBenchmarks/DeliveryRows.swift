import AshlarEventBus
import BenchmarkHarness
import Foundation
import Synchronization

extension BenchmarkSuite {
    mutating func deliveryRows() {
        mailboxRow()
        streamRow()
    }

    /// A burst into one mailbox, until the last event is handled.
    private mutating func mailboxRow() {
        let bus = EventBus()
        let topic = Topic<Int>("bench:queue")
        let handled = Tally()
        let watch = bus.watch(topic, buffer: .unbounded) { _ in handled.count.add(1, ordering: .relaxed) }
        let actor = Adder()
        let name = Notification.Name("bench:queue")
        let center = NotificationCenter()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
            queue.addOperation { handled.count.add(1, ordering: .relaxed) }
        }
        row(
            "an event through a mailbox, in bursts", note: "triggered and handled",
            ours: Contender(async: "AshlarEventBus") { n in
                let before = handled.count.load(ordering: .relaxed)
                for i in 0..<n { bus.trigger(topic, i) }
                while handled.count.load(ordering: .relaxed) < before + n { await Task.yield() }
            },
            against: [
                Peer(
                    Contender(async: "a call of an actor") { n in
                        for i in 0..<n { await actor.add(i) }
                    }),
                Peer(
                    Contender(async: "NotificationCenter and a serial OperationQueue") { n in
                        let before = handled.count.load(ordering: .relaxed)
                        for _ in 0..<n { center.post(name: name, object: nil) }
                        while handled.count.load(ordering: .relaxed) < before + n { await Task.yield() }
                    }, .atMost(1)),
            ])
        watch.cancel()
        center.removeObserver(token)
    }

    /// One consumer of a sequence, which never has to wait.
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

private actor Adder {
    var sum = 0
    func add(_ number: Int) { sum &+= number }
}
