import AshlarEventBus
import Testing

struct NotePage: Codable, Sendable, Equatable {
    enum Order: String, Codable { case up, down }
    var id: Int
    var page: Int?
    var order: Order?
    var isDraft: Bool?
    var tags: [String]?
    var ratio: Double?
}

enum Place: Codable, Sendable, Equatable {
    case list
    case note(id: Int, edit: Bool?)
    case file(path: [String])
}

struct Tenant: Codable, Sendable, Equatable { var tenant: String, id: UInt8 }

@Suite("Typed routes")
struct TypedRouteTests {
    private static let note = "/notes/:id(int){/:page(int)}"

    @Test(
        "A value survives a round trip",
        arguments: [
            (NotePage(id: 5), "/notes/5"), (NotePage(id: -5, page: 2), "/notes/-5/2"),
            (NotePage(id: 5, order: .up, isDraft: true), "/notes/5?order=up&isDraft=true"),
            (NotePage(id: 5, tags: ["a", "b&c", ""]), "/notes/5?tags=a&tags=b%26c&tags="),
            (NotePage(id: 5, tags: ["one"]), "/notes/5?tags=one"), (NotePage(id: 5, ratio: 0.5), "/notes/5?ratio=0.5"),
            (NotePage(id: .max, ratio: -1e-7), "/notes/9223372036854775807?ratio=-1e-07"),
        ])
    func roundTrip(value: NotePage, path: String) throws {
        let route = try TypedRoute<NotePage>(Self.note)
        #expect(try route.path(value) == path)
        #expect(try route.value(path) == value)
    }

    @Test(
        "A URL whose parts aren't values of the properties is an error that names the part",
        arguments: [
            ("/notes/5?order=sideways", "parameterInvalid", "order"),
            ("/notes/5?isDraft=yes", "parameterInvalid", "isDraft"),
            ("/notes/5?ratio=nan", "parameterInvalid", "ratio"), ("/notes/5?ratio=0x10", "parameterInvalid", "ratio"),
            ("/notes/5?order=up&order=down", "parameterInvalid", "order"),
            ("/notes/5?isDraft", "parameterInvalid", "isDraft"),
            ("/notes/x", "routeNotFound", ""), ("/notes/5?a=%", "invalidPercentEncoding", ""),
        ])
    func invalid(url: String, code: String, part: String) throws {
        let route = try TypedRoute<NotePage>(Self.note)
        let error = #expect(throws: EventBusError.self) { try route.value(url) }
        #expect(error?.code.description == code)
        #expect(part.isEmpty || error?.description.contains(part) == true)
    }

    @Test("Unknown query items are ignored, and a missing required one is an error")
    func missing() throws {
        struct Search: Codable, Sendable { var text: String }
        let route = try TypedRoute<Search>("/search")
        #expect(try route.value("/search?utm=1&text=a%20b").text == "a b")
        let error = #expect(throws: EventBusError.self) { try route.value("/search?utm=1") }
        #expect(error?.description.contains("text") == true)
        #expect(try route.path(Search(text: "")) == "/search?text=")
    }

    @Test(
        "The cases of an enumeration have their own patterns",
        arguments: [
            (Place.list, "/notes"), (.note(id: 5, edit: nil), "/notes/5"),
            (.note(id: 5, edit: true), "/notes/5?edit=true"),
            (.file(path: ["a", "b c"]), "/files/a/b%20c"),
        ])
    func cases(place: Place, path: String) throws {
        let route = try TypedRoute<Place>(cases: ["list": "/notes", "note": "/notes/:id(int)", "file": "/files/*path"])
        #expect(try route.path(place) == path)
        #expect(try route.value(path) == place)
    }

    @Test("Values that no URL can represent and cases without a pattern are rejected")
    func notCodable() throws {
        struct Deep: Codable, Sendable { var inner: [String: Int] }
        struct Nested: Codable, Sendable { var lists: [[Int]] }
        let code = EventBusError.Code.routeNotCodable
        #expect(
            #expect(throws: EventBusError.self) { try TypedRoute<Deep>("/a").path(Deep(inner: ["x": 1])) }?.code == code
        )
        #expect(
            #expect(throws: EventBusError.self) { try TypedRoute<Nested>("/a").path(Nested(lists: [[1]])) }?.code
                == code)
        #expect(#expect(throws: EventBusError.self) { try TypedRoute<[Int]>("/a").path([1]) }?.code == code)
        #expect(
            #expect(throws: EventBusError.self) { try TypedRoute<Place>(cases: ["note": "/n/:id"]).path(.list) }?.code
                == code)
        #expect(
            #expect(throws: EventBusError.self) {
                try TypedRoute<NotePage>("/n/:id").path(NotePage(id: 1, ratio: .nan))
            }?.code == code)
        let file = try TypedRoute<Place>(cases: ["file": "/files/*path"])
        // A slash inside a segment of a catch-all would come back as two segments.
        #expect(throws: EventBusError.self) { try file.path(.file(path: [])) }
        #expect(throws: EventBusError.self) { try TypedRoute<Place>(cases: ["list": "/a", "note": "/a"]) }
    }

    @Test("A router registers typed routes together and navigates to values")
    func router() async throws {
        let router = Router(bus: EventBus())
        let seen = Recorder<Place>()
        let places = try TypedRoute<Place>(cases: ["list": "/notes", "note": "/notes/:id(int)", "file": "/files/*path"])
        let watch = try router.route(places) { place, _ in seen.note(place) }
        try await router.navigate(to: places, .note(id: 7, edit: false))
        try await router.navigate(to: "/files/a/b?x=1")
        try await router.navigate(to: places, .list)
        #expect(seen.items == [.note(id: 7, edit: false), .file(path: ["a", "b"]), .list])
        #expect(throws: EventBusError.self) { try router.route(places) { _, _ in } }
        #expect(watch.isLive && watch.cancel() && !watch.cancel() && !watch.isLive)
        #expect(router.patterns.isEmpty && !router.contains("/notes"))
        // Half of the routes conflict: none is registered.
        try router.route("/files/*rest") { _ in }
        #expect(throws: EventBusError.self) { try router.route(places) { _, _ in } }
        #expect(router.patterns == ["/files/*rest"] && !router.contains("/notes"))
        try router.route(places, replacing: true) { place, _ in seen.note(place) }
        try await router.navigate(to: "/files/c")
        #expect(seen.items.last == .file(path: ["c"]) && router.patterns.count == 3)
    }

    @Test("An invalid value fails the navigation with the error of the parameter")
    func wrongNavigation() async throws {
        let router = Router(bus: EventBus())
        try router.route(try TypedRoute<NotePage>("/n/:id")) { _, _ in Issue.record("called") }
        let error = await #expect(throws: EventBusError.self) { try await router.navigate(to: "/n/x") }
        #expect(error?.code.description == "parameterInvalid")
    }

    @Test("Hosts are part of typed routes")
    func hosts() throws {
        let route = try TypedRoute<Tenant>("https://:tenant(slug).example.com/items/:id")
        #expect(try route.path(Tenant(tenant: "acme", id: 7)) == "https://acme.example.com/items/7")
        #expect(try route.value("https://ACME.example.com:443/items/7") == Tenant(tenant: "acme", id: 7))
        #expect(throws: EventBusError.self) { try route.value("https://acme.example.com/items/256") }
    }
}

@Suite("Parameters in hosts")
struct RouteHostParameterTests {
    @Test(
        "A parameter matches one label of the host, in normal form",
        arguments: [
            ("https://:tenant.example.com/a", "https://acme.example.com/a", "acme"),
            ("https://:tenant.example.com/a", "https://ACME.Example.COM/a", "acme"),
            ("https://:tenant.example.com/a", "https://acme.example.com:443/a", "acme"),
            ("https://:tenant.example.com/a", "https://acme.example.com./a", "acme"),
            ("https://:tenant.example.com/a", "https://user:pw@acme.example.com/a", "acme"),
            ("https://:tenant.example.com/a", "https://%61cme.example.com/a", "acme"),
            ("https://:tenant.example.com/a", "https://acme.example.com/%61", "acme"),
            ("https://:Tenant.EXAMPLE.com./a", "https://acme.example.com/a", "acme"),
            ("https://:tenant.example.com:443/a", "https://acme.example.com/a", "acme"),
            ("https://:tenant.example.com:8080/a", "https://acme.example.com:8080/a", "acme"),
            ("https://:tenant.example.com/a", "https://acme.example.com:8080/a", nil),
            ("https://:tenant.example.com/a", "https://a.b.example.com/a", nil),
            ("https://:tenant.example.com/a", "https://.example.com/a", nil),
            ("https://:tenant.example.com/a", "https://example.com/a", nil),
            ("https://:tenant.example.com/a", "http://acme.example.com/a", nil),
            ("https://:tenant.example.com/a", "https://acme.example.com.evil.org/a", nil),
            ("https://:tenant.example.com/a", "https://evil.org\\@acme.example.com/a", nil),
            ("https://api-:region.example.com/a", "https://api-eu.example.com/a", "eu"),
            ("https://api.:region/a", "https://api.eu/a", "eu"),
            ("https://api.:region/a", "https://api.eu:8080/a", nil),
            ("https://:n(int).example.com/a", "https://7.example.com/a", "7"),
            ("https://:n(int).example.com/a", "https://x.example.com/a", nil),
            ("*://:host/a", "app://anything:99/a", "anything:99"), ("app://:host/a", "app://a.b.c/a", "a.b.c"),
        ] as [(String, String, String?)])
    func matches(pattern: String, url: String, value: String?) throws {
        let table = try RouteTable([pattern])
        let match = table.firstMatch(for: url)
        #expect((match == nil) == (value == nil))
        #expect(match?.parameters[0].value == value)
        #expect(table.explain(url).match?.parameters[0].value == value)
    }

    @Test(
        "Malformed host parameters are rejected with the offset",
        arguments: [
            ("https://:a.:b.com/", 11), ("https://:.com/", 8), ("https://:a(nope).com/", 11), ("https://:a/:a", 12),
            ("https://x:8o/", 9), ("https://:a b/", 10), ("https://:a.com:x/", 14), ("https://a b.:c/", 9),
        ])
    func malformed(pattern: String, offset: Int) {
        let error = #expect(throws: EventBusError.self) { try RoutePattern(pattern) }
        #expect(error?.offset == offset, "\(error?.description ?? "")")
    }

    @Test("Precedence in hosts: text, then a typed parameter, then a parameter, then any host")
    func precedence() throws {
        let patterns = [
            "https://*/a", "https://:t.example.com/a", "https://:n(int).example.com/a", "https://www.example.com/a",
        ]
        for order in [patterns, patterns.reversed()] {
            let table = try RouteTable(order)
            #expect(table.firstMatch(for: "https://www.example.com/a")?.pattern == patterns[3])
            #expect(table.firstMatch(for: "https://5.example.com/a")?.pattern == patterns[2])
            #expect(table.firstMatch(for: "https://x.example.com/a")?.pattern == patterns[1])
            #expect(table.firstMatch(for: "https://x.example.org/a")?.pattern == patterns[0])
            #expect(table.firstMatch(for: "/a") == nil)
        }
        #expect(throws: EventBusError.self) { try RouteTable(["https://:a.example.com/", "https://:b.example.com/"]) }
        #expect(throws: EventBusError.self) { try RouteTable(["https://:a/", "https://*/"]) }
    }

    @Test("Parameters of host and path keep their names, groups and positions")
    func names() throws {
        let pattern = try RoutePattern("https://:tenant.example.com/u/:id(int){/:page}/*rest")
        let match = try pattern.match("https://acme.example.com/u/5/2/a/b")
        #expect(match.parameters.dictionary == ["tenant": "acme", "id": "5", "page": "2", "rest": "a/b"])
        #expect(try match.parameters.value("id", as: Int.self) == 5)
        #expect(
            match.parameters.segments(of: "rest") == ["a", "b"] && match.parameters.segments(of: "tenant") == ["acme"])
        #expect(pattern.parameterNames == ["tenant", "id", "page", "rest"])
        #expect(
            try pattern.path(["tenant": "acme", "id": "5", "rest": "x"]) == "https://acme.example.com/u/5/x")
        for wrong in ["", "a.b", "A", "a/b", "a:1", "a@b"] {
            #expect(throws: EventBusError.self, "\(wrong)") {
                try pattern.path(["tenant": wrong, "id": "5", "rest": "x"])
            }
        }
        let table = try RouteTable([pattern.source])
        #expect(table.explain("https://acme.example.com/u/x/a").description.contains(":id(int)"))
        #expect(table.routesTable().contains(":tenant"))
    }
}

@Suite("Groups of routes, and types that convert")
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
                return $0.query.contains("token") ? .allow : .redirect("/login")
            }
            admin.route("/") { seen.note("overview \($0.pattern)") }
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
        #expect(router.explain("/admin/users/5").guards == ["/admin", "/admin/", "/admin/users"])
        #expect(watch.cancel() && !watch.isLive)
        #expect(router.patterns == ["/admin/own", "/login"])
    }

    @Test("A group is registered completely or not at all", arguments: [false, true])
    func atomic(replacing: Bool) throws {
        let router = Router(bus: EventBus())
        try router.route("/a/:x") { _ in }
        let before = router.routesTable()
        // The last route of each group is wrong: malformed, a conflict inside the group, a repeated name.
        for last in ["/:", "/b", "/:y/:y"] {
            #expect(throws: EventBusError.self) {
                try router.group("/a", replacing: replacing) { group in
                    group.route("/:x") { _ in }
                    group.route("/b") { _ in }
                    group.route(last) { _ in }
                }
            }
            #expect(router.routesTable() == before && router.patterns == ["/a/:x"])
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
        let host = try router.group("https://:t.example.com") { group in
            group.route("/") { _ in }
            group.route("/x") { _ in }
        }
        #expect(
            try router.match("https://a.example.com/x").parameters["t"] == "a"
                && router.contains("https://a.example.com"))
        #expect(host.watched == "https://:t.example.com")
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
            api.route("{c/:d}") { _ in }
        }
        try router.group("/n") { $0.route("{/:page}") { _ in } }
        #expect(router.patterns == ["/api/a", "/api/b", "/api/{c/:d}", "/n{/:page}"])
    }

    @Test("A value is converted once, for all readers of the match")
    func convertedOnce() throws {
        struct Month: Codable, Sendable, Equatable { var number: Int }
        struct Page: Codable, Sendable, Equatable { var host: Month, m: Month, n: Int }
        let calls = Recorder<String>()
        let month = RouteParameterType("month") { text in
            calls.note(text)
            return Int(text).map { Month(number: $0) }
        }
        let options = RouterOptions(types: [month])
        let source = "https://:host(month).org/:m(month)/x:n(int)"
        let route = try TypedRoute<Page>(source, options: options)
        let page = Page(host: Month(number: 7), m: Month(number: 2), n: 5)
        #expect(try route.value("https://7.org/2/x5") == page)
        #expect(calls.items == ["7", "2"])
        calls.clear()
        // A candidate that fails later in the path converts its own value.
        let table = try RouteTable([source, "https://*/:m/end", "https://:host(month).org/*rest"], options: options)
        let match = try table.match("https://7.org/2%30/x5")
        let read = { (name: String) in try match.parameters.value(name, as: Month.self).number }
        #expect(try [read("host"), read("m"), read("m")] == [7, 20, 20])
        #expect(calls.items == ["7", "20"])
        let rest = try table.match("https://7.org/2/y")
        #expect(rest.pattern.hasSuffix("*rest") && rest.parameters.names == ["host", "rest"])
        #expect(try rest.parameters.value("host", as: Month.self).number == 7)
        #expect(throws: EventBusError.self) { try rest.parameters.value("rest", as: Month.self) }
    }

    @Test(
        "Numbers are checked up to the limits of their types",
        arguments: [
            ("int", "999999999999999999", true), ("int", "9223372036854775807", true),
            ("int", "9223372036854775808", false), ("int", "-9223372036854775808", true),
            ("int", "-9223372036854775809", false), ("int", "-", false), ("int", "1-", false), ("int", "--1", false),
            ("uint", "18446744073709551615", true), ("uint", "18446744073709551616", false), ("uint", "-1", false),
            ("uint", "0000000000000000000000007", true), ("int", "99999999999999999999999", false),
            ("double", "1e308", true), ("double", "1e309", false), ("double", "1e", false),
            ("double", String(repeating: "9", count: 300), true), ("double", String(repeating: "9", count: 310), false),
            ("double", "0." + String(repeating: "9", count: 400), true),
        ])
    func numbers(type: String, text: String, isValid: Bool) throws {
        #expect(try RouteTable(["/:n(\(type))"]).contains("/" + text) == isValid)
    }

    @Test("A user-defined type converts values; values that can't be converted don't match")
    func converters() throws {
        enum Month: Int, Sendable {
            case january = 1
            case february
        }
        let month = RouteParameterType("month") { Int($0).flatMap { Month(rawValue: $0) } }
        let roman = RouteParameterType("roman") { ["i": 1, "ii": 2][$0] }
        let options = RouterOptions(types: [month, roman])
        let table = try RouteTable(["/m/:m(month)", "/m/:other", "/r/:n(roman)", "/plain/:n"], options: options)
        #expect(try table.match("/m/2").parameters.value("m", as: Month.self) == .february)
        #expect(try table.match("/m/3").pattern == "/m/:other")
        // The type's own conversion takes precedence over the string.
        #expect(try table.match("/r/ii").parameters.value("n", as: Int.self) == 2)
        #expect(try table.match("/plain/7").parameters.value("n", as: Int.self) == 7)
        #expect(try table.match("/r/ii").parameters.value("n", as: String.self) == "ii")
        for name in ["m", "x"] {
            #expect(throws: EventBusError.self) { try table.match("/m/3").parameters.value(name, as: Month.self) }
        }
        let id: Int = try RoutePattern("/notes/:id(int)").match("/notes/5").parameters.value("id")
        #expect(id == 5)
    }
}
