import AshlarEventBus
import Testing

@Suite("Routes as text")
struct RouteTextTests {
    @Test("The table of routes is a tree in the order of precedence")
    func routesTable() throws {
        let table = try RouteTable([
            "/*rest", "/notes/:id", "/notes/:id(int)/edit", "/notes/:name/tags", "/notes/v:major(uint)", "/notes/new",
            "/notes/:file.json", "/notes", "/", "/about{/:page}", "https://example.com/n/:id", "app://*/x",
            "/notes/:file\\.json/raw",
        ])
        #expect(
            table.routesTable() == #"""
                /                        /
                ├── about                /about{/:page}
                │   └── :page            /about{/:page}
                ├── notes                /notes
                │   ├── new              /notes/new
                │   ├── v:major(uint)    /notes/v:major(uint)
                │   ├── :file.json       /notes/:file.json
                │   │   └── raw          /notes/:file\.json/raw
                │   ├── :id(int)
                │   │   └── edit         /notes/:id(int)/edit
                │   └── :id|:name        /notes/:id
                │       └── tags         /notes/:name/tags
                └── *rest                /*rest
                app://*
                └── x                    app://*/x
                https://example.com
                └── n
                    └── :id              https://example.com/n/:id
                """#)
        #expect(try RouteTable([String]()).routesTable() == "")
    }

    @Test("Literals are in the order of their bytes, and an ended route leaves no segments behind")
    func endedRoutes() throws {
        let router = Router(bus: EventBus())
        let names = (0..<4).map { "a-literal-over-16-bytes-\($0)" }
        let watches = try names.reversed().map { try router.route("/\($0)/:id/x", line: 1) { _ in } }
        let lines = router.current.routesTable().split(separator: "\n")
        #expect(lines.compactMap { line in names.first { line.hasSuffix($0) } } == names)
        for watch in watches { watch.cancel() }
        #expect(router.current.routesTable() == "")
    }

    @Test("Of two types with one name, the place of the last one decides")
    func repeatedTypes() throws {
        func type(_ name: StaticString) -> RouteParameterType { RouteParameterType(name) { _ in true } }
        let options = RouterOptions(types: [type("a"), type("b"), type("a")])
        let table = try RouteTable(["/:x(a)", "/:y(b)"], options: options)
        #expect(try table.match("/1").pattern == "/:y(b)")
    }

    @Test("A router's table names the source lines")
    func places() throws {
        let router = Router(bus: EventBus())
        try router.route("/a", fileID: "App/Routes.swift", line: 12) { _ in }
        #expect(router.current.routesTable() == "/\n└── a    /a  App/Routes.swift:12")
    }

    @Test(
        "An explanation names the winner, the other matching routes, and where the others failed",
        arguments: [
            (
                "/notes/new",
                """
                /notes/new -> /notes/new
                  + /notes/new: wins
                  + /notes/:name: loses at segment 2, where new goes first
                  + /*rest: loses at segment 1, where notes goes first
                  - /notes/v:n: segment 2, "new", is not v:n
                  - /notes/:id(int): segment 2, "new", is not :id(int)
                  - /notes/:id(int)/edit: segment 2, "new", is not :id(int)
                  and 3 more that fail earlier
                """
            ),
            (
                "/notes/5/edit?x",
                """
                /notes/5/edit?x -> /notes/:id(int)/edit  id=5
                  + /notes/:id(int)/edit: wins
                  + /*rest: loses at segment 1, where notes goes first
                  - /notes/:id(int): the path goes on after segment 2
                  - /notes/:name: the path goes on after segment 2
                  - /notes/new: segment 2, "5", is not new
                  and 4 more that fail earlier
                """
            ),
            (
                "/",
                """
                / -> routeNotFound
                  - /notes/new: the path ends before segment 1, notes
                  - /notes/v:n: the path ends before segment 1, notes
                  - /notes/:id(int): the path ends before segment 1, notes
                  and 6 more that fail earlier
                """
            ),
            (
                "app://h/5",
                """
                app://h/5 -> app://h/:x  x=5
                  + app://h/:x: wins
                  + *://*/:x: loses by its scheme and host
                  - /notes/new: is for paths without scheme and host
                  - /notes/v:n: is for paths without scheme and host
                  - /notes/:id(int): is for paths without scheme and host
                  and 4 more that fail earlier
                """
            ),
            ("/a%zz", "/a%zz -> invalidPercentEncoding at byte 2"),
            ("notes", "notes -> pathNotAbsolute at byte 0"),
        ])
    func explain(url: String, text: String) throws {
        let table = try RouteTable([
            "/notes/new", "/notes/:id(int)", "/notes/:id(int)/edit", "/notes/:name", "/notes/v:n", "/*rest",
            "app://h/:x", "*://*/:x", "/q/r",
        ])
        #expect(table.explain(url, maxMisses: 3) == text)
    }

    @Test("A router's explanation names the guards, and the tree and the explanation agree on every row of the table")
    func agrees() throws {
        let router = Router(bus: EventBus())
        try router.route("/admin/:x") { _ in }
        try router.guardRoutes("/admin") { _ in .deny() }
        try router.guardRoutes("/") { _ in .allow }
        try router.guardRoutes("/other") { _ in .allow }
        #expect(router.explain("/admin/5").hasSuffix("\n  guards: /, /admin"))
        for row in RouteMatchTableTests.rows {
            let table = try RouteTable(row.patterns, options: row.options)
            let lines = table.explain(row.input, maxMisses: 100).split(separator: "\n").dropFirst()
            let error = routeError { _ = try table.match(row.input) }
            let winner = (try? table.match(row.input)).map { "  + \($0.pattern): wins" }
            #expect(lines.first { $0.hasPrefix("  + ") }.map(String.init) == winner, "\(row.input)")
            #expect(lines.isEmpty == (error.map { $0.code != .routeNotFound } ?? false), "\(row.input)")
        }
    }
}
