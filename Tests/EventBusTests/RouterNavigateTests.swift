import AshlarCore
import AshlarEventBus
import Testing

/// Collects strings from any thread.
final class RouteLog: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ text: String) { entries.withLock { $0.append(text) } }
    var all: [String] { entries.withLock { $0 } }
}

/// A gate that a test opens by hand; waiting for arrivals ends with the test's time limit.
actor RouteGate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var seen = 0
    private let arrivals = AsyncStream<Void>.makeStream()

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Waits until the gate is open, even in a cancelled task.
    func pass() async {
        arrivals.continuation.yield()
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Waits until a number of tasks have arrived at the gate.
    func arrived(_ count: Int = 1) async {
        guard seen < count else { return }
        for await _ in arrivals.stream {
            seen += 1
            if seen >= count { return }
        }
    }
}

func routeError(_ body: () throws -> Void) -> EventBusError? {
    do {
        try body()
        return nil
    } catch {
        return error as? EventBusError
    }
}

func navigationError(_ body: () async throws -> Void) async -> EventBusError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? EventBusError
    }
}

@Suite("Navigating", .timeLimit(.minutes(5)))
struct RouterNavigateTests {
    let bus = EventBus()
    let log = RouteLog()

    @Test("A navigation runs the route's action with parameters, query and options")
    func runsTheAction() async throws {
        let router = Router(bus: bus)
        try router.route("/notes/:id(int)") { [log] navigation in
            log.add("\(navigation.parameters["id"] ?? "-") \(navigation.query["edit"] ?? "-")")
            log.add(navigation.options(as: [String: String].self)?["title"] ?? "-")
        }
        let navigation = try await router.navigate(to: "/notes/5?edit=1#top", options: ["title": "Simple"])
        #expect(log.all == ["5 1", "Simple"])
        #expect(navigation.url == "/notes/5?edit=1#top")
        #expect(navigation.match.pattern == "/notes/:id(int)")
        #expect(navigation.match.fragment == "top")
        #expect(navigation.trail.isEmpty)
        #expect(try navigation.parameters.value("id", as: Int.self) == 5)
    }

    @Test("The route's topic and router:navigated deliver the navigation after the action")
    func triggersTopics() async throws {
        let router = Router(bus: bus)
        try router.route("/notes/:id") { [log] in log.add("action \($0.url)") }
        let own = bus.watch(router.topic(of: "/notes/:id")) { [log] in
            log.add("\($0.name) \($0.payload.parameters["id"] ?? "")")
        }
        let all = bus.watch(Router.navigated) { [log] in
            log.add("\($0.name) \($0.payload.url) \($0.payload.options(as: Int.self) ?? 0)")
        }
        let byName = bus.watch("router:navigated") { [log] in log.add("by name \($0.name)") }
        try await router.navigate(to: "/notes/5", options: 42)
        #expect(
            log.all == [
                "action /notes/5", "/notes/:id 5", "router:navigated /notes/5 42", "by name router:navigated",
            ])
        for watch in [own, all, byName] { watch.cancel() }
    }

    @Test("A URL without a route reaches the hook and throws a typed error")
    func notFound() async throws {
        let router = Router(bus: bus)
        let hook = bus.watch(Router.notFound) { [log] signal in
            log.add("\(signal.payload.subject) \(signal.payload.code)")
        }
        let error = await navigationError { try await router.navigate(to: "/nowhere", options: 7) }
        #expect(error?.code == .routeNotFound)
        #expect(error?.subject == "/nowhere")
        #expect(log.all == ["/nowhere routeNotFound"])
        let malformed = await navigationError { try await router.navigate(to: "/a%zz") }
        #expect(malformed?.code == .invalidPercentEncoding)
        #expect(malformed?.offset == 2)
        #expect(log.all.last == "/a%zz invalidPercentEncoding")
        hook.cancel()
        _ = await navigationError { try await router.navigate(to: "/nowhere") }
        #expect(log.all.count == 2)
    }

    @Test("An action's error is the navigation's, and nothing is triggered")
    func actionThrows() async throws {
        struct Broken: Error {}
        let router = Router(bus: bus)
        try router.route("/a") { _ in throw Broken() }
        let watch = bus.watch(Router.navigated) { [log] _ in log.add("navigated") }
        await #expect(throws: Broken.self) { try await router.navigate(to: "/a") }
        #expect(log.all.isEmpty)
        watch.cancel()
    }

    @Test("A navigator shows the destination that the route creates")
    func navigators() async throws {
        enum Place: Sendable, Equatable { case note(Int) }
        let router = Router(bus: bus)
        let screen = RecordingNavigator<Place>()
        try router.route("/notes/:id(int)", to: screen) { .note(try $0.parameters.value("id")) }
        try await router.navigate(to: "/notes/5")
        try await router.navigate(to: "/notes/-6")
        #expect(screen.places == [.note(5), .note(-6)])
    }

    @Test("A route ends with its watch, by its pattern, by its owner and with its owner")
    func unroute() async throws {
        final class Owner: WatchOwner { let watches = WatchBag() }
        let router = Router(bus: bus)
        let watch = try router.route("/a") { _ in }
        #expect(watch.isLive)
        #expect(watch.watched == "/a")
        #expect(watch.cancel())
        #expect(!watch.cancel())
        #expect(!watch.isLive)
        #expect(!router.contains("/a"))

        try router.route("/b/:c") { _ in }
        #expect(router.contains("/b/1"))
        #expect(!router.unroute("/b"))
        #expect(router.unroute("/b/:c"))
        #expect(!router.unroute("/b/:c"))
        #expect(!router.contains("/b/1"))

        var owner: Owner? = Owner()
        try await useRoutes(of: try #require(owner), router)
        #expect(router.contains("/d"))
        owner = nil
        #expect(!router.contains("/d"))
        #expect(router.patterns.isEmpty)
    }

    /// Uses and removes a route of an owner, which isn't retained afterward, and adds another one.
    private func useRoutes<Owner: WatchOwner>(of owner: Owner, _ router: Router) async throws {
        try router.route("/c/:x", owner: owner) { [log] owner, navigation in
            log.add("\(owner.watches.count) \(navigation.url)")
        }
        try await router.navigate(to: "/c/1")
        #expect(log.all == ["1 /c/1"])
        #expect(Router(bus: bus).unroute(owner: owner) == 0)
        #expect(router.unroute(owner: owner) == 1)
        #expect(!router.contains("/c/1"))
        try router.route("/d", owner: owner) { _, _ in }
    }

    @Test("A cancelled route releases its action")
    func releases() throws {
        final class Held: Sendable {}
        let router = Router(bus: bus)
        weak var weakHeld: Held?
        let watch: Watch
        do {
            let held = Held()
            weakHeld = held
            watch = try router.route("/a") { _ in _ = held }
        }
        #expect(weakHeld != nil)
        watch.cancel()
        #expect(weakHeld == nil)
    }

    @Test("The same paths conflict unless the new route replaces the old one")
    func conflicts() async throws {
        let router = Router(bus: bus)
        try router.route("/notes/:id") { [log] _ in log.add("old") }
        let error = routeError { try router.route("/notes/:name") { _ in } }
        #expect(error?.code == .routeConflict)
        #expect(error?.subject == "/notes/:name")
        #expect(error?.found == "/notes/:id")
        #expect(error?.otherLocation?.file.hasSuffix("RouterNavigateTests.swift") == true)
        try router.route("/notes/:name", replacing: true) { [log] in log.add("new \($0.parameters["name"] ?? "")") }
        try await router.navigate(to: "/notes/x")
        #expect(log.all == ["new x"])
        #expect(router.patterns == ["/notes/:name"])
    }
}
