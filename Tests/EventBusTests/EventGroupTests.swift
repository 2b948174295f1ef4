import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Groups that share events", .timeLimit(.minutes(5)))
struct EventGroupTests {
    let bus = EventBus()
    let jobs = Topic<Int>("job:new")
    let done = Recorder<Int>()

    @Test("Each event reaches one member, and all other watchers")
    func sharing() async throws {
        let group = EventGroup("job:*", on: bus)
        let all = Recorder<Int>()
        let observer = bus.watch(jobs) { all.note($0.payload) }
        for _ in 0..<3 { group.join { [done] in done.note($0.payload as? Int ?? -1) } }
        for number in 0..<9 { bus.trigger(jobs, number) }
        try await until { done.items.count >= 9 }
        #expect(done.items.sorted() == Array(0..<9))
        #expect(all.items == Array(0..<9))
        observer.cancel()
    }

    @Test("A busy member receives no event while another one has time, so that a buffer of one event drops none")
    func busyMember() async throws {
        let group = EventGroup(jobs, on: bus, buffer: .oldest(1))
        let gate = Gate()
        group.join { [done] in
            await gate.pass()
            done.note($0.payload)
        }
        bus.trigger(jobs, 0)
        await gate.untilSomebodyComes()
        group.join { [done] in done.note($0.payload) }
        for number in 1..<20 {
            bus.trigger(jobs, number)
            try await until { done.items.count == number }
        }
        gate.open()
        try await until { done.items.count == 20 }
        #expect(done.items == Array(1..<20) + [0])
        #expect(group.dropped == 0)
    }

    @Test("A full buffer drops events, which the group and the results of triggers count")
    func fullBuffer() async throws {
        let group = EventGroup(jobs, on: bus, buffer: .oldest(2))
        let dropped = (0..<5).reduce(0) { $0 + bus.trigger(jobs, $1).dropped }
        #expect(dropped == 3)
        #expect(group.dropped == 3)
        group.join { [done] in done.note($0.payload) }
        try await until { done.items.count == 2 }
        #expect(done.items == [0, 1])
    }

    @Test("A sender waits for room in a buffer that suspends, and no event is lost")
    func suspension() async throws {
        let group = EventGroup(jobs, on: bus, buffer: .suspend(1))
        let sender = Task { [bus, jobs] in for number in 0..<20 { await bus.send(jobs, number) } }
        for _ in 0..<2 { group.join { [done] in done.note($0.payload) } }
        await sender.value
        try await until { done.items.count == 20 }
        #expect(done.items.sorted() == Array(0..<20))
        #expect(group.dropped == 0)
    }

    @Test("Events wait for the first member, and a member that left takes none but ends its call")
    func leaving() async throws {
        let group = EventGroup(jobs, on: bus)
        for number in 0..<3 { bus.trigger(jobs, number) }
        let gate = Gate()
        let first = group.join { [done] in
            await gate.pass()
            if !Task.isCancelled { done.note($0.payload) }
        }
        await gate.untilSomebodyComes()
        first.cancel()
        gate.open()
        await first.value
        #expect(done.items == [0])
        group.join { [done] in done.note($0.payload) }
        try await until { done.items.count == 3 }
        #expect(done.items == [0, 1, 2])
    }

    @Test("Members that come and go neither lose nor duplicate events")
    func comingAndGoing() async throws {
        let rounds = 2000
        let group = EventGroup(jobs, on: bus)
        group.join { [done] in done.note($0.payload) }
        await withTaskGroup(of: Void.self) { tasks in
            for half in 0..<2 {
                tasks.addTask { [bus, jobs] in
                    for number in 0..<rounds / 2 { bus.trigger(jobs, half * rounds / 2 + number) }
                }
            }
            tasks.addTask { [done] in
                for round in 0..<rounds {
                    let leaver = group.join { done.note($0.payload) }
                    if round % 3 == 0 { await Task.yield() }
                    leaver.cancel()
                }
            }
        }
        try await until { done.items.count >= rounds }
        #expect(done.items.sorted() == Array(0..<rounds))
        #expect(group.dropped == 0)
    }

    @Test("The members end with the group after the waiting events, and errors go to the failure hook")
    func ending() async throws {
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        var group: EventGroup<Int>? = EventGroup(jobs, on: bus)
        let sequences = (0..<2).map { bus.trigger(jobs, $0).sequence }
        let member = group?.join(line: 7) { [done] in
            done.note($0.payload)
            throw Oops($0.payload)
        }
        group = nil
        await member?.value
        #expect(done.items == [0, 1])
        #expect(failures.items.map { $0.error as? Oops } == [Oops(0), Oops(1)])
        #expect(failures.items.map(\.sequence) == sequences)
        #expect(failures.items.map { $0.watcher?.line } == [7, 7])
        bus.trigger(jobs, 2)
        #expect(bus.report().entries.isEmpty)
    }

    @Test("A trigger inside a handler carries the metadata of the event")
    func metadata() async throws {
        let group = EventGroup(jobs, on: bus)
        let inner = Recorder<String?>()
        group.join { _ in inner.note(EventMetadata.current?.correlationID) }
        EventMetadata(correlationID: "c-1").whileCurrent { _ = bus.trigger(jobs, 1) }
        try await until { !inner.items.isEmpty }
        #expect(inner.items == ["c-1"])
    }
}
