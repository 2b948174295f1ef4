import AshlarEventBus
import Testing

@Suite("The table of built paths")
struct RouteBuildTableTests {
    static let rows = RouteRow.table(table)

    /// Reads `pattern ? name=value, name=value`.
    private func parse(_ row: RouteRow) throws -> (pattern: String, values: [String: String]) {
        let parts = row.input.split(separator: " ? ", maxSplits: 1)
        var values: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: ", ") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(sides[0])] = String(sides[1])
        }
        return (String(parts[0]), values)
    }

    @Test("A path is built as its row expects, and matching it returns the values", arguments: rows)
    func row(_ row: RouteRow) throws {
        let (source, values) = try parse(row)
        let pattern = try RoutePattern(source, types: row.options.types)
        if let promised = row.promisedError {
            let error = routeError { _ = try pattern.path(values, options: row.options) }
            #expect(error?.code.description == promised.code)
            #expect(error?.subject == source)
            return
        }
        let path = try pattern.path(values, options: row.options)
        #expect(path == row.outcome)
        #expect(try pattern.match(path, options: row.options).parameters.dictionary == values)
    }

    @Test("The table is as long as promised")
    func size() { #expect(Self.rows.count >= 60, "\(Self.rows.count) rows") }

    @Test("Query and fragment are written encoded and read back")
    func queryAndFragment() throws {
        let pattern = try RoutePattern("/n/:id")
        let query = RouteQuery(items: [
            .init("a", "x y&z=1+2"), .init("flag", nil), .init("a", ""), .init("é", "#?/"), .init("", nil),
        ])
        let url = try pattern.path(["id": "5"], query: query, fragment: "a b#c/d?é")
        #expect(url == "/n/5?a=x%20y%26z%3D1%2B2&flag&a=&%C3%A9=%23?/&=#a%20b%23c/d?%C3%A9")
        let match = try pattern.match(url)
        #expect(match.query.items.dropLast() == query.items.dropLast())
        #expect(match.query.items.last == .init("", ""))
        #expect(match.fragment == "a b#c/d?é")
        #expect(match.query.values(of: "a") == ["x y&z=1+2", ""])
        #expect(match.query["flag"] == "" && match.query.contains("flag") && !match.query.contains("b"))
    }

    @Test("An item of a query is split at its first =, and names are compared by their bytes")
    func queryItems() throws {
        let query = try RouteTable(["/"]).match("/?a=b=c&=d&%C3%A9=1&e%CC%81=2").query
        #expect(query.items == [.init("a", "b=c"), .init("", "d"), .init("\u{E9}", "1"), .init("e\u{301}", "2")])
        #expect(query.values(of: "\u{E9}") == ["1"])
        #expect(query.values(of: "e\u{301}") == ["2"])
    }

    @Test("A query survives a round trip with both meanings of +", arguments: [false, true])
    func queryRoundTrip(_ plusIsSpace: Bool) throws {
        let table = try RouteTable(["/"], options: RouterOptions(plusIsSpace: plusIsSpace))
        let items = ["", " ", "+", "a+b c", "%", "%41", "&=#?/", "é🎈", "\u{0}\n"]
        for name in items {
            for value in items {
                let query = RouteQuery(items: [.init(name, value), .init("z", nil)])
                #expect(try table.match("/?\(query)").query == query)
            }
        }
    }

    @Test("A router builds only paths that match the same route")
    func routerPaths() throws {
        let router = Router(bus: EventBus())
        try router.route("/notes/new") { _ in }
        try router.route("/notes/:id") { _ in }
        #expect(try router.path("/notes/:id", ["id": "5"]) == "/notes/5")
        let shadowed = routeError { _ = try router.path("/notes/:id", ["id": "new"]) }
        #expect(shadowed?.code == .routeShadowed)
        #expect(shadowed?.found == "/notes/new")
        let unknown = routeError { _ = try router.path("/notes/:nr", ["nr": "5"]) }
        #expect(unknown?.code == .routeNotFound)
        #expect(unknown?.subject == "/notes/:nr")
    }

    @Test("Building applies the same limits as matching")
    func limits() throws {
        let pattern = try RoutePattern("/f/*rest")
        let most = Array(repeating: "a", count: 127).joined(separator: "/")
        #expect(try pattern.path(["rest": most]) == "/f/" + most)
        #expect(routeError { _ = try pattern.path(["rest": most + "/a"]) }?.code == .pathTooManySegments)
        let long = String(repeating: "x", count: 8190)
        #expect(routeError { _ = try pattern.path(["rest": long]) }?.code == .pathTooLong)
    }

    static let table = ##"""
        @ /
        / -> / ; the root
        /a -> /a ; a literal
        /a/b -> /a/b ; two
        /a b -> /a%20b ; a literal is encoded
        /é -> /%C3%A9 ; beyond ASCII too
        /a\?b -> /a%3Fb ; an escaped question mark
        /a\/b -> /a%2Fb ; an escaped slash
        /a\%41 -> /a%2541 ; an escaped percent sign
        /a/ -> /a/ ; a trailing slash is written
        /a//b -> /a//b ; an empty segment
        /:a ? a=x -> /x ; a value
        /:a/:b ? a=1, b=2 -> /1/2 ; two values
        /:a/:b ? b=2, a=1 -> /1/2 ; in the order of the pattern
        /:a ? a=x y -> /x%20y ; a space
        /:a ? a=x/y -> /x%2Fy ; a slash
        /:a ? a=/ -> /%2F ; a slash alone
        /:a ? a=% -> /%25 ; a percent sign
        /:a ? a=%41 -> /%2541 ; what looks like an escape
        /:a ? a=a?b#c -> /a%3Fb%23c ; marks of query and fragment
        /:a ? a=é🎈 -> /%C3%A9%F0%9F%8E%88 ; beyond ASCII
        /:a ? a=a:b@c!$&'()*+;=d -> /a:b@c!$&'()*+;=d ; marks that a segment may hold
        /:a ? a=a"b<c>d^e`f{g|h}i\j[k] -> /a%22b%3Cc%3Ed%5Ee%60f%7Bg%7Ch%7Di%5Cj%5Bk%5D ; marks that it may not
        /:a ? a=-._~ -> /-._~ ; unreserved marks
        /:a ? a=.. -> /.. ; dots
        /:a ? a=:a -> /:a ; the pattern's own text
        /v:a.json ? a=1 -> /v1.json ; text around a value
        /v:a.json ? a=.json -> /v.json.json ; a value like the text
        /v:a.json ? a=a/b -> /va%2Fb.json ; a slash inside
        /é:a\é ? a=é -> /%C3%A9%C3%A9%C3%A9 ; text beyond ASCII
        /:a(int) ? a=-5 -> /-5 ; an int
        /:a(int) ? a=007 -> /007 ; leading zeros
        /:a(uuid) ? a=123e4567-e89b-12d3-a456-426614174000 -> /123e4567-e89b-12d3-a456-426614174000 ; a uuid
        /:a(bool) ? a=true -> /true ; a bool
        /:a(double) ? a=1.5e3 -> /1.5e3 ; a double
        /:a(slug) ? a=a-b -> /a-b ; a slug
        /f/*r ? r=a -> /f/a ; a catch-all
        /f/*r ? r=a/b/c -> /f/a/b/c ; with several segments
        /f/*r ? r=a b/c%d -> /f/a%20b/c%25d ; each encoded
        /f/*r ? r=/a -> /f//a ; with an empty first segment
        /f/*r ? r=a//b -> /f/a//b ; with an empty segment inside
        /a{/:b} -> /a ; a group that nothing asks for
        /a{/:b} ? b=1 -> /a/1 ; a group that is asked for
        /a{/:b{/:c}} ? b=1 -> /a/1 ; an outer group
        /a{/:b{/:c}} ? b=1, c=2 -> /a/1/2 ; both
        /a{/x/:b}{/y/:c} ? c=2 -> /a/y/2 ; the second of two
        /a{/b}/c -> /a/c ; a group without parameters is left out
        {/:lang}/home ? lang=en -> /en/home ; a group at the beginning
        {/:x} -> / ; the root by a group
        https://example.com/:a ? a=x y -> https://example.com/x%20y ; a URL
        HTTPS://Example.com -> https://example.com/ ; in small letters
        app:///:a ? a=1 -> app:///1 ; an empty host
        /:a -> !parameterMissing ; no value
        /:a/:b ? a=1 -> !parameterMissing ; one of two
        /a{/:b{/:c}} ? c=2 -> !parameterMissing ; an inner group without its outer
        /a{/:b/:c} ? c=2 -> !parameterMissing ; half a group
        /:a ? a=1, b=2 -> !parameterUnknown ; a value too many
        /a ? a=1 -> !parameterUnknown ; a value for nothing
        /:a ? a= -> !parameterInvalid ; an empty value
        /v:a.json ? a= -> !parameterInvalid ; an empty value in text
        /f/*r ? r= -> !parameterInvalid ; an empty catch-all
        /f/*r ? r=/ -> !parameterInvalid ; a catch-all of one slash, which is ignored
        /f/*r ? r=a/ -> !parameterInvalid ; one that ends with an ignored slash
        /:a(int) ? a=x -> !parameterInvalid ; no int
        /:a(int) ? a=5.0 -> !parameterInvalid ; a double is no int
        /:a(uint) ? a=-1 -> !parameterInvalid ; a negative uint
        /:a(slug) ? a=a b -> !parameterInvalid ; no slug
        /x:a(bool) ? a=1 -> !parameterInvalid ; no bool
        https://*/:a ? a=1 -> !patternMalformedHost ; any host can't be written
        *://h/:a ? a=1 -> !patternMalformedHost ; nor any scheme
        @ [strict]
        /f/*r ? r=a/ -> /f/a/ ; a strict catch-all keeps its slash
        /a/ -> /a/ ; a strict slash
        @ [types]
        /:m(month) ? m=07 -> /07 ; a registered type
        /:m(month) ? m=7 -> !parameterInvalid ; which refuses
        @ [collapse]
        /f/*r ? r=a//b -> /f/a//b ; slashes inside a catch-all stay
        /f/*r ? r=/a -> !parameterInvalid ; a first one collapses
        @ [nocase]
        /V:a ? a=Xy -> /VXy ; case is written as it is
        """##
}
