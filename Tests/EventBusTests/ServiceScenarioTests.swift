import AshlarEventBus
import AshlarTestSupport
import Testing

/// A service whose run follows commands and writes down what happens to it.
private final class Probe: RunningService {
    enum Command { case shutDown, end, fail }

    /// The behavior of a probe.
    struct Plan: Sendable {
        enum Reply { case end, fail, wait }

        var name: String
        var needs: [String] = []
        /// What the run does when its shutdown begins; nil if it doesn't ask for its shutdown.
        var onShutdown: Reply? = .end
        /// What the run does when it is cancelled; with `wait`, it ignores that until its gate opens.
        var onCancellation = Reply.end
        var whenEnded = ServiceEffect.ignore
        var whenFailed = ServiceEffect.shutDown
        var failsToStart = false
    }

    let plan: Plan
    let log: Recorder<String>
    let shutdown: ServiceShutdown?
    let (stream, commands) = AsyncStream.makeStream(of: Command.self)
    let gate = Gate()

    init(_ context: ServiceContext) async throws { preconditionFailure("created by closures only") }
    init(_ plan: Plan, _ log: Recorder<String>, _ shutdown: ServiceShutdown?) {
        self.plan = plan
        self.log = log
        self.shutdown = shutdown
    }

    func run() async throws {
        log.note("\(plan.name) runs")
        let waiting = shutdown.map { shutdown in Task { for await _ in shutdown { commands.yield(.shutDown) } } }
        defer { waiting?.cancel() }
        for await command in stream {
            switch command {
            case .end: return log.note("\(plan.name) ends")
            case .fail:
                log.note("\(plan.name) fails")
                throw Oops()
            case .shutDown:
                log.note("\(plan.name) shuts down")
                if plan.onShutdown == .end { return }
                if plan.onShutdown == .fail { throw Oops() }
            }
        }
        log.note("\(plan.name) is cancelled")
        if plan.onCancellation == .wait { await gate.pass() }
        if plan.onCancellation == .fail { throw Oops() }
    }
}

/// A story of services: steps, the lines that each of them adds, and the result of the run.
private struct Scenario: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case run, runAgain, runAgainAfterEnd
        case end(String)
        case fail(String)
        case open(String)
        case shutDown, cancelServices, cancelTask
        case advance(Int)
        case add(Probe.Plan)
    }
    enum Result: Equatable {
        case clean
        case unclean([String])
        case failure, cancelled, refused
    }

    var title: String
    var services: [Probe.Plan]
    var steps: [(Step, [String])]
    var result: Result
    var testDescription: String { title }

    init(_ title: String, _ services: [Probe.Plan], _ steps: [(Step, [String])], _ result: Result) {
        self.title = title
        self.services = services
        self.steps = steps
        self.result = result
    }
}

private typealias Plan = Probe.Plan

/// The situations that the tests of swift-service-lifecycle's group of services cover, in this module's terms.
///
/// `b` needs `a`, and `c` needs `b`, which is the order of that library's array.
private let scenarios: [Scenario] = {
    func a(_ change: (inout Plan) -> Void = { _ in }) -> Plan { make("a", [], change) }
    func b(_ change: (inout Plan) -> Void = { _ in }) -> Plan { make("b", ["a"], change) }
    func c(_ change: (inout Plan) -> Void = { _ in }) -> Plan { make("c", ["b"], change) }
    func make(_ name: String, _ needs: [String], _ change: (inout Plan) -> Void) -> Plan {
        var plan = Plan(name: name, needs: needs)
        change(&plan)
        return plan
    }
    let all = ["a runs", "b runs", "c runs"]
    let down = ["c shuts down", "b shuts down", "a shuts down"]
    return [
        // The life of a run
        Scenario("no service", [], [(.run, [])], .clean),
        Scenario("one service that ends", [a()], [(.run, ["a runs"]), (.end("a"), ["a ends"])], .clean),
        Scenario(
            "all services end, one after the other", [a(), b()],
            [(.run, ["a runs", "b runs"]), (.end("a"), ["a ends"]), (.end("b"), ["b ends"])], .clean),
        Scenario("a second run at the same time is refused", [a()], [(.run, ["a runs"]), (.runAgain, [])], .refused),
        Scenario(
            "a run after a shutdown is refused", [a()],
            [(.run, ["a runs"]), (.shutDown, ["a shuts down"]), (.runAgainAfterEnd, [])], .refused),
        Scenario("a shutdown before the run", [a()], [(.shutDown, []), (.run, [])], .refused),
        Scenario(
            "a failed start ends the others", [a(), b { $0.failsToStart = true }],
            [(.run, ["a runs", "a shuts down"])], .failure),
        Scenario(
            "a failed start that is ignored",
            [a(), b { ($0.failsToStart, $0.whenFailed) = (true, .ignore) }, make("d", []) { _ in }],
            [(.run, ["a runs", "d runs"]), (.end("d"), ["d ends"]), (.end("a"), ["a ends"])], .clean),
        // The order of a shutdown
        Scenario("a shutdown in reverse order", [a(), b(), c()], [(.run, all), (.shutDown, down)], .clean),
        Scenario(
            "each waits for the one before", [a(), b(), c { $0.onShutdown = .wait }],
            [
                (.run, all), (.shutDown, ["c shuts down"]),
                (.end("c"), ["c ends", "b shuts down", "a shuts down"]),
            ], .clean),
        Scenario(
            "a needed service that ends during the shutdown", [a(), b(), c { $0.onShutdown = .wait }],
            [
                (.run, all), (.shutDown, ["c shuts down"]), (.end("b"), ["b ends"]),
                (.end("c"), ["c ends", "a shuts down"]),
            ], .clean),
        Scenario(
            "a needed service that fails during the shutdown", [a(), b(), c { $0.onShutdown = .wait }],
            [
                (.run, all), (.shutDown, ["c shuts down"]), (.fail("b"), ["b fails"]),
                (.end("c"), ["c ends", "a shuts down"]),
            ], .failure),
        Scenario(
            "its failure is ignored", [a(), b { $0.whenFailed = .ignore }, c { $0.onShutdown = .wait }],
            [
                (.run, all), (.shutDown, ["c shuts down"]), (.fail("b"), ["b fails"]),
                (.end("c"), ["c ends", "a shuts down"]),
            ], .unclean(["b"])),
        Scenario(
            "its failure cancels the rest", [a(), b { $0.whenFailed = .cancel }, c { $0.onShutdown = .wait }],
            [
                (.run, all), (.shutDown, ["c shuts down"]),
                (.fail("b"), ["b fails", "a is cancelled", "c is cancelled"]),
            ],
            .failure),
        Scenario(
            "a failure as the answer to the shutdown", [a(), b(), c { $0.onShutdown = .fail }],
            [(.run, all), (.shutDown, down)], .failure),
        Scenario(
            "a failure as the answer to the shutdown, ignored",
            [a(), b(), c { ($0.onShutdown, $0.whenFailed) = (.fail, .ignore) }],
            [(.run, all), (.shutDown, down)], .unclean(["c"])),
        Scenario(
            "two failures during the shutdown: both end, the first one is reported",
            [a { $0.onShutdown = .fail }, b(), c { $0.onShutdown = .fail }], [(.run, all), (.shutDown, down)],
            .failure),
        Scenario(
            "two shutdowns", [a { $0.onShutdown = .wait }],
            [(.run, ["a runs"]), (.shutDown, ["a shuts down"]), (.shutDown, []), (.end("a"), ["a ends"])], .clean),
        // The end of a service
        Scenario(
            "an end that is ignored", [a(), b()],
            [(.run, ["a runs", "b runs"]), (.end("b"), ["b ends"]), (.shutDown, ["a shuts down"])], .clean),
        Scenario(
            "an end that shuts down", [a(), b { $0.whenEnded = .shutDown }, c()],
            [(.run, all), (.end("b"), ["b ends", "c shuts down", "a shuts down"])], .clean),
        Scenario(
            "an end that shuts down, and then a cancellation",
            [a(), b { $0.whenEnded = .shutDown }, c { $0.onShutdown = .wait }],
            [
                (.run, all), (.end("b"), ["b ends", "c shuts down"]),
                (.cancelServices, ["a is cancelled", "c is cancelled"]),
            ], .clean),
        Scenario(
            "an end that cancels the rest", [a(), b { $0.whenEnded = .cancel }, c()],
            [(.run, all), (.end("b"), ["b ends", "a is cancelled", "c is cancelled"])], .clean),
        // The failure of a service
        Scenario(
            "a failure that shuts down, by default", [a(), b(), c()],
            [(.run, all), (.fail("b"), ["b fails", "c shuts down", "a shuts down"])], .failure),
        Scenario(
            "a failure that cancels the rest", [a(), b { $0.whenFailed = .cancel }, c()],
            [(.run, all), (.fail("b"), ["b fails", "a is cancelled", "c is cancelled"])], .failure),
        Scenario(
            "a failure that is ignored", [a(), b { $0.whenFailed = .ignore }],
            [(.run, ["a runs", "b runs"]), (.fail("b"), ["b fails"]), (.shutDown, ["a shuts down"])], .clean),
        Scenario(
            "all failures are ignored", [a { $0.whenFailed = .ignore }, b { $0.whenFailed = .ignore }],
            [(.run, ["a runs", "b runs"]), (.fail("b"), ["b fails"]), (.fail("a"), ["a fails"])], .clean),
        Scenario(
            "a second failure during the shutdown cancels the rest",
            [a(), b { $0.whenFailed = .cancel }, c { $0.onShutdown = .wait }, make("d", ["c"]) { _ in }],
            [
                (.run, all + ["d runs"]), (.fail("d"), ["d fails", "c shuts down"]),
                (.fail("b"), ["b fails", "a is cancelled", "c is cancelled"]),
            ], .failure),
        // Cancellation
        Scenario(
            "the task is cancelled", [a(), b(), c()],
            [(.run, all), (.cancelTask, ["a is cancelled", "b is cancelled", "c is cancelled"])], .cancelled),
        Scenario(
            "the services are cancelled", [a(), b()],
            [(.run, ["a runs", "b runs"]), (.cancelServices, ["a is cancelled", "b is cancelled"])], .clean),
        Scenario(
            "a failure as the answer to the cancellation", [a { $0.onCancellation = .fail }],
            [(.run, ["a runs"]), (.cancelServices, ["a is cancelled"])], .failure),
        Scenario(
            "a shutdown, and then a cancellation", [a(), b { $0.onShutdown = .wait }],
            [
                (.run, ["a runs", "b runs"]), (.shutDown, ["b shuts down"]),
                (.cancelServices, ["a is cancelled", "b is cancelled"]),
            ], .clean),
        // Limits: ten seconds for all stops
        Scenario(
            "the limit of a shutdown cancels all services", [a(), b { $0.onShutdown = .wait }],
            [
                (.run, ["a runs", "b runs"]), (.shutDown, ["b shuts down"]),
                (.advance(10), ["a is cancelled", "b is cancelled"]),
            ], .unclean(["b", "a"])),
        Scenario(
            "a service that ignores its cancellation doesn't delay the end of the run",
            [a(), b { ($0.onShutdown, $0.onCancellation) = (.wait, .wait) }],
            [
                (.run, ["a runs", "b runs"]), (.shutDown, ["b shuts down"]),
                (.advance(10), ["a is cancelled", "b is cancelled"]),
            ], .unclean(["b", "a"])),
        Scenario(
            "a cancelled service has its limit, too", [a { $0.onCancellation = .wait }],
            [(.run, ["a runs"]), (.cancelTask, ["a is cancelled"]), (.advance(10), [])], .cancelled),
        Scenario(
            "a service that doesn't ask for its shutdown is cancelled", [a { $0.onShutdown = nil }],
            [(.run, ["a runs"]), (.shutDown, ["a is cancelled"])], .clean),
        // Services that come later
        Scenario(
            "a service is added during the run", [a()],
            [(.run, ["a runs"]), (.add(b()), ["b runs"]), (.shutDown, ["b shuts down", "a shuts down"])], .clean),
        Scenario(
            "an added service fails", [a()],
            [(.run, ["a runs"]), (.add(b()), ["b runs"]), (.fail("b"), ["b fails", "a shuts down"])], .failure),
        Scenario(
            "a service is added during a shutdown", [a { $0.onShutdown = .wait }],
            [(.run, ["a runs"]), (.shutDown, ["a shuts down"]), (.add(b()), []), (.end("a"), ["a ends"])], .clean),
        Scenario(
            "a service is added during a cancellation", [a { $0.onCancellation = .wait }],
            [(.run, ["a runs"]), (.cancelTask, ["a is cancelled"]), (.add(b()), []), (.open("a"), [])], .cancelled),
    ]
}()

@Suite("Runs of services", .timeLimit(.minutes(2)))
struct ServiceScenarioTests {
    private let clock = ManualClock()
    private let services: ServiceRegistry
    private let log = Recorder<String>()
    private let probes = Recorder<Probe>()

    init() { services = ServiceRegistry(bus: EventBus(), clock: clock) }

    private func register(_ plan: Plan) async throws {
        try await services.register(
            plan.name, needs: plan.needs, whenEnded: plan.whenEnded, whenFailed: plan.whenFailed
        ) { [log, probes] context in
            if plan.failsToStart { throw Oops() }
            let probe = Probe(plan, log, plan.onShutdown == nil ? nil : context.shutdown)
            probes.note(probe)
            return probe
        }
    }

    private func probe(_ name: String) throws -> Probe { try #require(probes.items.last { $0.plan.name == name }) }

    private func runToEnd() -> Task<Scenario.Result, Never> {
        Task { [services] in
            do {
                let outcome = try await services.run(shuttingDownOn: [], stoppingWithin: .seconds(10))
                return outcome.unclean.isEmpty ? .clean : .unclean(outcome.unclean)
            } catch is CancellationError {
                return .cancelled
            } catch {
                let error = error as? EventBusError
                return [.serviceRunning, .serviceStopped].contains(error?.code) ? .refused : .failure
            }
        }
    }

    @Test("Services end as their policies say", arguments: scenarios)
    private func scenario(_ scenario: Scenario) async throws {
        for plan in scenario.services { try await register(plan) }
        var run: Task<Scenario.Result, Never>?
        var second: Task<Scenario.Result, Never>?
        var expected: [String] = []
        for (step, lines) in scenario.steps {
            switch step {
            case .run: run = runToEnd()
            case .runAgain: second = runToEnd()
            case .runAgainAfterEnd:
                _ = await run?.value
                second = runToEnd()
            case .end(let name): try probe(name).commands.yield(.end)
            case .fail(let name): try probe(name).commands.yield(.fail)
            case .open(let name): try probe(name).gate.open()
            case .shutDown:
                let shutdown = Task { [services] in await services.shutDown() }
                if run == nil { _ = await shutdown.value }
            case .cancelServices: Task { [services] in await services.shutDown(cancelling: true) }
            case .cancelTask: run?.cancel()
            case .advance(let seconds):
                await clock.untilSomebodySleeps()
                clock.advance(by: .seconds(seconds))
            case .add(let plan):
                try await register(plan)
                Task { [services] in try? await services.start(plan.name) }
            }
            // The lines of one step can come from several tasks at the same time.
            try await until { log.items.count >= expected.count + lines.count }
            let isConcurrent = lines.contains { $0.hasSuffix("is cancelled") || $0.hasSuffix("runs") }
            let new = Array(log.items.dropFirst(expected.count))
            #expect(isConcurrent ? new.sorted() == lines.sorted() : new == lines)
            expected = log.items
        }
        if let second {
            #expect(await second.value == scenario.result)
            await services.shutDown(cancelling: true)
            _ = await run?.value
        } else {
            #expect(await run?.value == scenario.result)
            #expect(log.items == expected)
        }
        for probe in probes.items { probe.gate.open() }
        try await until { await services.runningNames == [] }
    }
}
