import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Testing

/// The instances of services and the violations of the rules, as the services themselves see them.
private final class Ledger: Sendable {
    struct State {
        var alive: Set<String> = []
        var failing: Set<String> = []
        var problems: [String] = []
    }

    let needs: [String: [String]]
    let state = Mutex(State())

    init(needs: [String: [String]]) { self.needs = needs }

    func check(_ name: String, _ isLegal: (State) -> Bool, _ problem: String) {
        state.withLock { if !isLegal($0) { $0.problems.append("\(name) \(problem)") } }
    }

    func begin(_ name: String) throws {
        try state.withLock { state in
            if !(needs[name] ?? []).allSatisfy(state.alive.contains) { state.problems.append("\(name) lacks a need") }
            if state.failing.contains(name) { throw Oops() }
            if !state.alive.insert(name).inserted { state.problems.append("\(name) runs twice") }
        }
    }

    func end(_ name: String) {
        state.withLock { state in
            let users = needs.filter { $0.value.contains(name) && state.alive.contains($0.key) }
            if !users.isEmpty { state.problems.append("\(name) ends before \(users.keys.sorted())") }
            if state.alive.remove(name) == nil { state.problems.append("\(name) ends twice") }
        }
    }
}

private struct Member: Service {
    let name: String
    let ledger: Ledger
    let yields: Int

    init(_ context: ServiceContext) async throws { preconditionFailure("created by closures only") }

    init(_ name: String, _ ledger: Ledger, yields: Int) async throws {
        self.name = name
        self.ledger = ledger
        self.yields = yields
        for _ in 0..<yields { await Task.yield() }
        try ledger.begin(name)
    }

    func stop() async throws {
        for _ in 0..<yields { await Task.yield() }
        ledger.end(name)
    }
}

/// The result of sequential starts and stops of services, computed by recursion.
private struct SequentialModel {
    let needs: [String: [String]]
    var running: [String] = []
    var failing: Set<String> = []

    mutating func start(_ name: String) -> Bool {
        if running.contains(name) { return true }
        let started = (needs[name] ?? []).map { start($0) }
        guard started.allSatisfy(\.self), !failing.contains(name) else { return false }
        running.append(name)
        return true
    }

    func users(_ name: String) -> [String] { running.filter { needs[$0]?.contains(name) ?? false } }

    mutating func stop(_ name: String, cascade: Bool) -> Bool {
        guard running.contains(name) else { return true }
        if !users(name).isEmpty, !cascade { return false }
        for user in users(name).reversed() { _ = stop(user, cascade: true) }
        running.removeAll { $0 == name }
        return true
    }
}

extension [String] {
    fileprivate func asyncContains(_ isIt: (String) async -> Bool) async -> Bool {
        for element in self where await isIt(element) { return true }
        return false
    }
}

@Suite("Services against a sequential model", .timeLimit(.minutes(5)))
struct ServiceModelTests {
    private static let names = ["a", "b", "c", "d", "e", "f"]

    /// Registers services that need some of the earlier ones.
    private func register(_ random: inout SeededRandom, most: Int) async throws -> (ServiceRegistry, Ledger) {
        var needs: [String: [String]] = [:]
        for (index, name) in Self.names.enumerated() {
            needs[name] = Self.names[..<index].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        }
        let services = ServiceRegistry(bus: EventBus())
        let ledger = Ledger(needs: needs)
        for name in Self.names {
            let yields = Int.random(in: 0...most, using: &random)
            try await services.register(name, needs: needs[name] ?? []) { _ in
                try await Member(name, ledger, yields: yields)
            }
        }
        return (services, ledger)
    }

    @Test("Random scripts have the results of a sequential model", arguments: 0..<4)
    func sequential(part: Int) async throws {
        for round in 0..<(soak ? 2500 : 100) {
            let seed = UInt64(part * 10_000 + round)
            var random = SeededRandom(seed: seed)
            let (services, ledger) = try await register(&random, most: 0)
            var model = SequentialModel(needs: ledger.needs)
            for step in 0..<20 {
                let name = Self.names.randomElement(using: &random) ?? "a"
                let expected: Bool
                var isDone = true
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    expected = model.start(name)
                    do { try await services.start(name) } catch { isDone = false }
                case 2, 3:
                    let isCascade = Bool.random(using: &random)
                    expected = model.stop(name, cascade: isCascade)
                    do { try await services.stop(name, cascading: isCascade) } catch { isDone = false }
                default:
                    model.failing.formSymmetricDifference([name])
                    ledger.state.withLock { $0.failing = model.failing }
                    continue
                }
                #expect(isDone == expected, "seed \(seed), step \(step)")
                // After a failed start, other needs of the service can still be starting.
                while await Self.names.asyncContains({ await services.state(of: $0) == .starting }) {
                    await Task.yield()
                }
                #expect(await Set(services.runningNames) == Set(model.running), "seed \(seed), step \(step)")
            }
            let problems = ledger.state.withLock { $0.problems }
            #expect(problems.isEmpty, "seed \(seed): \(problems)")
        }
    }

    @Test("Concurrent random scripts violate no rule and always end", arguments: 0..<4)
    func concurrent(part: Int) async throws {
        var (done, refused) = (0, 0)
        let rounds = soak ? 2500 : 60
        for round in 0..<rounds {
            let seed = UInt64(1_000_000 + part * 10_000 + round)
            var random = SeededRandom(seed: seed)
            let (services, ledger) = try await register(&random, most: 4)
            var requests: [Task<Bool, Never>] = []
            for _ in 0..<30 {
                let name = Self.names.randomElement(using: &random) ?? "a"
                let isCascade = Bool.random(using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0...4: requests.append(Task { (try? await services.start(name)) != nil })
                case 5...7: requests.append(Task { (try? await services.stop(name, cascading: isCascade)) != nil })
                case 8: requests.randomElement(using: &random)?.cancel()
                default:
                    ledger.state.withLock { $0.failing.formSymmetricDifference([name]) }
                }
                for _ in 0..<Int.random(in: 0...4, using: &random) { await Task.yield() }
            }
            let unclean = await services.shutDown()
            for request in requests { if await request.value { done += 1 } else { refused += 1 } }
            let state = ledger.state.withLock { $0 }
            #expect(unclean.isEmpty && state.problems.isEmpty, "seed \(seed): \(unclean) \(state.problems)")
            #expect(state.alive.isEmpty, "seed \(seed): \(state.alive)")
            #expect(await services.runningNames.isEmpty, "seed \(seed)")
        }
        // The test is only valid if enough requests succeed and fail.
        #expect(done > 4 * rounds && refused > rounds, "\(done) \(refused)")
    }

    @Test("A chain of 1,000 services starts and stops")
    func longChain() async throws {
        let names = (0..<1000).map { "s\($0)" }
        var needs: [String: [String]] = [:]
        for (index, name) in names.enumerated() { needs[name] = index == 0 ? [] : [names[index - 1]] }
        let services = ServiceRegistry(bus: EventBus())
        let ledger = Ledger(needs: needs)
        for name in names {
            try await services.register(name, needs: needs[name] ?? []) { _ in
                try await Member(name, ledger, yields: 0)
            }
        }
        try await services.start("s999")
        #expect(await services.runningNames == names)
        try await services.stop("s0", cascading: true)
        #expect(await services.runningNames.isEmpty)
        #expect(ledger.state.withLock { $0.problems }.isEmpty)
    }

    @Test("A run goes on while its only service is stopped and started")
    func restartsDuringRun() async throws {
        for round in 0..<50 {
            let services = ServiceRegistry(bus: EventBus())
            let ledger = Ledger(needs: [:])
            try await services.register("only") { _ in try await Member("only", ledger, yields: 1) }
            let run = Task { try await services.run(shuttingDownOn: []) }
            try await until { await services.runningNames == ["only"] }
            for _ in 0..<3 {
                try await services.stop("only")
                for _ in 0..<round % 7 { await Task.yield() }
                try await services.start("only")
            }
            await services.shutDown()
            #expect(try await run.value.unclean == [])
            let state = ledger.state.withLock { $0 }
            #expect(state.alive.isEmpty && state.problems.isEmpty, "round \(round): \(state)")
        }
    }

    @Test("A run starts the services that are registered meanwhile, as soon as their needs are registered")
    func registrationsDuringRun() async throws {
        for round in 0..<20 {
            let services = ServiceRegistry(bus: EventBus())
            let ledger = Ledger(needs: ["user": ["first"], "late": ["missing"]])
            func add(_ name: String, needs: [String] = []) async throws {
                try await services.register(name, needs: needs) { _ in try await Member(name, ledger, yields: 1) }
            }
            try await add("first")
            let run = Task { try await services.run(shuttingDownOn: []) }
            try await until { await services.runningNames == ["first"] }
            try await add("late", needs: ["missing"])
            try await add("user", needs: ["first"])
            try await until { await services.runningNames == ["first", "user"] }
            #expect(await services.state(of: "late") == .registered)
            try await add("missing")
            try await until { await services.runningNames.contains("late") }
            await services.shutDown()
            #expect(try await run.value.unclean == [])
            let state = ledger.state.withLock { $0 }
            #expect(state.alive.isEmpty && state.problems.isEmpty, "round \(round): \(state)")
        }
    }

    @Test(
        "A start that another caller requests while a run is cancelled leaves no service after the run",
        arguments: 0..<8)
    func noneAfterRun(part: Int) async throws {
        struct Counted: Service {
            let count: Locked<Int>
            init(_ count: Locked<Int>) {
                self.count = count
                count.withLock { $0 += 1 }
            }
            init(_ context: ServiceContext) { preconditionFailure("made by a closure only") }
            func stop() { count.withLock { $0 -= 1 } }
        }
        for round in 0..<(soak ? 1000 : 100) {
            var random = SeededRandom(seed: UInt64(part * 1000 + round))
            let services = ServiceRegistry(bus: EventBus())
            let count = Locked(0)
            for number in 0..<5 { try await services.register("s\(number)") { _ in Counted(count) } }
            let run = Task.detached { try await services.run(shuttingDownOn: []) }
            let delay = Int.random(in: 0...8, using: &random)
            let other = Task.detached {
                for _ in 0..<delay { await Task.yield() }
                _ = try? await services.start("s0")
            }
            for _ in 0..<Int.random(in: 0...8, using: &random) { await Task.yield() }
            run.cancel()
            _ = await run.result
            await other.value
            #expect(count.withLock { $0 } == 0, "part \(part), round \(round)")
        }
    }
}
