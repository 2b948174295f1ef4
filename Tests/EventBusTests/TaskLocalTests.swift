import AshlarEventBus
import AshlarTestSupport
import Foundation
import Testing

private enum Request { @TaskLocal static var id: String? }

@Suite("Task-local values and deferred work", .timeLimit(.minutes(5)))
struct TaskLocalTests {
    let bus = EventBus()
    let log = Recorder<String>()

    @Test("A queued delivery carries no task-local values")
    func mailbox() async throws {
        let number = Topic<Int>("number")
        let watch = bus.watch(number, buffer: .unbounded) { [log] in log.note("\($0.payload) \(Request.id ?? "none")") }
        let main = bus.watchOnMain(number, alwaysQueued: true) { [log] in
            log.note("\($0.payload) \(Request.id ?? "none")")
        }
        Request.$id.withValue("request-1") { _ = bus.trigger(number, 1) }
        bus.trigger(number, 2)
        try await until { log.items.count >= 4 }
        #expect(Set(log.items) == ["1 none", "2 none"])
        watch.cancel()
        main.cancel()
    }

    @Test("A task created by an action navigates independently")
    func navigationsOfTasks() async throws {
        let router = Router(bus: bus)
        let log = log
        try router.route("/step/:n(int)") { [weak router] navigation in
            let step = try navigation.parameters.value("n", as: Int.self)
            log.note("\(step)")
            guard step < 40, let router else { return }
            Task { try await router.navigate(to: "/step/\(step + 1)") }
        }
        try await router.navigate(to: "/step/1")
        try await until { log.items.last == "40" }
        #expect(log.items.count == 40)
    }

    @Test("A navigation in any task of an action that still runs is part of the action's navigation", arguments: 0..<3)
    func navigationInTaskOfRunningAction(kind: Int) async throws {
        let router = Router(bus: bus)
        try router.route("/outer") { [log] _ in
            switch kind {
            case 0:
                async let inner = router.navigate(to: "/inner")
                log.note("\(try await inner.url)")
            case 1:
                try await withThrowingTaskGroup { group in
                    for number in 0..<4 { group.addTask { try await router.navigate(to: "/inner?\(number)") } }
                    for try await _ in group { log.note("/inner") }
                }
            default: log.note(try await Task { try await router.navigate(to: "/inner") }.value.url)
            }
        }
        try router.route("/inner") { _ in await Task.yield() }
        #expect(try await router.navigate(to: "/outer").url == "/outer")
        #expect(log.items == Array(repeating: "/inner", count: kind == 1 ? 4 : 1))
    }

    @Test("A new navigation cancels those in the child tasks of an action")
    func cancelledChild() async throws {
        let router = Router(bus: bus)
        let gate = Gate()
        try router.route("/outer") { _ in
            async let inner = router.navigate(to: "/inner")
            _ = try await inner
        }
        try router.route("/inner") { _ in
            gate.open()
            try await Task.sleep(for: .seconds(60))
        }
        try router.route("/new") { _ in }
        let outer = Task { try await router.navigate(to: "/outer") }
        await gate.pass()
        try await router.navigate(to: "/new")
        await #expect(throws: CancellationError.self) { try await outer.value }
    }

    @Test("A task with the identity of an ended navigation's task navigates independently")
    func reusedIdentity() async throws {
        let router = Router(bus: bus)
        let (results, reuses) = (Recorder<Bool>(), Recorder<Int>())
        try router.route("/inner") { _ in }
        for round in 0..<200 {
            let (gate, done) = (Gate(), Gate())
            try router.route("/outer", replacing: true) { [router] _ in
                let identity = withUnsafeCurrentTask { $0?.hashValue }
                Task {
                    await gate.pass()
                    // The navigation's task has ended, so these tasks, which have the same size, can get its memory.
                    for _ in 0..<4 {
                        let task = Task {
                            if withUnsafeCurrentTask(body: { $0?.hashValue }) == identity { reuses.note(round) }
                            return try await router.navigate(to: "/inner")
                        }
                        results.note((try? await task.value) != nil)
                    }
                    done.open()
                }
            }
            try await router.navigate(to: "/outer")
            // A later navigation, which a part of the ended one would not be permitted to follow.
            try await router.navigate(to: "/inner")
            gate.open()
            await done.pass()
        }
        router.unroute("/outer")
        #expect(results.items.count == 800 && !results.items.contains(false))
        // The address sanitizer prevents the reuse of memory, so the case can't occur with it.
        let isSanitized = dlsym(nil, "__asan_init") != nil
        #expect(!reuses.items.isEmpty || isSanitized, "no task got the memory of an ended one, so nothing was tested")
    }

    @Test("Deep nesting on a small stack fails without a crash")
    func smallStack() async {
        let bus = EventBus(depthLimit: 1000)
        let deep = Topic<Int>("deep")
        let watch = bus.watch(deep) { [log] signal in
            // Some of the stack that a real handler needs.
            withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 8) { $0[0] = UInt8(signal.depth & 255) }
            let result = bus.trigger(deep, signal.payload + 1)
            if let error = result.failures.first as? EventBusError { log.note("\(error.code)") }
        }
        await onSmallStack { bus.trigger(deep, 0) }
        #expect(log.items == ["nestedTooDeep"])
        watch.cancel()
    }

    @Test("The depth of one bus isn't that of another")
    func depthByBus() {
        let other = EventBus(depthLimit: 2)
        let (outer, inner) = (Topic<Int>("outer"), Topic<Int>("inner"))
        let depths = Recorder<Int>()
        let refused = Recorder<EventFailure>()
        let bag = WatchBag()
        other.onFailure { refused.note($0) }
        other.watch(inner) { depths.note($0.depth) }.store(in: bag)
        bus.watch(outer) { [bus] signal in
            if signal.payload < 5 { bus.trigger(outer, signal.payload + 1) } else { other.trigger(inner, 1) }
        }.store(in: bag)
        bus.trigger(outer, 0)
        #expect(depths.items == [0])
        #expect(refused.items.isEmpty)
    }
}
