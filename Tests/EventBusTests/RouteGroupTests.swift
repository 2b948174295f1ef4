import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Groups of routes")
struct RouteGroupTests {
    @Test("A group registers its routes under its prefix, with guards in order")
    func group() async throws {
        let router = Router(bus: EventBus())
        let seen = Recorder<String>()
        try router.guardRoutes("/admin") { _ in
            seen.note("prefix")
            return .allow
        }
        let watch = try router.group("/admin/") { admin in
            admin.route("/before") { _ in seen.note("before") }
            admin.guardRoutes {
                seen.note("outer")
                return $0.query["token"] != nil ? .allow : .redirect("/login")
            }
            admin.route("/") { seen.note("overview \($0.match.pattern)") }
            admin.group("/users") { users in
                users.guardRoutes {
                    seen.note("inner")
                    return $0.parameters["id"] == "0" ? .deny(reason: Oops()) : .allow
                }
                users.route("/:id(int)") { seen.note("user \($0.parameters["id"] ?? "")") }
            }
            admin.route("/after") { _ in seen.note("after") }
        }
        try router.route("/login") { _ in seen.note("login") }
        try router.route("/admin/own") { _ in seen.note("own") }
        #expect(
            router.patterns == [
                "/admin", "/admin/after", "/admin/before", "/admin/own", "/admin/users/:id(int)", "/login",
            ])
        func go(_ url: String) async throws -> [String] {
            seen.clear()
            try await router.navigate(to: url)
            return seen.items
        }
        #expect(try await go("/admin/before") == ["prefix", "before"])
        #expect(try await go("/admin?token") == ["prefix", "outer", "overview /admin"])
        #expect(try await go("/admin/users/5?token") == ["prefix", "outer", "inner", "user 5"])
        #expect(try await go("/admin/after?token") == ["prefix", "outer", "after"])
        #expect(try await go("/admin/own") == ["prefix", "own"])
        #expect(try await go("/admin/users/5") == ["prefix", "outer", "login"])
        let error = await #expect(throws: EventBusError.self) { try await router.navigate(to: "/admin/users/0?token") }
        #expect(error?.code.description == "navigationDenied" && error?.underlying is Oops)
        #expect(error?.description.contains("/admin/users") == true)
        #expect(router.explain("/admin/users/5").hasSuffix("\n  guards: /admin, /admin/, /admin/users"))
        #expect(watch.cancel() && !watch.isLive)
        #expect(router.patterns == ["/admin/own", "/login"])
    }

    @Test("A group is registered completely or not at all", arguments: [false, true])
    func atomic(replacing: Bool) throws {
        let router = Router(bus: EventBus())
        try router.route("/a/:x") { _ in }
        // The last route of each group is wrong: malformed, a conflict inside the group, a repeated name.
        for last in ["/:", "/b", "/:y/:y"] {
            #expect(throws: EventBusError.self) {
                try router.group("/a", replacing: replacing) { group in
                    group.route("/:x") { _ in }
                    group.route("/b") { _ in }
                    group.route(last) { _ in }
                }
            }
            #expect(router.patterns == ["/a/:x"])
            #expect(try router.match("/a/5").pattern == "/a/:x" && !router.contains("/a"))
        }
        if !replacing {
            let error = #expect(throws: EventBusError.self) {
                try router.group("/a") { group in
                    group.route("/new") { _ in }
                    group.route("/:y") { _ in }
                }
            }
            #expect(error?.code.description == "routeConflict" && router.patterns == ["/a/:x"])
        }
        try router.group("/a", replacing: true) { $0.route("/:y") { _ in } }
        #expect(router.patterns == ["/a/:y"])
        let empty = try router.group { _ in }
        #expect(!empty.isLive && !empty.cancel())
        try router.group { $0.route("/bare") { _ in } }
        #expect(router.contains("/bare"))
        let host = try router.group("https://example.com") { group in
            group.route("/") { _ in }
            group.route("/x") { _ in }
        }
        #expect(router.contains("https://example.com/x") && router.contains("https://example.com"))
        #expect(host.watched == "https://example.com")
    }

    @Test("Groups can be registered and cancelled while other threads match")
    func concurrent() async throws {
        let router = Router(bus: EventBus())
        try router.route("/steady/:id") { _ in }
        await withTaskGroup(of: Void.self) { tasks in
            for task in 0..<2 {
                tasks.addTask {
                    for round in 0..<200 {
                        let watch = try? router.group("/g\(task)") { group in
                            for index in 0..<5 { group.route("/r\(index)") { _ in } }
                        }
                        let count = (0..<5).count { router.contains("/g\(task)/r\($0)") }
                        #expect(count == 5, "round \(round)")
                        watch?.cancel()
                    }
                }
            }
            tasks.addTask { for index in 0..<5000 { #expect(router.contains("/steady/\(index)")) } }
        }
        #expect(router.patterns == ["/steady/:id"])
    }

    @Test("The slash between a prefix and a pattern is written once, and text without one is appended")
    func joining() throws {
        let router = Router(bus: EventBus())
        try router.group("/api/") { api in
            api.route("/a") { _ in }
            api.route("b") { _ in }
        }
        #expect(router.patterns == ["/api/a", "/api/b"])
    }
}
