import AshlarTestSupport
import Testing

@testable import AshlarEventBus

/// A service that calls closures.
private struct Stub: Service {
    var stopping: @Sendable () async throws -> Void = {}
    init(_ context: ServiceContext) async throws {}
    init(stopping: @escaping @Sendable () async throws -> Void = {}) { self.stopping = stopping }
    func stop() async throws { try await stopping() }
}

@Suite("Services never hang", .timeLimit(.minutes(5)))
struct ServiceHangTests {
    let bus = EventBus()
    let clock = ManualClock()
    let services: ServiceRegistry
    let log = Recorder<String>()

    init() { services = ServiceRegistry(bus: bus, clock: clock) }

    private func code(_ body: () async throws -> Void) async -> EventBusError.Code? {
        do { try await body() } catch { return (error as? EventBusError)?.code }
        return nil
    }

    @Test("Stopping a service while one that needs it starts ends both")
    func cascadeDuringStart() async throws {
        let gate = Gate()
        try await services.register("db") { _ in Stub() }
        try await services.register("lib", needs: ["db"]) { _ in
            await gate.pass()
            return Stub()
        }
        try await services.start("db")
        let lib = Task { await code { try await services.start("lib") } }
        await gate.untilSomebodyComes()
        let stop = Task { await code { try await services.stop("db", cascading: true) } }
        try await until { await services.state(of: "lib") != .starting }
        gate.open()
        #expect(await stop.value == nil)
        #expect(await lib.value == .serviceStopped)
        #expect(await services.runningNames == [])
    }

    @Test("A service that starts itself in its start fails with the cycle")
    func startsItself() async throws {
        try await services.register("a") { [services] _ in
            try await services.start("a")
            return Stub()
        }
        await #expect { try await services.start("a") } throws: { error in
            let cycle = (error as? EventBusError)?.underlying as? EventBusError
            return cycle?.code == .serviceCycle && cycle?.trail == ["a", "a"]
        }
    }

    @Test("A service that starts a service that needs it, directly or not, fails with the cycle", arguments: [1, 2, 5])
    func startsItsUser(distance: Int) async throws {
        let services = ServiceRegistry(bus: bus)
        try await services.register("s0") { [services] _ in
            try await services.start("s\(distance)")
            return Stub()
        }
        for number in 1...distance {
            try await services.register("s\(number)", needs: ["s\(number - 1)"]) { _ in Stub() }
        }
        do {
            // The limit ends the test if the cycle isn't found.
            try await services.start("s0", within: .seconds(20))
            Issue.record("s0 started")
        } catch {
            let cycle = ["s0"] + (0...distance).reversed().map { "s\($0)" }
            #expect("\(error)".contains("serviceCycle"), "\(error)")
            #expect("\(error)".contains("[\(cycle.joined(separator: " -> "))]"), "\(error)")
        }
        #expect(await services.runningNames == [])
    }

    @Test("A stop that stops its own service fails with the cycle")
    func stopsItself() async throws {
        try await services.register("a") { [services, log] _ in
            Stub {
                do { try await services.stop("a") } catch {
                    log.note("\((error as? EventBusError)?.code.description ?? "")")
                }
            }
        }
        try await services.start("a")
        try await services.stop("a")
        #expect(log.items == ["serviceCycle"])
    }

    @Test("The deadlines of stop and shutdown apply to a service that hangs in its start", arguments: [true, false])
    func stuckStart(isShutDown: Bool) async throws {
        let gate = Gate()
        try await services.register("stuck") { _ in
            await gate.pass()
            return Stub()
        }
        let start = Task { await code { try await services.start("stuck") } }
        await gate.untilSomebodyComes()
        let end = Task {
            isShutDown
                ? await services.shutDown(within: .seconds(5)) == ["stuck"]
                : await code { try await services.stop("stuck", within: .seconds(5)) } == .serviceOverran
        }
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(5))
        #expect(await end.value)
        #expect(await services.state(of: "stuck") == .stopping)
        gate.open()
        #expect(await start.value == .serviceStopped)
        #expect(await services.state(of: "stuck") == .stopped)
    }

    @Test("A cancelled start returns immediately, and the service is cancelled")
    func cancelledStart() async throws {
        let gate = Gate()
        try await services.register("slow") { [log] _ in
            await gate.pass()
            log.note("cancelled: \(Task.isCancelled)")
            return Stub { log.note("stopped") }
        }
        let start = Task { try await services.start("slow") }
        await gate.untilSomebodyComes()
        start.cancel()
        await #expect(throws: CancellationError.self) { try await start.value }
        gate.open()
        try await until { await services.state(of: "slow") == .stopped }
        #expect(log.items == ["cancelled: true", "stopped"])
    }

    @Test("An error of stop is thrown to the caller and sent in the event")
    func throwingStop() async throws {
        let watch = bus.watch("service:a:failed") { [log] signal in
            let change = signal.payload as? ServiceChange
            log.note(((change?.error as? EventBusError)?.underlying as? Oops) == nil ? "other" : "Oops")
        }
        try await services.register("a") { _ in Stub { throw Oops() } }
        try await services.start("a")
        #expect(await code { try await services.stop("a") } == .serviceFailed)
        #expect(log.items == ["Oops"])
        #expect(await services.state(of: "a") == .failed)
        watch.cancel()
    }

    @Test("Each caller of a stop has a limit of its own, which includes the services that need this one")
    func limits() async throws {
        let (low, top) = (Gate(), Gate())
        try await services.register("low") { [log] _ in
            Stub {
                await low.pass()
                log.note("low \(Task.isCancelled)")
            }
        }
        try await services.register("top", needs: ["low"]) { _ in Stub { await top.pass() } }
        try await services.start("top")
        let long = Task { try await services.stop("low", within: .seconds(9), cascading: true) }
        try await until { clock.slept.count == 1 }
        let short = Task { try await services.stop("low", within: .seconds(5), cascading: true) }
        try await until { clock.slept.count == 2 }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: EventBusError.self) { try await short.value }
        #expect(error?.code == .serviceOverran && error?.subject == "top")
        top.open()
        await low.untilSomebodyComes()
        #expect(await services.state(of: "low") == .stopping)
        low.open()
        try await long.value
        #expect(log.items == ["low true"], "its tasks are cancelled, because a limit has passed")
    }

    @Test("The limit of a shutdown applies to all services together")
    func limitOfShutdown() async throws {
        let gate = Gate()
        for name in ["first", "second"] {
            try await services.register(name) { _ in Stub { await gate.pass() } }
            try await services.start(name)
        }
        let shutdown = Task { await services.shutDown(within: .seconds(5)) }
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(5))
        #expect(await shutdown.value == ["second", "first"])
        gate.open()
        #expect(await services.shutDown() == ["second", "first"])
        #expect(await services.runningNames == [])
    }

    @Test("A shutdown continues if the task of its caller is cancelled, which returns at once")
    func cancelledShutdown() async throws {
        let gate = Gate()
        try await services.register("slow") { _ in Stub { await gate.pass() } }
        try await services.start("slow")
        let shutdown = Task { await services.shutDown() }
        await gate.untilSomebodyComes()
        shutdown.cancel()
        #expect(await shutdown.value == [])
        #expect(await services.state(of: "slow") == .stopping)
        gate.open()
        #expect(await services.shutDown() == [])
        #expect(await services.state(of: "slow") == .stopped)
    }

    @Test("A late end of a stop's limit doesn't cancel the next stop")
    func lateLimit() async throws {
        let wasCancelled = Recorder<Bool>()
        try await services.register("a") { _ in Stub { wasCancelled.note(Task.isCancelled) } }
        try await services.start("a")
        try await services.stop("a")
        _ = await services.cancelStop(of: "a")
        try await services.start("a")
        try await services.stop("a")
        #expect(wasCancelled.items == [false, false])
    }
}
