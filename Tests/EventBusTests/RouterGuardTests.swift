import AshlarEventBus
import Testing

@Suite("Guards, redirects and concurrent navigations", .timeLimit(.minutes(5)))
struct RouterGuardTests {
    let bus = EventBus()
    let log = RouteLog()

    private func router(_ patterns: [String]) throws -> Router {
        let router = Router(bus: bus)
        for pattern in patterns {
            try router.route(pattern) { [log] navigation in log.add("at \(navigation.url)") }
        }
        return router
    }

    @Test("Guards are called outermost first, then in order of registration")
    func order() async throws {
        let router = try router(["/a/b/c", "/a"])
        try router.guardRoutes("/a/b") { [log] _ in
            log.add("/a/b")
            return .allow
        }
        try router.guardRoutes("/a") { [log] _ in
            log.add("/a first")
            return .allow
        }
        try router.guardRoutes("/") { [log] navigation in
            log.add("/ \(navigation.options(as: Int.self) ?? 0)")
            return .allow
        }
        try router.guardRoutes("/a") { [log] _ in
            log.add("/a second")
            return .allow
        }
        try await router.navigate(to: "/a/b/c", options: 3)
        #expect(log.all == ["/ 3", "/a first", "/a second", "/a/b", "at /a/b/c"])
        try await router.navigate(to: "/a")
        #expect(log.all.dropFirst(5) == ["/ 0", "/a first", "/a second", "at /a"])
    }

    @Test(
        "A guard's prefix covers itself and the paths below it, by whole segments",
        arguments: [
            ("/admin", "/admin", true), ("/admin", "/admin/", true), ("/admin", "/admin/users", true),
            ("/admin", "/administrator", false), ("/admin", "/", false), ("/admin/", "/admin/users", true),
            ("/admin", "/%61dmin/users", true), ("/admin", "/admin?x", true), ("/:x(int)", "/5/users", true),
            ("/:x(int)", "/admin/users", false), ("/", "/admin/users", true), ("/", "/", true),
            ("/*all", "/admin/users", true), ("/*all", "/", false),
            ("https://h/admin", "/admin", false), ("https://h/admin", "https://h/admin/users", true),
            ("https://h", "https://h/admin/users", true), ("https://h", "https://i/admin/users", false),
            ("/admin", "https://h/admin/users", true), ("/admin", "https://h/x", false), ("/", "https://h", true),
            ("/admin", "/admin//", true),
        ])
    func coverage(prefix: String, url: String, isCovered: Bool) async throws {
        let router = Router(bus: bus, options: RouterOptions(ignoresTrailingSlash: false))
        for pattern in ["/", "/*all", "https://h", "https://h/*all", "https://i/*all"] {
            try router.route(pattern) { _ in }
        }
        try router.guardRoutes(prefix) { _ in .deny() }
        let error = await navigationError { try await router.navigate(to: url) }
        #expect(error?.code == (isCovered ? .navigationDenied : nil))
    }

    @Test(
        "Slashes at the end of a path don't bypass a guard, even if the router ignores them",
        arguments: ["/admin", "/admin/", "/admin//", "/admin///", "/admin//x", "/admin/x//"])
    func slashesAtTheEnd(url: String) async throws {
        let router = Router(bus: bus)
        for pattern in ["/*all", "/admin//", "/admin///", "/admin/x//"] { try router.route(pattern) { _ in } }
        try router.guardRoutes("/admin") { _ in .deny() }
        #expect(await navigationError { try await router.navigate(to: url) }?.code == .navigationDenied)
    }

    @Test("A long path doesn't bypass a guard")
    func longestPath() async throws {
        let router = try router(["/admin/*rest"])
        try router.guardRoutes("/admin") { _ in .deny() }
        let path = "/admin" + String(repeating: "/x", count: 127) + "/"
        #expect(router.contains(path))
        #expect(await navigationError { try await router.navigate(to: path) }?.code == .navigationDenied)
    }

    @Test("A rejection names the guard and has its reason; the route doesn't run")
    func denial() async throws {
        struct Reason: Error {}
        let router = try router(["/admin"])
        try router.guardRoutes("/admin") { _ in .deny(reason: Reason()) }
        let error = await navigationError { try await router.navigate(to: "/admin") }
        #expect(error?.code == .navigationDenied)
        #expect(error?.subject == "/admin")
        #expect(error?.found == "a guard of /admin")
        #expect(error?.underlying is Reason)
        #expect(log.all.isEmpty)
        try router.guardRoutes("/") { _ in throw Reason() }
        await #expect(throws: Reason.self) { try await router.navigate(to: "/admin") }
    }

    @Test("A guard ends with its watch, and with its owner's routes")
    func removal() async throws {
        let router = try router(["/a"])
        let watch = try router.guardRoutes("/a") { _ in .deny() }
        #expect(watch.isLive && watch.watched == "/a")
        #expect(await navigationError { try await router.navigate(to: "/a") }?.code == .navigationDenied)
        #expect(watch.cancel() && !watch.cancel() && !watch.isLive)
        try await router.navigate(to: "/a")
        #expect(log.all == ["at /a"])
    }

    @Test("A redirect continues with the same options and records its trail")
    func redirects() async throws {
        let router = try router(["/login", "/admin/:page"])
        try router.guardRoutes("/admin") { .redirect("/login?next=\($0.url)") }
        let navigation = try await router.navigate(to: "/admin/users", options: 7)
        #expect(navigation.url == "/login?next=/admin/users")
        #expect(navigation.query["next"] == "/admin/users")
        #expect(navigation.trail.first == "/admin/users")
        #expect(navigation.trail == ["/admin/users"])
        #expect(navigation.options(as: Int.self) == 7)
        #expect("\(navigation)" == "/admin/users -> /login?next=/admin/users")
        #expect(log.all == ["at /login?next=/admin/users"])
    }

    @Test("A route can redirect to another pattern with its values, query and fragment")
    func redirectRoutes() async throws {
        let router = try router(["/notes/:id"])
        try router.redirect("/memo/:id/:page", to: "/notes/:id")
        let navigation = try await router.navigate(to: "/memo/a%2Fb/3?x=1&y#top")
        #expect(navigation.url == "/notes/a%2Fb?x=1&y#top")
        let missing = routeError { try router.redirect("/m/:x", to: "/notes/:id") }
        #expect(missing?.code == .parameterMissing)
        #expect(missing?.expected == "id")
        #expect(routeError { try router.redirect("/memo/:nr/:x", to: "/notes") }?.code == .routeConflict)
    }

    @Test("Sixteen redirects are followed, the seventeenth is rejected with the trail")
    func redirectLimit() async throws {
        let router = try router(["/n/:i(int)", "/end"])
        try router.guardRoutes("/n") { navigation in
            let i = try navigation.parameters.value("i", as: Int.self)
            return .redirect(i == 1 ? "/end" : "/n/\(i - 1)")
        }
        let navigation = try await router.navigate(to: "/n/16")
        #expect(navigation.trail.count == 16)
        let error = await navigationError { try await router.navigate(to: "/n/17") }
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.subject == "/n/17")
        #expect(error?.trail.count == 18)
        #expect(error?.trail.last == "/end")
    }

    @Test("A loop of redirects is rejected with its trail")
    func redirectLoop() async throws {
        let router = try router(["/a", "/b", "/c"])
        try router.guardRoutes("/b") { _ in .redirect("/c") }
        try router.guardRoutes("/c") { _ in .redirect("/b") }
        try router.guardRoutes("/a") { _ in .redirect("/b") }
        let error = await navigationError { try await router.navigate(to: "/a") }
        #expect(error?.code == .redirectLoop)
        #expect(error?.trail == ["/a", "/b", "/c", "/b"])
        try router.redirect("/self", to: "/self")
        #expect(await navigationError { try await router.navigate(to: "/self") }?.trail == ["/self", "/self"])
    }

    @Test("The error of a redirect without a route has the trail")
    func redirectToNowhere() async throws {
        let router = try router(["/a"])
        try router.guardRoutes("/a") { _ in .redirect("/nowhere") }
        let error = await navigationError { try await router.navigate(to: "/a") }
        #expect(error?.code == .routeNotFound)
        #expect(error?.subject == "/nowhere")
        #expect(error?.trail == ["/a"])
    }

    @Test("A new navigation cancels the previous one")
    func newestWins() async throws {
        let gate = RouteGate()
        let router = try router(["/fast"])
        try router.route("/slow") { [log] _ in
            await gate.pass()
            log.add("slow cancelled \(Task.isCancelled)")
        }
        let watch = bus.watch(Router.navigated) { [log] in log.add("navigated \($0.payload.url)") }
        let slow = Task { try await router.navigate(to: "/slow") }
        await gate.arrived()
        try await router.navigate(to: "/fast")
        await gate.open()
        await #expect(throws: CancellationError.self) { try await slow.value }
        #expect(log.all == ["at /fast", "navigated /fast", "slow cancelled true"])
        watch.cancel()
    }

    @Test("An error in a superseded navigation becomes a CancellationError")
    func overtakenError() async throws {
        struct Late: Error {}
        let gate = RouteGate()
        let router = try router(["/fast", "/slow"])
        try router.guardRoutes("/slow") { _ in
            await gate.pass()
            throw Late()
        }
        let slow = Task { try await router.navigate(to: "/slow") }
        await gate.arrived()
        try await router.navigate(to: "/fast")
        await gate.open()
        await #expect(throws: CancellationError.self) { try await slow.value }
        #expect(log.all == ["at /fast"])
    }

    @Test("Of many concurrent navigations, only the last one completes")
    func manyOvertake() async throws {
        let gate = RouteGate()
        let router = Router(bus: bus)
        try router.route("/n/:i") { [log] navigation in
            await gate.pass()
            try Task.checkCancellation()
            log.add(navigation.parameters["i"] ?? "")
        }
        var tasks: [Task<Navigation, any Error>] = []
        for i in 0..<50 {
            tasks.append(Task { try await router.navigate(to: "/n/\(i)") })
            await gate.arrived(i + 1)
        }
        await gate.open()
        for task in tasks.dropLast() { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(try await tasks[49].value.url == "/n/49")
        #expect(log.all == ["49"])
    }

    @Test("Cancelling the caller cancels the navigation")
    func callerCancels() async throws {
        let gate = RouteGate()
        let router = Router(bus: bus)
        try router.route("/slow") { [log] _ in
            await gate.pass()
            log.add("cancelled \(Task.isCancelled)")
        }
        let task = Task { try await router.navigate(to: "/slow") }
        await gate.arrived()
        task.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.all == ["cancelled true"])
    }

    @Test("A navigation inside an action is part of the outer navigation")
    func nested() async throws {
        let router = try router(["/inner"])
        try router.route("/outer") { [log] _ in
            try await router.navigate(to: "/inner")
            log.add("outer goes on")
        }
        let watch = bus.watch(Router.navigated) { [log] in log.add("navigated \($0.payload.url)") }
        try await router.navigate(to: "/outer")
        #expect(log.all == ["at /inner", "navigated /inner", "outer goes on", "navigated /outer"])
        watch.cancel()
    }

    @Test("Endlessly nested navigations are rejected with their trail")
    func nestedWithoutEnd() async throws {
        let router = Router(bus: bus)
        try router.route("/again") { _ in try await router.navigate(to: "/again") }
        let error = await navigationError { try await router.navigate(to: "/again") }
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.trail.count == 17)
    }

    @Test("Routes and guards can change during a navigation")
    func changesInside() async throws {
        let router = Router(bus: bus)
        try router.route("/a") { [log] _ in
            log.add("a \(router.unroute("/a"))")
            try router.route("/b") { _ in log.add("b") }
            try await router.navigate(to: "/b")
        }
        try router.guardRoutes("/") { [log] _ in
            _ = router.current.count
            _ = try router.match("/a")
            log.add("guard")
            return .allow
        }
        _ = await navigationError { try await router.navigate(to: "/a") }
        #expect(log.all.first == "guard")
        #expect(log.all.contains("a true"))
        #expect(router.patterns == ["/b"])
    }

    @Test("A navigation whose route is removed or replaced while a guard runs fails", arguments: [true, false])
    func removedDuringGuard(isReplaced: Bool) async throws {
        let router = Router(bus: bus)
        try router.route("/a") { [log] _ in log.add("old") }
        try router.guardRoutes("/") { [log] _ in
            if isReplaced {
                try router.route("/a", replacing: true) { _ in log.add("new") }
            } else {
                router.unroute("/a")
            }
            return .allow
        }
        let watch = bus.watch(Router.navigated) { [log] _ in log.add("navigated") }
        let error = await navigationError { try await router.navigate(to: "/a") }
        #expect(error?.code == .routeNotFound)
        #expect(log.all == [])
        watch.cancel()
    }

    @Test("Threads can register, match, navigate and remove concurrently")
    func threads() async throws {
        let router = Router(bus: bus)
        try router.route("/fixed/:x") { _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        let watch = try router.route("/w\(worker)/:a/x") { _ in }
                        let match = try router.match("/w\(worker)/5/x")
                        #expect(match.parameters["a"] == "5")
                        #expect(router.contains("/fixed/\(round)"))
                        do {
                            try await router.navigate(to: "/w\(worker)/1/x")
                        } catch is CancellationError {
                            // Another worker's navigation was newer.
                        }
                        #expect(watch.cancel())
                        #expect(!router.contains("/w\(worker)/5/x"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(router.patterns == ["/fixed/:x"])
        #expect(router.current.count == 1)
    }

    @Test("Letters in another case don't bypass a guard", arguments: ["/admin/x", "/ADMIN/x", "/%41dmin/x"])
    func caseOfLetters(url: String) async throws {
        let router = Router(bus: bus, options: RouterOptions(isCaseSensitive: false))
        try router.route("/admin/:page") { _ in }
        try router.guardRoutes("/Admin") { _ in .deny() }
        #expect(await navigationError { try await router.navigate(to: url) }?.code == .navigationDenied)
    }
}
