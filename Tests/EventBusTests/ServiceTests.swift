import AshlarEventBus
import AshlarTestSupport
import Testing

/// A service that calls closures and records its steps.
private struct Made: Service {
    let name: String
    let log: Recorder<String>
    var stopping: @Sendable () async throws -> Void = {}

    init(_ context: ServiceContext) async throws { fatalError("made by closures only") }
    init(_ name: String, _ log: Recorder<String>, stopping: @escaping @Sendable () async throws -> Void = {}) {
        (self.name, self.log, self.stopping) = (name, log, stopping)
    }
    func stop() async throws {
        try await stopping()
        log.note("-\(name)")
    }
}

private final class Base: Service {
    let options: [String: any Sendable]
    init(_ context: ServiceContext) async throws { options = context.options }
}

private final class Upper: Service {
    static let name = "upper"
    static var needs: [any Service.Type] { [Base.self] }
    let base: Base?
    init(_ context: ServiceContext) async throws { base = context.service(Base.self) }
}

private final class CircleA: Service {
    static var needs: [any Service.Type] { [CircleB.self] }
    init(_ context: ServiceContext) async throws {}
}
private final class CircleB: Service {
    static var needs: [any Service.Type] { [CircleA.self] }
    init(_ context: ServiceContext) async throws {}
}

@Suite("Services", .timeLimit(.minutes(5)))
struct ServiceTests {
    let bus = EventBus()
    let log = Recorder<String>()
    let clock = ManualClock()
    let services: ServiceRegistry

    init() { services = ServiceRegistry(bus: bus, clock: clock) }

    private func add(_ name: String, needs: [String] = [], failing: Bool = false) async throws {
        try await services.register(name, needs: needs) { [log] _ in
            log.note("+\(name)")
            if failing { throw Oops() }
            return Made(name, log)
        }
    }

    private func code(_ body: () async throws -> Void) async -> EventBusError.Code? {
        do { try await body() } catch { return (error as? EventBusError)?.code }
        return nil
    }

    @Test("A service registered by type starts after the services that it needs, and can access them")
    func byType() async throws {
        try await services.register(Upper.self)
        let upper = try await services.start(Upper.self)
        #expect(upper.base != nil)
        #expect(await services.runningNames == ["Base", "upper"])
        #expect(await services.service(Base.self) === upper.base)
        #expect(try await services.start("upper") as? Upper === upper)
    }

    @Test("Options reach the started service, by name or by type")
    func options() async throws {
        try await services.register(Base.self, as: "net_state")
        let base = try await services.start("net_state", ["limit": 3]) as? Base
        #expect(base?.options["limit"] as? Int == 3)
        #expect(base?.options["limit"] as? String == nil)
    }

    @Test("Every step is an event on the bus")
    func events() async throws {
        let steps = bus.watch("service:**") { [log] signal in log.note(signal.name) }
        try await add("a")
        try await services.start("a")
        try await services.stop("a")
        #expect(
            log.items == [
                "service:a:registered", "service:a:starting", "+a", "service:a:running", "service:a:stopping", "-a",
                "service:a:stopped",
            ])
        steps.cancel()
    }

    @Test("Concurrent starts are one start, and concurrent stops one stop")
    func coalescing() async throws {
        let gate = Gate()
        try await services.register("slow") { [log] _ in
            await gate.pass()
            log.note("+slow")
            return Made("slow", log)
        }
        async let first = services.start("slow")
        async let second = services.start("slow")
        await gate.untilSomebodyComes()
        gate.open()
        _ = try await (first, second)
        try await services.start("slow")
        #expect(log.items == ["+slow"])
        async let end: Void = services.stop("slow")
        async let otherEnd: Void = services.stop("slow")
        _ = try await (end, otherEnd)
        try await services.stop("slow")
        #expect(log.items == ["+slow", "-slow"])
        #expect(await services.state(of: "slow") == .stopped)
        try await services.start("slow")
        #expect(log.items == ["+slow", "-slow", "+slow"])
    }

    @Test("A failed start leaves the services that it needs running")
    func failedStart() async throws {
        try await add("low")
        try await add("middle", needs: ["low"])
        try await add("top", needs: ["middle"], failing: true)
        await #expect(throws: EventBusError.self) { try await services.start("top") }
        #expect(log.items == ["+low", "+middle", "+top"])
        #expect(await services.runningNames == ["low", "middle"])
        #expect(await services.state(of: "top") == .failed)
    }

    @Test("The needs of a starting service are in use")
    func startingIsInUse() async throws {
        let gate = Gate()
        try await add("low")
        try await services.register("top", needs: ["low"]) { [log] _ in
            await gate.pass()
            return Made("top", log)
        }
        let top = Task { try await services.start("top") }
        await gate.untilSomebodyComes()
        #expect(await code { try await services.stop("low") } == .serviceInUse)
        gate.open()
        _ = try await top.value
        #expect(await services.runningNames == ["low", "top"])
    }

    @Test("The failure of a needed service names it and has its error")
    func failureBelow() async throws {
        try await add("low", failing: true)
        try await add("top", needs: ["low"])
        do {
            try await services.start("top")
            Issue.record("top started")
        } catch let error as EventBusError {
            #expect(error.code == .serviceFailed)
            #expect(error.subject == "top")
            let below = error.underlying as? EventBusError
            #expect(below?.subject == "low")
            #expect(below?.underlying as? Oops == Oops())
        }
        #expect(log.items == ["+low"])
    }

    @Test("Stopping a service that others need fails, or stops the others first")
    func dependants() async throws {
        try await add("low")
        try await add("middle", needs: ["low"])
        try await add("top", needs: ["middle", "low"])
        try await services.start("top")
        log.clear()
        do {
            try await services.stop("low")
            Issue.record("low stopped")
        } catch let error as EventBusError {
            #expect(error.code == .serviceInUse)
            #expect(error.trail == ["middle", "top"])
        }
        #expect(log.items.isEmpty)
        try await services.stop("low", cascading: true)
        #expect(log.items == ["-top", "-middle", "-low"])
        #expect(await services.runningNames.isEmpty)
    }

    @Test(
        "A stop throws the first error of the services that stop before it, unless it has its own",
        arguments: [
            (["top"], "top"), (["middle"], "middle"), (["top", "middle"], "top"), (["top", "low"], "low"), ([], ""),
        ])
    func errorsOfDependants(failing: [String], thrown: String) async throws {
        let rounds = Recorder<Int>()
        for (name, needs) in [("low", []), ("middle", ["low"]), ("top", ["middle"])] {
            try await services.register(name, needs: needs) { [log] _ in
                Made(name, log) { if failing.contains(name), rounds.items == [1] { throw Oops() } }
            }
        }
        for round in 1...2 {
            rounds.note(round)
            try await services.start("top")
            var error: EventBusError?
            do { try await services.stop("low", cascading: true) } catch let caught as EventBusError {
                error = caught
            }
            #expect((error?.subject ?? "") == (round == 1 ? thrown : ""))
            #expect(error == nil || error?.code == .serviceFailed && error?.underlying is Oops)
            #expect(await services.runningNames.isEmpty)
        }
    }

    @Test("Of several services that stop at the same time, the first error is thrown")
    func firstErrorOfDependants() async throws {
        try await add("low")
        let services = services
        try await services.register("right", needs: ["low"]) { [log] _ in Made("right", log) { throw Oops(1) } }
        try await services.register("left", needs: ["low"]) { [log] _ in
            Made("left", log) {
                try await until { await services.state(of: "right") == .failed }
                throw Oops(2)
            }
        }
        try await services.startAll()
        let error = await #expect(throws: EventBusError.self) {
            try await services.stop("low", cascading: true)
        }
        #expect(error?.subject == "right" && error?.underlying as? Oops == Oops(1))
    }

    @Test("A stop that misses its deadline is cancelled and named, and can end later")
    func deadline() async throws {
        let gate = Gate()
        try await services.register("slow") { [log] _ in
            Made("slow", log) {
                await gate.pass()
                log.note(Task.isCancelled ? "cancelled" : "not cancelled")
            }
        }
        try await services.start("slow")
        async let stopping: Void = services.stop("slow", within: .seconds(5))
        await gate.untilSomebodyComes()
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(4))
        #expect(await services.state(of: "slow") == .stopping)
        clock.advance(by: .seconds(1))
        do {
            try await stopping
            Issue.record("no deadline")
        } catch let error as EventBusError {
            #expect(error.code == .serviceOverran)
            #expect(error.subject == "slow")
        }
        #expect(await services.state(of: "slow") == .stopping)
        #expect(await code { try await services.start("slow") } == .serviceStopped)
        gate.open()
        try await until { await services.state(of: "slow") == .stopped }
        #expect(log.items == ["cancelled", "-slow"])
    }

    @Test("A stop before a start has no effect, and a stop during a start cancels it")
    func earlyStop() async throws {
        try await add("a")
        try await services.stop("a")
        try await services.start("a")
        #expect(log.items == ["+a"])

        let gate = Gate()
        try await services.register("b") { [log] _ in
            await gate.pass()
            return Made("b", log)
        }
        let start = Task { await code { try await services.start("b") } }
        await gate.untilSomebodyComes()
        let stop = Task { try await services.stop("b") }
        while await services.state(of: "b") == .starting {
            gate.open()
            await Task.yield()
        }
        try await stop.value
        _ = await start.value
        #expect(await services.service(named: "b") == nil)
        #expect(log.items.contains("-b"))
    }

    @Test("A shutdown stops all services in reverse order, permanently")
    func shutdown() async throws {
        try await add("low")
        try await add("top", needs: ["low"])
        try await add("free")
        try await services.start("top")
        try await services.start("free")
        log.clear()
        #expect(await services.shutDown() == [])
        #expect(log.items == ["-free", "-top", "-low"])
        #expect(await code { try await services.start("low") } == .serviceStopped)
    }

    @Test("Invalid uses are typed errors")
    func mistakes() async throws {
        try await add("a", needs: ["b"])
        try await add("b", needs: ["c"])
        do {
            try await add("c", needs: ["a"])
            Issue.record("a circle was registered")
        } catch let error as EventBusError {
            #expect(error.code == .serviceCycle)
            #expect(error.trail == ["c", "a", "b", "c"])
        }
        #expect(await services.names == ["a", "b"])
        #expect(await code { try await services.register(CircleA.self) } == .serviceCycle)
        #expect(await code { try await add("me", needs: ["me"]) } == .serviceCycle)
        #expect(await code { try await add("a") } == .duplicateService)
        #expect(await code { try await add("x::y") } == .malformedName)
        #expect(await code { try await add("") } == .malformedName)
        #expect(await code { try await services.start("nobody") } == .unknownService)
        #expect(await code { try await services.stop("nobody") } == .unknownService)
        try await services.register(Base.self)
        try await services.register(Base.self)
        #expect(await services.names == ["a", "b", "Base"])
    }
}
