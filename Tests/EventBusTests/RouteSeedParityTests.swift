import AshlarEventBus
import Synchronization
import Testing

/// Every router command of iStructure: `$routec`, `$route`, `$navigate`, `$unroute`, `$route_exist`.
@Suite("Router commands of iStructure", .timeLimit(.minutes(5)))
struct RouteSeedParityTests {
    let bus = EventBus()
    let log = RouteLog()
    var router: Router { Router(bus: bus, options: .seed) }

    /// A controller created from the values of a navigation, as in iStructure.
    struct NotesController: Sendable, Equatable {
        let params: [String: String]
        let options: [String: String]?
    }

    @Test("$routec(@\"/notes/:id\") makes a controller from params and puts it on the stack")
    func routec() async throws {
        let router = router
        let stack = RecordingNavigator<NotesController>()
        try router.route("/notes/:id", to: stack) { navigation in
            NotesController(params: navigation.parameters.dictionary, options: navigation.options())
        }
        try await router.navigate(to: "/notes/5")
        #expect(stack.places == [NotesController(params: ["id": "5"], options: nil)])
    }

    @Test("$routec(pattern, action) sends another message to the new controller")
    func routecWithAction() async throws {
        let router = router
        let stack = RecordingNavigator<String>()
        try router.route("/notes", to: stack) { _ in "initForList" }
        try router.route("/notes/:id/edit", to: stack) { "initForEditing \($0.parameters["id"] ?? "")" }
        try await router.navigate(to: "/notes/5/edit")
        #expect(stack.places == ["initForEditing 5"])
    }

    @Test("$route(pattern, block) runs the block; several may watch the same pattern")
    func route() async throws {
        let router = router
        try router.route("/notes/:id") { [log] in log.add("block \($0.parameters["id"] ?? "")") }
        let second = bus.watch(router.topic(of: "/notes/:id")) { [log] in log.add("watch \($0.payload.url)") }
        try await router.navigate(to: "/notes/5")
        #expect(log.all == ["block 5", "watch /notes/5"])
        second.cancel()
    }

    @Test("A route is an event: the pattern is the event's name")
    func routeIsEvent() async throws {
        let router = router
        try router.route("/notes/:id") { _ in }
        let watch = bus.watch("/notes/:id") { [log] in log.add($0.name) }
        try await router.navigate(to: "/notes/5")
        #expect(log.all == ["/notes/:id"])
        watch.cancel()
    }

    @Test(
        "$navigate(to: to) and $navigate(to: to, options: data) pass params and options, each only when there are any")
    func navigate() async throws {
        let router = router
        for pattern in ["/notes", "/notes/:id"] {
            try router.route(pattern) { [log] navigation in
                let options = navigation.options(as: [String: String].self)
                log.add("\(navigation.parameters) \(options?["title"] ?? "none")")
            }
        }
        try await router.navigate(to: "/notes")
        try await router.navigate(to: "/notes", options: ["title": "Simple Notes"])
        try await router.navigate(to: "/notes/5", options: ["title": "Five"])
        #expect(log.all == [" none", " Simple Notes", "id=5 Five"])
    }

    @Test("*rest takes the rest of the path")
    func catchAll() async throws {
        let router = router
        try router.route("/files/*rest") { [log] in log.add($0.parameters["rest"] ?? "") }
        try await router.navigate(to: "/files/a/b.txt")
        #expect(log.all == ["a/b.txt"])
    }

    @Test("Letters match in any case, as in iStructure")
    func anyCase() async throws {
        let router = router
        try router.route("/Notes/:id") { [log] in log.add($0.parameters["id"] ?? "") }
        try await router.navigate(to: "/nOTES/Abc")
        #expect(log.all == ["Abc"])
    }

    @Test("Registering the same pattern again replaces the entry, as in iStructure")
    func replaces() async throws {
        let router = router
        try router.route("/notes/:id") { [log] _ in log.add("first") }
        try router.route("/notes/:id") { [log] _ in log.add("second") }
        try await router.navigate(to: "/notes/5")
        #expect(log.all == ["second"])
        #expect(router.patterns == ["/notes/:id"])
    }

    @Test("$unroute(pattern) removes the entry of any owner; $unroute() all of the caller's")
    func unroute() throws {
        final class Controller: WatchOwner { let watches = WatchBag() }
        let router = router
        let (one, other) = (Controller(), Controller())
        try router.route("/a", owner: one) { _, _ in }
        try router.route("/b", owner: one) { _, _ in }
        try router.route("/c", owner: other) { _, _ in }
        #expect(router.unroute("/c"))
        #expect(router.unroute(owner: one) == 2)
        #expect(router.patterns.isEmpty)
    }

    @Test("$route_exist returns whether a pattern matches, not whether it is registered")
    func routeExist() throws {
        let router = router
        try router.route("/notes/:id") { _ in }
        #expect(router.contains("/notes/5"))
        #expect(!router.contains("/notes"))
    }

    @Test(
        "Accidental matches of iStructure are misses, and misses are reported",
        arguments: ["/notes/", "/notes//x/y", "/junk/notes/5", "/files", "/aXb", "/nowhere"])
    func fixed(url: String) async throws {
        let router = router
        try router.route("/notes/:id") { _ in }
        try router.route("/files/*rest") { _ in }
        try router.route("/a.b") { _ in }
        let watch = router.bus.watch(Router.notFound) { [log] in log.add($0.payload.subject) }
        let error = await navigationError { try await router.navigate(to: url) }
        #expect(error?.code == .routeNotFound)
        #expect(log.all == [url])
        watch.cancel()
    }

    @Test("A query isn't part of the last parameter, and values are decoded")
    func fixedValues() async throws {
        let router = router
        try router.route("/notes/:id") { [log] in
            log.add("\($0.parameters["id"] ?? "") \($0.query["x"] ?? "")")
        }
        try await router.navigate(to: "/notes/a%20b?x=1")
        #expect(log.all == ["a b 1"])
    }

    @Test("The order of registration has no effect")
    func fixedOrder() throws {
        let patterns = ["/:a", "/b", "/*c"]
        for shift in patterns.indices {
            let table = try RouteTable(Array(patterns[shift...] + patterns[..<shift]), options: .seed)
            #expect(try table.match("/b").pattern == "/b")
            #expect(try table.match("/bx").pattern == "/:a")
        }
    }
}
