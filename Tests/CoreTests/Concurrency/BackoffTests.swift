import AshlarCore
import Testing

@Suite struct BackoffTests {
    @Test(
        "The bound doubles with each retry up to the ceiling", arguments: zip(1...6, [200, 400, 800, 1600, 2000, 2000]))
    func bounds(retry: Int, milliseconds: Int) {
        let backoff = Backoff(first: .milliseconds(200), ceiling: .seconds(2))
        #expect(backoff.bound(beforeRetry: retry) == .milliseconds(milliseconds))
    }

    @Test("Extreme bounds and numbers of retries don't overflow")
    func extremes() {
        let longest = Duration.seconds(Int64.max)
        #expect(Backoff(first: .nanoseconds(1), ceiling: longest).bound(beforeRetry: .max) == longest)
        #expect(Backoff(first: longest, ceiling: .seconds(1)).bound(beforeRetry: 1) == .seconds(1))
        #expect(Backoff(first: .seconds(-1), ceiling: .seconds(1)).pause(beforeRetry: 3) == .zero)
        #expect(Backoff(first: .seconds(1), ceiling: .zero).pause(beforeRetry: 1) == .zero)
        #expect(Backoff(first: .seconds(1), ceiling: .seconds(-1)).bound(beforeRetry: 1) == .zero)
        #expect(Backoff(first: .seconds(1), ceiling: .seconds(9)).bound(beforeRetry: 0) == .seconds(1))
    }

    @Test("Pauses are spread over the whole range from zero to the bound")
    func jitter() {
        let backoff = Backoff(first: .seconds(1), ceiling: .seconds(1))
        let pauses = (0..<1000).map { _ in backoff.pause(beforeRetry: 1) }
        #expect(pauses.allSatisfy { .zero <= $0 && $0 <= .seconds(1) })
        #expect(pauses.contains { $0 < .milliseconds(250) } && pauses.contains { $0 > .milliseconds(750) })
    }

    @Test("A seed repeats the pauses, and different seeds give different ones")
    func seeds() {
        func pauses(_ seed: UInt64) -> [Duration] {
            let backoff = Backoff(first: .seconds(1), ceiling: .seconds(60), seed: seed)
            return (1...20).map { backoff.pause(beforeRetry: $0) }
        }
        #expect(pauses(7) == pauses(7))
        #expect(pauses(7) != pauses(8))
        #expect(Set(pauses(7)).count == 20)
        #expect(pauses(7).allSatisfy { .zero <= $0 && $0 <= .seconds(60) })
    }
}
