import AshlarEventBus
import Testing

@Suite("The table of decoding")
struct RouteDecodingTableTests {
    static let rows = RouteRow.table(table)

    @Test("A URL is decoded once, segment by segment, or rejected with the offset", arguments: rows)
    func row(_ row: RouteRow) throws {
        let table = try RouteTable(row.patterns, options: row.options)
        if let promised = row.promisedError {
            let error = routeError { _ = try table.match(row.input) }
            #expect(error?.code.description == promised.code)
            #expect(error?.offset == promised.offset)
            #expect(error?.subject == row.input)
            return
        }
        let match = try table.match(row.input)
        var found = match.parameters.names.map { "\($0)=\(match.parameters[$0] ?? "")" }
        found += match.query.items.map { item in "?\(item.name)" + (item.value.map { "=\($0)" } ?? "") }
        if let fragment = match.fragment { found.append("#\(fragment)") }
        #expect(found.joined(separator: "|") == row.outcome)
    }

    @Test("The table is as long as promised")
    func size() { #expect(Self.rows.count >= 60, "\(Self.rows.count) rows") }

    @Test("The segments of a catch-all are decoded separately")
    func segments() throws {
        let match = try RoutePattern("/f/:a/*rest").match("/f/x%2Fy/a%2Fb/c//%25")
        #expect(match.parameters["rest"] == "a/b/c//%")
        #expect(match.parameters.segments(of: "rest") == ["a/b", "c", "", "%"])
        #expect(match.parameters.segments(of: "a") == ["x/y"])
        #expect(match.parameters.segments(of: "b") == nil)
        #expect(match.parameters["b"] == nil)
        #expect(match.parameters.dictionary == ["a": "x/y", "rest": "a/b/c//%"])
    }

    @Test("Values are returned only as a type that they can be converted to")
    func typedReads() throws {
        let match = try RoutePattern("/:a/:b").match("/12abc/7")
        #expect(try match.parameters.value("b", as: Int.self) == 7)
        #expect(try match.parameters.value("b", as: Double.self) == 7)
        let wrong = routeError { _ = try match.parameters.value("a", as: Int.self) }
        #expect(wrong?.code == .parameterInvalid)
        #expect(wrong?.found == "\"12abc\"")
        let missing = routeError { _ = try match.parameters.value("c", as: Int.self) }
        #expect(missing?.code == .parameterMissing)
        #expect(missing?.found == "a, b")
    }

    @Test("A URL is split into its parts")
    func parts() throws {
        let table = try RouteTable(["https://example.com:80/:x/*rest", "/:x"])
        let match = try table.match("HTTPS://ann@Example.COM:80/a%20b/c?x=1#y%20z")
        #expect(match.scheme == "https")
        #expect(match.host == "example.com:80")
        #expect(match.path == "/a%20b/c")
        #expect(match.query["x"] == "1")
        #expect(match.fragment == "y z")
        #expect(match.url == "HTTPS://ann@Example.COM:80/a%20b/c?x=1#y%20z")
        let bare = try table.match("/a")
        #expect(bare.scheme == nil && bare.host == nil && bare.fragment == nil && bare.query.items.isEmpty)
        #expect(bare.path == "/a")
        #expect("\(bare)" == "/a -> /:x")
    }

    static let table = ##"""
        @ /:a
        /x -> a=x ; nothing to decode
        /x%20y -> a=x y ; a space
        /x+y -> a=x+y ; a plus in a path is a plus
        /%78 -> a=x ; a letter
        /%7e -> a=~ ; small hexadecimal digits
        /%7E -> a=~ ; capital ones
        /%2F -> a=/ ; a slash stays inside
        /%2f -> a=/ ; in small letters too
        /x%2Fy%2Fz -> a=x/y/z ; several
        /%25 -> a=% ; a percent sign
        /%2541 -> a=%41 ; decoded once, not twice
        /%252F -> a=%2F ; an encoded encoded slash
        /%25zz -> a=%zz ; what decoding makes is not looked at again
        /%3Fq%23f -> a=?q#f ; marks of query and fragment
        /%3A%2A%7B%5C -> a=:*{\ ; marks of patterns
        /%C3%A9 -> a=é ; two bytes
        /%E2%82%AC -> a=€ ; three bytes
        /%F0%9F%8E%88 -> a=🎈 ; four bytes
        /é%C3%A9é -> a=ééé ; raw and encoded
        /e%CC%81 -> a=é ; a combining mark stays apart
        /%EF%BB%BFx -> a=\##u{FEFF}x ; a byte order mark is kept
        /%F4%8F%BF%BF -> a=\##u{10FFFF} ; the last scalar
        /%ED%9F%BF -> a=\##u{D7FF} ; the last before the surrogates
        /%EE%80%80 -> a=\##u{E000} ; the first after them
        /..%2F..%2Fetc -> a=../../etc ; dots and slashes are only text
        /%2E%2E -> a=.. ; encoded dots
        /% -> !invalidPercentEncoding@1 ; a percent sign alone
        /x% -> !invalidPercentEncoding@2 ; at the end
        /%4 -> !invalidPercentEncoding@1 ; one digit
        /x%4 -> !invalidPercentEncoding@2 ; one digit at the end
        /%zz -> !invalidPercentEncoding@1 ; no digits
        /%4g -> !invalidPercentEncoding@1 ; the second is none
        /%g4 -> !invalidPercentEncoding@1 ; the first is none
        /%-1 -> !invalidPercentEncoding@1 ; a sign is no digit
        /% 41 -> !invalidPercentEncoding@1 ; a space is no digit
        /%é -> !invalidPercentEncoding@1 ; nor is a letter beyond ASCII
        /%41%4 -> !invalidPercentEncoding@4 ; the second escape
        /%%41 -> !invalidPercentEncoding@1 ; a percent sign before an escape
        /%FF -> !invalidUTF8@1 ; a byte that is in no UTF-8
        /ab%FFcd -> !invalidUTF8@3 ; inside a text
        /%80 -> !invalidUTF8@1 ; a byte that only continues
        /%C3 -> !invalidUTF8@1 ; a character cut off
        /%C3x -> !invalidUTF8@1 ; not continued
        /%E2%82 -> !invalidUTF8@1 ; three bytes cut to two
        /%C0%AF -> !invalidUTF8@1 ; an overlong slash
        /%E0%80%AF -> !invalidUTF8@1 ; an overlong slash in three bytes
        /%F0%80%80%AF -> !invalidUTF8@1 ; in four
        /%ED%A0%80 -> !invalidUTF8@1 ; a surrogate
        /%F4%90%80%80 -> !invalidUTF8@1 ; above the last scalar
        /%F8%88%80%80%80 -> !invalidUTF8@1 ; five bytes
        /ok%41%C3%A9%FF -> !invalidUTF8@12 ; the offset counts encoded bytes
        /x/y%zz -> !invalidPercentEncoding@4 ; in a segment that no route takes
        @ /:a/:b
        /%C3/%A9 -> !invalidUTF8@1 ; a character does not reach over a slash
        /%2/F -> !invalidPercentEncoding@1 ; nor does an escape
        /%2Fx/%2F -> a=/x|b=/ ; each segment by itself
        @ /f/*a
        /f/x%2Fy/z -> a=x/y/z ; in a catch-all
        /f/x%20/%20y -> a=x / y ; spaces in a catch-all
        /f/a/%zz -> !invalidPercentEncoding@5 ; a bad escape in a catch-all
        @ /q
        /q?a=1&b=2 -> ?a=1|?b=2 ; a query in order
        /q?b=2&a=1&b=3 -> ?b=2|?a=1|?b=3 ; a name twice
        /q?a -> ?a ; a name without =
        /q?a= -> ?a= ; an empty value
        /q?=x -> ?=x ; an empty name
        /q?= -> ?= ; neither
        /q?a=b=c -> ?a=b=c ; the first = splits
        /q?&&a=1&& -> ?a=1 ; empty items are passed over
        /q?a=x%26y%3Dz -> ?a=x&y=z ; encoded separators
        /q?%61=%62 -> ?a=b ; an encoded name
        /q?a=x+y -> ?a=x+y ; a plus is a plus
        /q?a=x%2By -> ?a=x+y ; encoded too
        /q?a=/x/?y -> ?a=/x/?y ; slashes and question marks
        /q?a=é -> ?a=é ; raw letters beyond ASCII
        /q?a=%C3%A9 -> ?a=é ; encoded ones
        /q?a[]=1&a[]=2 -> ?a[]=1|?a[]=2 ; brackets are text
        /q?a=1;b=2 -> ?a=1;b=2 ; a semicolon separates nothing
        /q? -> _NONE_ ; an empty query has no items
        /q?a=1#f?g -> ?a=1|#f?g ; a fragment ends the query
        /q#f%20g -> #f g ; a fragment is decoded
        /q# -> # ; an empty fragment is there
        /q##x -> ##x ; a hash in a fragment
        /q?a=%zz -> !invalidPercentEncoding@5 ; a bad escape in a query
        /q?%=1 -> !invalidPercentEncoding@3 ; in a name
        /q?a=%4&b=1 -> !invalidPercentEncoding@5 ; cut off by a separator
        /q?a=%FF -> !invalidUTF8@5 ; bad UTF-8 in a query
        /q?a=%C3&b=%A9 -> !invalidUTF8@5 ; not over a separator
        /q#%zz -> #%zz ; a percent sign in a fragment is text, as in requests
        /q?a=1#%FF -> !invalidUTF8@7 ; bad UTF-8 in a fragment
        """##
}
