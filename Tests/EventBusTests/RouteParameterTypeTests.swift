import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Types of parameters that restrict or convert values")
struct RouteParameterTypeTests {
    @Test("A value is converted once, for all readers of the match")
    func convertedOnce() throws {
        struct Month: Sendable { var number: Int }
        let calls = Recorder<String>()
        let month = RouteParameterType("month") { text in
            calls.note(text)
            return Int(text).map { Month(number: $0) }
        }
        let options = RouterOptions(types: [month])
        // A candidate that fails later in the path converts its own value.
        let table = try RouteTable(
            ["/:h(month)/:m(month)/:n(int)", "/:h/:m/end", "/:h(month)/*rest"], options: options)
        let match = try table.match("/7/2%30/5")
        let read = { (name: String) in try match.parameters.value(name, as: Month.self).number }
        #expect(try [read("h"), read("m"), read("m")] == [7, 20, 20])
        #expect(calls.items == ["7", "20"])
        let rest = try table.match("/7/2/y")
        #expect(rest.pattern.hasSuffix("*rest") && rest.parameters.names == ["h", "rest"])
        #expect(try rest.parameters.value("h", as: Month.self).number == 7)
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

    @Test("A conversion splits a segment into several values, which two parameters can't")
    func severalValues() throws {
        struct File: Sendable, Equatable {
            var name: String, type: String
            init?(_ text: String) {
                guard let dot = text.lastIndex(of: "."), dot > text.startIndex else { return nil }
                (name, type) = (String(text[..<dot]), String(text[text.index(after: dot)...]))
            }
        }
        let error = #expect(throws: EventBusError.self) { try RoutePattern("/:name.:type") }
        #expect(error?.description.contains("RouteParameterType") == true)
        let options = RouterOptions(types: [RouteParameterType("file") { File($0) }])
        let table = try RouteTable(["/files/:file(file)"], options: options)
        let file = try table.match("/files/a.tar%2Egz").parameters.value("file", as: File.self)
        #expect(file.name == "a.tar" && file.type == "gz")
        #expect(!table.contains("/files/.profile") && !table.contains("/files/readme"))
    }
}
