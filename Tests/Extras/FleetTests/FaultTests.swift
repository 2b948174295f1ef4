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

    private var options: FleetOptions {
        var options = FleetOptions()
        options.reconnectPause = .milliseconds(20)
        options.timeout = .seconds(2)
        options.pingInterval = .seconds(1)
        return options
    }

    @Test(
        "Three processes lose no at-least-once event and handle each once while the server is killed at random moments")
    func kills() async throws {
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let (count, kills) = isSoak ? (334_000, 100) : (5_000, 4)
        let server = try await NatsServer()
        let children = try (0..<3).map { index in
            try TestChild(
                "AshlarFleetTestChild",
                [server.url, "role\(index)", "\(index * count)", "\(count)", "\(3 * count)"], limit: .seconds(1500))
        }
        for child in children { try child.process.run() }
        let outputs = Recorder<String>()
        for child in children { Thread.detachNewThread { outputs.note(child.finish()) } }
        for number in 0..<kills {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...(isSoak ? 3000 : 700), using: &random)))
            try await server.restart()
            if isSoak, number % 10 == 0 { print("kill \(number)") }
        }
        while outputs.items.count < 3 { try await Task.sleep(for: .milliseconds(10)) }
        let all = "stored\nreceived \(3 * count) twice 0 swapped "
        for output in outputs.items {
            #expect(output.hasPrefix(all), "\(output)")
            // Events that were on their way at a kill can arrive after newer ones, once for each publisher.
            let swapped = try #require(Int(output.dropFirst(all.count).dropLast()), "\(output)")
            #expect(swapped <= 3 * kills)
        }
    }

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

    /// What became of one delivery of an event: the number of its process, and whether its handler returned.
    private struct Sighting {
        let process: Int
        let hasSucceeded: Bool
    }

    @Test("No stored event is lost while watches and processes of its role begin and end at random moments")
    func churn() async throws {
        struct Failure: Error {}
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let count = isSoak ? 1_000_000 : 10_000
        let (server, saved, options) = (try await NatsServer(), saved, options)
        func process(_ role: String, prefetch: Int? = nil) throws -> Processes {
            var topics = FleetTopics()
            topics.share(saved, .atLeastOnce(prefetch: prefetch))
            return try Processes(1, server, names: [role], options: options, topics)
        }
        let publisher = try process("publisher")
        let bus = publisher.buses[0]
        let sending = Task {
            for number in 0..<count {
                let note = Note(id: number, title: "")
                // A full buffer refuses a trigger; a `send` waits for room.
                if number % 100 == 0 || bus.trigger(saved, note).dropped > 0 { await bus.send(saved, note) }
            }
        }
        let sightings = Locked<[[Sighting]]>(Array(repeating: [], count: count))
        let handled = Locked(0)
        /// A handler in a process; one call of 1,000 fails.
        func handler(_ process: Int) -> @Sendable (Signal<Note>) throws -> Void {
            { signal in
                let id = signal.payload.id
                let fails = sightings.withLock { all in
                    let fails = id % 1000 == 500 && all[id].isEmpty
                    if !fails, !all[id].contains(where: \.hasSucceeded) { handled.withLock { $0 += 1 } }
                    all[id].append(Sighting(process: process, hasSucceeded: !fails))
                    return fails
                }
                if fails { throw Failure() }
            }
        }
        let prefetches = [1, 2, 16, 256]
        var workers = try (0..<2).map { _ in try process("worker", prefetch: 256) }
        var numbers = [0, 1]
        var bags = workers.map { _ in WatchBag() }
        var ended: Set<Int> = []
        let limit = ContinuousClock.now + (isSoak ? .seconds(1200) : .seconds(60))
        while handled.withLock({ $0 }) < count * 9 / 10 {
            try #require(ContinuousClock.now < limit, "\(handled.withLock { $0 }) of \(count) are handled")
            let index = random.below(2)
            let worker = workers[index].buses[0]
            let handle = handler(numbers[index])
            switch random.below(isSoak ? 60 : 24) {
            case 0...3: worker.watch(saved, handle).store(in: bags[index])
            case 4: worker.watch(saved, once: true, handle).store(in: bags[index])
            case 5: worker.watch(saved, buffer: .unbounded) { try handle($0) }.store(in: bags[index])
            case 6: worker.watchOnMain(saved) { try handle($0) }.store(in: bags[index])
            case 7: worker.watch("note:**") { _ in }.store(in: bags[index])
            case 8...11: bags[index].cancelAll()
            case 12, 13:
                let new = WatchBag()
                worker.watch(saved, handle).store(in: new)
                bags[index].cancelAll()
                bags[index] = new
            case 14:
                await workers[index].fleets[0].close()
                ended.insert(numbers[index])
                bags[index] = WatchBag()
                workers[index] = try process("worker", prefetch: prefetches[random.below(4)])
                numbers[index] = (numbers.max() ?? 0) + 1
            default: break
            }
            try await Task.sleep(for: .milliseconds(random.below(10)))
        }
        let last = zip(workers, numbers).map { $0.buses[0].watch(saved, handler($1)) }
        await sending.value
        try await within(.seconds(60)) { try await publisher.fleets[0].flush() }
        try await until("all are handled") { handled.withLock { $0 } == count }
        let all = sightings.withLock { $0 }
        #expect(all.allSatisfy { $0.contains(where: \.hasSucceeded) })
        // Several watches of a process see one delivery. Another process sees an event again only if a handler has failed or
        // the first process was closed.
        let repeated = all.filter { list in
            let processes = Set(list.map(\.process))
            return list.allSatisfy(\.hasSucceeded) && processes.count > 1 && processes.isDisjoint(with: ended)
        }
        #expect(repeated.isEmpty)
        for watch in last { watch.cancel() }
    }

    @Test("The events that a killed process had taken follow after ten seconds")
    func killedWorker() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(2, server, names: ["web", "worker"], options: options, topics)
        defer { processes.keep() }
        let child = try TestChild("AshlarFleetTestChild", ["hold", server.url, "worker"], limit: .seconds(60))
        try child.process.run()
        for number in 0..<10 { await processes.buses[0].send(saved, Note(id: number, title: "")) }
        #expect(child.firstLine() == "holds 0\n")
        let seen = Recorder<Int>()
        let watch = processes.buses[1].watch(saved) { seen.note($0.payload.id) }
        try await until { seen.items == Array(2..<10) }
        kill(child.process.processIdentifier, SIGKILL)
        let start = ContinuousClock.now
        _ = child.finish()
        try await until { Set(seen.items) == Set(0..<10) }
        #expect(start.duration(to: .now) < .seconds(25))
        watch.cancel()
    }

    @Test("A process of a role goes on with the stored events where the process before it has ended")
    func nextProcess() async throws {
        let server = try await NatsServer()
        var topics = FleetTopics()
        topics.share(saved, .atLeastOnce)
        let processes = try Processes(1, server, names: ["web"], options: options, topics)
        defer { processes.keep() }
        for number in 0..<10 { await processes.buses[0].send(saved, Note(id: number, title: "")) }
        func take(_ count: Int) throws -> [Int] {
            let arguments = ["take", server.url, "worker", "\(count)"]
            let output = try TestChild("AshlarFleetTestChild", arguments, limit: .seconds(60)).run()
            return try output.split(whereSeparator: \.isWhitespace).map { try #require(Int($0), "\(output)") }
        }
        let first = try take(4)
        let second = try take(6)
        #expect(first == [0, 1, 2, 3])
        #expect(second.sorted() == Array(4..<10))
        await processes.buses[0].send(saved, Note(id: 10, title: ""))
        #expect(try take(1) == [10])
    }

    @Test("Attempts to connect occupy no thread of tasks")
    func manyAttempts() async throws {
        let listener = try GarbageListener("", closes: false)
        var options = options
        options.timeout = .seconds(2)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { [options] group in
            for _ in 0..<32 {
                group.addTask {
                    let url = "nats://127.0.0.1:\(listener.port)"
                    let fleet = try await Fleet.connect(EventBus(), to: url, options: options)
                    defer { withExtendedLifetime(fleet) {} }
                    #expect(!fleet.state.isConnected)
                }
            }
            try await group.waitForAll()
        }
        // Two threads of tasks would need 36 seconds.
        #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test("A cancelled task doesn't wait for the first attempt")
    func cancelledConnect() async throws {
        let listener = try GarbageListener("", closes: false)
        var options = options
        options.timeout = .seconds(20)
        let task = Task { [options] in
            try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:\(listener.port)", options: options)
        }
        try await until { listener.connections.value > 0 }
        task.cancel()
        let fleet = try await within(.seconds(10)) { try await task.value }
        #expect(!fleet.state.isConnected)
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

    @Test("Wrong credentials close the connection with a reason, and no secret is in it")
    func credentials() async throws {
        let server = try await NatsServer(#"authorization { user: web, password: "s3cret-word" }"#)
        var options = options
        options.credentials = .user("web", password: "wrong-s3cret")
        let bus = EventBus()
        let fleet = try await Fleet.connect(bus, to: server.url, options: options)
        defer { withExtendedLifetime(fleet) {} }
        guard case .reconnecting(let reason) = fleet.state else {
            Issue.record("\(fleet.state)")
            return
        }
        #expect(reason.lowercased().contains("auth"), "\(reason)")
        #expect(!"\(options) \(fleet.state)".contains("s3cret"))
        options.credentials = .user("web", password: "s3cret-word")
        let second = try Fleet(bus, server.url, options, FleetTopics())
        try await until { if case .connected = second.state { true } else { false } }
        let url = server.url.replacingOccurrences(of: "//", with: "//web:s3cret-word@")
        options.credentials = nil
        let third = try Fleet(bus, url, options, FleetTopics())
        try await until { if case .connected = third.state { true } else { false } }
        #expect(!"\(third.state)".contains("s3cret"), "\(third.state)")
    }

    @Test(
        "Options that are malformed or would send a secret in clear text are refused",
        arguments: [
            ("", nil), ("http://127.0.0.1", nil), ("nats://", nil), ("nats://a b", nil), ("127.0.0.1:4222", nil),
            ("nats://nats.example.org", .token("t0ken")), ("nats://user:t0ken@nats.example.org", nil),
            ("nats://127.0.0.1,nats://user:t0ken@10.0.0.1", nil),
        ] as [(String, FleetCredentials?)])
    func refused(url: String, credentials: FleetCredentials?) {
        var options = options
        options.credentials = credentials
        #expect {
            _ = try Fleet(EventBus(), url, options, FleetTopics())
        } throws: { error in
            (error as? FleetError)?.code == .invalidOptions && !"\(error)".contains("t0ken")
        }
    }

    @Test(
        "A socket that responds with garbage or not at all isn't a server, and the fleet goes on with attempts",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n\u{0}\u{1}INFO {\r\nMSG a 1 99999999999\r\n", "", "-ERR 'no'\r\n",
            "INFO {\"max_payload\": -5}\r\n", "INFO " + String(repeating: "{\"a\": ", count: 50_000),
            "INFO {\"proto\": 1, \"headers\": true, \"max_payload\": 1000}\r\n+OK\r\nPONG\r\nMSG x 1 10\r\nab\r\n",
        ], [true, false])
    func garbage(text: String, closes: Bool) async throws {
        var options = options
        options.timeout = .milliseconds(500)
        let listener = try GarbageListener(text, closes: closes)
        let fleet = try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:\(listener.port)", options: options)
        defer { withExtendedLifetime(fleet) {} }
        guard case .reconnecting = fleet.state else {
            Issue.record("\(fleet.state)")
            return
        }
        try await until("there are further attempts") { listener.connections.value >= 2 }
    }

    /// The beginning of a server that the client supports.
    private let info = "INFO {\"proto\": 1, \"headers\": true, \"max_payload\": 1000}\r\n"

    @Test("A server that doesn't respond to the first ping is left after the timeout")
    func silent() async throws {
        var options = options
        options.timeout = .milliseconds(300)
        let listener = try GarbageListener(info, closes: false)
        // A fleet of the same process isn't disturbed.
        let server = try await NatsServer()
        let other = try await Fleet.connect(EventBus(), to: server.url, options: options)
        let start = ContinuousClock.now
        let fleet = try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:\(listener.port)", options: options)
        defer { withExtendedLifetime(fleet) {} }
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(!fleet.state.isConnected)
        try await until("there are further attempts") { listener.connections.value >= 3 }
        #expect(other.state.isConnected)
        // The first of two servers is silent, so the second one is used.
        let both = "nats://127.0.0.1:\(listener.port),\(server.url)"
        let third = try Fleet(EventBus(), both, options, FleetTopics())
        try await until("the second server is used") { third.state.isConnected }
    }

    @Test("A server that ends each connection at once sees one attempt after the other, with a pause before each")
    func oneAttempt() async throws {
        var options = options
        options.reconnectPause = .milliseconds(40)
        let listener = try GarbageListener(info, afterPing: "PONG\r\n", closes: true)
        let start = ContinuousClock.now
        let fleet = try Fleet(EventBus(), "nats://127.0.0.1:\(listener.port)", options, FleetTopics())
        defer { withExtendedLifetime(fleet) {} }
        // With many subscriptions, the connection ends while they start.
        let subscriptions = try (0..<300).map { try fleet.connection.subscribe(to: "a\($0)") { _ in } }
        let count = 60
        try await until { listener.connections.value > count }
        // A busy machine can only make the time longer.
        #expect(start.duration(to: .now) > options.reconnectPause / 4 * count)
        await fleet.close()
        withExtendedLifetime(subscriptions) {}
    }
}
