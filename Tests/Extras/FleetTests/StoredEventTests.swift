import AshlarEventBus
import AshlarTestSupport
import Testing

@testable import AshlarFleet

@Suite(
    "Events that are stored for each role",
    .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"),
    .timeLimit(.minutes(3)))
struct StoredEventTests {
    private let saved = Topic<Note>("note:saved")
    private let raw = Topic<[UInt8]>("note:raw")

    @Test("Stored events reach each role once, and one process of a role, with their order")
    func stored() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(4, server, names: ["web", "worker", "worker", "mail"], topics)
        defer { processes.keep() }
        let seen = (0..<4).map { _ in Recorder<Int>() }
        let bag = WatchBag()
        for (bus, log) in zip(processes.buses, seen) { bus.watch(saved) { log.note($0.payload.id) }.store(in: bag) }
        for number in 0..<500 { processes.buses[0].trigger(saved, Note(id: number, title: "")) }
        let result = await processes.buses[0].send(saved, Note(id: 500, title: ""))
        #expect(result.failures.isEmpty && result.dropped == 0)
        try await until { seen[0].items.count >= 501 && seen[3].items.count >= 501 }
        try await until { seen[1].items.count + seen[2].items.count >= 501 }
        #expect(seen[0].items == Array(0...500) && seen[3].items == Array(0...500))
        #expect((seen[1].items + seen[2].items).sorted() == Array(0...500))
    }

    @Test("At-least-once entries that cover one another store and deliver each event once, in different releases, too")
    func coveredEntries() async throws {
        let server = try await NatsServer()
        var narrow = FleetTopics()
        narrow.share(saved, .atLeastOnce)
        var wide = narrow
        wide.share("note:**", of: Note.self, .atLeastOnce)
        wide.share("note:*", of: Note.self, .atLeastOnce)
        for (release, topics) in [narrow, wide, narrow].enumerated() {
            let processes = try Processes(1, server, topics)
            defer { processes.keep() }
            let (bus, fleet) = (processes.buses[0], processes.fleets[0])
            let seen = Recorder<Int>()
            let watch = bus.watch(saved) { seen.note($0.payload.id) }
            bus.trigger(saved, Note(id: release, title: ""))
            try await within(.seconds(30)) { try await fleet.flush() }
            try await until("release \(release) receives its event") { !seen.items.isEmpty }
            try await processes.settle()
            #expect(seen.items == [release])
            await fleet.close()
            watch.cancel()
        }
    }

    @Test(
        "At-least-once entries that overlap without covering one another are an error that names both",
        arguments: [
            (["note:*:saved", "note:5:*"], false), (["note:5:**", "note:*:saved"], false),
            (["note:*:saved", "note:5:*", "note:**"], true), (["note:5", "note:5", "note:*"], true),
            (["note:*:saved", "job:5:*"], true),
        ])
    func conflicts(patterns: [String], isPossible: Bool) async throws {
        var topics = FleetTopics()
        for pattern in patterns { topics.share(try TopicPattern(parsing: pattern), of: Int.self, .atLeastOnce) }
        // No server is necessary.
        let connect = { [topics] in
            try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:1", role: "worker", topics: topics)
        }
        if isPossible { return await (try connect()).close() }
        let error = await #expect(throws: FleetError.self) { _ = try await connect() }
        #expect(error?.code == .invalidOptions)
        for pattern in patterns { #expect(error?.reason.contains("'\(pattern)'") == true) }
    }

    @Test(
        "One subject covers another one if it matches all that the other one matches",
        arguments: [
            ("a.b", "a.b", true), ("a.*", "a.b", true), ("a.b", "a.*", false), ("a.>", "a.b.c", true),
            ("a.>", "a", false), ("a", "a.>", false), ("a.>", "a.>", true), ("a.>", "a.*.c", true),
            ("a.*", "a.>", false), ("*.b", "a.*", false), (">", "a", true), ("a.b", "a.b.c", false),
        ])
    func covers(one: String, other: String, isCovered: Bool) {
        #expect(SubjectSet.covers(one, other) == isCovered)
        if isCovered { #expect(SubjectSet.reduced([other, one, other]) == [one]) }
    }

    @Test("A table with at-least-once topics needs a role")
    func roles() async throws {
        var topics = FleetTopics()
        topics.share(raw)
        await (try Fleet.connect(EventBus(), to: "nats://127.0.0.1:1", topics: topics)).close()
        topics.share("note:*:kept", of: Int.self, .atLeastOnce)
        let error = #expect(throws: FleetError.self) { try topics.check(role: nil) }
        #expect(error?.code == .invalidOptions)
        #expect(error?.reason.contains("'note:*:kept'") == true)
        let connect = { [topics] in
            try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:1", topics: topics)
        }
        await #expect(throws: FleetError.self) { _ = try await connect() }
    }

    private actor Desk {}

    @Test(
        "Stored events that wait when the last watch ends go to the next watch",
        arguments: [
            "in its handler", "outside", "once", "on an actor", "on the main actor", "in a loop", "fleet closed",
        ], [2, 256])
    func nextWatch(end: String, prefetch: Int) async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce(prefetch: prefetch))
        let processes = try Processes(2, server, names: ["worker", "worker"], topics)
        defer { processes.keep() }
        let (bus, fleet, saved) = (processes.buses[0], processes.fleets[0], saved)
        let count = 300
        for number in 0..<count { bus.trigger(saved, Note(id: number, title: "")) }
        try await within(.seconds(30)) { try await fleet.flush() }
        let seen = Recorder<Int>()
        let bag = WatchBag()
        let desk = Desk()
        // The watch is perhaps not in the bag when its handler is first called.
        let handle: @Sendable (Signal<Note>) -> Void = { signal in
            seen.note(signal.payload.id)
            if signal.payload.id >= 9 { bag.cancelAll() }
        }
        switch end {
        case "in a loop":
            let stream = bus.events(saved)
            try await within(.seconds(30)) {
                for await signal in stream {
                    seen.note(signal.payload.id)
                    if signal.payload.id == 9 { break }
                }
            }
        case "outside", "fleet closed":
            let first = bus.watch(saved) { seen.note($0.payload.id) }
            try await until("some are handled") { seen.items.count > 9 }
            if end == "outside" { first.cancel() } else { await fleet.close() }
        default:
            let first =
                switch end {
                case "once": bus.watch(saved, once: true, handle)
                case "on an actor": bus.watch(saved, on: desk, buffer: .unbounded) { handle($1) }
                case "on the main actor": bus.watchOnMain(saved) { handle($0) }
                default: bus.watch(saved, handle)
                }
            first.store(in: bag)
            try await until("the watch has ended") { !first.isLive && !seen.items.isEmpty }
        }
        let heir = end == "fleet closed" ? processes.buses[1] : bus
        let times = Recorder<ContinuousClock.Instant>()
        times.note(.now)
        let second = heir.watch(saved) {
            seen.note($0.payload.id)
            times.note(.now)
        }
        try await until("all are handled") { Set(seen.items).count == count }
        let pauses = zip(times.items, times.items.dropFirst()).map { $0.duration(to: $1) }
        // The server would repeat a delivery that wasn't given back after ten seconds.
        #expect(pauses.allSatisfy { $0 < .seconds(8) }, "\(pauses.max() ?? .zero)")
        if end != "fleet closed" { #expect(seen.items.count == count, "none is handled twice") }
        second.cancel()
    }

    @Test("A stored event isn't acknowledged before its handler has run, on a bus that queues all events, too")
    func queuingBus() async throws {
        struct Failure: Error {}
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let bus = EventBus(delivery: .queuedOnMain)
        let fleet = try await Fleet.connect(bus, to: server.url, role: "worker", topics: topics)
        defer { withExtendedLifetime(fleet) {} }
        let attempts = Recorder<Int>()
        let watch = bus.watch(saved) { signal in
            attempts.note(signal.payload.id)
            if attempts.items.count == 1 { throw Failure() }
        }
        await bus.send(saved, Note(id: 1, title: ""))
        try await until { attempts.items.count == 2 }
        #expect(fleet.counters.failed == 1)
        watch.cancel()
        await fleet.close()
    }

    @Test(
        "Observers take no event from the processes that handle its topic",
        arguments: [
            FleetDelivery.atLeastOnce, .atMostOnce(group: "workers"),
        ], ["pattern", "everything", "stream", "observe"])
    func observers(delivery: FleetDelivery, kind: String) async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share("note:*", of: Note.self, delivery)
        let processes = try Processes(3, server, names: ["worker", "worker", "web"], topics)
        defer { processes.keep() }
        // The publisher's observers see what it sends to a group.
        let (handled, observed, sent) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
        let bag = WatchBag()
        var tasks: [Task<Void, Never>] = []
        for (bus, observed) in [(processes.buses[1], observed), (processes.buses[2], sent)] {
            switch kind {
            case "pattern": bus.watch("note:*") { _ in observed.note(1) }.store(in: bag)
            case "everything":
                bus.watch("**") { if $0.name.hasPrefix("note:") { observed.note(1) } }.store(in: bag)
            case "stream":
                let events = bus.events(Topic(matching: "note:*"))
                tasks.append(Task { for await _ in events { observed.note(1) } })
            default: bus.observe(saved) { _ in observed.note(1) }.store(in: bag)
            }
        }
        processes.buses[0].watch(saved) { handled.note($0.payload.id) }.store(in: bag)
        // An observer in the process that handles the topic sees its events.
        let beside = Recorder<Int>()
        processes.buses[0].watch("note:*") { _ in beside.note(1) }.store(in: bag)
        try await processes.settle()
        for number in 0..<100 { processes.buses[2].trigger(saved, Note(id: number, title: "")) }
        try await until { handled.items.count >= 100 && beside.items.count >= 100 }
        #expect(handled.items == Array(0..<100) && observed.items.isEmpty && beside.items.count == 100)
        for task in tasks { task.cancel() }
    }

    @Test("An event of a topic that nobody watches waits, although the same entry has others that are watched")
    func unwatchedTopic() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share("note:*:shown", of: Int.self, .atLeastOnce)
        let processes = try Processes(1, server, topics)
        defer { processes.keep() }
        let bus = processes.buses[0]
        let (five, six) = (Topic<Int>("note:5:shown"), Topic<Int>("note:6:shown"))
        let seen = Recorder<Int>()
        let bag = WatchBag()
        bus.watch(five) { seen.note($0.payload) }.store(in: bag)
        for number in 0..<20 { bus.trigger(number % 2 == 0 ? five : six, number) }
        try await until { seen.items.count == 10 }
        bus.watch(six) { seen.note($0.payload) }.store(in: bag)
        try await until { seen.items.count == 20 }
        #expect(seen.items == (0..<20).filter { $0 % 2 == 0 } + (0..<20).filter { $0 % 2 == 1 })
    }

    @Test("A worker that joins late takes what the first one hasn't begun", arguments: [(1, 2), (1, 1), (3, 4)])
    func lateWorker(concurrency: Int, prefetch: Int) async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce(concurrency: concurrency, prefetch: prefetch))
        let processes = try Processes(3, server, names: ["web", "worker", "worker"], topics)
        defer { processes.keep() }
        let gate = Gate()
        let (first, second) = (Recorder<Int>(), Recorder<Int>())
        let handling = StoredHandling(
            concurrency: concurrency, prefetch: prefetch, maximumDeliveries: nil, deadLetters: nil)
        let consumer = try StoredConsumer(processes.fleets[1].bridge.stored, "app.note.saved", handling) { delivery in
            first.note(delivery.place.stream - 1)
            await gate.pass()
            return .handled
        }
        for number in 0..<100 { await processes.buses[0].send(saved, Note(id: number, title: "")) }
        try await until { first.items.count == concurrency }
        let watch = processes.buses[2].watch(saved) { second.note($0.payload.id) }
        try await until("the other worker has the rest") { second.items.count == 100 - prefetch }
        #expect(first.items.sorted() == Array(0..<concurrency), "no more than these are handled at the same time")
        gate.open()
        try await until { first.items.count + second.items.count == 100 }
        #expect((first.items + second.items).sorted() == Array(0..<100))
        consumer.stop()
        watch.cancel()
    }
}
