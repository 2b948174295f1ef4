import AshlarEventBus
import BenchmarkHarness
import Foundation

extension BenchmarkSuite {
    mutating func watchRows() {
        let (bus, center) = (EventBus(), NotificationCenter())
        let topic = Topic<Int>("bench:number")
        let name = Notification.Name("bench:number")
        row(
            "watch and cancel",
            ours: Contender("AshlarEventBus") { n in
                for _ in 0..<n { bus.watch(topic) { blackHole($0.payload) }.cancel() }
            },
            against: [
                Peer(
                    Contender("NotificationCenter") { n in
                        for _ in 0..<n {
                            center.removeObserver(
                                center.addObserver(forName: name, object: nil, queue: nil) { blackHole($0.name) })
                        }
                    }, .atMost(1))
            ])
        row(
            "100,000 watches of one topic, registered and cancelled",
            ours: Contender("AshlarEventBus") { n in
                for _ in 0..<n {
                    let watches = (0..<100_000).map { _ in bus.watch(topic) { blackHole($0.payload) } }
                    for watch in watches { watch.cancel() }
                }
            },
            against: [
                Peer(
                    Contender("NotificationCenter") { n in
                        for _ in 0..<n {
                            let tokens = (0..<100_000).map { _ in
                                center.addObserver(forName: name, object: nil, queue: nil) { blackHole($0.name) }
                            }
                            for token in tokens { center.removeObserver(token) }
                        }
                    }, .atMost(1))
            ])
        memoryRows()
    }

    private mutating func memoryRows() {
        let bus = EventBus()
        let topic = Topic<Int>("bench:memory")
        value(
            "memory of a watch", unit: "bytes beyond its closure", bar: .below(192),
            note: "100,000 on one topic, snapshot built"
        ) {
            let before = liveHeapBytes() ?? 0
            for _ in 0..<100_000 { _ = bus.watch(topic) { blackHole($0.payload) } }
            bus.trigger(topic, 1)
            return Double((liveHeapBytes() ?? 0) - before) / 100_000
        }
        value(
            "memory of a topic with one watcher", unit: "bytes", bar: .below(400),
            note: "100,000 names, snapshots built"
        ) {
            let names = (0..<100_000).compactMap { try? TopicPattern(parsing: "bench:memory:\($0)") }
            let before = liveHeapBytes() ?? 0
            for name in names { _ = bus.watch(name) { blackHole($0.name) } }
            for index in 0..<100_000 { _ = try? bus.trigger(named: "bench:memory:\(index)", index) }
            return Double((liveHeapBytes() ?? 0) - before) / 100_000
        }
    }
}
