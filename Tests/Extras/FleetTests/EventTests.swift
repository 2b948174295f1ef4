import AshlarEventBus
import AshlarTestSupport
import Testing

@testable import AshlarFleet

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
        defer { processes.keep() }
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
        defer { processes.keep() }
        let log = Recorder<EventMetadata?>()
        let watch = processes.buses[1].watch(saved) { log.note($0.metadata) }
        try await processes.settle()
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
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
        defer { processes.keep() }
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
        defer { processes.keep() }
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

    @Test("A responder that misses the limit of a request doesn't answer it, so that its caller sees its own time out")
    func lateResponder() async throws {
        let server = try await NatsServer()
        let length = RequestTopic<String, Int>("text:length")
        var topics = FleetTopics()
        topics.share(length)
        let processes = try Processes(2, server, topics)
        defer { processes.keep() }
        let ended = Flag()
        let watch = try processes.buses[1].respond(to: length) { text in
            do { try await Task.sleep(for: .seconds(60)) } catch { ended.set() }
            return text.count
        }
        try await processes.settle()
        let request = NatsMessage(
            subject: "app.text.length", payload: Array("\"a\"".utf8), headers: [NatsHeader.limit: "50"])
        let error = await #expect(throws: FleetError.self) {
            try await processes.fleets[0].connection.request(request, within: .seconds(1))
        }
        #expect(error?.code == .timedOut && ended.isSet)
        watch.cancel()
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
        defer { processes.keep() }
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

    @Test("As many requests as the options permit wait for a responder; the others are refused at once")
    func requestFlood() async throws {
        let length = RequestTopic<String, Int>("text:length")
        let server = try await NatsServer(hasJetStream: false)
        var topics = FleetTopics()
        topics.share(length)
        var options = FleetOptions()
        options.maximumWaiting = 10
        let processes = try Processes(2, server, options: options, topics)
        defer { processes.keep() }
        let gate = Gate()
        let watch = try processes.buses[1].respond(to: length) { text in
            await gate.pass()
            return text.count
        }
        try await processes.settle()
        let (refused, lengths) = (Counter(), Recorder<Int>())
        let tasks = (0..<30).map { _ in
            Task {
                do { lengths.note(try await processes.buses[0].request(length, "abc")) } catch let error as FleetError {
                    if error.code == .responderFailed { refused.next() }
                }
            }
        }
        try await until { refused.value == 20 }
        gate.open()
        for task in tasks { try await task.value }
        #expect(lengths.items == Array(repeating: 3, count: 10) && refused.value == 20)
        #expect(processes.fleets[1].counters.overflowed == 20)
        watch.cancel()
    }

    @Test(
        "As many events as the options permit wait for the server, and not one more",
        arguments: [(3, 1000, 10, 3), (100, 35, 10, 3), (100, 30, 10, 3), (100, 29, 10, 2), (1, 10, 10, 1)])
    func bounds(count: Int, bytes: Int, size: Int, fitting: Int) async throws {
        let server = try await NatsServer()
        server.kill()
        var options = FleetOptions()
        options.maximumWaiting = count
        options.maximumWaitingBytes = bytes
        options.reconnectPause = .milliseconds(20)
        var topics = FleetTopics()
        topics.shareBytes(raw, .atLeastOnce)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        let (bus, fleet, raw) = (processes.buses[0], processes.fleets[0], raw)
        let payload = [UInt8](repeating: 1, count: size)
        let results = (0..<fitting + 2).map { _ in bus.trigger(raw, payload) }
        #expect(results.map(\.dropped) == Array(repeating: 0, count: fitting) + [1, 1])
        #expect(fleet.counters.published == fitting && fleet.counters.overflowed == 2)
        // A sender waits for room.
        let sender = Task { await bus.send(raw, payload) }
        let tooLarge = await bus.send(raw, [UInt8](repeating: 1, count: bytes + 1))
        #expect((tooLarge.failures.first as? FleetError)?.code == .invalidPayload)
        try server.start()
        #expect(await sender.value.failures.isEmpty)
        try await within(.seconds(30)) { try await fleet.flush() }
        let state = try await fleet.connection.call("STREAM.INFO.app_events")["state"]
        #expect(state["messages"].int(0) == fitting + 1)
        #expect(bus.trigger(raw, payload).dropped == 0, "there is room again")
    }

    @Test("A request that only an at-least-once pattern names is answered here")
    func storedPattern() async throws {
        let length = RequestTopic<String, Int>("text:length")
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share("text:**", of: Int.self, .atLeastOnce)
        let processes = try Processes(1, server, topics)
        defer { processes.keep() }
        let watch = try processes.buses[0].respond(to: length) { $0.count }
        #expect(try await processes.buses[0].request(length, "abc") == 3)
        #expect(processes.fleets[0].counters.unpublished == 0)
        watch.cancel()
    }
}
