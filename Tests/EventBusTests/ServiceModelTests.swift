import AshlarCore
import AshlarTestSupport
import Testing

@testable import AshlarEventBus

/// A registry without tasks: services are scripts, and time is a number.
private struct Simulation {
    /// The behavior of a service in one attempt.
    struct Script {
        var start = 0
        var startFails = false
        var stop = 0
        var stopFails = false
        /// The time from the start to the failure of `run()`; nil for a service without `run()`.
        var runFails: Int?
        /// Whether start and stop end immediately when cancelled.
        var heedsCancellation = true
    }
    enum Due {
        case made(UInt64, fails: Bool)
        case stopped(UInt64, fails: Bool)
        case runFailed(UInt64)
        case timer(UInt64, Duration)
    }

    var machine = ServiceMachine()
    var random: SeededRandom
    var isScripted: Bool
    var now = 0
    var order = 0
    var due: [(time: Int, order: Int, due: Due)] = []
    /// The attempts whose initializer or stop has not returned, with their service.
    var making: [UInt64: ByteText] = [:]
    var stopping: [UInt64: ByteText] = [:]
    var alive: [ByteText: UInt64] = [:]
    /// The attempts that an attempt was created with.
    var uses: [UInt64: [UInt64]] = [:]
    var scripts: [UInt64: Script] = [:]
    /// The attempts that are over.
    var ended: Set<UInt64> = []
    var answers: [UInt64: Bool] = [:]
    var states: [ByteText: ServiceState] = [:]
    var problems: [String] = []
    var log: [String] = []
    var failing: Set<ByteText> = []

    init(seed: UInt64, isScripted: Bool) {
        random = SeededRandom(seed: seed)
        self.isScripted = isScripted
    }

    mutating func script(_ name: ByteText) -> Script {
        guard isScripted else { return Script(startFails: failing.contains(name)) }
        let roll = Int.random(in: 0..<20, using: &random)
        return Script(
            start: Int.random(in: 0...40, using: &random), startFails: roll == 0,
            stop: Int.random(in: 0...40, using: &random), stopFails: roll == 1,
            runFails: roll < 5 ? Int.random(in: 1...60, using: &random) : nil,
            heedsCancellation: roll != 2 && roll != 6)
    }

    mutating func add(_ due: Due, after delay: Int) {
        order += 1
        self.due.append((now + delay, order, due))
    }

    mutating func perform(_ actions: [ServiceMachine.Action]) {
        for action in actions {
            switch action {
            case .make(let name, let attempt):
                log.append("+\(name)")
                for need in machine.needs(of: name) where alive[need] == nil {
                    problems.append("\(name) is made without \(need)")
                }
                let script = script(name)
                scripts[attempt] = script
                uses[attempt] = machine.needs(of: name).compactMap { alive[$0] }
                making[attempt] = name
                add(.made(attempt, fails: script.startFails), after: script.start)
            case .adopt(let name, let attempt):
                if alive[name] != nil { problems.append("\(name) runs twice") }
                alive[name] = attempt
                if let delay = scripts[attempt]?.runFails { add(.runFailed(attempt), after: delay) }
            case .stop(let name, let attempt):
                log.append("-\(name)")
                for user in Array(making.keys) + Array(alive.values) + Array(stopping.keys)
                where !ended.contains(user) && uses[user]?.contains(attempt) == true {
                    problems.append("\(name) is stopped before attempt \(user)")
                }
                alive[name] = nil
                stopping[attempt] = name
                add(.stopped(attempt, fails: scripts[attempt]?.stopFails ?? false), after: scripts[attempt]?.stop ?? 0)
            case .cancel(let attempt):
                guard scripts[attempt]?.heedsCancellation ?? true else { break }
                if making[attempt] != nil { add(.made(attempt, fails: true), after: 0) }
                if stopping[attempt] != nil { add(.stopped(attempt, fails: false), after: 0) }
            case .end(let attempt):
                ended.insert(attempt)
                for (name, other) in alive where other == attempt { alive[name] = nil }
            case .setTimer(let id, let limit):
                add(.timer(id, limit), after: Int(limit.components.attoseconds / 1_000_000_000_000_000))
            case .answer(let id, let error):
                due.removeAll { if case .timer(id, _) = $0.due { true } else { false } }
                if answers[id] != nil { problems.append("\(id) is answered twice") }
                answers[id] = error == nil
            case .report(let name, let state, _):
                let legal: [ServiceState: Set<ServiceState>] = [
                    .registered: [.starting], .starting: [.running, .stopping, .stopped, .failed],
                    .running: [.stopping, .stopped, .failed],
                    .stopping: [.stopped, .failed], .stopped: [.starting], .failed: [.starting],
                ]
                if let old = states[name], legal[old]?.contains(state) != true {
                    problems.append("\(name) goes from \(old) to \(state)")
                }
                states[name] = state
            case .conclude: break
            }
        }
    }

    /// Advances the time and performs everything that is due, in order.
    mutating func advance(to end: Int) {
        while let index = due.indices.min(by: { (due[$0].time, due[$0].order) < (due[$1].time, due[$1].order) }) {
            guard due[index].time <= end else { break }
            let next = due.remove(at: index)
            now = max(now, next.time)
            switch next.due {
            case .made(let attempt, let fails):
                guard making.removeValue(forKey: attempt) != nil else { break }
                perform(machine.made(attempt: attempt, error: fails ? Oops() : nil))
            case .stopped(let attempt, let fails):
                guard stopping.removeValue(forKey: attempt) != nil else { break }
                perform(machine.stopEnded(attempt: attempt, error: fails ? Oops() : nil))
            case .runFailed(let attempt): perform(machine.runEnded(attempt: attempt, error: Oops()))
            case .timer(let id, let limit): perform(machine.limitPassed(id, limit))
            }
        }
        now = end
    }
}

extension ServiceMachine {
    /// Whether there is no work.
    fileprivate var isSettled: Bool {
        waiters.isEmpty && entries.values.allSatisfy { [.idle, .running].contains($0.phase) }
    }
}

/// The result of sequential starts and stops of services without errors, computed by recursion.
private struct SequentialModel {
    var needs: [ByteText: [ByteText]] = [:]
    var running: [ByteText] = []
    var failing: Set<ByteText> = []

    mutating func start(_ name: ByteText) -> Bool {
        if running.contains(name) { return true }
        let started = (needs[name] ?? []).map { start($0) }
        guard started.allSatisfy(\.self), !failing.contains(name) else { return false }
        running.append(name)
        return true
    }

    func users(_ name: ByteText) -> [ByteText] { running.filter { needs[$0]?.contains(name) ?? false } }

    mutating func stop(_ name: ByteText, cascade: Bool) -> Bool {
        guard running.contains(name) else { return true }
        if !users(name).isEmpty, !cascade { return false }
        for user in users(name).reversed() { _ = stop(user, cascade: true) }
        running.removeAll { $0 == name }
        return true
    }
}

@Suite("The state machine of services", .timeLimit(.minutes(5)))
struct ServiceModelTests {
    private static let names = ["a", "b", "c", "d", "e", "f"].map { ByteText($0) }

    /// Registers services that need some of the earlier ones.
    private func register(_ simulation: inout Simulation) throws -> [ByteText: [ByteText]] {
        var needs: [ByteText: [ByteText]] = [:]
        for (index, name) in Self.names.enumerated() {
            needs[name] = Self.names[..<index].filter { _ in Int.random(in: 0..<3, using: &simulation.random) == 0 }
            let definition = ServiceGraph.Definition(name: name, needs: needs[name] ?? [])
            simulation.perform(try simulation.machine.register([definition]))
        }
        return needs
    }

    @Test("Random scripts have the results of a sequential model", arguments: 0..<4)
    func sequential(part: Int) throws {
        for round in 0..<(soak ? 2500 : 125) {
            let seed = UInt64(part * 10_000 + round)
            var simulation = Simulation(seed: seed, isScripted: false)
            var model = SequentialModel(needs: try register(&simulation))
            var request: UInt64 = 0
            for _ in 0..<20 {
                let name = Self.names.randomElement(using: &simulation.random)!
                request += 1
                let expected: Bool
                switch Int.random(in: 0..<5, using: &simulation.random) {
                case 0, 1:
                    expected = model.start(name)
                    simulation.perform(simulation.machine.start(name, waiter: request))
                case 2, 3:
                    let isCascade = Bool.random(using: &simulation.random)
                    expected = model.stop(name, cascade: isCascade)
                    simulation.perform(
                        simulation.machine.stop(name, waiter: request, isCascade: isCascade))
                default:
                    model.failing.formSymmetricDifference([name])
                    simulation.failing = model.failing
                    continue
                }
                simulation.advance(to: simulation.now + 1000)
                #expect(simulation.answers[request] == expected, "seed \(seed), request \(request)")
                #expect(Set(simulation.machine.running) == Set(model.running), "seed \(seed), request \(request)")
            }
            #expect(simulation.problems.isEmpty, "seed \(seed): \(simulation.problems)")
            #expect(simulation.machine.isSettled, "seed \(seed)")
        }
    }

    @Test("Concurrent random scripts violate no rule and always end", arguments: 0..<4)
    func concurrent(part: Int) throws {
        var (answered, refused, overran) = (0, 0, 0)
        let rounds = soak ? 2500 : 125
        for round in 0..<rounds {
            let seed = UInt64(1_000_000 + part * 10_000 + round)
            var simulation = Simulation(seed: seed, isScripted: true)
            _ = try register(&simulation)
            var request: UInt64 = 0
            /// The moments at which the limits of requests have passed.
            var deadlines: [UInt64: Int] = [:]
            for _ in 0..<30 {
                let name = Self.names.randomElement(using: &simulation.random)!
                request += 1
                let limit = Bool.random(using: &simulation.random) ? Duration.milliseconds(25) : nil
                // A service may make requests from its own code.
                let caller = simulation.making.merging(simulation.alive.map { ($1, $0) }) { $1 }
                    .sorted { $0.key < $1.key }.randomElement(using: &simulation.random)
                    .map { ServiceMachine.Caller(name: $0.value, attempt: $0.key) }
                let isOwnCode = Int.random(in: 0..<6, using: &simulation.random) == 0
                switch Int.random(in: 0..<10, using: &simulation.random) {
                case 0...4:
                    if limit != nil { deadlines[request] = simulation.now + 25 }
                    simulation.perform(
                        simulation.machine.start(name, waiter: request, limit: limit, caller: isOwnCode ? caller : nil))
                case 5...7:
                    if limit != nil { deadlines[request] = simulation.now + 25 }
                    simulation.perform(
                        simulation.machine.stop(
                            name, waiter: request, limit: limit,
                            isCascade: Bool.random(using: &simulation.random),
                            caller: isOwnCode ? caller : nil))
                case 8:
                    simulation.perform(
                        simulation.machine.withdraw(UInt64.random(in: 1...request, using: &simulation.random)))
                default: break
                }
                simulation.advance(to: simulation.now + Int.random(in: 0...30, using: &simulation.random))
                for (id, deadline) in deadlines where deadline < simulation.now && simulation.answers[id] == nil {
                    Issue.record("seed \(seed): request \(id) has missed its deadline")
                }
            }
            request += 1
            simulation.perform(simulation.machine.shutDown(waiter: request, limit: .milliseconds(50)))
            simulation.advance(to: simulation.now + 5000)
            #expect(simulation.answers[request] == true, "seed \(seed): the shutdown hangs")
            #expect(simulation.machine.running.isEmpty, "seed \(seed)")
            #expect(simulation.machine.isSettled, "seed \(seed)")
            #expect(simulation.problems.isEmpty, "seed \(seed): \(simulation.problems)")
            answered += simulation.answers.count { $0.value }
            refused += simulation.answers.count { !$0.value }
            overran += simulation.states.values.count { $0 == .failed }
        }
        // The test is only valid if enough requests are answered, rejected and late.
        let isBusy = answered > 4 * rounds && refused > 2 * rounds && overran > rounds / 5
        #expect(isBusy, "\(answered) \(refused) \(overran)")
    }

    @Test("A chain of 1,000 services starts and stops without a deep call stack")
    func longChain() throws {
        var simulation = Simulation(seed: 1, isScripted: false)
        let names = (0..<1000).map { ByteText("s\($0)") }
        var definitions: [ServiceGraph.Definition] = []
        for (index, name) in names.enumerated() {
            definitions.append(ServiceGraph.Definition(name: name, needs: index == 0 ? [] : [names[index - 1]]))
        }
        for definition in definitions { simulation.perform(try simulation.machine.register([definition])) }
        simulation.perform(simulation.machine.start(ByteText("s999"), waiter: 1))
        simulation.advance(to: 10)
        #expect(simulation.machine.running == names)
        simulation.perform(simulation.machine.stop(ByteText("s0"), waiter: 2, isCascade: true))
        simulation.advance(to: 20)
        #expect(simulation.machine.running.isEmpty && simulation.answers == [1: true, 2: true])
    }
}
