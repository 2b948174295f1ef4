import AshlarEventBus
import AshlarTestSupport
import Testing

@testable import AshlarFleet

@Suite(
    "Repeated deliveries of stored events",
    .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"),
    .timeLimit(.minutes(3)))
struct DeliveryTests {
    private let saved = Topic<Note>("note:saved")
    private let raw = Topic<[UInt8]>("note:raw")
    private let local = Topic<Int>("note:local")

    @Test("Handlers receive the identity and the number of deliveries of a stored event")
    func deliveries() async throws {
        struct Failure: Error {}
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        topics.share(raw)
        let processes = try Processes(2, server, topics)
        defer { processes.keep() }
        let seen = Recorder<EventMetadata?>()
        let bag = WatchBag()
        processes.buses[1].watch(saved) { signal in
            seen.note(signal.metadata)
            if seen.items.count < 3 { throw Failure() }
        }.store(in: bag)
        processes.buses[1].watch(raw) { seen.note($0.metadata) }.store(in: bag)
        try await processes.settle()
        let headers = ["Ashlar-Deliveries": "7", "Ashlar-Message-ID": "x"]
        _ = EventMetadata(headers: headers).whileCurrent { processes.buses[0].trigger(saved, Note(id: 1, title: "")) }
        try await until { seen.items.count == 3 }
        #expect(seen.items.map { $0?.fleetDeliveries } == [1, 2, 3])
        let identities = Set(seen.items.map { $0?.fleetMessageID })
        #expect(identities.count == 1 && identities.first??.isEmpty == false, "\(identities)")
        _ = EventMetadata(headers: headers).whileCurrent { processes.buses[0].trigger(raw, []) }
        try await until { seen.items.count == 4 }
        #expect(seen.items[3]?.fleetDeliveries == nil && seen.items[3]?.fleetMessageID == nil)
    }

    @Test("An event that was delivered too often becomes a dead letter, with its reason, and isn't delivered again")
    func deadLetters() async throws {
        struct Failure: Error {}
        let dead = Topic<Note>("note:dead")
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce(maximumDeliveries: 2, deadLetters: "note:dead"))
        topics.share(dead, .atLeastOnce)
        let processes = try Processes(2, server, names: ["web", "worker"], topics)
        defer { processes.keep() }
        let (seen, letters, reasons) = (Recorder<Int>(), Recorder<Int>(), Recorder<String>())
        let bag = WatchBag()
        processes.buses[1].watch(saved) { signal in
            seen.note(signal.payload.id)
            if signal.payload.id == 1 { throw Failure() }
        }.store(in: bag)
        processes.buses[0].watch(dead) { signal in
            letters.note(signal.payload.id)
            reasons.note(signal.metadata?.headers["Dead-Letter-Reason"] ?? "")
        }.store(in: bag)
        for number in 1...3 { await processes.buses[0].send(saved, Note(id: number, title: "")) }
        // A payload that can't be read is one, too, after its last delivery.
        try processes.fleets[0].connection.publish(NatsMessage(subject: "app.note.saved", payload: Array("{".utf8)))
        try await until { letters.items.count == 1 && processes.fleets[1].counters.deadLetters == 2 }
        #expect(letters.items == [1] && reasons.items[0].contains("Failure"))
        #expect(seen.items.sorted() == [1, 1, 2, 3])
        let worker = processes.fleets[1].connection
        try await until("nothing is left") {
            let names = try await worker.call("CONSUMER.NAMES.app_events")["consumers"].array([]).map { $0.string("") }
            let name = try #require(names.first { $0.hasPrefix("worker-") })
            let info = try await worker.call("CONSUMER.INFO.app_events.\(name)")
            return info["num_ack_pending"].int(1) == 0 && info["num_pending"].int(1) == 0
        }
    }

    @Test(
        "Dead letters need a maximum, and another at-least-once entry without dead letters",
        arguments: [
            (
                FleetDelivery.atLeastOnce(maximumDeliveries: 2, deadLetters: "note:dead"),
                FleetDelivery?.some(.atLeastOnce), true
            ),
            (.atLeastOnce(maximumDeliveries: 2), .atLeastOnce, false),
            (.atLeastOnce(deadLetters: "note:dead"), .atLeastOnce, false),
            (.atLeastOnce(maximumDeliveries: 2, deadLetters: "note:dead"), nil, false),
            (.atLeastOnce(maximumDeliveries: 2, deadLetters: "note:dead"), .atMostOnce, false),
            (.atLeastOnce(maximumDeliveries: 2, deadLetters: "note:saved"), .atLeastOnce, false),
        ])
    func deadLetterOptions(delivery: FleetDelivery, letters: FleetDelivery?, isPossible: Bool) async throws {
        var topics = FleetTopics()
        topics.share(saved, delivery)
        if let letters { topics.share(Topic<Note>("note:dead"), letters) }
        if isPossible { return try topics.check(role: "worker") }
        let error = #expect(throws: FleetError.self) { try topics.check(role: "worker") }
        #expect(error?.code == .invalidOptions)
    }

    @Test("An event whose handler throws is received again until it doesn't")
    func failingHandler() async throws {
        struct Failure: Error {}
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(2, server, topics)
        defer { processes.keep() }
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
        defer { processes.keep() }
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
        topics.share(saved, .atLeastOnce(prefetch: 1))
        let processes = try Processes(1, server, topics)
        defer { processes.keep() }
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
        #expect(DeliveredPlace("$JS.ACK.s.c.1.\(Int.max).1.0.0") == nil)
    }

    @Test(
        "As many received events as the options permit wait for a handler, with the one that is being handled",
        arguments: [(3, 1000, 3), (100, 35, 3), (100, 29, 2), (1, 10, 1)])
    func receivedBounds(count: Int, bytes: Int, fitting: Int) async throws {
        var options = FleetOptions()
        options.maximumWaiting = count
        options.maximumWaitingBytes = bytes
        let gate = Gate()
        let seen = Counter()
        let queue = MessageQueue(options) { _ in
            await gate.pass()
            seen.next()
        }
        let message = NatsMessage(subject: "a", payload: [UInt8](repeating: 1, count: 10))
        for number in 0..<fitting + 2 { #expect(queue.put(message) == (number < fitting), "\(number)") }
        gate.open()
        try await until { seen.value == fitting }
        try await until("there is room again") { queue.put(message) }
    }

    @Test("An event that was stored under a condition becomes a dead letter")
    func conditionalLetter() async throws {
        struct Failure: Error {}
        let dead = Topic<Note>("note:dead")
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce(maximumDeliveries: 1, deadLetters: "note:dead"))
        topics.share(dead, .atLeastOnce)
        let processes = try Processes(1, server, topics)
        defer { processes.keep() }
        let (letters, bag) = (Recorder<Int>(), WatchBag())
        processes.buses[0].watch(dead) { letters.note($0.payload.id) }.store(in: bag)
        await processes.buses[0].send(dead, Note(id: 0, title: ""))
        _ = try await processes.fleets[0].connection.store(
            NatsMessage(
                subject: "app.note.saved", payload: Array(#"{"id": 1, "title": ""}"#.utf8),
                headers: ["Nats-Expected-Last-Sequence": "1"]))
        processes.buses[0].watch(saved) { _ in throw Failure() }.store(in: bag)
        try await until { letters.items == [0, 1] }
    }
}
