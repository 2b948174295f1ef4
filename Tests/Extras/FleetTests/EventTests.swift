import AshlarEventBus
import AshlarTestSupport
import Testing

@testable import AshlarFleet

struct Note: Codable, Sendable, Equatable {
    var id: Int
    var title: String
}

/// Buses that stand for processes, connected by a server.
struct Processes {
    let buses: [EventBus]
    let fleets: [Fleet]

    init(
        _ count: Int, _ server: NatsServer, names: [String] = [], options: FleetOptions = FleetOptions(),
        _ topics: FleetTopics
    ) throws {
        buses = (0..<count).map { _ in EventBus() }
        fleets = try buses.enumerated().map { index, bus in
            var options = options
            options.name = index < names.count ? names[index] : "role\(index)"
            return try Fleet(bus, server.url, options, topics)
        }
    }

    /// Waits until the server knows the subscriptions of all processes.
    func settle() async throws {
        for fleet in fleets {
            try await until("the fleet is connected") { if case .connected = fleet.state { true } else { false } }
            _ = try? await fleet.connection.request(
                NatsMessage(subject: "nobody", reply: nil, payload: []), within: .seconds(5))
        }
    }
}

/// Runs an operation, and cancels it at a limit.
func within<Value: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let task = Task { try await operation() }
    let timer = Task {
        try await Task.sleep(for: limit)
        task.cancel()
    }
    defer { timer.cancel() }
    return try await task.value
}

@Suite(
    "Events of several processes", .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"),
    .timeLimit(.minutes(3)))
struct EventTests {
    private let saved = Topic<Note>("note:saved")
    private let raw = Topic<[UInt8]>("note:raw")
    private let local = Topic<Int>("note:local")

    @Test("Events reach the other processes once, in the order of their publisher, and aren't sent back")
    func order() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved)
        topics.shareBytes(raw)
        topics.share("note:*:shown", of: Int.self)
        let processes = try Processes(3, server, topics)
        let seen = (0..<3).map { _ in Recorder<String>() }
        let bag = WatchBag()
        for (bus, log) in zip(processes.buses, seen) {
            bus.watch("**") { if !$0.name.hasPrefix("fleet:") { log.note("\($0.name) \($0.payload)") } }.store(in: bag)
            // Overlapping watches don't receive an event twice.
            bus.watch("note:*") { _ in }.store(in: bag)
            bus.watch(saved) { _ in }.store(in: bag)
        }
        try await processes.settle()
        for number in 0..<200 { processes.buses[0].trigger(saved, Note(id: number, title: "a\n\"ü\"")) }
        processes.buses[1].trigger(raw, [0, 255, 10])
        try processes.buses[2].trigger(named: "note:7:shown", 5)
        processes.buses[0].trigger(local, 3)
        for (log, count) in zip(seen, [203, 202, 202]) { try await until { log.items.count >= count } }
        for log in seen {
            let notes = log.items.filter { $0.hasPrefix("note:saved") }
            #expect(notes == (0..<200).map { "note:saved \(Note(id: $0, title: "a\n\"ü\""))" })
            #expect(log.items.filter { $0 == "note:raw [0, 255, 10]" }.count == 1)
            #expect(log.items.filter { $0 == "note:7:shown 5" }.count == 1)
        }
        #expect(seen.map { log in log.items.filter { $0 == "note:local 3" }.count } == [1, 0, 0])
        #expect(processes.fleets.map(\.counters.malformed) == [0, 0, 0])
    }

    @Test("Metadata, headers and the trace arrive, whatever characters they contain")
    func metadata() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved)
        let processes = try Processes(2, server, topics)
        let log = Recorder<EventMetadata?>()
        let watch = processes.buses[1].watch(saved) { log.note($0.metadata) }
        try await processes.settle()
        let trace = TraceParent()
        let metadata = EventMetadata(
            source: "phone", time: .milliseconds(5), correlationID: "request-7", traceParent: trace,
            traceState: "vendor=1", headers: ["color": "red", "Nats-Msg-Id": "1", "bad name": "x", "line": "a\r\nB: c"])
        metadata.whileCurrent { _ = processes.buses[0].trigger(saved, Note(id: 1, title: "")) }
        try await until { log.items.count == 1 }
        let received = try #require(log.items[0])
        #expect(received.source == "phone" && received.time == .milliseconds(5))
        #expect(received.correlationID == "request-7" && received.traceParent == trace)
        #expect(received.traceState == "vendor=1")
        #expect(received.headers == ["color": "red", "line": "a  B: c"])
        watch.cancel()
    }

    @Test("A group of processes shares events; a member in the publishing process comes first")
    func groups() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atMostOnce(group: "workers"))
        let processes = try Processes(3, server, topics)
        let seen = (0..<3).map { _ in Recorder<Int>() }
        let bag = WatchBag()
        for (bus, log) in zip(processes.buses, seen).dropFirst() {
            bus.watch(saved) { log.note($0.payload.id) }.store(in: bag)
        }
        try await processes.settle()
        for number in 0..<300 { processes.buses[0].trigger(saved, Note(id: number, title: "")) }
        try await until { seen[1].items.count + seen[2].items.count >= 300 }
        #expect((seen[1].items + seen[2].items).sorted() == Array(0..<300))
        #expect(!seen[1].items.isEmpty && !seen[2].items.isEmpty)
        processes.buses[1].trigger(saved, Note(id: 1000, title: ""))
        #expect(seen[1].items.last == 1000)
        try await processes.settle()
        #expect(!seen[2].items.contains(1000))
    }

    @Test("Requests reach a responder in another process, with its time limit and its error")
    func requests() async throws {
        struct Failure: Error {}
        let length = RequestTopic<String, Int>("text:length")
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(length)
        let processes = try Processes(3, server, topics)
        try await processes.settle()
        await #expect(throws: EventBusError.self) { try await processes.buses[0].request(length, "a") }
        let ended = Recorder<String>()
        let watch = try processes.buses[1].respond(to: length) { text in
            if text == "bad" { throw Failure() }
            if text == "slow" {
                do { try await Task.sleep(for: .seconds(60)) } catch { ended.note("slow") }
            }
            return text.count
        }
        try await processes.settle()
        let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await processes.buses[0].request(length, String(repeating: "x", count: number))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(lengths.sorted() == Array(0..<50))
        await #expect {
            try await processes.buses[2].request(length, "bad")
        } throws: { error in
            (error as? FleetError)?.code == .responderFailed && "\(error)".contains("Failure")
        }
        // A request that arrives after its limit isn't answered.
        try await until("the responder's task ends with the limit of the request") {
            await #expect {
                try await processes.buses[0].request(length, "slow", within: .milliseconds(200))
            } throws: { error in
                (error as? EventBusError)?.code == .requestTimedOut
            }
            return ended.items.contains("slow")
        }
        watch.cancel()
        try await processes.settle()
        await #expect {
            try await processes.buses[0].request(length, "a")
        } throws: { error in
            (error as? EventBusError)?.code == .noResponder
        }
    }

    @Test(
        "A cancelled request ends at once and leaves nothing behind, and a late reply is ignored",
        .timeLimit(.minutes(5)))
    func cancelledRequests() async throws {
        let length = RequestTopic<String, Int>("text:length")
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(length)
        let processes = try Processes(2, server, topics)
        let gate = Gate()
        let begun = Recorder<String>()
        let watch = try processes.buses[1].respond(to: length) { text in
            begun.note(text)
            if text != "quick" { await gate.pass() }
            return text.count
        }
        try await processes.settle()
        let tasks = (0..<20).map { number in
            Task { try await processes.buses[0].request(length, "slow \(number)", within: .seconds(3600)) }
        }
        try await until("the responder has all") { begun.items.count == tasks.count }
        let connection = processes.fleets[0].connection
        // A reply to a request of the preparation may be about to be removed.
        try await until("these requests wait") { connection.replies.withLock { $0.waiting.count } == tasks.count }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        try await until("no reply is awaited") { connection.replies.withLock { $0.waiting.isEmpty } }
        #expect(try await processes.buses[0].request(length, "quick") == 5)
        gate.open()
        try await until("all late replies are sent") { processes.fleets[1].counters.received == tasks.count + 1 }
        #expect(try await processes.buses[0].request(length, "quick") == 5)
        watch.cancel()
    }

    @Test("Stored events reach each role once, and one process of a role, with their order")
    func stored() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(4, server, names: ["web", "worker", "worker", "mail"], topics)
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
        func connect() throws -> Fleet { try Fleet(EventBus(), "nats://127.0.0.1:1", FleetOptions(), topics) }
        if isPossible { return await (try connect()).close() }
        let error = #expect(throws: FleetError.self) { _ = try connect() }
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

    @Test("An event whose handler throws is received again until it doesn't")
    func failingHandler() async throws {
        struct Failure: Error {}
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(2, server, topics)
        let attempts = Recorder<Int>()
        let watch = processes.buses[1].watch(saved) { signal in
            attempts.note(signal.payload.id)
            if attempts.items.filter({ $0 == 2 }).count < 2, signal.payload.id == 2 { throw Failure() }
        }
        for number in 1...3 { await processes.buses[0].send(saved, Note(id: number, title: "")) }
        try await until { attempts.items.count >= 4 }
        // On a busy machine, the third event can come after the second attempt.
        #expect(attempts.items == [1, 2, 3, 2] || attempts.items == [1, 2, 2, 3])
        #expect(processes.fleets[1].counters.failed == 1)
        watch.cancel()
    }

    @Test(
        "A consumer that the server has forgotten delivers no event twice, and a stream that was created again loses none"
    )
    func forgetfulServer() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        topics.share(local, .atLeastOnce)
        let processes = try Processes(1, server, topics)
        let (bus, fleet) = (processes.buses[0], processes.fleets[0])
        let seen = Recorder<Int>()
        let bag = WatchBag()
        bus.watch(saved) { seen.note($0.payload.id) }.store(in: bag)
        bus.watch(local) { _ in }.store(in: bag)
        for number in 0..<100 {
            bus.trigger(saved, Note(id: number, title: ""))
            bus.trigger(local, number)
        }
        try await until { seen.items.count == 100 && fleet.counters.received == 200 }
        let jetStream = fleet.connection
        let consumers = try await jetStream.call("CONSUMER.NAMES.app_events")["consumers"].array([])
        #expect(consumers.count == 2)
        for name in consumers { try await jetStream.call("CONSUMER.DELETE.app_events.\(name.string(""))") }
        try await until("all events arrive again") { fleet.counters.duplicates == 200 }
        try await jetStream.call("STREAM.DELETE.app_events")
        for number in 100..<110 { await bus.send(saved, Note(id: number, title: "")) }
        try await until { seen.items.count >= 110 }
        #expect(seen.items == Array(0..<110))
    }

    @Test("A consumer that the server has forgotten while a handler runs is created again")
    func forgottenDuringHandler() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(1, server, topics)
        let gate = Gate()
        let seen = Recorder<Int>()
        let watch = processes.buses[0].watch(saved, buffer: .suspend(1)) { signal in
            seen.note(signal.payload.id)
            if signal.payload.id == 0 { await gate.pass() }
        }
        await processes.buses[0].send(saved, Note(id: 0, title: ""))
        try await until { seen.items == [0] }
        // The server doesn't respond to a request for messages of a consumer that doesn't exist. An earlier request lasts
        // for five seconds, and the server would end it with the consumer.
        let jetStream = processes.fleets[0].connection
        let name = try await jetStream.call("CONSUMER.NAMES.app_events")["consumers"].array([])[0].string("")
        try await until("no request is left") {
            try await jetStream.call("CONSUMER.INFO.app_events.\(name)")["num_waiting"].int(1) == 0
        }
        try await jetStream.call("CONSUMER.DELETE.app_events.\(name)")
        await processes.buses[0].send(saved, Note(id: 1, title: ""))
        gate.open()
        try await until { seen.items.count >= 2 }
        #expect(seen.items == [0, 1])
        watch.cancel()
    }

    @Test("Handled events are remembered as ranges, whatever their order")
    func ranges() {
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var events = HandledEvents()
            var model: Set<Int> = []
            for _ in 0..<60 {
                let first = 1 + random.below(80)
                let numbers = first...(first + random.below(4))
                events.insert(numbers, time: Int64(numbers.upperBound))
                model.formUnion(numbers)
                for number in 1...84 { #expect(events.contains(number, time: Int64(number)) == model.contains(number)) }
                #expect(zip(events.ranges, events.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            }
        }
        var one = HandledEvents()
        for number in 1...100_000 { one.insert(number...number, time: Int64(number)) }
        #expect(Array(one.ranges) == [1..<100_001])
        #expect(one.contains(100_000, time: 100_000) && !one.contains(100_001, time: 100_001))
        #expect(!one.contains(1, time: 100_001), "the number is used again")
        one.insert(3...3, time: 100_001)
        #expect(Array(one.ranges) == [3..<4])
        var few = HandledEvents(capacity: 3)
        for number in 1...4 { few.insert(number * 10...number * 10, time: Int64(number)) }
        #expect(Array(few.ranges) == [20..<21, 30..<31, 40..<41])
    }

    @Test("Only a first delivery directly after another one shows that nothing lies between them")
    func successors() throws {
        func place(_ deliveries: Int, _ stream: Int, _ consumer: Int) throws -> DeliveredPlace {
            try #require(DeliveredPlace("$JS.ACK.app_events.web.\(deliveries).\(stream).\(consumer).1700.5"))
        }
        let first = try place(1, 10, 4)
        #expect(try place(1, 14, 5).follows(first))
        #expect(try !place(1, 14, 6).follows(first) && !place(2, 14, 5).follows(first))
        #expect(try !place(1, 9, 5).follows(first) && !place(1, 14, 5).follows(place(2, 10, 4)))
        #expect(try !place(1, 14, 5).follows(nil) && first.time == 1700 && first.pending == 5)
    }
}
