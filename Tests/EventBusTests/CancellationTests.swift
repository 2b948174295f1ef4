import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite("Cancelling a watch while its handler runs", .timeLimit(.minutes(2)))
struct CancellationTests {
    let bus = EventBus()
    let a = Topic<Int>("a")
    let seen = Recorder<String>()

    /// Waits until a condition holds, at most ten seconds.
    @Test("A handler that waits for a detached task that waits for the handler gets an error at the limit")
    func detached() async throws {
        let me = Mutex<Watch?>(nil)
        let clock = ManualClock()
        let gate = Gate()
        let errors = Recorder<EventBusError>()
        let watch = bus.watch(a, buffer: .unbounded) { [seen] _ in
            let watch = me.withLock { $0 }
            await Task.detached {
                do {
                    try await watch?.cancelAndWait(within: .seconds(5), clock: clock)
                } catch let error as EventBusError {
                    errors.note(error)
                } catch {}
            }.value
            seen.note("handler goes on")
            gate.open()
        }
        me.withLock { $0 = watch }
        bus.trigger(a, 1)
        await clock.untilSomebodySleeps()
        #expect(!watch.isLive, "it has ended at once")
        clock.advance(by: .seconds(5))
        await gate.pass()
        #expect(errors.items.map(\.code) == [.handlerRunning])
        #expect(errors.items.first?.description.contains("'a'") == true)
        #expect(seen.items == ["handler goes on"])
        #expect(bus.trigger(a, 2).isUndelivered)
    }

    @Test("A wait with a limit ends when the call of the handler ends")
    func inTime() async throws {
        let entered = Atomic(false)
        let leave = Atomic(false)
        let watch = bus.watch(a) { [seen] _ in
            entered.store(true, ordering: .releasing)
            while !leave.load(ordering: .acquiring) { usleep(100) }
            seen.note("end of call")
        }
        // Handlers that block run on their own threads, because the runtime has only as many as the machine has cores.
        let trigger = Task { [bus, a] in await onSmallStack { bus.trigger(a, 1) } }
        try await until { entered.load(ordering: .acquiring) }
        let wait = Task.detached { [seen] in
            try await watch.cancelAndWait(within: .seconds(60))
            seen.note("waited")
        }
        try await until { !watch.isLive }
        leave.store(true, ordering: .releasing)
        try await wait.value
        await trigger.value
        #expect(seen.items == ["end of call", "waited"])
        try await watch.cancelAndWait(within: .seconds(60))
    }

    @Test("A cancelled wait returns immediately, and the watch has ended nevertheless")
    func cancelledWait() async throws {
        let gate = Gate()
        let watch = bus.watch(a, buffer: .unbounded) { _ in await gate.pass() }
        bus.trigger(a, 1)
        await gate.untilSomebodyComes()
        let wait = Task.detached { try await watch.cancelAndWait(within: .seconds(600)) }
        try await until { !watch.isLive }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        gate.open()
        await watch.cancelAndWait()
    }

    @Test(
        "Waiting after an earlier cancellation still waits for the running call",
        arguments: ["topic", "pattern", "object", "once", "mailbox"])
    func waitAfterCancellation(kind: String) async throws {
        let gate = Gate()
        let leave = Atomic(false)
        let thing = Thing()
        let block: @Sendable () -> Void = { [seen] in
            gate.open()
            while !leave.load(ordering: .acquiring) { usleep(100) }
            seen.note("end of call")
        }
        let wait: @Sendable () async -> Void = { [seen] in
            gate.open()
            while !leave.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(1)) }
            seen.note("end of call")
        }
        let watch =
            switch kind {
            case "topic": bus.watch(a) { _ in block() }
            case "pattern": bus.watch("**") { _ in block() }
            case "object": bus.watch("**", from: thing) { _ in block() }
            case "once": bus.watch(a, once: true) { _ in block() }
            default: bus.watch(a, buffer: .unbounded) { _ in await wait() }
            }
        let trigger = Task { [bus, a] in await onSmallStack { bus.trigger(a, 1, from: thing) } }
        await gate.pass()
        watch.cancel()
        #expect(!watch.isLive)
        let waits = (0..<3).map { _ in
            Task.detached { [seen] in
                await watch.cancelAndWait()
                seen.note("waited")
            }
        }
        await #expect(throws: EventBusError.self) { try await watch.cancelAndWait(within: .milliseconds(50)) }
        #expect(seen.items.isEmpty, "nobody returns before the call ends")
        leave.store(true, ordering: .releasing)
        for wait in waits { await wait.value }
        await trigger.value
        #expect(seen.items == ["end of call", "waited", "waited", "waited"])
        await watch.cancelAndWait()
    }

    @Test("A handler can wait for its own watch after cancelling it")
    func ownHandler() async {
        let me = Mutex<Watch?>(nil)
        let gate = Gate()
        let watch = bus.watch(a, buffer: .unbounded) { _ in
            me.withLock { $0 }?.cancel()
            await me.withLock { $0 }?.cancelAndWait()
            gate.open()
        }
        me.withLock { $0 = watch }
        bus.trigger(a, 1)
        await gate.pass()
        #expect(!watch.isLive)
    }

    @Test("cancel() returns during a call, and later handlers of the same event aren't called")
    func cancelDoesNotWait() async {
        let gate = Gate()
        let leave = Atomic(false)
        let first = bus.watch(a, priority: 1) { [seen] _ in
            gate.open()
            while !leave.load(ordering: .acquiring) { usleep(100) }
            seen.note("first ends")
        }
        let second = bus.watch(a) { [seen] _ in seen.note("second") }
        let results = Recorder<DeliveryResult>()
        let trigger = Task { [bus, a] in await onSmallStack { results.note(bus.trigger(a, 1)) } }
        await gate.pass()
        #expect(first.cancel() && second.cancel())
        #expect(!first.cancel() && !second.cancel())
        seen.note("cancelled")
        leave.store(true, ordering: .releasing)
        await trigger.value
        #expect(seen.items == ["cancelled", "first ends"])
        #expect(results.items.map(\.delivered) == [1])
    }
}

@Suite("The depth of triggers is separate for each bus")
struct DepthTests {
    @Test("Two buses that trigger each other have separate depths and limits")
    func pingPong() {
        let (ping, pong) = (EventBus(depthLimit: 8), EventBus(depthLimit: 64))
        let a = Topic<Int>("a")
        let depths = Recorder<String>()
        let refused = Recorder<String>()
        let bag = WatchBag()
        ping.onFailure { _ in refused.note("ping") }
        pong.onFailure { _ in refused.note("pong") }
        ping.watch(a) {
            depths.note("ping \($0.depth)")
            pong.trigger(a, $0.payload)
        }.store(in: bag)
        pong.watch(a) {
            depths.note("pong \($0.depth)")
            ping.trigger(a, $0.payload)
        }.store(in: bag)
        for _ in 0..<2 {
            depths.clear()
            ping.trigger(a, 1)
            #expect(depths.items == (0..<8).flatMap { ["ping \($0)", "pong \($0)"] })
        }
        #expect(refused.items == ["ping", "ping"])
        depths.clear()
        pong.trigger(a, 1)
        #expect(depths.items.first == "pong 0" && depths.items.dropFirst().first == "ping 0")
        #expect(depths.items.count == 17)
    }

    @Test("Three buses trigger each other in a circle, through an ordered topic and with errors")
    func circle() {
        let buses = (0..<3).map { _ in EventBus(depthLimit: 5) }
        let topics = [Topic<Int>("a"), Topic<Int>("a", keeping: 1), Topic<Int>("a")]
        let depths = Recorder<Int>()
        let bag = WatchBag()
        for index in 0..<3 {
            let next = (index + 1) % 3
            buses[index].watch(topics[index]) { signal in
                depths.note(signal.depth)
                buses[next].trigger(topics[next], 1)
                throw Oops()
            }.store(in: bag)
        }
        buses[0].trigger(topics[0], 1)
        // A nested trigger of the ordered topic is queued behind the running one.
        #expect(depths.items.allSatisfy { $0 < 5 } && depths.items.count >= 4)
        depths.clear()
        buses[2].trigger(Topic<Int>("other"), 1)
        buses[0].trigger(topics[0], 1)
        #expect(depths.items.first == 0, "nothing is left behind")
    }
}
