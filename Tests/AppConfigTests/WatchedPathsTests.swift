import AshlarCore
import AshlarTestSupport
import Testing

@testable import AshlarAppConfig

/// The watch of a store, whose files can change.
@Suite struct WatchedPathsTests {
    private func start(_ paths: [String]) -> PathWatch { PathWatch.start(paths, every: .seconds(60)) { _ in } }

    @Test("A watch of other paths replaces the previous one, and one of the same paths doesn't")
    func replaced() {
        let watch = ConfigWatch()
        let started = Counter()
        weak var first: PathWatch?
        weak var second: PathWatch?
        func isStarted(_ paths: [String], _ note: (PathWatch) -> Void = { _ in }) -> Bool {
            watch.watch(paths) { paths in
                let new = start(paths)
                started.next()
                note(new)
                return new
            }
        }
        #expect(isStarted(["a"]) { first = $0 } && first != nil)
        #expect(!isStarted(["a"]) && started.value == 1)
        #expect(isStarted(["a", "b"]) { second = $0 } && started.value == 2)
        #expect(first == nil && second != nil)
        watch.cancel()
        #expect(second == nil)
        #expect(!isStarted(["c"]) && started.value == 2)
    }

    @Test("A watch that is cancelled while it starts to watch paths ends with them")
    func cancelledMeanwhile() {
        let watch = ConfigWatch()
        weak var started: PathWatch?
        let task = Task<Void, Never> {}
        _ = watch.watch(["a"]) { paths in
            let new = start(paths)
            started = new
            watch.cancel()
            return new
        }
        #expect(started == nil)
        watch.add(task)
        #expect(task.isCancelled)
    }
}
