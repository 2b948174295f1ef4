import AshlarEventBus
import Testing

@Suite("Routes as text")
struct RouteTextTests {
    @Test("Of two types with one name, the place of the last one decides")
    func repeatedTypes() throws {
        func type(_ name: StaticString) -> RouteParameterType { RouteParameterType(name) { _ in true } }
        let options = RouterOptions(types: [type("a"), type("b"), type("a")])
        let table = try RouteTable(["/:x(a)", "/:y(b)"], options: options)
        #expect(try table.match("/1").pattern == "/:y(b)")
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
                  - /notes/:id(int): segment 2, "new", is not :id(int)
                  - /notes/:id(int)/edit: segment 2, "new", is not :id(int)
                  - /q/r: segment 1, "notes", is not q
                  and 2 more that fail earlier
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
                  and 3 more that fail earlier
                """
            ),
            (
                "/",
                """
                / -> routeNotFound
                  - /notes/new: the path ends before segment 1, notes
                  - /notes/:id(int): the path ends before segment 1, notes
                  - /notes/:id(int)/edit: the path ends before segment 1, notes
                  and 5 more that fail earlier
                """
            ),
            (
                "app://h/5",
                """
                app://h/5 -> app://h/:x  x=5
                  + app://h/:x: wins
                  + app://h/*rest: loses at segment 1, where :x goes first
                  - /notes/new: is for paths without scheme and host
                  - /notes/:id(int): is for paths without scheme and host
                  - /notes/:id(int)/edit: is for paths without scheme and host
                  and 3 more that fail earlier
                """
            ),
            ("/a%zz", "/a%zz -> invalidPercentEncoding at byte 2"),
            ("notes", "notes -> pathNotAbsolute at byte 0"),
        ])
    func explain(url: String, text: String) throws {
        let table = try RouteTable([
            "/notes/new", "/notes/:id(int)", "/notes/:id(int)/edit", "/notes/:name", "/*rest", "app://h/:x",
            "app://h/*rest", "/q/r",
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
