import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

private actor Ledger {
    private(set) var entries: [Int] = []
    private var isInside = false
    private(set) var overlaps = 0

    func add(_ entry: Int) async {
        if isInside { overlaps += 1 }
        isInside = true
        await Task.yield()
        entries.append(entry)
        isInside = false
    }
}

@Suite("Delivery on the main actor, on actors and in mailboxes", .timeLimit(.minutes(5)))
struct QueuedDeliveryTests {
    let bus = EventBus()
    let number = Topic<Int>("number")
    let seen = Recorder<Int>()
    let bag = WatchBag()

    @Test("On the main actor an event is handled immediately; from elsewhere it is queued in order")
    @MainActor
    func main() async throws {
        bus.watchOnMain(number) { [seen] in
            MainActor.preconditionIsolated()
            seen.note($0.payload)
        }.store(in: bag)
        #expect(bus.trigger(number, 1).delivered == 1)
        #expect(seen.items == [1])
        let receipts = await Task.detached { [bus, number] in (2...100).map { bus.trigger(number, $0) } }.value
        #expect(receipts.allSatisfy { $0.queued == 1 && $0.delivered == 0 })
        // Queued events come first, even though the caller is on the main actor now.
        bus.trigger(number, 101)
        try await until { seen.items.count >= 101 }
        #expect(seen.items == Array(1...101))
    }

    @Test("An always queued watch is never called inside a trigger")
    @MainActor
    func alwaysQueued() async throws {
        bus.watchOnMain(number, alwaysQueued: true) { [seen] in seen.note($0.payload) }.store(in: bag)
        #expect(bus.trigger(number, 1).queued == 1)
        #expect(seen.items.isEmpty)
        try await until { !seen.items.isEmpty }
        #expect(seen.items == [1])
    }

    @Test("A cancelled watch receives no queued event")
    @MainActor
    func cancelQueued() async throws {
        let watch = bus.watchOnMain(number, alwaysQueued: true) { [seen] in seen.note($0.payload) }
        let last = bus.watchOnMain(number, alwaysQueued: true) { [seen] in seen.note(-$0.payload) }
        bus.trigger(number, 1)
        watch.cancel()
        bus.trigger(number, 2)
        try await until { seen.items.count >= 2 }
        #expect(seen.items == [-1, -2])
        last.cancel()
    }

    @Test("A queued watch that its own handler cancels receives no further queued event")
    @MainActor
    func cancelInsideQueued() async throws {
        let me = Mutex<Watch?>(nil)
        let watch = bus.watchOnMain(number, alwaysQueued: true) { [seen] in
            seen.note($0.payload)
            me.withLock { $0 }?.cancel()
        }
        me.withLock { $0 = watch }
        bus.watchOnMain(number, alwaysQueued: true) { [seen] in seen.note(-$0.payload) }.store(in: bag)
        for i in 1...3 { bus.trigger(number, i) }
        try await until { seen.items.count >= 4 }
        // Each watch has its own order.
        #expect(seen.items.filter { $0 > 0 } == [1])
        #expect(seen.items.filter { $0 < 0 } == [-1, -2, -3])
    }

    @Test(
        "Of two queued watches on one actor that cancel each other, one is called",
        arguments: ["main actor", "owners on the main actor", "actor"])
    @MainActor
    func cancelNeighbor(kind: String) async throws {
        for round in 0..<40 {
            let calls = Recorder<Int>()
            let ledger = Ledger()
            let keepers = [Keeper("0"), Keeper("1")]
            let pair = Mutex<[Watch]>([])
            let watches = (0...1).map { index in
                let cancelOther: @Sendable () -> Void = { pair.withLock { $0[1 - index] }.cancel() }
                switch kind {
                case "main actor":
                    return bus.watchOnMain(number, alwaysQueued: true) { _ in
                        calls.note(index)
                        cancelOther()
                    }
                case "actor":
                    return bus.watch(number, on: ledger, buffer: .unbounded) { _, _ in
                        calls.note(index)
                        cancelOther()
                    }
                default:
                    return bus.watchOnMain(number, owner: keepers[index], alwaysQueued: true) { [bus] _, _ in
                        calls.note(index)
                        bus.unwatch(owner: keepers[1 - index])
                    }
                }
            }
            pair.withLock { $0 = watches }
            let queued = bus.trigger(number, round).queued
            // An actor runs on another thread, so its first handler can cancel the second watch during the trigger.
            #expect(queued == 2 || kind == "actor" && queued == 1)
            try await until("one is called") { !calls.items.isEmpty }
            for watch in watches { await watch.cancelAndWait() }
            #expect(calls.items.count == 1, "round \(round)")
        }
    }

    @Test("After cancel() has returned on the main actor, no handler of the watch is called there")
    @MainActor
    func cancelOnMain() async {
        for round in 0..<80 {
            let hasEnded = Mutex(false)
            let late = Recorder<Int>()
            let watch = bus.watchOnMain(number, alwaysQueued: true) { signal in
                if hasEnded.withLock({ $0 }) { late.note(signal.payload) }
            }
            await Task.detached { [bus, number] in _ = bus.trigger(number, round) }.value
            // The cancellation comes at another moment of the delivery each time.
            for _ in 0..<round % 8 { await Task.yield() }
            watch.cancel()
            hasEnded.withLock { $0 = true }
            await watch.cancelAndWait()
            #expect(late.items.isEmpty, "round \(round)")
        }
    }

    @Test("Owners on the main actor are retained during a call and receive nothing after their release")
    @MainActor
    func mainOwner() async throws {
        var keeper: Keeper? = Keeper("anna")
        let names = Recorder<String>()
        bus.watchOnMain(number, owner: keeper!) { names.note("\($0.name) \($1.payload)") }
        bus.watchOnMain(Topic(matching: "number"), owner: keeper!, alwaysQueued: true) {
            names.note("late \($0.name) \($1.name)")
        }
        bus.trigger(number, 1)
        #expect(names.items == ["anna 1"])
        keeper = nil
        let last = bus.watchOnMain(number, alwaysQueued: true) { [seen] in seen.note($0.payload) }
        bus.trigger(number, 2)
        try await until { !seen.items.isEmpty }
        #expect(names.items == ["anna 1"])
        last.cancel()
    }

    @Test("An actor handles one event at a time, in order, even if it awaits")
    func actor() async throws {
        let ledger = Ledger()
        let watch = bus.watch(number, on: ledger, buffer: .unbounded) { ledger, signal in
            await ledger.add(signal.payload)
        }
        for i in 0..<500 { #expect(bus.trigger(number, i).queued == 1) }
        try await until { await ledger.entries.count >= 500 }
        #expect(await ledger.entries == Array(0..<500))
        #expect(await ledger.overlaps == 0)
        watch.cancel()
    }

    @Test("An actor is held weakly, and its watch ends with it")
    func actorEnds() async {
        weak var held: Ledger?
        do {
            let ledger = Ledger()
            held = ledger
            bus.watch(number, on: ledger) { ledger, signal in await ledger.add(signal.payload) }.store(in: bag)
        }
        #expect(held == nil)
        bus.onUndelivered { [seen] _ in seen.note(0) }
        #expect(bus.trigger(number, 1).isUndelivered)
        #expect(seen.items == [0], "the only watcher was released, so nothing received the event")
        #expect(bag.count == 0)
    }

    @Test(
        "An idle mailbox handles the next event",
        arguments: [EventBuffer.newest(4), .oldest(4), .newest(1), .unbounded, .suspend(4)])
    func idleMailbox(buffer: EventBuffer) async throws {
        bus.watch(number, buffer: buffer) { [seen] in seen.note($0.payload) }.store(in: bag)
        for round in 1...20 {
            #expect(bus.trigger(number, round).queued == 1)
            try await until { seen.items.count >= round }
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(seen.items == Array(1...20))
    }

    @Test("A sender that waits for room goes on when the handler has taken its event")
    func suspendedSenders() async throws {
        let isOpen = Promise<Void>()
        bus.watch(number, buffer: .suspend(1)) { [seen] signal in
            _ = await isOpen.value()
            seen.note(signal.payload)
        }.store(in: bag)
        let results = Recorder<DeliveryResult>()
        let sends = Task { [bus, number] in
            for value in 1...5 { results.note(await bus.send(number, value)) }
        }
        // One event is with the handler, one in the buffer, and the third one waits.
        try await until { results.items.count == 2 }
        for _ in 0..<20 { await Task.yield() }
        #expect(results.items.count == 2)
        isOpen.fulfill(())
        try await until("the senders go on") { results.items.count == 5 }
        #expect(results.items.allSatisfy { $0.queued == 1 && $0.dropped == 0 })
        try await until { seen.items == [1, 2, 3, 4, 5] }
        await sends.value
    }

    @Test("Event types support every kind of watch that topics support")
    @MainActor
    func eventTypes() async throws {
        let (ledger, keeper) = (Ledger(), Keeper("anna"))
        let names = Recorder<String>()
        let stream = bus.events(Ping.topic)
        bus.watchOnMain(Ping.topic) { names.note("main \($0.payload.number)") }.store(in: bag)
        bus.watchOnMain(Ping.topic, owner: keeper) { names.note("\($0.name) \($1.payload.number)") }
        bus.watch(Ping.topic, on: ledger) { await $0.add($1.payload.number) }.store(in: bag)
        bus.watch(Ping.topic, buffer: .newest(1)) { names.note("mailbox \($0.payload.number)") }.store(in: bag)
        let receipt = bus.trigger(Ping(number: 7))
        #expect((receipt.delivered, receipt.queued) == (2, 3))
        #expect(names.items.prefix(2) == ["main 7", "anna 7"])
        try await until { names.items.count >= 3 }
        try await until { await !ledger.entries.isEmpty }
        #expect(names.items.last == "mailbox 7")
        #expect(await ledger.entries == [7])
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.payload.number == 7)
    }

    @Test("Errors of asynchronous handlers go to the failure hook")
    func asynchronousFailures() async throws {
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        bus.watch(number, buffer: .unbounded) { throw Oops($0.payload) }.store(in: bag)
        let receipt = bus.trigger(number, 3)
        #expect(receipt.failures.isEmpty)
        try await until { !failures.items.isEmpty }
        #expect(failures.items.first?.error as? Oops == Oops(3))
        #expect(failures.items.first?.sequence == receipt.sequence)
    }

    @Test("A queued watch for one event can be cancelled before the event is handled")
    @MainActor
    func onceQueued() async throws {
        let watch = bus.watchOnMain(number, once: true, alwaysQueued: true) { [seen] in seen.note($0.payload) }
        #expect(bus.trigger(number, 1).queued == 1)
        #expect(bus.trigger(number, 2).isUndelivered)
        try await until { !watch.isLive }
        #expect(seen.items == [1])
        let second = bus.watchOnMain(number, once: true, alwaysQueued: true) { [seen] in seen.note($0.payload) }
        bus.trigger(number, 3)
        #expect(second.cancel())
        for _ in 0..<100 { await Task.yield() }
        #expect(seen.items == [1])
    }

    @Test("A watch for one event ends when its handler runs inside the trigger", arguments: [true, false])
    @MainActor
    func onceAtOnce(isFailing: Bool) {
        let watch = bus.watchOnMain(number, once: true) { [seen] in
            seen.note($0.payload)
            if isFailing { throw Oops() }
        }
        #expect(bus.trigger(number, 1).delivered == 1)
        #expect(!watch.isLive)
        #expect(bus.currentWatches().entries.isEmpty)
        #expect(bus.trigger(number, 2).isUndelivered)
        #expect(seen.items == [1])
    }

    @Test("iStructure's delivery: always later, on the main actor, in the order of the triggers")
    @MainActor
    func queuedOnMain() async throws {
        let bus = EventBus(delivery: .queuedOnMain)
        let other = Topic<Int>("other")
        let notes = Recorder<String>()
        bus.watch(number) { [bus] in
            MainActor.preconditionIsolated()
            notes.note("first \($0.payload)")
            if $0.payload == 1 { bus.trigger(other, 10) }
            notes.note("end")
        }.store(in: bag)
        let gone = bus.watch(number) { _ in notes.note("gone") }
        bus.watch(other) { notes.note("other \($0.payload)") }.store(in: bag)
        #expect(bus.trigger(number, 1).queued == 1)
        bus.trigger("number", 2)
        gone.cancel()
        // As in iStructure, the watches at the time of the delivery receive the event.
        bus.watch(number) { notes.note("late \($0.payload)") }.store(in: bag)
        #expect(notes.items.isEmpty)
        try await until { notes.items.count >= 7 }
        #expect(notes.items == ["first 1", "end", "late 1", "first 2", "end", "late 2", "other 10"])
    }

    @Test("iStructure's delivery is on the main actor, so watches there are called in their turn")
    @MainActor
    func queuedOnMainInTurn() async throws {
        let bus = EventBus(delivery: .queuedOnMain)
        bus.watchOnMain(number) { [seen] in seen.note($0.payload) }.store(in: bag)
        bus.watch(number) { [seen] in seen.note(-$0.payload) }.store(in: bag)
        // The trigger itself is not known to be on the main actor.
        bus.trigger(number, 1, isolation: nil)
        try await until { seen.items.count >= 2 }
        #expect(seen.items == [1, -1])
    }

    @Test("An event from the main actor that another thread delivers in its turn is handled on the main actor")
    @MainActor
    func orderedFromMain() async throws {
        let bus = EventBus()
        let ordered = Topic<Int>("ordered", keeping: 1)
        bus.watchOnMain(ordered) { [seen] in
            MainActor.preconditionIsolated()
            seen.note($0.payload)
        }.store(in: bag)
        let (isInside, mayLeave) = (Gate(), Gate())
        bus.watch(ordered) {
            guard $0.payload == 1 else { return }
            isInside.isOpen.store(true, ordering: .releasing)
            while !mayLeave.isOpen.load(ordering: .acquiring) { usleep(100) }
        }.store(in: bag)
        // A separate thread, because it is blocked for a while.
        let receipts = Recorder<DeliveryResult>()
        Thread.detachNewThread { receipts.note(bus.trigger(ordered, 1)) }
        try await until { seen.items == [1] && isInside.isOpen.load(ordering: .acquiring) }
        // Nothing waits for the main actor now, so the trigger would be handled at once here.
        #expect(bus.trigger(ordered, 2).queued == 1)
        mayLeave.isOpen.store(true, ordering: .releasing)
        try await until { seen.items.count >= 2 && !receipts.items.isEmpty }
        #expect(seen.items == [1, 2])
        #expect(receipts.items.map(\.delivered) == [1])
    }

    private final class Gate: Sendable { let isOpen = Atomic(false) }

    @Test("Ten thousand events from four threads reach the main actor in each thread's order")
    func burst() async throws {
        let notes = Recorder<Int>()
        let watch = bus.watchOnMain(number) { notes.note($0.payload) }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { [bus, number] in
                    for i in 0..<2500 { bus.trigger(number, thread * 10_000 + i) }
                }
            }
        }
        try await until { notes.items.count >= 10_000 }
        for thread in 0..<4 {
            let mine = notes.items.filter { $0 / 10_000 == thread }
            #expect(mine == Array(thread * 10_000..<thread * 10_000 + 2500))
        }
        watch.cancel()
    }

    @Test("With delivery on the main actor, stored events come later, too")
    @MainActor
    func storedOnMain() async throws {
        let bus = EventBus(delivery: .queuedOnMain)
        let kept = Topic<Int>("kept", keeping: 1)
        bus.trigger(kept, 1)
        try await until { bus.kept(kept) == [1] }
        bus.watch(kept) { [seen] in
            MainActor.preconditionIsolated()
            seen.note($0.payload)
        }.store(in: bag)
        #expect(seen.items.isEmpty)
        try await until { seen.items == [1] }
    }
}
