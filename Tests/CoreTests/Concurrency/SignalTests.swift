import AshlarCore
import AshlarTestSupport
import Testing

/// A value that arrives once.
@Suite(.timeLimit(.minutes(2))) struct SignalTests {
    @Test("Waiting and later tasks get the first value")
    func firstValue() async throws {
        let signal = Signal<Int>()
        let waiting = (0..<100).map { _ in Task { await signal.value() } }
        try await until { signal.waiterCount == 100 }
        signal.send(1)
        signal.send(2)
        for task in waiting { #expect(await task.value == 1) }
        #expect(await signal.value() == 1 && signal.waiterCount == 0)
    }

    @Test("A cancelled task stops waiting, before and after it begins, and the others continue")
    func cancellation() async throws {
        let signal = Signal<Int>()
        let (cancelled, patient) = (Task { await signal.value() }, Task { await signal.value() })
        try await until { signal.waiterCount == 2 }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await signal.value()
        }
        #expect(await early.value == nil)
        signal.send(3)
        #expect(await patient.value == 3 && signal.waiterCount == 0)
    }

    @Test("A wait ends at its limit, also without any time", arguments: [Duration.zero, .milliseconds(1)])
    func limit(limit: Duration) async {
        let signal = Signal<Int>()
        #expect(await signal.value(within: limit) == nil)
        #expect(signal.waiterCount == 0)
        signal.send(4)
        #expect(await signal.value(within: limit) == 4)
    }

    @Test("Each of many racing waits ends exactly once")
    func races() async {
        for _ in 0..<200 {
            let signal = Signal<Int>()
            let ends = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<8 {
                    group.addTask { await signal.value(within: number % 2 == 0 ? .microseconds(number) : nil) }
                }
                group.addTask {
                    signal.send(5)
                    return 5
                }
                return await group.reduce(into: 0) { $0 += $1 == nil || $1 == 5 ? 1 : 0 }
            }
            #expect(ends == 9 && signal.waiterCount == 0)
        }
    }
}
