import AshlarCore
import AshlarTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FairQueueTests {
    @Test("Elements leave by priority, then in order of arrival, or the oldest first")
    func model() {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("queue: seed \(seed)")
        var random = SeededRandom(seed: seed)
        var queue = FairQueue<UInt64>(priorities: 3)
        var waiting: [(arrival: UInt64, priority: Int)] = []
        for arrival in UInt64(1)...20_000 {
            if random.chance(1) {
                queue.removeAll { $0.isMultiple(of: 3) }
                waiting.removeAll { $0.arrival.isMultiple(of: 3) }
            } else if Bool.random(using: &random) || waiting.count < 3 {
                let priority = random.below(3)
                queue.add(arrival, priority: priority, arrival: arrival)
                waiting.append((arrival, priority))
            } else {
                let oldest = random.chance(12)
                let highest = waiting.map(\.priority).max()
                let index = oldest ? 0 : waiting.firstIndex { $0.priority == highest } ?? 0
                let removed = queue.next(oldest: oldest).map { queue.remove($0) }
                #expect(removed == waiting[index].arrival)
                waiting.remove(at: index)
            }
            #expect(queue.isEmpty == waiting.isEmpty && queue.count == waiting.count)
        }
        #expect(Set(queue.elements) == Set(waiting.map(\.arrival)))
    }

    @Test("Every eighth start takes the oldest element, among several queues too")
    func order() throws {
        var order = FairOrder()
        var (low, high) = (FairQueue<Int>(priorities: 2), FairQueue<Int>(priorities: 2))
        low.add(0, priority: 0, arrival: order.nextArrival())
        for number in 1...20 { high.add(number, priority: 1, arrival: order.nextArrival()) }
        var started: [Int] = []
        while let next = high.next(oldest: order.takesOldest) {
            let other = low.next(oldest: order.takesOldest)
            let isLow = other?.precedes(next, oldest: order.takesOldest) ?? false
            order.countStart()
            started.append(isLow ? low.remove(try #require(other)) : high.remove(next))
        }
        #expect(started == [1, 2, 3, 4, 5, 6, 7, 0] + Array(8...20))
    }

    @Test("Among several queues, elements of one priority leave in the order of arrival")
    func arrival() throws {
        var order = FairOrder()
        var queues = [FairQueue<Int>(priorities: 2), FairQueue<Int>(priorities: 2)]
        for number in 1...4 { queues[number % 2].add(number, priority: 1, arrival: order.nextArrival()) }
        for number in 1...4 {
            let waiting = try #require(queues[number % 2].next(oldest: false))
            if let other = queues[(number + 1) % 2].next(oldest: false) {
                #expect(waiting.precedes(other, oldest: false) && !other.precedes(waiting, oldest: false))
            }
            #expect(queues[number % 2].remove(waiting) == number)
        }
    }

    @Test("Removing a long queue takes linear time")
    func longQueue() {
        let ratio = growth(from: 5_000, to: 40_000, limit: 30) {
            $0
        } _: { count in
            var queue = FairQueue<Int>(priorities: 1)
            for number in 0..<count { queue.add(number, priority: 0, arrival: UInt64(number)) }
            for number in 0..<count {
                let removed = queue.next(oldest: false).map { queue.remove($0) }
                if removed != number { Issue.record("expected \(number)") }
            }
            #expect(queue.isEmpty)
        }
        // Eight times as many take 8 times as long; with quadratic time, 64 times.
        #expect(ratio < 30)
    }
}
