import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Synchronization
import Testing

/// Counts its initializations and deinitializations.
private final class Counted: WatchOwner {
    static let made = Atomic(0)
    static let ended = Atomic(0)
    let watches = WatchBag()
    init() { Self.made.add(1, ordering: .relaxed) }
    deinit { Self.ended.add(1, ordering: .relaxed) }
}

@Suite("Many threads at once", .timeLimit(.minutes(5)), .serialized)
struct ChurnTests {
    @Test("Eight threads that watch, unwatch, trigger, nest, throw and release owners leave no memory behind")
    func churn() async throws {
        let bus = EventBus()
        let topics = (0..<4).map { try? Topic<Int>(named: "churn:\($0)") }
        let (made, ended) = (Counted.made.load(ordering: .relaxed), Counted.ended.load(ordering: .relaxed))
        let steady = Counter()
        let constant = bus.watch(topics[0]!) { _ in steady.value.add(1, ordering: .relaxed) }
        let triggered = Counter()
        let steps = soak ? 300_000 : 3000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(thread))
                    var mine: [Watch] = []
                    var owner = Counted()
                    func count(_ topic: Int, _ receipt: DeliveryResult) {
                        if topic == 0, receipt.sequence > 0 { triggered.value.add(1, ordering: .relaxed) }
                    }
                    for _ in 0..<steps {
                        let number = Int.random(in: 0..<4, using: &random)
                        let topic = topics[number]!
                        switch Int.random(in: 0..<16, using: &random) {
                        case 0: mine.append(bus.watch(topic) { [owner] _ in _ = owner })
                        case 1: mine.append(bus.watch(topic) { _ in throw Oops() })
                        case 2:
                            mine.append(
                                bus.watch(topic) { signal in
                                    guard signal.depth == 0 else { return }
                                    let receipt = bus.trigger(topics[0]!, 1)
                                    if receipt.sequence > 0 { triggered.value.add(1, ordering: .relaxed) }
                                })
                        case 3: bus.watch(topic, from: owner, owner: owner) { _, _ in }
                        case 4: mine.append(bus.watch("churn:*", from: owner) { _ in })
                        case 5: mine.append(bus.watch(topic, once: true) { _ in })
                        case 6: bus.watch(topic, owner: owner, once: true) { owner, _ in owner.watches.cancelAll() }
                        case 7: owner = Counted()
                        case 8: mine.append(bus.watch("churn:**", priority: 1) { _ in })
                        case 9: mine.append(bus.watch(topic, buffer: .newest(2)) { _ in })
                        case 10: while mine.count > 4 { mine.removeFirst().cancel() }
                        default: count(number, bus.trigger(topic, 0, from: Bool.random(using: &random) ? owner : nil))
                        }
                    }
                    for watch in mine { watch.cancel() }
                }
            }
        }
        #expect(steady.value.load(ordering: .relaxed) == triggered.value.load(ordering: .relaxed))
        constant.cancel()
        try await until { !bus.currentWatches().entries.contains(where: { !$0.isDead }) }
        let (allMade, allEnded) = (Counted.made.load(ordering: .relaxed), Counted.ended.load(ordering: .relaxed))
        #expect(allMade - made > 8)
        #expect(allMade - made == allEnded - ended)
    }

    @Test("Cancelling while others trigger never hangs, and no call starts after the wait")
    func cancelRace() async {
        let bus = EventBus()
        let topic = Topic<Int>("race")
        let rounds = soak ? 1_000_000 : 10_000
        let isOver = Gone()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !isOver.value.load(ordering: .relaxed) {
                    for _ in 0..<64 { bus.trigger(topic, 1) }
                    // The other task can't run otherwise if the machine has one processor.
                    await Task.yield()
                }
            }
            group.addTask {
                for round in 0..<rounds {
                    let isGone = Gone()
                    let watch = bus.watch(topic) { _ in
                        if isGone.value.load(ordering: .sequentiallyConsistent) {
                            Issue.record("called after the wait")
                        }
                    }
                    if round % 8 == 0 {
                        await watch.cancelAndWait()
                        isGone.value.store(true, ordering: .sequentiallyConsistent)
                    } else {
                        watch.cancel()
                    }
                }
                isOver.value.store(true, ordering: .relaxed)
            }
        }
        #expect(bus.currentWatches().entries.isEmpty)
    }

    private final class Gone: Sendable { let value = Atomic(false) }

    @Test("Queued events reach their mailbox in order and without loss")
    func noInversion() async throws {
        let bus = EventBus()
        let topic = Topic<Int>("queue")
        let perThread = soak ? 2_500_000 : 10_000
        let last = Mutex([Int](repeating: -1, count: 4))
        let (inversions, count) = (Counter(), Counter())
        let watch = bus.watch(topic, buffer: .unbounded) { signal in
            let (thread, number) = (signal.payload % 4, signal.payload / 4)
            let isInOrder = last.withLock { last in
                defer { last[thread] = number }
                return last[thread] == number - 1
            }
            if !isInOrder { inversions.value.add(1, ordering: .relaxed) }
            count.value.add(1, ordering: .relaxed)
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { for number in 0..<perThread { bus.trigger(topic, number * 4 + thread) } }
            }
        }
        try await until { count.value.load(ordering: .relaxed) >= 4 * perThread }
        #expect(inversions.value.load(ordering: .relaxed) == 0)
        watch.cancel()
    }

    private final class Counter: Sendable { let value = Atomic(0) }

    @Test("Registering and cancelling on many threads doesn't hide other watches from any trigger")
    func registration() async {
        let bus = EventBus()
        let topic = Topic<Int>("steady")
        let calls = Counter()
        let watch = bus.watch(topic) { _ in calls.value.add(1, ordering: .relaxed) }
        let triggers = soak ? 2_000_000 : 20_000
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<triggers / 4 { bus.watch(topic) { _ in }.cancel() } }
                group.addTask { for i in 0..<triggers / 4 { bus.trigger(topic, i) } }
            }
        }
        #expect(calls.value.load(ordering: .relaxed) == triggers / 4 * 4)
        watch.cancel()
    }
}
