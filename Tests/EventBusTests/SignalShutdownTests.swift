import AshlarCore
import AshlarTestSupport
import Testing

@testable import AshlarEventBus

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A service that calls a closure at its end.
private struct Worker: Service {
    var stopping: @Sendable () async throws -> Void = {}
    init(_ context: ServiceContext) async throws {}
    init(_ stopping: @escaping @Sendable () async throws -> Void = {}) { self.stopping = stopping }
    func stop() async throws { try await stopping() }
}

/// Ends the child process after 100 seconds, and gives both signals their default actions whatever started the tests.
private func prepareChild() {
    alarm(100)
    signal(SIGTERM, SIG_DFL)
    signal(SIGINT, SIG_DFL)
}

private func raiseSignal(_ number: Int32) { kill(getpid(), number) }

/// Never returns, and ignores cancellation.
private func hang() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

private func check(_ condition: Bool, _ code: Int32) { if !condition { exit(code) } }

#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Suite("Orderly shutdown by signals, in child processes", .timeLimit(.minutes(3)))
    struct SignalShutdownTests {
        @Test("SIGTERM and SIGINT stop the services in reverse order")
        func inOrder() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                for number in [SIGTERM, SIGINT, SIGTERM] {
                    let log = Recorder<String>()
                    let services = ServiceRegistry(bus: EventBus())
                    try await services.register("db") { _ in Worker { log.note("db") } }
                    try await services.register("web", needs: ["db"]) { _ in Worker { log.note("web") } }
                    let running = services.bus.watch("service:web:running") { _ in raiseSignal(number) }
                    let outcome = try await services.run(startingWithin: .seconds(10), stoppingWithin: .seconds(10))
                    check(outcome.signal == ProcessSignal(number) && outcome.unclean.isEmpty, 2)
                    check(log.items == ["web", "db"], 3)
                    running.cancel()
                }
            }
        }

        @Test("A second signal ends the process immediately, even if a service hangs in its stop")
        func twice() async {
            await #expect(processExitsWith: .signal(SIGINT)) {
                prepareChild()
                let services = ServiceRegistry(bus: EventBus())
                let gate = Gate()
                try await services.register("web") { _ in
                    Worker {
                        gate.open()
                        await hang()
                    }
                }
                let running = services.bus.watch("service:web:running") { _ in raiseSignal(SIGTERM) }
                let run = Task { try await services.run() }
                await gate.pass()
                raiseSignal(SIGINT)
                _ = try await run.value
                running.cancel()
            }
        }

        @Test("A signal during the start stops the started services and cancels the others")
        func duringStart() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let log = Recorder<String>()
                let services = ServiceRegistry(bus: EventBus())
                try await services.register("db") { _ in Worker { log.note("db") } }
                try await services.register("slow", needs: ["db"]) { _ in
                    raiseSignal(SIGTERM)
                    do { try await Task.sleep(for: .seconds(60)) } catch { log.note("cancelled") }
                    throw CancellationError()
                }
                let outcome = try await services.run(stoppingWithin: .seconds(10))
                check(outcome.signal == .terminate && outcome.unclean.isEmpty, 2)
                check(log.items == ["cancelled", "db"], 3)
                check(await services.runningNames.isEmpty, 4)
            }
        }

        @Test("A signal during a shutdown waits for the end of that shutdown")
        func duringShutdown() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let services = ServiceRegistry(bus: EventBus())
                let (stopping, gate) = (Gate(), Gate())
                try await services.register("web") { _ in
                    Worker {
                        stopping.open()
                        await gate.pass()
                        throw Oops()
                    }
                }
                let run = Task { try await services.run() }
                while await services.runningNames.isEmpty { await Task.yield() }
                let first = Task { await services.shutDown() }
                await stopping.pass()
                raiseSignal(SIGTERM)
                try await Task.sleep(for: .milliseconds(20))
                gate.open()
                check(await first.value == ["web"], 2)
                check(await services.shutDown() == ["web"], 4)
                check(try await run.value.unclean == ["web"], 3)
            }
        }

        @Test("A service that hangs in its stop is named after the deadline")
        func hangs() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let clock = ManualClock()
                let services = ServiceRegistry(bus: EventBus(), clock: clock)
                try await services.register("stuck") { _ in Worker { await hang() } }
                try await services.register("clean", needs: ["stuck"]) { _ in Worker() }
                let count = Recorder<String>()
                let running = services.bus.watch("service:*:running") {
                    count.note($0.name)
                    if count.items.count == 2 { raiseSignal(SIGTERM) }
                }
                let gate = Gate()
                let stopped = services.bus.watch("service:clean:stopped") { _ in gate.open() }
                let run = Task { try await services.run(stoppingWithin: .seconds(5)) }
                await gate.pass()
                let time = Task {
                    while !Task.isCancelled {
                        clock.advance(by: .seconds(1))
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
                check(try await run.value.unclean == ["stuck"], 2)
                time.cancel()
                for watch in [running, stopped] { watch.cancel() }
            }
        }

        @Test("The end of a run restores the signal's previous action", arguments: [false, true])
        func cancelled(twice: Bool) async {
            await #expect(processExitsWith: .signal(SIGTERM)) { [twice] in
                prepareChild()
                let registries = [ServiceRegistry(bus: EventBus()), ServiceRegistry(bus: EventBus())]
                for services in registries { try await services.register("s") { _ in Worker() } }
                let runs = registries.prefix(twice ? 2 : 1).map { services in Task { try await services.run() } }
                for services in registries.prefix(runs.count) {
                    while await services.runningNames.isEmpty { await Task.yield() }
                }
                runs[0].cancel()
                _ = await runs[0].result
                if twice {
                    // Another run still needs the signal, so its action changes with the last one only.
                    raiseSignal(SIGTERM)
                    check(try await runs[1].value.signal == .terminate, 3)
                }
                raiseSignal(SIGTERM)
                try await Task.sleep(for: .seconds(10))
            }
        }

        @Test("An ignored signal is ignored again afterward, and only the chosen signals are caught")
        func earlierAction() async {
            await #expect(processExitsWith: .exitCode(7)) {
                prepareChild()
                signal(SIGINT, SIG_IGN)
                signal(SIGUSR1, SIG_IGN)
                let services = ServiceRegistry(bus: EventBus())
                try await services.register("s") { _ in Worker() }
                let running = services.bus.watch("service:s:running") { _ in
                    raiseSignal(SIGINT)
                    raiseSignal(SIGUSR1)
                }
                check(try await services.run(shuttingDownOn: [ProcessSignal(SIGUSR1)]).signal?.number == SIGUSR1, 3)
                raiseSignal(SIGUSR1)
                raiseSignal(SIGINT)
                running.cancel()
                exit(7)
            }
        }

        @Test("Two registries shut down with one signal")
        func twoRegistries() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let log = Recorder<String>()
                let registries = (0..<2).map { _ in ServiceRegistry(bus: EventBus()) }
                var runs: [Task<(signal: ProcessSignal?, unclean: [String]), any Error>] = []
                for (index, services) in registries.enumerated() {
                    try await services.register("s") { _ in Worker { log.note("\(index)") } }
                    runs.append(Task { try await services.run() })
                    while await services.runningNames.isEmpty { await Task.yield() }
                }
                raiseSignal(SIGTERM)
                for run in runs { check(try await run.value.signal == .terminate, 2) }
                check(Set(log.items) == ["0", "1"], 3)
            }
        }

        @Test("A signal that can't be caught is an error, and the services don't start")
        func impossibleSignal() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let services = ServiceRegistry(bus: EventBus())
                try await services.register("s") { _ in Worker() }
                for number in [SIGKILL, 0, -1, 4000] {
                    do {
                        _ = try await services.run(cancellingOn: [ProcessSignal(number)])
                        exit(2)
                    } catch let error as EventBusError {
                        check(error.code == .signalsUnavailable, 3)
                    }
                }
                check(await services.state(of: "s") == .registered, 4)
            }
        }

        @Test("If one of several signals can't be caught, the others have their previous actions again")
        func partlyImpossibleSignals() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let services = ServiceRegistry(bus: EventBus())
                let numbers = [SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGALRM]
                do {
                    let signals = (numbers + [SIGKILL]).map { ProcessSignal($0) }
                    _ = try await services.run(shuttingDownOn: signals)
                    exit(2)
                } catch let error as EventBusError {
                    check(error.code == .signalsUnavailable, 3)
                }
                // The default action is nil.
                for number in numbers { check(signal(number, SIG_DFL).map { _ in true } == nil, 4) }
            }
        }

        @Test("A failed start stops the other services and restores the signals")
        func failedStart() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                prepareChild()
                let log = Recorder<String>()
                let services = ServiceRegistry(bus: EventBus())
                try await services.register("good") { _ in Worker { log.note("good") } }
                try await services.register("bad", needs: ["good"]) { _ in throw Oops() }
                do { _ = try await services.run() } catch let error as EventBusError {
                    check(error.code == .serviceFailed && log.items == ["good"], 2)
                    raiseSignal(SIGTERM)
                    try await Task.sleep(for: .seconds(10))
                }
            }
        }

        @Test("Cancelling the task that runs the services stops them")
        func cancelledRun() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let log = Recorder<String>()
                let services = ServiceRegistry(bus: EventBus())
                let gate = Gate()
                try await services.register("s") { _ in Worker { log.note("stopped") } }
                let running = services.bus.watch("service:s:running") { _ in gate.open() }
                let run = Task { try await services.run() }
                await gate.pass()
                run.cancel()
                do { _ = try await run.value } catch is CancellationError { check(log.items == ["stopped"], 2) }
                check(log.items == ["stopped"], 3)
                running.cancel()
            }
        }

        @Test("A lasting subscription receives each signal, which remains caught until its end")
        func lastingSubscription() async {
            await #expect(processExitsWith: .success) {
                prepareChild()
                let received = Recorder<ProcessSignal>()
                let subscription = ProcessSignals.Subscription([.interrupt], isLasting: true) { received.note($0) }
                try ProcessSignals.subscribe(subscription)
                for count in 1...3 {
                    raiseSignal(SIGINT)
                    try await until { received.items.count == count }
                }
                ProcessSignals.unsubscribe(subscription)
                check(received.items == [.interrupt, .interrupt, .interrupt], 2)
            }
        }
    }
#endif
