import AshlarEventBus
import AshlarTestSupport
import Testing

private struct Stub: Service {
    var options: [String: any Sendable] = [:]
    var stopping: @Sendable () async throws -> Void = {}
    init(_ context: ServiceContext) async throws { options = context.options }
    init(stopping: @escaping @Sendable () async throws -> Void) { self.stopping = stopping }
    func stop() async throws { try await stopping() }
}

private struct Runner: RunningService {
    let running: @Sendable () async throws -> Void
    init(_ context: ServiceContext) async throws { preconditionFailure("created by closures only") }
    init(_ running: @escaping @Sendable () async throws -> Void) { self.running = running }
    func run() async throws { try await running() }
}

private final class Worker: RunningService {
    init(_ context: ServiceContext) async throws {}
    func run() async throws { throw Oops() }
}

private final class App: Service {
    static var needs: [any Service.Type] { [Worker.self] }
    init(_ context: ServiceContext) async throws {}
}

/// Services whose starts and stops interrupt each other.
@Suite("Interrupted services", .timeLimit(.minutes(5)))
struct InterruptedServiceTests {
    let bus = EventBus()
    let clock = ManualClock()
    let services: ServiceRegistry
    let log = Recorder<String>()

    init() { services = ServiceRegistry(bus: bus, clock: clock) }

    /// Waits for a state, for a limited time.
    private func reaches(_ name: String, _ state: ServiceState) async -> Bool {
        let end = ContinuousClock.now + .seconds(120)
        while await services.state(of: name) != state {
            if ContinuousClock.now > end { return false }
            await Task.yield()
        }
        return true
    }

    @Test("The code of a service sees the shutdown when its start is given up")
    func shutdownOfStart() async throws {
        try await services.register("slow") { [log] context in
            log.note("begins")
            for await _ in context.shutdown {}
            log.note("shutdown \(context.shutdown.hasBegun)")
            return try await Stub(context)
        }
        let start = Task { [services] in try await services.start("slow") }
        try await until { log.items == ["begins"] }
        start.cancel()
        await #expect(throws: CancellationError.self) { try await start.value }
        try await until { log.items.count == 2 }
        #expect(log.items.last == "shutdown true")
        #expect(await reaches("slow", .stopped))
    }

    @Test("A cascading stop waits for the services that use one whose run ends first")
    func cascadeAfterRun() async throws {
        let (ends, gate) = (Gate(), Gate())
        try await services.register("db") { _ in Runner { await ends.pass() } }
        try await services.register("lib", needs: ["db"]) { [log] _ in
            Stub {
                await gate.pass()
                log.note("-lib")
            }
        }
        try await services.start("lib")
        let stop = Task { [services, log] in
            try await services.stop("db", cascading: true)
            log.note("end")
        }
        await gate.untilSomebodyComes()
        ends.open()
        #expect(await reaches("db", .stopped))
        for _ in 0..<500 { await Task.yield() }
        #expect(log.items == [])
        gate.open()
        try await stop.value
        #expect(log.items == ["-lib", "end"])
    }

    @Test("A start goes on as long as another service waits for it, and its needs are started to the end")
    func lastCallerLeaves() async throws {
        let gate = Gate()
        try await services.register("db") { [log] _ in
            await gate.pass()
            return Stub { log.note("-db") }
        }
        try await services.register("lib", needs: ["db"]) { try await Stub($0) }
        let direct = Task { try await services.start("db") }
        await gate.untilSomebodyComes()
        let user = Task { try await services.start("lib") }
        #expect(await reaches("lib", .starting))
        direct.cancel()
        await #expect(throws: CancellationError.self) { try await direct.value }
        #expect(await services.state(of: "db") == .starting)
        user.cancel()
        await #expect(throws: CancellationError.self) { try await user.value }
        #expect(await services.state(of: "lib") == .stopped)
        gate.open()
        #expect(await reaches("db", .running))
        #expect(log.items == [])
    }

    @Test("A start of a service that is still stopping throws, and so does one of a service that needs it")
    func startDuringStop() async throws {
        let gate = Gate()
        let made = Recorder<Int?>()
        try await services.register("db") { context in
            made.note(context.options["number"] as? Int)
            return Stub { await gate.pass() }
        }
        try await services.register("lib", needs: ["db"]) { try await Stub($0) }
        try await services.start("db", ["number": 1])
        let stop = Task { try await services.stop("db") }
        await gate.untilSomebodyComes()
        let direct = await #expect(throws: EventBusError.self) { try await services.start("db", ["number": 2]) }
        #expect(direct?.code == .serviceStopped)
        let user = await #expect(throws: EventBusError.self) { try await services.start("lib") }
        #expect(user?.code == .serviceFailed)
        #expect((user?.underlying as? EventBusError)?.code == .serviceStopped)
        #expect(await services.state(of: "db") == .stopping)
        gate.open()
        try await stop.value
        try await services.start("lib")
        #expect(made.items == [1, nil])
        #expect(await services.shutDown() == [])
    }

    @Test("A cascading stop of a service that is being started again waits for the services that use it")
    func cascadeDuringSecondStart() async throws {
        let (ends, again, gate) = (Gate(), Gate(), Gate())
        let lives = Recorder<Int>()
        try await services.register("db") { _ in
            lives.note(1)
            if lives.items.count > 1 { await again.pass() }
            return Runner { await ends.pass() }
        }
        try await services.register("lib", needs: ["db"]) { [log] _ in
            Stub {
                await gate.pass()
                log.note("-lib")
            }
        }
        try await services.start("lib")
        ends.open()
        #expect(await reaches("db", .stopped))
        let start = Task { try await services.start("db") }
        await again.untilSomebodyComes()
        let stop = Task { [services, log] in
            try await services.stop("db", cascading: true)
            log.note("end")
        }
        await gate.untilSomebodyComes()
        again.open()
        #expect(await reaches("db", .stopped))
        for _ in 0..<500 { await Task.yield() }
        #expect(log.items == [])
        gate.open()
        try await stop.value
        await #expect(throws: EventBusError.self) { try await start.value }
        #expect(log.items == ["-lib", "end"])
        #expect(await services.runningNames == [])
    }

    @Test("A needed service that ended is started with its user, and stopped with it")
    func endedNeed() async throws {
        let ends = Gate()
        let made = Recorder<String>()
        try await services.register("db") { _ in
            made.note("db")
            return Runner {
                if made.items.count == 1 { await ends.pass() } else { try await Task.sleep(for: .seconds(60)) }
            }
        }
        try await services.register("pool", needs: ["db"]) { try await Stub($0) }
        try await services.register("lib", needs: ["pool"]) { [log] _ in Stub { log.note("-lib") } }
        try await services.start("lib")
        ends.open()
        #expect(await reaches("db", .stopped))
        try await services.start("lib")
        #expect(await services.runningNames == ["pool", "lib", "db"])
        try await services.stop("db", cascading: true)
        #expect(log.items == ["-lib"])
        #expect(await services.runningNames == [])
    }

    @Test("A cascading stop of a service that has ended stops its users")
    func cascadeAfterEnd() async throws {
        try await services.register("db") { _ in Runner {} }
        try await services.register("lib", needs: ["db"]) { [log] _ in Stub { log.note("-lib") } }
        try await services.start("lib")
        #expect(await reaches("db", .stopped))
        try await services.stop("db")
        #expect(await services.runningNames == ["lib"])
        try await services.stop("db", cascading: true)
        #expect(log.items == ["-lib"])
    }

    @Test("After any stops, also before the first start, the next start works", arguments: 0..<20)
    func startAfterStops(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let names = ["a", "b", "c", "d"]
        for (index, name) in names.enumerated() {
            try await services.register(name, needs: Array(names[..<index])) { _ in
                await Task.yield()
                return Stub { await Task.yield() }
            }
        }
        for _ in 0..<10 {
            let name = names.randomElement(using: &random) ?? "a"
            let isCascade = Bool.random(using: &random)
            if Bool.random(using: &random) { Task { [services] in try await services.start(name) } }
            if Bool.random(using: &random) { await Task.yield() }
            try? await services.stop(name, cascading: isCascade)
        }
        try await services.stop("a", cascading: true)
        try await services.start("d")
        #expect(await Set(services.runningNames) == Set(names))
        #expect(await services.shutDown() == [])
    }

    @Test(
        "A draining service ends all its steps before its deadline, and is cancelled at it", arguments: [true, false])
    func draining(ends: Bool) async throws {
        let started = Gate()
        try await services.register("a") { [log] _ in
            Runner {
                let shutdown = ServiceShutdown.current
                started.open()
                while shutdown?.hasBegun == false { await Task.yield() }
                for step in 0..<10 where !Task.isCancelled {
                    await Task.yield()
                    log.note("\(step)")
                }
                while !ends, !Task.isCancelled { await Task.yield() }
            }
        }
        try await services.start("a")
        await started.pass()
        let stop = Task { try await services.stop("a", within: .seconds(5)) }
        if !ends {
            try await until { log.items.count == 10 }
            await clock.untilSomebodySleeps()
            clock.advance(by: .seconds(5))
        }
        _ = await stop.result
        #expect(log.items == (0..<10).map { "\($0)" })
        #expect(ServiceShutdown.current == nil)
    }

    @Test("An error of run() during a stop, and an end after the limit, are part of the result")
    func hiddenErrors() async throws {
        try await services.register("broken") { context in
            let shutdown = context.shutdown
            return Runner {
                for await _ in shutdown { throw Oops(3) }
            }
        }
        try await services.start("broken")
        let error = await #expect(throws: EventBusError.self) { try await services.stop("broken") }
        #expect(error?.underlying as? Oops == Oops(3))
        #expect(await services.state(of: "broken") == .failed)
        try await services.register("slow") { context in
            _ = context.shutdown
            return Runner { while !Task.isCancelled { await Task.yield() } }
        }
        try await services.start("broken")
        try await services.start("slow")
        let shutdown = Task { await services.shutDown(within: .seconds(5)) }
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(5))
        #expect(await Set(shutdown.value) == ["slow", "broken"])
        #expect(await reaches("slow", .stopped))
    }

    @Test("The policies of a service apply even if another service has registered it first")
    func laterPolicy() async throws {
        try await services.register(App.self)
        try await services.register(Worker.self, whenFailed: .ignore)
        try await services.register(App.self)
        #expect(await services.names == ["Worker", "App"])
        let run = Task { try await services.run(shuttingDownOn: []) }
        #expect(await reaches("Worker", .failed))
        #expect(await reaches("App", .running))
        #expect(await services.shutDown() == [])
        #expect(try await run.value.unclean == [])
    }

    @Test("A need that is named twice is one need")
    func repeatedNeed() async throws {
        try await services.register("db") { try await Stub($0) }
        try await services.register("lib", needs: ["db", "db"]) { try await Stub($0) }
        try await services.start("lib")
        #expect(try await services.explain("lib") == "lib: running\n  needs db: running")
        #expect(try await services.explain("db") == "db: running\n  used by lib")
    }

    @Test("A run() that throws serviceStopped itself has failed")
    func ownServiceStopped() async throws {
        try await services.register("a") { _ in
            Runner { throw EventBusError(.serviceStopped, subject: "b") }
        }
        await #expect(throws: EventBusError.self) { try await services.run(shuttingDownOn: []) }
    }
}
