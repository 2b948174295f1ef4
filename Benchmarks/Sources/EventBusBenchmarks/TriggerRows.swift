import AshlarEventBus
import BenchmarkHarness
import Foundation

/// A sum to which every handler adds.
final class Counter: @unchecked Sendable {
    // Unchecked because each is written by one thread.
    var value = 0
}

/// An array of closures called in turn, which is the minimum work of any bus.
final class ClosureArray {
    var handlers: [(Int) -> Void] = []

    @inline(never)
    func send(_ value: Int) { for handler in handlers { handler(value) } }
}

extension BenchmarkSuite {
    mutating func triggerRows() {
        let bars: [(Int, Double)] = [(0, 0.25), (1, 0.35), (10, 0.4), (100, 0.4)]
        for (count, bar) in bars { triggerRow(watchers: count, bar: bar) }
        namedRow()
        bareNameRows()
        otherNamesRow()
        mixedRow()
        twoThreadsRow()
        interceptorRows()
    }

    private struct Pass: EventInterceptor {
        func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult { next(event) }
    }

    private mutating func interceptorRows() {
        let (plain, beside, through) = (EventBus(), EventBus(), EventBus())
        let (a, b, c) = (Counter(), Counter(), Counter())
        let topics = (0..<3).map { _ in Topic<Int>("bench:number") }
        let watches = [
            plain.watch(topics[0]) { a.value &+= $0.payload }, beside.watch(topics[1]) { b.value &+= $0.payload },
            through.watch(topics[2]) { c.value &+= $0.payload },
            beside.intercept(Topic(matching: "other:*"), with: Pass()),
            through.intercept(Topic(matching: "bench:*"), with: Pass()),
        ]
        let (first, second, third) = (topics[0], topics[1], topics[2])
        let theirs = Contender("no interceptor") { n in for i in 0..<n { plain.trigger(first, i) } }
        row(
            "trigger beside intercepted topics",
            ours: Contender("interceptor of other topics") { n in for i in 0..<n { beside.trigger(second, i) } },
            against: [Peer(theirs, .atMost(1.1))])
        row(
            "trigger through an interceptor",
            ours: Contender("interceptor") { n in for i in 0..<n { through.trigger(third, i) } },
            against: [Peer(theirs)])
        blackHole(a.value &+ b.value &+ c.value)
        for watch in watches { watch.cancel() }
    }

    private mutating func triggerRow(watchers count: Int, bar: Double) {
        let (ours, theirs, bare) = (Counter(), Counter(), Counter())
        let (bus, center, array) = (EventBus(), NotificationCenter(), ClosureArray())
        let topic = Topic<Int>("bench:number")
        let name = Notification.Name("bench:number")
        let bag = WatchBag()
        var tokens: [any NSObjectProtocol] = []
        for _ in 0..<count {
            bus.watch(topic) { ours.value &+= $0.payload }.store(in: bag)
            tokens.append(center.addObserver(forName: name, object: nil, queue: nil) { _ in theirs.value &+= 1 })
            array.handlers.append { bare.value &+= $0 }
        }
        row(
            "trigger to \(count) watchers",
            ours: Contender("AshlarEventBus") { n in for i in 0..<n { bus.trigger(topic, i) } },
            against: [
                Peer(
                    Contender("NotificationCenter") { n in for _ in 0..<n { center.post(name: name, object: nil) } },
                    .atMost(bar)),
                Peer(
                    Contender("array of closures") { n in for i in 0..<n { array.send(i) } },
                    count == 100 ? .atMost(1) : nil),
            ])
        blackHole(ours.value &+ theirs.value &+ bare.value)
        bag.cancelAll()
        for token in tokens { center.removeObserver(token) }
    }

    private mutating func namedRow() {
        let (bus, center) = (EventBus(), NotificationCenter())
        let (ours, theirs) = (Counter(), Counter())
        let watch = bus.watch(Topic<Int>("bench:number")) { ours.value &+= $0.payload }
        let name = Notification.Name("bench:number")
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in theirs.value &+= 1 }
        row(
            "trigger by bare name to 1 watcher",
            ours: Contender("AshlarEventBus") { n in for i in 0..<n { bus.trigger("bench:number", i) } },
            against: [
                Peer(
                    Contender("NotificationCenter") { n in for _ in 0..<n { center.post(name: name, object: nil) } })
            ])
        row(
            "trigger by a bare name that nobody watches",
            ours: Contender("AshlarEventBus") { n in for i in 0..<n { bus.trigger("bench:nobody", i) } },
            against: [
                Peer(
                    Contender("NotificationCenter") { n in
                        let nobody = Notification.Name("bench:nobody")
                        for _ in 0..<n { center.post(name: nobody, object: nil) }
                    })
            ])
        blackHole(ours.value &+ theirs.value)
        watch.cancel()
        center.removeObserver(token)
    }

    /// The additional time of a trigger by bare name, compared with a trigger by topic.
    private mutating func bareNameRows() {
        let sum = Counter()
        let topic = Topic<Int>("bench:number")
        let (typed, untyped, nobody) = (EventBus(), EventBus(), EventBus())
        let watches = [
            typed.watch(topic) { sum.value &+= $0.payload },
            untyped.watch("bench:number") { sum.value &+= $0.payload as? Int ?? 0 },
        ]
        for (name, bus) in [
            ("1 watcher of the topic", typed), ("1 watcher of the name", untyped), ("nobody", nobody),
        ] {
            // On each bus a new topic, so that it caches the entry of this bus.
            let topic = Topic<Int>("bench:number")
            value("more time by bare name than by topic, \(name)", unit: "ns", bar: .below(100)) {
                nanoseconds { bus.trigger("bench:number", $0) } - nanoseconds { bus.trigger(topic, $0) }
            }
        }
        blackHole(sum.value)
        for watch in watches { watch.cancel() }
    }

    private mutating func otherNamesRow() {
        let (few, many) = (EventBus(), EventBus())
        let (a, b) = (Counter(), Counter())
        let (topic, sameTopic) = (Topic<Int>("bench:number"), Topic<Int>("bench:number"))
        let bag = WatchBag()
        few.watch("other:0") { _ in }.store(in: bag)
        for i in 0..<100_000 {
            guard let pattern = try? TopicPattern(parsing: "other:\(i)") else { continue }
            many.watch(pattern) { _ in }.store(in: bag)
        }
        few.watch(topic) { a.value &+= $0.payload }.store(in: bag)
        many.watch(sameTopic) { b.value &+= $0.payload }.store(in: bag)
        row(
            "trigger with 100,000 other names",
            ours: Contender("100,000 other names") { n in for i in 0..<n { many.trigger(sameTopic, i) } },
            against: [
                Peer(
                    Contender("1 other name") { n in for i in 0..<n { few.trigger(topic, i) } }, .atMost(1.1))
            ])
        row(
            "trigger by bare name with 100,000 other names",
            ours: Contender("100,000 other names") { n in for i in 0..<n { many.trigger("bench:number", i) } },
            against: [
                Peer(
                    Contender("1 other name") { n in for i in 0..<n { few.trigger("bench:number", i) } },
                    .atMost(1.1))
            ])
        blackHole(a.value &+ b.value)
    }

    private mutating func mixedRow() {
        let (plain, mixed, center) = (EventBus(), EventBus(), NotificationCenter())
        let (a, b, c) = (Counter(), Counter(), Counter())
        let (topic, sameTopic) = (Topic<Int>("bench:number"), Topic<Int>("bench:number"))
        let name = Notification.Name("bench:number")
        let (bag, source) = (WatchBag(), Counter())
        var tokens: [any NSObjectProtocol] = []
        for i in 0..<100 {
            plain.watch(topic) { a.value &+= $0.payload }.store(in: bag)
            if i % 2 == 0 {
                mixed.watch(sameTopic, from: source) { b.value &+= $0.payload }.store(in: bag)
                tokens.append(center.addObserver(forName: name, object: source, queue: nil) { _ in c.value &+= 1 })
            } else {
                mixed.watch("bench:*") { b.value &+= $0.payload as? Int ?? 0 }.store(in: bag)
                tokens.append(center.addObserver(forName: nil, object: nil, queue: nil) { _ in c.value &+= 1 })
            }
        }
        row(
            "trigger to 100 watchers, half of the source, half of a pattern",
            ours: Contender("mixed") { n in for i in 0..<n { mixed.trigger(sameTopic, i, from: source) } },
            against: [
                Peer(
                    Contender("NotificationCenter, half of the source, half of any name") { n in
                        for _ in 0..<n { center.post(name: name, object: source) }
                    }, .atMost(0.5)),
                Peer(Contender("plain") { n in for i in 0..<n { plain.trigger(topic, i, from: source) } }),
            ])
        blackHole(a.value &+ b.value &+ c.value)
        bag.cancelAll()
        for token in tokens { center.removeObserver(token) }
    }

    private mutating func twoThreadsRow() {
        let (bus, center) = (EventBus(), NotificationCenter())
        let topic = Topic<Int>("bench:number")
        let name = Notification.Name("bench:number")
        let watch = bus.watch(topic) { blackHole($0.payload) }
        let token = center.addObserver(forName: name, object: nil, queue: nil) { blackHole($0.name) }
        row(
            "two threads on one topic, 1 watcher", note: "per call of each thread",
            ours: Contender("AshlarEventBus") { n in
                onTwoThreads { for i in 0..<n { bus.trigger(topic, i) } }
            },
            against: [
                Peer(
                    Contender("NotificationCenter") { n in
                        onTwoThreads { for _ in 0..<n { center.post(name: name, object: nil) } }
                    }, .atMost(0.33))
            ])
        watch.cancel()
        center.removeObserver(token)
    }
}

/// Returns the shortest time of a call in several batches.
private func nanoseconds(_ work: (Int) -> Void) -> Double {
    var best = Double.infinity
    for _ in 0..<20 {
        let time = ContinuousClock().measure { for i in 0..<20_000 { work(i) } }
        best = min(best, Double(time.components.attoseconds) / 1e9 / 20_000)
    }
    return best
}

/// Runs the work on two threads at once and waits for both.
private func onTwoThreads(_ work: @escaping () -> Void) {
    nonisolated(unsafe) let work = work  // Both threads only read what it captures.
    DispatchQueue.concurrentPerform(iterations: 2) { _ in work() }
}
