import AshlarCore
import AshlarTestSupport
import Testing

/// A value that arrives once.
@Suite(.timeLimit(.minutes(2))) struct PromiseTests {
    @Test("Waiting and later tasks get the first value")
    func firstValue() async throws {
        let promise = Promise<Int>()
        let waiting = (0..<100).map { _ in Task { await promise.value() } }
        try await until { promise.waiterCount == 100 }
        promise.fulfill(1)
        promise.fulfill(2)
        for task in waiting { #expect(await task.value == 1) }
        #expect(await promise.value() == 1 && promise.waiterCount == 0)
    }

    @Test("A cancelled task stops waiting, before and after it begins, and the others continue")
    func cancellation() async throws {
        let promise = Promise<Int>()
        let (cancelled, patient) = (Task { await promise.value() }, Task { await promise.value() })
        try await until { promise.waiterCount == 2 }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.value()
        }
        #expect(await early.value == nil)
        promise.fulfill(3)
        #expect(await patient.value == 3 && promise.waiterCount == 0)
    }

    @Test("A wait ends at its limit, also without any time", arguments: [Duration.zero, .milliseconds(1)])
    func limit(limit: Duration) async {
        let promise = Promise<Int>()
        #expect(await promise.value(within: limit) == nil)
        #expect(promise.waiterCount == 0)
        promise.fulfill(4)
        #expect(await promise.value(within: limit) == 4)
    }

    @Test("A wait with a limit lasts as long as the sleep on its clock")
    func sleep() async throws {
        let promise = Promise<Int>()
        let clock = Promise<Bool>()
        let waiting = Task {
            await promise.value(within: .seconds(9)) { duration in
                #expect(duration == .seconds(9))
                _ = await clock.value()
            }
        }
        try await until { clock.waiterCount == 1 }
        #expect(promise.waiterCount == 1)
        clock.fulfill(true)
        #expect(await waiting.value == nil)
    }

    @Test("Each of many racing waits ends exactly once")
    func races() async {
        for _ in 0..<200 {
            let promise = Promise<Int>()
            let ends = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<8 {
                    group.addTask { await promise.value(within: number % 2 == 0 ? .microseconds(number) : nil) }
                }
                group.addTask {
                    promise.fulfill(5)
                    return 5
                }
                return await group.reduce(into: 0) { $0 += $1 == nil || $1 == 5 ? 1 : 0 }
            }
            #expect(ends == 9 && promise.waiterCount == 0)
        }
    }
}
