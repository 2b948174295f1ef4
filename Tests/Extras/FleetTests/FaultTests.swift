import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

@Suite(
    "Faults of the server and the network", .serialized,
    .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"), .timeLimit(.minutes(30)))
struct FaultTests {
    private let saved = Topic<Note>("note:saved")
    private var options: FleetOptions { .impatient }

    @Test("Events that are triggered without a server are stored when it starts")
    func late() async throws {
        let server = try await NatsServer()
        server.kill()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(2, server, options: options, topics)
        defer { processes.keep() }
        let seen = Recorder<Int>()
        let watch = processes.buses[1].watch(saved) { seen.note($0.payload.id) }
        for number in 0..<100 { processes.buses[0].trigger(saved, Note(id: number, title: "")) }
        guard case .reconnecting = processes.fleets[0].state else {
            Issue.record("\(processes.fleets[0].state)")
            return
        }
        try server.start()
        try await until { seen.items.count == 100 }
        #expect(seen.items == Array(0..<100))
        watch.cancel()
    }

    @Test("A server that is stopped for longer than the ping interval is left, and found again")
    func stopped() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(2, server, options: options, topics)
        defer { processes.keep() }
        let seen = Recorder<Int>()
        let watch = processes.buses[1].watch(saved) { seen.note($0.payload.id) }
        try await processes.settle()
        server.pause(true)
        for number in 0..<10 { processes.buses[0].trigger(saved, Note(id: number, title: "")) }
        for fleet in processes.fleets {
            try await until("the fleet notices it") { if case .reconnecting = fleet.state { true } else { false } }
        }
        server.pause(false)
        try await until { seen.items.count == 10 }
        #expect(seen.items == Array(0..<10))
        watch.cancel()
    }

    @Test("A publisher isn't held up longer than the timeout by a server that reads nothing")
    func floodOfStoppedServer() async throws {
        let server = try await NatsServer()
        let raw = Topic<[UInt8]>("note:raw")
        var topics = FleetTopics()
        topics.shareBytes(raw)
        let processes = try Processes(2, server, options: options, topics)
        defer { processes.keep() }
        let seen = Recorder<Int>()
        let watch = processes.buses[1].watch(raw) { seen.note($0.payload.count) }
        try await processes.settle()
        server.pause(true)
        let payload = [UInt8](repeating: 7, count: 64 * 1024)
        let count = 2000
        let start = ContinuousClock.now
        // On a thread of its own, because a publisher can wait.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for _ in 0..<count { processes.buses[0].trigger(raw, payload) }
                continuation.resume()
            }
        }
        // The socket takes a few megabytes of the 128; two waits of the library and a busy machine fit.
        #expect(start.duration(to: .now) < .seconds(30))
        let counters = processes.fleets[0].counters
        #expect(counters.published + counters.unpublished == count && counters.unpublished > count / 2, "\(counters)")
        server.pause(false)
        try await processes.settle()
        try await until("events arrive again") {
            processes.buses[0].trigger(raw, [1])
            return seen.items.contains(1)
        }
        watch.cancel()
    }

    @Test("A slow consumer loses counted events, and memory stays bounded")
    func slowConsumer() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved)
        var options = options
        options.maximumWaiting = 100
        let processes = try Processes(2, server, options: options, topics)
        defer { processes.keep() }
        let gate = Gate()
        let seen = Recorder<Int>()
        let watch = processes.buses[1].watch(saved, buffer: .suspend(1)) { signal in
            await gate.pass()
            seen.note(signal.payload.id)
        }
        try await processes.settle()
        for number in 0..<1000 { processes.buses[0].trigger(saved, Note(id: number, title: "")) }
        try await until { processes.fleets[1].counters.overflowed > 0 }
        try await processes.settle()
        gate.open()
        try await until { seen.items.count + processes.fleets[1].counters.overflowed == 1000 }
        #expect(seen.items == seen.items.sorted())
        watch.cancel()
    }

    @Test("Malformed and unknown messages are counted, and never delivered")
    func malformed() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share("note:**", of: Note.self)
        let processes = try Processes(2, server, options: options, topics)
        defer { processes.keep() }
        let seen = Recorder<String>()
        let watch = processes.buses[1].watch("note:**") { seen.note($0.name) }
        try await processes.settle()
        let foreign = processes.fleets[0].connection
        let payloads: [[UInt8]] = [
            [], [0], Array("{".utf8), Array("{\"id\": \"x\"}".utf8), Array("null".utf8), [0xFF, 0xFE],
            Array(String(repeating: "[", count: 100_000).utf8), Array("{\"id\": 1e999, \"title\": \"\"}".utf8),
        ]
        for payload in payloads {
            try foreign.publish(NatsMessage(subject: "app.note.saved", reply: nil, payload: payload))
        }
        for subject in ["app.note.%zz", "app.note.a%2", "app.note.%41"] {
            try foreign.publish(NatsMessage(subject: subject, reply: nil, payload: Array("{}".utf8)))
        }
        try foreign.publish(
            NatsMessage(
                subject: "app.note.saved", reply: nil, payload: Array(#"{"id": 1, "title": "good"}"#.utf8),
                headers: ["traceparent": "garbage", "Ashlar-Time": "-", "x": ""]))
        try await until { !seen.items.isEmpty }
        #expect(seen.items == ["note:saved"])
        #expect(processes.fleets[1].counters.malformed == payloads.count + 3)
        watch.cancel()
    }

    @Test("A payload over the limit fails at its trigger")
    func tooLarge() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved)
        var options = options
        options.maximumPayload = 1000
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        try await processes.settle()
        let result = processes.buses[0].trigger(saved, Note(id: 1, title: String(repeating: "x", count: 1000)))
        #expect((result.failures.first as? FleetError)?.code == .invalidPayload)
        #expect(processes.fleets[0].counters.unpublished == 1)
    }

    @Test("A request leaves nothing in memory, also not until its limit")
    func requestMemory() async throws {
        let server = try await NatsServer(hasJetStream: false)
        let child = try TestChild("AshlarFleetTestChild", ["requests", server.url, "3000"], limit: .seconds(120))
        let output = try child.run()
        let bytes = try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(output)")
        #expect(bytes < 300, "\(bytes) bytes for each request")
    }

    @Test("Events that aren't stored when the fleet is closed are counted")
    func unflushed() async throws {
        let server = try await NatsServer()
        server.kill()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        for number in 0..<7 { processes.buses[0].trigger(saved, Note(id: number, title: "")) }
        let fleet = processes.fleets[0]
        // Whether it begins before the end or after it.
        let flush = Task { try await fleet.flush() }
        await fleet.close()
        let error = await #expect(throws: FleetError.self) { try await flush.value }
        #expect(error?.code == .closed)
        #expect(fleet.counters.published == 7 && fleet.counters.unpublished == 7)
        #expect((processes.buses[0].trigger(saved, Note(id: 8, title: ""))).failures.isEmpty, "the bus goes on alone")
    }

    @Test("Without JetStream, flush, send and lead fail with the error of set instead of waiting")
    func withoutJetStream() async throws {
        let server = try await NatsServer(hasJetStream: false)
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        try await processes.settle()
        let (bus, fleet, saved) = (processes.buses[0], processes.fleets[0], saved)
        let expected = try #require(await #expect(throws: FleetError.self) { try await fleet.set("a", to: 1) })
        bus.trigger(saved, Note(id: 1, title: ""))
        try await until("the event waits for the server") { fleet.counters.published == 1 }
        let calls: [(name: String, call: @Sendable () async throws -> Void)] = [
            ("flush", { try await fleet.flush() }), ("lead", { try await fleet.lead("job") { _ in } }),
            ("send", { if let error = await bus.send(saved, Note(id: 2, title: "")).failures.first { throw error } }),
        ]
        for (name, call) in calls {
            let error = await #expect(throws: FleetError.self, "\(name)") { try await within(.seconds(30), call) }
            #expect(error?.code == expected.code && error?.reason == expected.reason, "\(name)")
        }
    }

    @Test("An event whose send has failed still waits, and is counted as lost once")
    func failedSend() async throws {
        let server = try await NatsServer(hasJetStream: false)
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        var options = options
        options.timeout = .milliseconds(300)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        try await processes.settle()
        let (bus, fleet, saved) = (processes.buses[0], processes.fleets[0], saved)
        let result = try await within(.seconds(30)) { await bus.send(saved, Note(id: 1, title: "")) }
        #expect(!result.failures.isEmpty && fleet.counters.unpublished == 0)
        await fleet.close()
        #expect(fleet.counters.published == 1 && fleet.counters.unpublished == 1)
    }

    @Test("A stored event that is larger than the server permits is counted, and the next one is stored")
    func largeStoredEvent() async throws {
        let server = try await NatsServer("max_payload: 4096")
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        let (bus, fleet) = (processes.buses[0], processes.fleets[0])
        let seen = Recorder<Int>()
        let watch = bus.watch(saved) { seen.note($0.payload.id) }
        try await processes.settle()
        bus.trigger(saved, Note(id: 1, title: String(repeating: "x", count: 5000)))
        bus.trigger(saved, Note(id: 2, title: ""))
        try await until("the second one is handled") { seen.items == [2] }
        #expect(fleet.counters.unpublished == 1)
        let result = await bus.send(saved, Note(id: 3, title: String(repeating: "x", count: 5000)))
        #expect((result.failures.first as? FleetError)?.code == .invalidPayload)
        #expect(fleet.counters.unpublished == 2)
        watch.cancel()
    }

    @Test("Several flushes can wait for one event, and a cancelled one doesn't end the others")
    func severalWaits() async throws {
        let server = try await NatsServer()
        server.kill()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        let fleet = processes.fleets[0]
        processes.buses[0].trigger(saved, Note(id: 1, title: ""))
        try await until("the event waits") { fleet.counters.published == 1 }
        let flushes = (0..<3).map { _ in Task { try await within(.seconds(60)) { try await fleet.flush() } } }
        let cancelled = Task { try await fleet.flush() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try server.start()
        for flush in flushes { try await flush.value }
    }

    @Test("A flush waits for a connection, also if the last server stored nothing")
    func oldRefusal() async throws {
        let server = try await NatsServer(hasJetStream: false)
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        var options = FleetOptions.impatient
        options.timeout = .milliseconds(300)
        let processes = try Processes(1, server, options: options, topics)
        defer { processes.keep() }
        try await processes.settle()
        let (bus, fleet) = (processes.buses[0], processes.fleets[0])
        let result = await bus.send(saved, Note(id: 1, title: ""))
        #expect(!result.failures.isEmpty)
        server.kill()
        try await until("the connection is lost") { !fleet.state.isConnected }
        let flush = Task { try await within(.seconds(60)) { try await fleet.flush() } }
        // Longer than the limit after which a refusal ends the wait.
        try await Task.sleep(for: .seconds(2))
        await fleet.close()
        let error = await #expect(throws: FleetError.self) { try await flush.value }
        #expect(error?.code == .closed)
    }
}
