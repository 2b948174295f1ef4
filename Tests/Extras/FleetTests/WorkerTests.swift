import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

@Suite(
    "Processes of a role, killed and started", .serialized,
    .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"), .timeLimit(.minutes(30)))
struct WorkerTests {
    private let saved = Topic<Note>("note:saved")
    private var options: FleetOptions { .impatient }

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
}
