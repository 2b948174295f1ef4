import Ashlar
import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

@Suite(
    "Members and leaders", .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"),
    .timeLimit(.minutes(3)))
struct LeaderTests {
    /// Who leads now, and how many led at the same time.
    private final class Record: Sendable {
        private let state = Locked((leading: Set<Int>(), most: 0, order: [Int]()))

        func begin(_ number: Int) {
            state.withLock { state in
                state.leading.insert(number)
                state.most = max(state.most, state.leading.count)
                state.order.append(number)
            }
        }

        func end(_ number: Int) { state.withLock { _ = $0.leading.remove(number) } }
        var most: Int { state.withLock { $0.most } }
        var order: [Int] { state.withLock { $0.order } }
        var leader: Int? { state.withLock { $0.leading.first } }
    }

    private func makeFleet(_ server: NatsServer) throws -> Fleet {
        var options = FleetOptions()
        options.reconnectPause = .milliseconds(20)
        options.timeout = .seconds(1)
        return try Fleet(EventBus(), server.url, options, FleetTopics())
    }

    private func lead(_ fleet: Fleet, _ number: Int, _ record: Record, lease: Duration) -> Task<Void, any Error> {
        Task {
            try await fleet.lead("job", lease: lease) { _ in
                record.begin(number)
                defer { record.end(number) }
                try await Task.sleep(for: .seconds(100))
            }
        }
    }

    @Test("One process leads at a time, and the next one takes over at once when it resigns")
    func handover() async throws {
        let server = try await NatsServer()
        let fleets = try (0..<4).map { _ in try makeFleet(server) }
        defer { withExtendedLifetime(fleets) {} }
        let record = Record()
        let tasks = fleets.enumerated().map { lead($1, $0, record, lease: .seconds(60)) }
        var seen: Set<Int> = []
        for round in 1...4 {
            try await until("round \(round)") { record.order.count == round && record.leader != nil }
            let leader = try #require(record.leader)
            seen.insert(leader)
            tasks[leader].cancel()
        }
        // A lease of a minute can't have ended, so each change was a handover.
        #expect(seen.count == 4 && record.most == 1)
        for task in tasks { task.cancel() }
    }

    @Test("A leader without a server stops before its lease ends, and another process takes over after it")
    func lostConnection() async throws {
        let server = try await NatsServer()
        let fleets = try (0..<2).map { _ in try makeFleet(server) }
        defer { withExtendedLifetime(fleets) {} }
        let record = Record()
        let tasks = fleets.enumerated().map { lead($1, $0, record, lease: .seconds(12)) }
        try await until { record.leader != nil }
        let first = try #require(record.leader)
        fleets[first].connection.close()
        try await until { record.order.count == 2 }
        #expect(record.most == 1, "two processes led at the same time")
        #expect(record.leader == 1 - first)
        for task in tasks { task.cancel() }
    }

    @Test("The leader remains the leader while the server restarts")
    func restart() async throws {
        let server = try await NatsServer()
        let fleets = try (0..<2).map { _ in try makeFleet(server) }
        defer { withExtendedLifetime(fleets) {} }
        let record = Record()
        let tasks = fleets.enumerated().map { lead($1, $0, record, lease: .seconds(12)) }
        try await until { record.leader != nil }
        try await server.restart()
        let end = ContinuousClock.now + .seconds(13)
        try await until { ContinuousClock.now > end }
        #expect(record.most == 1 && record.order.count == 1)
        for task in tasks { task.cancel() }
    }

    @Test("Members see each other, and their end")
    func members() async throws {
        let server = try await NatsServer()
        let web = try await Fleet.connect(EventBus(), to: server.url, role: "web")
        defer { withExtendedLifetime(web) {} }
        let worker = try await Fleet.connect(EventBus(), to: server.url, role: "worker")
        defer { withExtendedLifetime(worker) {} }
        try await until { web.members.map(\.role) == ["web", "worker"] && worker.members == web.members }
        await worker.close()
        try await until { web.members.map(\.role) == ["web"] }
    }

    /// A clock that runs faster or slower than time.
    private struct ScaledClock: Clock {
        struct Instant: InstantProtocol {
            var offset: Duration
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
        }

        let rate: Double
        private let start = ContinuousClock.now

        init(rate: Double) { self.rate = rate }

        var now: Instant { Instant(offset: start.duration(to: .now) * rate) }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await ContinuousClock().sleep(until: start + deadline.offset / rate)
        }
    }

    @Test(
        "Two leaders don't overlap while their clocks differ by less than a third, and can do so beyond",
        arguments: [(0.9, 1.12, 6, false), (0.5, 2.0, 2, true)])
    func clocks(slow: Double, fast: Double, lease: Int, overlaps: Bool) async throws {
        // The first leader ends 0.9 s before the second one begins, or that one begins 1.6 s before the first one ends.
        let distance = Duration.milliseconds(overlaps ? 1600 : 900)
        try await repeatingOnce(if: "the process stops for more than half of that distance") {
            let meter = StallMeter()
            let events = try await events(slow: slow, fast: fast, lease: lease)
            // Each leader can be late once.
            guard meter.longest < distance / 2 else { return false }
            #expect(events == (overlaps ? ["first", "second", "end"] : ["first", "end", "second"]))
            return true
        }
    }

    /// Returns what happens when a leader loses its connection, and another process waits.
    private func events(slow: Double, fast: Double, lease: Int) async throws -> [String] {
        let server = try await NatsServer()
        let fleets = try (0..<2).map { _ in try makeFleet(server) }
        defer { withExtendedLifetime(fleets) {} }
        let elections = zip(fleets, [slow, fast]).map { fleet, rate in
            FleetElection(
                fleet.leaders, "job", lease: .seconds(lease), holder: fleet.id, clock: ScaledClock(rate: rate))
        }
        let events = Recorder<String>()
        let term = try await elections[0].win()
        let leading = Task {
            try await elections[0].run(term) { _ in
                events.note("first")
                try? await Task.sleep(for: .seconds(100))
                events.note("end")
            }
        }
        try await until { events.items == ["first"] }
        let waiting = Task { [election = elections[1]] in
            let next = try await election.win()
            events.note("second")
            return next
        }
        // After some renewals, the leader loses its connection.
        try await Task.sleep(for: .seconds(lease))
        fleets[0].connection.close()
        try await until { events.items.count == 3 }
        #expect(try await waiting.value > term)
        leading.cancel()
        _ = await leading.result
        return events.items
    }
}
