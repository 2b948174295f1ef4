import AshlarCore
import Testing

@Suite struct MutexTests {
    @Test("Eight threads increment a counter without losing an increment", .timeLimit(.minutes(5)))
    func incrementsAreNotLost() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { counter.increment() } }
            }
        }
        #expect(counter.value == 80_000)
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func increment() { count.withLock { $0 += 1 } }
        var value: Int { count.withLock { $0 } }
    }
}
