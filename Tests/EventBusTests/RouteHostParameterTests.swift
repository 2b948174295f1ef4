import AshlarEventBus
import Testing

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
        let match = try? table.match(url)
        #expect((match == nil) == (value == nil))
        #expect((match.flatMap { $0.parameters[$0.parameters.names[0]] }) == value)
        #expect(table.explain(url).hasPrefix("\(url) -> \(pattern)") == (value != nil))
    }

    @Test(
        "Malformed host parameters are rejected with the offset",
        arguments: [
            ("https://:a.:b.com/", 12), ("https://:.com/", 8), ("https://:a(nope).com/", 11), ("https://:a/:a", 12),
            ("https://x:8o/", 11), ("https://:a b/", 10), ("https://:a.com:x/", 15), ("https://a b.:c/", 9),
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
            #expect((try? table.match("https://www.example.com/a"))?.pattern == patterns[3])
            #expect((try? table.match("https://5.example.com/a"))?.pattern == patterns[2])
            #expect((try? table.match("https://x.example.com/a"))?.pattern == patterns[1])
            #expect((try? table.match("https://x.example.org/a"))?.pattern == patterns[0])
            #expect((try? table.match("/a")) == nil)
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
        let table = try RouteTable([pattern.description])
        #expect(table.explain("https://acme.example.com/u/x/a").contains(":id(int)"))
        #expect(table.routesTable().contains(":tenant"))
    }
}
