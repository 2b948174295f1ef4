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
    func size() { #expect(Self.rows.count >= 150, "\(Self.rows.count) rows") }

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
        /a:b -> ok ; text before a parameter
        /:a.b -> ok ; text after
        /a-:b-c -> ok ; text on both sides
        /:a(int)b -> ok ; text after a type
        /:a(int)(int) -> ok ; parentheses after a type are text
        /(a) -> ok ; parentheses without a name are text
        /a) -> ok ; a closing one alone too
        /*a -> ok ; a catch-all
        /a/*b -> ok ; below a literal
        /:a/*b -> ok ; below a parameter
        /a{/b} -> ok ; a group
        /a{/:b}{/:c}/d -> !patternAmbiguousGroups ; groups that cannot be distinguished
        /a{/b}{/c}{/d}{/e} -> ok ; four groups
        /a{/b{/c{/d{/e}}}} -> ok ; four groups nested
        {/a} -> ok ; a group alone
        {/a}/b -> ok ; a group at the beginning
        /{a/}b -> ok ; a group that ends with a slash
        /a{b} -> ok ; a group inside a segment
        /a{/} -> ok ; an optional slash
        /a{:b} -> ok ; a group with a parameter inside a segment
        /a{/*b} -> ok ; an optional catch-all
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
        app://*/a -> ok ; any host
        *://h/a -> ok ; any scheme
        *://*/a -> ok ; any of both
        *://* -> ok ; any of both at the root
        a+b-c.1://h/a -> ok ; every character of a scheme
        app://host{/a} -> ok ; a group after a host
        app://münchen.example/a -> ok ; a host beyond ASCII
        # Malformed
        _EMPTY_ -> !patternEmpty@0 ; nothing
        a -> !patternMissingSlash@0 ; no slash
        a/b -> !patternMissingSlash@0 ; a slash later
        :a -> !patternMissingSlash@0 ; a parameter without a slash
        *a -> !patternMissingSlash@0 ; a catch-all without a slash
        \/a -> !patternMissingSlash@0 ; an escaped slash is none
        {a} -> !patternMissingSlash@1 ; a group without a slash
        {/a}b -> !patternMissingSlash@4 ; only with the group is there a slash
        {a/}b -> !patternMissingSlash@1 ; a slash too late in a group
        app:/a -> !patternMissingSlash@0 ; one slash after a scheme
        app:a -> !patternMissingSlash@0 ; no slash after a scheme
        1app://h/a -> !patternMissingSlash@0 ; a scheme that begins with a digit
        ://h/a -> !patternMissingSlash@0 ; no scheme
        **://h/a -> !patternMissingSlash@0 ; two stars as scheme
        /: -> !patternEmptyName@2 ; a colon alone
        /:/a -> !patternEmptyName@2 ; a colon before a slash
        /::a -> !patternEmptyName@2 ; two colons
        /:-a -> !patternEmptyName@2 ; a dash is in no name
        /:(int) -> !patternEmptyName@2 ; a type without a name
        /:🎈 -> !patternEmptyName@2 ; a balloon is no letter
        /* -> !patternEmptyName@2 ; a star alone
        /a/** -> !patternEmptyName@4 ; two stars
        /*/a -> !patternEmptyName@2 ; a star before a slash
        /a* -> !patternEmptyName@3 ; a star at the end of a text
        /:a{:} -> !patternEmptyName@5 ; a colon in a group
        /:a/:a -> !patternRepeatedName@5 ; a name twice
        /:a/*a -> !patternRepeatedName@5 ; once as catch-all
        /:a{/:a} -> !patternRepeatedName@6 ; once in a group
        {/:a}{/:a} -> !patternRepeatedName@8 ; in two groups
        /:a:b -> !patternAdjacentParameters@3 ; two parameters in a segment
        /:a-:b -> !patternAdjacentParameters@4 ; with text between
        /:a(int):b -> !patternAdjacentParameters@8 ; after a type
        /:a{:b} -> !patternAdjacentParameters@4 ; one of them in a group
        /x:a.:b.json -> !patternAdjacentParameters@5 ; with text all around
        /*a/b -> !patternCatchAllNotLast@3 ; a literal after a catch-all
        /*a/ -> !patternCatchAllNotLast@3 ; a slash after one
        /*a/:b -> !patternCatchAllNotLast@3 ; a parameter after one
        /*a/*b -> !patternCatchAllNotLast@3 ; two catch-alls
        /*a{/b} -> !patternCatchAllNotLast@4 ; a group after one
        {/*a}/b -> !patternCatchAllNotLast@5 ; one in a group
        /*a.b -> !patternCatchAllNotLast@3 ; text after one
        /*a:b -> !patternCatchAllNotLast@3 ; a parameter in its segment
        /x*a -> !patternCatchAllNotAlone@2 ; text before one
        /:x*a -> !patternCatchAllNotAlone@3 ; a parameter before one
        /{ -> !patternUnbalancedGroup@1 ; an opening brace
        /} -> !patternUnbalancedGroup@1 ; a closing brace
        /a{/b -> !patternUnbalancedGroup@2 ; a group without an end
        /a{/b{/c} -> !patternUnbalancedGroup@2 ; an outer group without an end
        /a{/b}} -> !patternUnbalancedGroup@6 ; an end too many
        /}a{ -> !patternUnbalancedGroup@1 ; the wrong way round
        /a{/b\} -> !patternUnbalancedGroup@2 ; an escaped end is none
        /a{} -> !patternEmptyGroup@2 ; an empty group
        /a{{}} -> !patternEmptyGroup@3 ; an empty group in a group
        /a{/b{}} -> !patternEmptyGroup@5 ; inside a full one
        /a{/b}{/c}{/d}{/e}{/f} -> !patternTooManyGroups@18 ; five groups
        /a{/b{/c{/d{/e{/f}}}}} -> !patternTooManyGroups@14 ; five groups nested
        {{{{{{{{ -> !patternTooManyGroups@4 ; many opening braces
        /:a(number) -> !patternUnknownType@4 ; an unknown type
        /:a(Int) -> !patternUnknownType@4 ; types are case-sensitive
        /:a() -> !patternUnknownType@4 ; an empty type
        /:a(int -> !patternUnknownType@7 ; a type without an end
        /:a( -> !patternUnknownType@4 ; an opening parenthesis alone
        /:a(in t) -> !patternUnknownType@6 ; a space in a type
        /:a([0-9]+) -> !patternUnknownType@4 ; a regular expression is no type
        /:a(month) -> !patternUnknownType@4 ; a type that was not registered
        /*a(int) -> !patternCatchAllNotLast@3 ; a catch-all has no type
        /a\ -> !patternDanglingEscape@2 ; a backslash at the end
        /a\\\ -> !patternDanglingEscape@4 ; after an escaped one
        /a?b -> !patternReservedCharacter@2 ; a query in a pattern
        /a? -> !patternReservedCharacter@2 ; a question mark is not optional
        /a#b -> !patternReservedCharacter@2 ; a fragment in a pattern
        /:a? -> !patternReservedCharacter@3 ; not after a parameter either
        app://h?x -> !patternMalformedHost@7 ; a query after a host
        /a%20b -> !patternPercentEncoded@2 ; an encoded pattern
        /%C3%A9 -> !patternPercentEncoded@1 ; an encoded letter
        /:a%2F -> !patternPercentEncoded@3 ; after a parameter
        app://:host/a -> ok ; a parameter as host
        app://:sub.h/a -> ok ; as part of it
        app://h:port/a -> !patternMalformedHost@8 ; as port
        app://a*b/a -> !patternMalformedHost@7 ; a star inside a host
        app://u@h/a -> !patternMalformedHost@7 ; a user's name
        app://a_SPACE_b/a -> !patternMalformedHost@7 ; a space in a host
        # Conflicts
        @ /n/:id
        /n/:name -> !routeConflict ; another name, the same paths
        /n/:id -> !routeConflict ; the same pattern
        /n/:id/ -> !routeConflict ; a trailing slash makes no difference
        /n/:id(string) -> !routeConflict ; string is any
        /n{/:x} -> !routeConflict ; one choice of a group
        /n/:name/x -> ok ; another name, another tail
        /n/:id(int) -> ok ; a type is another shape
        /n/x:id -> ok ; text is another shape
        /n/*id -> ok ; a catch-all is another shape
        /n/id -> ok ; a literal is another shape
        /N/:id -> ok ; another case
        /:n/:id -> ok ; a parameter for a literal
        /n/\:id -> ok ; an escaped colon is a literal
        @ [nocase] /n/x:id
        /N/X:id -> !routeConflict ; without case the same
        /n/y:id -> ok ; another text
        @ [strict] /a
        /a/ -> ok ; strict slashes make another path
        /a{/} -> !routeConflict ; one choice is the same
        @ [collapse] /a/b
        //a//b -> !routeConflict ; collapsed the same
        /a/b// -> !routeConflict ; at the end too
        @ /a{/:b}/c
        /a/c -> !routeConflict ; against the choice without the group
        /a/:x/c -> !routeConflict ; against the choice with it
        /a/:x -> ok ; against neither
        @ /f/*rest
        /f/*path -> !routeConflict ; two catch-alls
        /f/:x -> ok ; a parameter beside a catch-all
        /f -> ok ; what a catch-all never takes
        @ /p/a:x\b  /p/:x(int)
        /p/a:y\b -> !routeConflict ; the same text
        /p/:y(int) -> !routeConflict ; the same type
        /p/:y(uint) -> ok ; another type
        /p/ab:y -> ok ; as much text elsewhere
        /p/a:y(int)b -> ok ; text with a type
        @ https://h/a  https://*/b
        HTTPS://H/a -> !routeConflict ; hosts have no case
        https://h:8443/a -> ok ; a port is written or not
        http://h/a -> ok ; another scheme
        https://*/b -> !routeConflict ; any host twice
        *://*/b -> ok ; any scheme is another
        /a -> ok ; the bare path is another
        @ /
        {/:x} -> !routeConflict ; the root by a group
        // -> ok ; two slashes are not the root
        @ [types]
        /:m(month) -> ok ; a registered type
        /a/:m(month)/:e(even) -> ok ; two of them
        /:m(decade) -> !patternUnknownType@4 ; an unknown one beside them
        """##
}
