import AshlarNetworking
import Testing

@Suite struct JSONEntityTests {
    private let json: JSONEntity

    init() throws {
        json = try JSONEntity(
            parsing: #"""
                {"name": "Ada", "age": 36, "score": 1.5, "whole": 2.0, "yes": true, "nothing": null, "text": "12abc",
                 "digits": "12", "list": [10, "x", [1, 2], {"k": "v"}], "first name": {"a.b": 1}, "esc\u0061pe": "\ud83d\ude00\n"}
                """#)
    }

    @Test("Members are found by key and elements by index")
    func subscripts() {
        #expect(json["name"].string() == "Ada")
        #expect(json["list"][0].int() == 10)
        #expect(json["list"][3]["k"].string() == "v")
        #expect(json["escape"].string() == "😀\n")
        #expect(json.count == 11)
        #expect(json["list"].count == 4)
        #expect(json["name"].count == 0)
    }

    @Test("A missing value isn't valid, has the key and never traps")
    func missing() {
        let gone = json["nope"]["deeper"][7]["x"]
        #expect(!gone.isValid && !gone.isNull)
        #expect(gone.key == "x")
        #expect(gone.path == "$.nope.deeper[7].x")
        #expect(gone.string() == nil && gone.string("d") == "d" && gone.int(4) == 4)
        #expect(json["list"][-1].isValid == false && json["list"][4].isValid == false)
        #expect(json["list"][.max].isValid == false && json["list"][.min].isValid == false)
        #expect(json["list"][9].path == "$.list[9]")
        #expect(json["list"][9].key == "list")
        #expect(json["name"]["x"].path == "$.name.x")
        #expect(Array(gone).isEmpty)
    }

    @Test("Null is valid and returns the default")
    func null() {
        #expect(json["nothing"].isValid && json["nothing"].isNull)
        #expect(json["nothing"].string("d") == "d")
        #expect(json["nothing"].int() == nil)
    }

    @Test("Paths contain every step")
    func paths() {
        #expect(json.path == "$")
        #expect(json["list"][2][1].path == "$.list[2][1]")
        #expect(json["first name"]["a.b"].path == #"$["first name"]["a.b"]"#)
        #expect(json["list"].map(\.path) == ["$.list[0]", "$.list[1]", "$.list[2]", "$.list[3]"])
    }

    @Test("Iteration is in the order of the document; elements have the array's key")
    func iteration() {
        #expect(json["list"].map(\.key) == ["list", "list", "list", "list"])
        #expect(json.keys.prefix(3) == ["name", "age", "score"])
        #expect(Array(json["list"][2]).map { $0.int() } == [1, 2])
        #expect(Array(json["age"]).isEmpty)
    }
}
