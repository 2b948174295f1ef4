import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Groups that share events", .timeLimit(.minutes(5)))
struct EventGroupTests {
    let bus = EventBus()
    let jobs = Topic<Int>("job:new")
    let done = Recorder<String>()

    @Test("Each event reaches one member in turn, and all other watchers")
    func turns() async throws {
        let group = EventGroup(jobs, on: bus)
        let all = Recorder<Int>()
        let observer = bus.watch(jobs) { all.note($0.payload) }
        let members = ["a", "b", "c"].map { name in
            group.join { [done] in done.note("\(name)\($0.payload)") }
        }
        for number in 0..<9 { bus.trigger(jobs, number) }
        try await until { done.items.count >= 9 }
        #expect(Set(done.items) == ["a0", "b1", "c2", "a3", "b4", "c5", "a6", "b7", "c8"])
        #expect(all.items == Array(0..<9))
        for member in members { member.cancel() }
        observer.cancel()
    }

    @Test("A member that leaves receives no event, and the others share the rest")
    func leaving() async throws {
        let group = EventGroup("job:*", on: bus)
        let first = group.join { [done] _ in done.note("first") }
        let second = group.join { [done] _ in done.note("second") }
        #expect(first.isLive)
        #expect(first.cancel())
        #expect(!first.cancel())
        for number in 0..<4 { bus.trigger(jobs, number) }
        try await until { done.items.count >= 4 }
        #expect(done.items == Array(repeating: "second", count: 4))
        second.cancel()
        bus.trigger(jobs, 4)
        #expect(done.items.count == 4)
    }

    @Test("The events that wait for a member that leaves go to the others")
    func waitingEvents() async throws {
        let group = EventGroup(jobs, on: bus)
        let gate = Gate()
        let first = group.join { [done] in
            await gate.pass()
            done.note("first \($0.payload)")
        }
        let second = group.join { [done] in done.note("second \($0.payload)") }
        bus.trigger(jobs, 0)
        await gate.untilSomebodyComes()
        for number in 1..<6 { bus.trigger(jobs, number) }
        first.cancel()
        gate.open()
        try await until { done.items.count >= 6 }
        #expect(Set(done.items) == Set(["first 0"] + (1..<6).map { "second \($0)" }))
        second.cancel()
    }

    @Test("Members that come and go neither lose nor duplicate events")
    func comingAndGoing() async throws {
        let rounds = 2000
        let group = EventGroup(jobs, on: bus)
        let got = Recorder<Int>()
        let steady = group.join { got.note($0.payload) }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [bus, jobs] in for number in 0..<rounds { bus.trigger(jobs, number) } }
            tasks.addTask {
                for round in 0..<rounds {
                    let leaver = group.join { got.note($0.payload) }
                    if round % 3 == 0 { await Task.yield() }
                    leaver.cancel()
                }
            }
        }
        try await until { got.items.count >= rounds }
        #expect(got.items.sorted() == Array(0..<rounds))
        steady.cancel()
    }

    @Test("The members end with the group, and the error of one goes to the failure hook")
    func ending() async throws {
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        var group: EventGroup<Int>? = EventGroup(jobs, on: bus)
        let member = group?.join { throw Oops($0.payload) }
        bus.trigger(jobs, 7)
        try await until { !failures.items.isEmpty }
        #expect(failures.items.first?.error as? Oops == Oops(7))
        #expect(bus.report().entries.count == 1)
        group = nil
        #expect(member?.isLive == false)
        #expect(bus.trigger(jobs, 8).isUndelivered)
        #expect(bus.report().entries.isEmpty)
    }

    @Test("Concurrent triggers neither lose nor duplicate events of a group")
    func threads() async throws {
        let group = EventGroup(jobs, on: bus)
        let got = Recorder<Int>()
        let members = (0..<3).map { _ in group.join { got.note($0.payload) } }
        await withTaskGroup(of: Void.self) { tasks in
            for thread in 0..<4 {
                tasks.addTask { [bus, jobs] in for i in 0..<250 { bus.trigger(jobs, thread * 250 + i) } }
            }
        }
        try await until { got.items.count >= 1000 }
        #expect(got.items.sorted() == Array(0..<1000))
        for member in members { member.cancel() }
    }
}
