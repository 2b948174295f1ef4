import AshlarTooling
import Testing

@Suite struct BusDiagramTests {
    let bus = EventBus()

    @Test("The Mermaid chart equals the golden file")
    func mermaid() throws {
        let keeper = Keeper()
        bus.watch("network:on", owner: keeper) { _, _ in }
        bus.watch("network:off", owner: keeper) { _, _ in }
        bus.watch("network:**", from: keeper, owner: OtherKeeper.shared) { _, _ in }
        let chart = bus.report().mermaid(routes: ["/notes/:id", "/say \"hi\""])
        #expect(chart == (try fixture("bus.mermaid")))
        bus.unwatch(owner: OtherKeeper.shared)
    }

    @Test("Watches created by one line are one arrow in the chart")
    func oneArrow() {
        let bag = WatchBag()
        for _ in 0..<3 { bus.watch(Topic<Int>("a")) { _ in }.store(in: bag) }
        let arrows = bus.report().mermaid().split(separator: "\n").filter { $0.contains("-->") }
        #expect(arrows == ["    t0 --> w0"])
    }
}

private final class Keeper: WatchOwner {
    let watches = WatchBag()
}

private final class OtherKeeper: WatchOwner {
    static let shared = OtherKeeper()
    let watches = WatchBag()
}
