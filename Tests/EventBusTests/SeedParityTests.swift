import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Testing

/// iStructure's example service: it counts network activity between `net:on` and `net:off`.
private final class NetworkStateService: Service, WatchOwner {
    static let name = "net_state"
    let watches = WatchBag()
    let activity = Mutex(0)
    let limit: Int?

    init(_ context: ServiceContext) async throws {
        limit = context.options["limit"] as? Int
        context.bus.watch("network:on", owner: self) { service, _ in service.activity.withLock { $0 += 1 } }
        context.bus.watch("network:off", owner: self) { service, _ in service.activity.withLock { $0 -= 1 } }
    }

    var isBusy: Bool { activity.withLock { $0 > 0 } }
}

/// A controller as in iStructure: it owns watches and routes, and is created with the values of a navigation.
private final class NoteController: WatchOwner {
    let watches = WatchBag()
    let id: String
    let title: String?

    init(_ values: Navigation) {
        id = values.parameters["id"] ?? ""
        title = values.options(as: [String: String].self)?["title"]
    }
}

/// Every documented command of iStructure.
@Suite("Every command of iStructure", .timeLimit(.minutes(5)))
struct SeedParityTests {
    let bus = EventBus()
    let this = Keeper()
    let seen = Recorder<String>()

    // MARK: $watch, three variants

    @Test("$watch(message, object, block)")
    func watchMessageOfObject() {
        let (model, other) = (Thing(), Thing())
        bus.watch("change", from: model, owner: this) { _, signal in seen.note(signal.name) }
        bus.trigger("change", from: model)
        bus.trigger("change", from: other)
        bus.trigger("remove", from: model)
        #expect(seen.items == ["change"])
    }

    @Test("$watch(message, block)")
    func watchMessage() {
        bus.watch("change", owner: this) { _, signal in seen.note(signal.name) }
        bus.trigger("change", from: Thing())
        bus.trigger("change")
        #expect(seen.items == ["change", "change"])
    }

    @Test("$watch(object, block)")
    func watchObject() {
        let model = Thing()
        bus.watch("**", from: model, owner: this) { _, signal in seen.note(signal.name) }
        bus.trigger("change", from: model)
        bus.trigger("remove", from: model)
        bus.trigger("change")
        #expect(seen.items == ["change", "remove"])
    }

    @Test("Two equal watches both fire")
    func watchTwice() {
        for _ in 0..<2 { bus.watch("change", owner: this) { _, _ in seen.note("x") } }
        bus.trigger("change")
        #expect(seen.items.count == 2)
    }

    // MARK: $trigger

    @Test("$trigger(message), with no data and the context as its object")
    func triggerMessage() {
        bus.watch("note:title:selected", owner: this) { this, signal in
            seen.note("\(signal.payload is Void) \(signal.isFrom(this))")
        }
        bus.trigger("note:title:selected", from: this)
        #expect(seen.items == ["true true"])
    }

    @Test("$trigger(message, data) and $trigger(message, data, object)")
    func triggerData() {
        let model = Thing()
        bus.watch("fetching:begin", owner: this) { _, signal in
            let data = signal.payload as? [String: Int]
            seen.note("\(data?["page"] ?? 0) \(signal.isFrom(model))")
        }
        bus.trigger("fetching:begin", ["page": 2], from: this)
        bus.trigger("fetching:begin", ["page": 3], from: model)
        #expect(seen.items == ["2 false", "3 true"])
    }

    @Test("Delivery later, on the main thread, in order, as in iStructure")
    @MainActor
    func laterOnMain() async throws {
        let bus = EventBus(delivery: .queuedOnMain)
        bus.watch("a", owner: this) { _, signal in
            MainActor.preconditionIsolated()
            seen.note("\(signal.payload)")
        }
        await Task.detached { for i in 1...3 { bus.trigger("a", i) } }.value
        bus.trigger("a", 4)
        #expect(!seen.items.contains("4"))
        try await until { seen.items.count >= 4 }
        #expect(seen.items == ["1", "2", "3", "4"])
    }

    // MARK: $unwatch, four variants

    @Test(
        "$unwatch(), $unwatch(name), $unwatch(object) and $unwatch(name, object)",
        arguments: [
            ("all", []), ("name", ["b", "b from m", "m"]), ("object", ["a", "b"]),
            ("both", ["a", "b", "b from m", "m"]),
        ])
    func unwatch(flavour: String, left: [String]) {
        let model = Thing()
        bus.watch("a", owner: this) { _, _ in seen.note("a") }
        bus.watch("a", from: model, owner: this) { _, _ in seen.note("a from m") }
        bus.watch("b", owner: this) { _, _ in seen.note("b") }
        bus.watch("b", from: model, owner: this) { _, _ in seen.note("b from m") }
        bus.watch("**", from: model, owner: this) { _, _ in seen.note("m") }
        let stranger = Keeper()
        bus.watch("a", owner: stranger) { _, _ in seen.note("stranger") }
        switch flavour {
        case "all": bus.unwatch(owner: this)
        case "name": bus.unwatch("a", owner: this)
        case "object": bus.unwatch(from: model, owner: this)
        default: bus.unwatch("a", from: model, owner: this)
        }
        bus.trigger("a", from: model)
        bus.trigger("b", from: model)
        #expect(Set(seen.items) == Set(left + ["stranger"]), "only the owner's own watches end")
    }

    @Test("The end of the owner removes its watches, like dealloc")
    func dealloc() {
        var owner: Keeper? = Keeper()
        bus.watch("a", owner: owner!) { _, _ in seen.note("x") }
        owner = nil
        #expect(bus.trigger("a").isUndelivered)
        #expect(seen.items.isEmpty)
    }

    // MARK: $routec, $route, $navigate, $unroute

    @Test(
        "$routec(pattern) and $navigate(to: to, options: data): the controller is created with params and options, and shown"
    )
    func routeController() async throws {
        let router = Router(bus: bus)
        let stack = RecordingNavigator<NoteController>()
        try router.route("/notes/:id", to: stack) { NoteController($0) }
        try await router.navigate(to: "/notes/5", options: ["title": "Simple Notes"])
        try await router.navigate(to: "/notes/6")
        #expect(stack.places.map(\.id) == ["5", "6"])
        #expect(stack.places.map(\.title) == ["Simple Notes", nil])
    }

    @Test("$route(pattern, block), $route_exist and $unroute(pattern)")
    func routeBlock() async throws {
        let router = Router(bus: bus)
        try router.route("/notes/:id", owner: this) { [seen] _, navigation in
            seen.note(navigation.parameters["id"] ?? "")
        }
        #expect(router.contains("/notes/5"))
        try await router.navigate(to: "/notes/5")
        #expect(seen.items == ["5"])
        #expect(router.unroute("/notes/:id"))
        #expect(!router.contains("/notes/5"))
        await #expect(throws: EventBusError.self) { try await router.navigate(to: "/notes/5") }
    }

    @Test("A route is an event, whose name is the pattern")
    func routeIsEvent() async throws {
        let router = Router(bus: bus)
        try router.route("/notes/:id", owner: this) { _, _ in }
        bus.watch(router.topic(of: "/notes/:id"), owner: this) { _, signal in
            seen.note(signal.payload.parameters["id"] ?? "")
        }
        try await router.navigate(to: "/notes/7")
        #expect(seen.items == ["7"])
    }

    // MARK: $register, $start, $stop

    @Test("$register(name), $start(name), $start(name, options) and $stop(name): NetworkStateService")
    func services() async throws {
        let services = ServiceRegistry(bus: bus)
        try await services.register(NetworkStateService.self)
        let service = try #require(try await services.start("net_state", ["limit": 3]) as? NetworkStateService)
        #expect(service.limit == 3)
        #expect(try await services.start("net_state") as? NetworkStateService === service, "a singleton")
        bus.trigger("network:on")
        bus.trigger("network:on", ["host": "example.org"])
        #expect(service.isBusy)
        bus.trigger("network:off")
        bus.trigger("network:off")
        #expect(!service.isBusy)
        try await services.stop("net_state")
        let again = try await services.start(NetworkStateService.self)
        #expect(again !== service)
        #expect(again.limit == nil)
    }

    // MARK: Defects of iStructure

    @Test("A copyable model retains its identity as the object of watches")
    func copies() {
        final class Model: Sendable, Hashable {
            static func == (a: Model, b: Model) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
        }
        let (model, equal) = (Model(), Model())
        bus.watch("change", from: model, owner: this) { _, _ in seen.note("x") }
        bus.trigger("change", from: equal)
        #expect(seen.items.isEmpty)
        bus.trigger("change", from: model)
        #expect(seen.items == ["x"])
    }

    @Test("An unknown service and an unknown route are errors")
    func unknown() async {
        let services = ServiceRegistry(bus: bus)
        await #expect(throws: EventBusError.self) { try await services.start("nobody") }
        await #expect(throws: EventBusError.self) { try await Router(bus: bus).navigate(to: "/nowhere") }
    }
}
