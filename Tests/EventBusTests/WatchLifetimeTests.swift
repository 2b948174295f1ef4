import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarEventBus

@Suite("The lifetimes of watches, owners and sources", .timeLimit(.minutes(5)))
struct WatchLifetimeTests {
    let bus = EventBus()
    let seen = Recorder<String>()
    let bag = WatchBag()
    let a = Topic<Int>("a")

    @Test("A source's watches end with it, and an object that reuses its address doesn't match")
    func deadSources() {
        var addresses: Set<ObjectIdentifier> = []
        var isReused = false
        for round in 0..<200 where !isReused {
            var source: Thing? = Thing()
            addresses.insert(ObjectIdentifier(source!))
            bus.watch(a, from: source!) { _ in seen.note("old \(round)") }.store(in: bag)
            bus.watch("**", from: source!) { _ in seen.note("old object \(round)") }.store(in: bag)
            source = nil
            let new = Thing()
            isReused = addresses.contains(ObjectIdentifier(new))
            #expect(bus.trigger(a, 1, from: new).isUndelivered)
        }
        // The address sanitizer prevents the reuse of addresses, so the case can't occur with it.
        let isSanitized = dlsym(nil, "__asan_init") != nil
        #expect(isReused || isSanitized, "the allocator never reused an address, so nothing was tested")
        #expect(seen.items.isEmpty)
        #expect(bus.currentWatches().entries.allSatisfy { $0.isDead })
    }

    @Test("The bus doesn't retain owners or sources, and releases handlers with their watch")
    func lifetimes() {
        weak var owner: Keeper?
        weak var source: Thing?
        weak var captured: Thing?
        var watch: Watch?
        do {
            let (keeper, thing, held) = (Keeper(), Thing(), Thing())
            (owner, source, captured) = (keeper, thing, held)
            bus.watch(a, from: thing, owner: keeper) { _, _ in }
            watch = bus.watch(a) { [held] _ in _ = held }
            bus.trigger(a, 1, from: thing)
        }
        #expect(owner == nil)
        #expect(source == nil)
        #expect(captured != nil)
        watch?.cancel()
        #expect(captured == nil)
    }

    @Test("Watches whose sources have been released are removed when enough others have been made")
    func releasedSources() {
        var sources = (0..<63).map { _ in Thing() }
        for source in sources { _ = bus.watch(a, from: source) { _ in } }
        #expect(bus.currentWatches().entries.count == 63)
        // Some of the others may have the addresses of released ones.
        sources = []
        let others = (0..<64).map { _ in Thing() }
        for source in others { bus.watch(a, from: source) { _ in }.store(in: bag) }
        #expect(bus.currentWatches().entries.count == 64)
        bag.cancelAll()
        withExtendedLifetime(others) {}
    }

    /// A host that uses the bag of its watch, as the end of a handler's object can.
    private final class BagUser: WatchHost {
        let bag = WatchBag()
        var watched: String { "a" }
        func cancel() -> Bool { false }
        var isLive: Bool {
            bag.cancel { _ in false }
            return false
        }
        func belongs(to owner: AnyObject) -> Bool { false }
    }

    @Test("A bag reads its watches outside its lock, because this can release them")
    func lockOfBag() {
        let user = BagUser()
        for _ in 1...100 { Watch(host: user).store(in: user.bag) }
        #expect(user.bag.count == 0)
    }

    @Test("A pattern's handler is released with its watch, even if topics that it matched still exist")
    func patternLifetimes() {
        weak var captured: Thing?
        var watch: Watch?
        do {
            let held = Thing()
            captured = held
            watch = bus.watch("*") { [held] _ in _ = held }
        }
        bus.watch(a) { _ in }.store(in: bag)
        #expect(bus.trigger(a, 1).delivered == 2)
        #expect(captured != nil)
        watch?.cancel()
        #expect(captured == nil)
    }

    @Test("Watches end with their bus")
    func endOfBus() {
        weak var captured: Thing?
        var bus: EventBus? = EventBus()
        let held = Thing()
        captured = held
        let watches = [
            bus!.watch(a) { [held] _ in _ = held }, bus!.watch("**") { [held] _ in _ = held },
            bus!.watch("**", from: self.bus) { [held] _ in _ = held },
        ]
        #expect(watches.count { $0.isLive } == 3)
        bus = nil
        #expect(watches.count { $0.isLive } == 0)
        #expect(watches.count { $0.cancel() } == 0)
        _ = consume held
        #expect(captured == nil)
    }

    @Test("A name is forgotten with its last watch, also if addresses of sources were reused")
    func reusedAddress() throws {
        let topic = try Topic<Int>(named: "passing")
        var (last, reuses) = (nil as ObjectIdentifier?, 0)
        for _ in 0..<1000 {
            let source = Thing()
            if ObjectIdentifier(source) == last { reuses += 1 }
            last = ObjectIdentifier(source)
            bus.watch(topic, from: source) { _ in }.store(in: bag)
        }
        bag.cancelAll()
        // The address sanitizer doesn't reuse addresses.
        #expect(reuses > 0 || dlsym(nil, "__asan_init") != nil)
        #expect(bus.currentWatches().topicCount == 0)
    }
}
