import Testing

@testable import AshlarEventBus

private struct Stub: Service {
    let options: [String: any Sendable]
    init(_ context: ServiceContext) async throws { options = context.options }
}

/// The composed and the decomposed form of a letter are equal strings, but different names.
@Suite("Names are compared byte by byte", .timeLimit(.minutes(5)))
struct NameBytesTests {
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    let bus = EventBus()

    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("Services in both forms are registered, needed, started, explained and stopped separately")
    func services() async throws {
        let services = ServiceRegistry(bus: bus)
        for name in [composed, decomposed] { try await services.register(name) { try await Stub($0) } }
        try await services.register("shop", needs: [decomposed]) { [composed, decomposed] context in
            #expect(context.service(named: composed) == nil && context.service(named: decomposed) != nil)
            return try await Stub(context)
        }
        try await services.start("shop")
        #expect(bytes(await services.runningNames) == bytes([decomposed, "shop"]))
        #expect(await services.state(of: composed) == .registered)
        #expect(await services.service(named: composed) == nil)
        #expect(try await services.explain(composed) == "\(composed): registered")
        #expect(try await services.explain(decomposed).hasSuffix("used by shop"))
        try await services.start(composed)
        try await services.stop(composed)
        #expect(await services.state(of: decomposed) == .running)
        #expect(try await services.health(of: decomposed) == .healthy)
        try await services.stop(decomposed, cascading: true)
        #expect(await services.runningNames == [])
    }

    @Test("A service isn't found by the other form of its name or of its need")
    func unknownForm() async throws {
        let services = ServiceRegistry(bus: bus)
        try await services.register(composed) { try await Stub($0) }
        try await services.register("shop", needs: [decomposed]) { try await Stub($0) }
        await #expect { try await services.start(decomposed) } throws: {
            ($0 as? EventBusError)?.code == .unknownService
        }
        await #expect { try await services.start("shop") } throws: {
            (($0 as? EventBusError)?.underlying as? EventBusError)?.code == .unknownService
        }
        #expect(await services.state(of: decomposed) == nil)
        // A service that needs the other form of its own name doesn't need itself.
        try await services.register(decomposed, needs: [composed]) { try await Stub($0) }
        try await services.start("shop")
        #expect(bytes(await services.runningNames) == bytes([composed, decomposed, "shop"]))
    }

    // A name of a parameter consists of letters, so the two forms here are the letter and the unit Ångström.
    @Test("A path is built only for the exact names of its parameters")
    func parameters() throws {
        let pattern = try RoutePattern("/p/:\u{c5}")
        #expect(try pattern.path(["\u{c5}": "5"]) == "/p/5")
        #expect {
            try pattern.path(["\u{212b}": "5"])
        } throws: {
            ($0 as? EventBusError)?.code.description == "parameterUnknown"
        }
        let router = Router(bus: bus)
        #expect(throws: EventBusError.self) { try router.redirect("/q/:\u{212b}", to: "/p/:\u{c5}") }
    }

    @Test("A report lists the watches of each form together")
    func report() throws {
        let bag = WatchBag()
        for name in [composed, decomposed, composed, decomposed] {
            bus.watch(try TopicPattern(parsing: name)) { _ in }.store(in: bag)
        }
        #expect(
            bytes(bus.currentWatches().entries.map(\.watched)) == bytes([decomposed, decomposed, composed, composed]))
        bag.cancelAll()
    }
}
