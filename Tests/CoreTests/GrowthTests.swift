import AshlarTestSupport
import Foundation
import Testing

@Suite struct GrowthTests {
    @Test("The growth of quadratic work is greater than that of linear work, also while other threads are busy")
    func quadratic() async throws {
        let isOver = Locked(false)
        for _ in 0..<4 { Thread.detachNewThread { while !isOver.withLock({ $0 }) {} } }
        defer { isOver.withLock { $0 = true } }
        let work: @Sendable (Int) -> Void = { number in
            var sum = 0
            for value in 0..<number { sum = sum &* 31 &+ value }
            #expect(sum != 1)
        }
        let linear = try await offPool { growth(from: 20_000, to: 160_000, limit: 16, of: { $0 }, work) }
        let quadratic = try await offPool { growth(from: 300, to: 2_400, limit: 32, of: { $0 * $0 }, work) }
        #expect(linear < 16 && quadratic > 32)
    }
}
