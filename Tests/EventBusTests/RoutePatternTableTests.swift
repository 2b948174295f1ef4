import AshlarEventBus
import Testing

@Suite("The table of registrations")
struct RoutePatternTableTests {
    static let rows = RouteRow.table(table)

    @Test("A pattern is accepted or rejected as its row expects", arguments: rows)
    func row(_ row: RouteRow) throws {
        let patterns = row.patterns + [row.input.replacing("_SPACE_", with: " ")].map { $0 == "_EMPTY_" ? "" : $0 }
        let error = routeError { _ = try RouteTable(patterns, options: row.options) }
        if let promised = row.promisedError {
            #expect(error?.code.description == promised.code)
            #expect(error?.subject == patterns.last)
            if let offset = promised.offset { #expect(error?.offset == offset) }
            // For a conflict, the row has the conflicting pattern instead.
            if promised.code == "routeConflict" { #expect(row.patterns.contains(error?.found ?? "")) }
        } else {
            #expect(error == nil, "\(error?.description ?? "")")
            #expect(row.outcome == "ok")
        }
    }

    @Test("The table is as long as promised")
    func size() { #expect(Self.rows.count >= 110, "\(Self.rows.count) rows") }

    static let table = ##"""
        # Well-formed
        @
        / -> ok ; the root
        /a -> ok ; a literal
        /a/ -> ok ; a trailing slash
        // -> ok ; an empty segment
        /a//b -> ok ; an empty segment inside
        /:a -> ok ; a parameter
        /:a/:b -> ok ; two parameters
        /:a_1 -> ok ; an underscore and a digit in a name
        /:ä -> ok ; a letter beyond ASCII in a name
        /:日本 -> ok ; letters of another script
        /:A/:a -> ok ; names differ in case
        /:a(int) -> ok ; a type
        /:a(uint)/:b(uuid)/:c(double)/:d(bool)/:e(slug)/:f(string) -> ok ; every built-in type
        /(a) -> ok ; parentheses without a name are text
        /a) -> ok ; a closing one alone too
        /*a -> ok ; a catch-all
        /a/*b -> ok ; below a literal
        /:a/*b -> ok ; below a parameter
        /\: -> ok ; an escaped colon
        /\* -> ok ; an escaped star
        /\{ -> ok ; an escaped brace
        /\\ -> ok ; an escaped backslash
        /\a -> ok ; an escape that is not needed
        /\é -> ok ; an escape before a character beyond ASCII
        /\? -> ok ; an escaped question mark
        /\# -> ok ; an escaped hash
        /\/ -> ok ; an escaped slash
        /a%zz -> ok ; a percent sign before other letters
        /% -> ok ; a percent sign alone
        /a% -> ok ; at the end
        /a%4 -> ok ; before one digit
        /a+b=c&d -> ok ; marks of a query in a path
        /a_SPACE_b -> ok ; a space
        /ü -> ok ; text beyond ASCII
        /. -> ok ; a dot
        /.. -> ok ; two dots
        /:a/b/:c/d -> ok ; parameters and literals in turn
        app://host/a -> ok ; scheme and host
        app://host -> ok ; without a path
        app://host:8080/a -> ok ; a port
        app://[::1]:80/a -> ok ; an IPv6 address and port
        app://[::1]/a -> ok ; an IPv6 address
        app:///a -> ok ; an empty host
        a+b-c.1://h/a -> ok ; every character of a scheme
        app://münchen.example/a -> ok ; a host beyond ASCII
        # Malformed
        _EMPTY_ -> !patternEmpty@0 ; nothing
        a -> !patternMissingSlash@0 ; no slash
        a/b -> !patternMissingSlash@0 ; a slash later
        :a -> !patternMissingSlash@0 ; a parameter without a slash
        *a -> !patternMissingSlash@0 ; a catch-all without a slash
        \/a -> !patternMissingSlash@0 ; an escaped slash is none
        {/a} -> !patternMissingSlash@0 ; a brace instead of a slash
        app:/a -> !patternMissingSlash@0 ; one slash after a scheme
        app:a -> !patternMissingSlash@0 ; no slash after a scheme
        1app://h/a -> !patternMissingSlash@0 ; a scheme that begins with a digit
        ://h/a -> !patternMissingSlash@0 ; no scheme
        *://h/a -> !patternMissingSlash@0 ; a star as scheme
        /: -> !patternEmptyName@2 ; a colon alone
        /:/a -> !patternEmptyName@2 ; a colon before a slash
        /::a -> !patternEmptyName@2 ; two colons
        /:-a -> !patternEmptyName@2 ; a dash is in no name
        /:(int) -> !patternEmptyName@2 ; a type without a name
        /:🎈 -> !patternEmptyName@2 ; a balloon is no letter
        /* -> !patternEmptyName@2 ; a star alone
        /a/** -> !patternEmptyName@4 ; two stars
        /*/a -> !patternEmptyName@2 ; a star before a slash
        /:a/:a -> !patternRepeatedName@5 ; a name twice
        /:a/*a -> !patternRepeatedName@5 ; once as catch-all
        /a:b -> !patternParameterNotAlone@2 ; text before a parameter
        /:a.b -> !patternParameterNotAlone@3 ; text after one
        /a-:b-c -> !patternParameterNotAlone@3 ; text on both sides
        /:a(int)b -> !patternParameterNotAlone@8 ; text after a type
        /:a(int)(int) -> !patternParameterNotAlone@8 ; parentheses after a type
        /:a:b -> !patternParameterNotAlone@3 ; two parameters in a segment
        /:a-:b -> !patternParameterNotAlone@3 ; with text between
        /x*a -> !patternParameterNotAlone@2 ; text before a catch-all
        /a* -> !patternParameterNotAlone@2 ; a star at the end of a text
        /:x*a -> !patternParameterNotAlone@3 ; a parameter before a catch-all
        /*a.b -> !patternParameterNotAlone@3 ; text after a catch-all
        /*a:b -> !patternParameterNotAlone@3 ; a parameter after a catch-all
        /*a(int) -> !patternParameterNotAlone@3 ; a catch-all has no type
        /*a/b -> !patternCatchAllNotLast@3 ; a literal after a catch-all
        /*a/ -> !patternCatchAllNotLast@3 ; a slash after one
        /*a/:b -> !patternCatchAllNotLast@3 ; a parameter after one
        /*a/*b -> !patternCatchAllNotLast@3 ; two catch-alls
        /{ -> !patternReservedCharacter@1 ; an opening brace
        /} -> !patternReservedCharacter@1 ; a closing brace
        /a{/:b} -> !patternReservedCharacter@2 ; an optional group
        /{id} -> !patternReservedCharacter@1 ; a parameter of another notation
        /:a(number) -> !patternUnknownType@4 ; an unknown type
        /:a(Int) -> !patternUnknownType@4 ; types are case-sensitive
        /:a() -> !patternUnknownType@4 ; an empty type
        /:a(int -> !patternUnknownType@7 ; a type without an end
        /:a( -> !patternUnknownType@4 ; an opening parenthesis alone
        /:a(in t) -> !patternUnknownType@6 ; a space in a type
        /:a([0-9]+) -> !patternUnknownType@4 ; a regular expression is no type
        /:a(month) -> !patternUnknownType@4 ; a type that was not registered
        /a\ -> !patternDanglingEscape@2 ; a backslash at the end
        /a\\\ -> !patternDanglingEscape@4 ; after an escaped one
        /a?b -> !patternReservedCharacter@2 ; a query in a pattern
        /a? -> !patternReservedCharacter@2 ; a question mark is not optional
        /a#b -> !patternReservedCharacter@2 ; a fragment in a pattern
        /:a? -> !patternParameterNotAlone@3 ; not after a parameter either
        app://h?x -> !patternMalformedHost@7 ; a query after a host
        /a%20b -> !patternPercentEncoded@2 ; an encoded pattern
        /%C3%A9 -> !patternPercentEncoded@1 ; an encoded letter
        /a%2F -> !patternPercentEncoded@2 ; an encoded slash
        app://:host/a -> !patternMalformedHost ; a parameter as host
        app://:sub.h/a -> !patternMalformedHost ; as part of it
        app://h:port/a -> !patternMalformedHost@8 ; as port
        app://*/a -> !patternMalformedHost@6 ; a star as host
        app://a*b/a -> !patternMalformedHost@7 ; a star inside a host
        app://u@h/a -> !patternMalformedHost@7 ; a user's name
        app://a_SPACE_b/a -> !patternMalformedHost@7 ; a space in a host
        # Conflicts
        @ /n/:id
        /n/:name -> !routeConflict ; another name, the same paths
        /n/:id -> !routeConflict ; the same pattern
        /n/:id/ -> !routeConflict ; a trailing slash makes no difference
        /n/:id(string) -> !routeConflict ; string is any
        /n/:name/x -> ok ; another name, another tail
        /n/:id(int) -> ok ; a type is another shape
        /n/*id -> ok ; a catch-all is another shape
        /n/id -> ok ; a literal is another shape
        /N/:id -> ok ; another case
        /:n/:id -> ok ; a parameter for a literal
        /n/\:id -> ok ; an escaped colon is a literal
        @ [nocase] /n/x/:id
        /N/X/:id -> !routeConflict ; without case the same
        /n/y/:id -> ok ; another text
        @ [strict] /a
        /a/ -> ok ; strict slashes make another path
        @ /f/*rest
        /f/*path -> !routeConflict ; two catch-alls
        /f/:x -> ok ; a parameter beside a catch-all
        /f -> ok ; what a catch-all never takes
        @ /p/:x(int)
        /p/:y(int) -> !routeConflict ; the same type
        /p/:y(uint) -> ok ; another type
        @ https://h/a
        HTTPS://H/a -> !routeConflict ; hosts have no case
        https://h:8443/a -> ok ; a port is written or not
        http://h/a -> ok ; another scheme
        /a -> ok ; the bare path is another
        @ /
        // -> ok ; two slashes are not the root
        @ [types]
        /:m(month) -> ok ; a registered type
        /a/:m(month)/:e(even) -> ok ; two of them
        /:m(decade) -> !patternUnknownType@4 ; an unknown one beside them
        """##
}

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
    func size() { #expect(Self.rows.count >= 50, "\(Self.rows.count) rows") }

    @Test("Query and fragment are written encoded and read back")
    func queryAndFragment() throws {
        let pattern = try RoutePattern("/n/:id")
        let query = RouteQuery(items: [("a", "x y&z=1+2"), ("flag", nil), ("a", ""), ("é", "#?/"), ("", nil)])
        let url = try pattern.path(["id": "5"], query: query, fragment: "a b#c/d?é")
        #expect(url == "/n/5?a=x%20y%26z%3D1%2B2&flag&a=&%C3%A9=%23?/&=#a%20b%23c/d?%C3%A9")
        let match = try pattern.match(url)
        #expect(match.query.items.dropLast().elementsEqual(query.items.dropLast()) { $0 == $1 })
        #expect(match.query.items.last?.name == "" && match.query.items.last?.value == "")
        #expect(match.fragment == "a b#c/d?é")
        #expect(match.query.values(of: "a") == ["x y&z=1+2", ""])
        #expect(match.query["flag"] == "" && match.query["b"] == nil)
    }

    @Test("An item of a query is split at its first =, and names are compared as strings")
    func queryItems() throws {
        let query = try RouteTable(["/"]).match("/?a=b=c&=d&%C3%A9=1&e%CC%81=2").query
        let expected = [("a", "b=c"), ("", "d"), ("\u{E9}", "1"), ("e\u{301}", "2")]
        #expect(query.items.elementsEqual(expected) { $0.name == $1.0 && $0.value == $1.1 })
        #expect(query.values(of: "\u{E9}") == ["1", "2"])
        #expect(query.values(of: "e\u{301}") == ["1", "2"])
    }

    @Test("A query survives a round trip")
    func queryRoundTrip() throws {
        let table = try RouteTable(["/"])
        let items = ["", " ", "+", "a+b c", "%", "%41", "&=#?/", "é🎈", "\u{0}\n"]
        for name in items {
            for value in items {
                let query = RouteQuery(items: [(name, value), ("z", nil)])
                let read = try table.match("/?\(query)").query
                #expect(read.items.elementsEqual(query.items) { $0 == $1 })
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
        https://example.com/:a ? a=x y -> https://example.com/x%20y ; a URL
        HTTPS://Example.com -> https://example.com/ ; in small letters
        app:///:a ? a=1 -> app:///1 ; an empty host
        /:a -> !parameterMissing ; no value
        /:a/:b ? a=1 -> !parameterMissing ; one of two
        /:a ? a=1, b=2 -> !parameterUnknown ; a value too many
        /a ? a=1 -> !parameterUnknown ; a value for nothing
        /:a ? a= -> !parameterInvalid ; an empty value
        /f/*r ? r= -> !parameterInvalid ; an empty catch-all
        /f/*r ? r=/ -> !parameterInvalid ; a catch-all of one slash, which is ignored
        /f/*r ? r=a/ -> !parameterInvalid ; one that ends with an ignored slash
        /:a(int) ? a=x -> !parameterInvalid ; no int
        /:a(int) ? a=5.0 -> !parameterInvalid ; a double is no int
        /:a(uint) ? a=-1 -> !parameterInvalid ; a negative uint
        /:a(slug) ? a=a b -> !parameterInvalid ; no slug
        /:a(bool) ? a=1 -> !parameterInvalid ; no bool
        @ [strict]
        /f/*r ? r=a/ -> /f/a/ ; a strict catch-all keeps its slash
        /a/ -> /a/ ; a strict slash
        @ [types]
        /:m(month) ? m=07 -> /07 ; a registered type
        /:m(month) ? m=7 -> !parameterInvalid ; which refuses
        @ [nocase]
        /V/:a ? a=Xy -> /V/Xy ; case is written as it is
        """##
}
