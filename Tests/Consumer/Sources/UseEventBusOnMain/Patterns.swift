import AshlarEventBus

// The usual patterns of an app. The same file compiles with nonisolated and with main-actor default isolation.

enum Topics {
    static let saved = Topic<Int>("note:saved")
    static let length = RequestTopic<String, Int>("text:length")
}

struct SignedIn: Event {
    let user: Int
}

@MainActor
final class Screen: WatchOwner {
    let watches = WatchBag()
    var shown: [String] = []

    init(_ bus: EventBus) {
        bus.watchOnMain(Topics.saved, owner: self) { screen, signal in screen.show("note \(signal.payload)") }
        bus.watchOnMain(SignedIn.topic, owner: self) { screen, signal in screen.show("user \(signal.payload.user)") }
        bus.watchOnMain(Topic(matching: "network:*"), owner: self) { screen, signal in screen.show(signal.name) }
    }

    func show(_ text: String) { shown.append(text) }
}

@MainActor
final class Net: Service {
    nonisolated static let name = "net"
    var requests = 0
    private let bus: EventBus

    init(_ context: ServiceContext) async throws {
        bus = context.bus
        requests = 1
    }

    func stop() async throws { requests = 0 }
}

@MainActor
final class Feed: RunningService {
    nonisolated static let needs: [any Service.Type] = [Net.self]
    var rounds = 0

    init(_ context: ServiceContext) async throws {}

    func run() async throws {
        rounds += 1
        try await Task.sleep(for: .seconds(60))
    }
}

@MainActor
func runPatterns() async throws {
    let bus = EventBus()
    let screen = Screen(bus)
    bus.trigger(Topics.saved, 5)
    bus.trigger(SignedIn(user: 7))
    bus.trigger("network:on")
    precondition(screen.shown == ["note 5", "user 7", "network:on"])

    let router = Router(bus: bus)
    try router.route("/notes/:id(int)", owner: screen) { screen, navigation in
        screen.show(navigation.url)
    }
    try router.route("/length/:text") { navigation in
        screen.show("length of \(navigation.parameters["text"] ?? "")")
    }
    try router.guardRoutes("/length") { _ in screen.shown.isEmpty ? .deny() : .allow }
    try await router.navigate(to: "/length/abc")
    precondition(screen.shown.last == "length of abc")
    try await router.navigate(to: "/notes/5")
    precondition(screen.shown.last == "/notes/5")

    let watch = try bus.respond(to: Topics.length) { $0.utf8.count }
    let length = try await bus.request(Topics.length, "abc")
    precondition(length == 3)
    watch.cancel()

    let services = ServiceRegistry(bus: bus)
    try await services.register(Feed.self)
    _ = try await services.start(Feed.self)
    await services.shutDown(within: .seconds(5))
    print("main-actor patterns work")
}
