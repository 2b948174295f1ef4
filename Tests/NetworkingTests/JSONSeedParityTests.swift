import AshlarNetworking
import Foundation
import Testing

/// Every documented call of SquidKit's `JSONEntity`.
@Suite struct JSONSeedParityTests {
    private let json: JSONEntity

    init() throws {
        json = try JSONEntity(
            parsing: #"""
                {"some_item": "x", "address": null, "n": 1.5, "whole": 2, "flag": true, "text": "12abc", "word": "abc",
                 "entities_array": [{"float_item": 1.5}, {"float_item": 2.5}, {}], "inner": {"b": 1, "a": 2}}
                """#)
    }

    @Test("init(_ key:, _ value:)")
    func keyAndValue() {
        let entity = JSONEntity("name", ["first": "Ada"])
        #expect(entity.key == "name" && entity["first"].string() == "Ada")
    }

    @Test("init(resourceFilename:), which throws its errors")
    func resourceFile() throws {
        let path = NSTemporaryDirectory() + "MyJSONFile-\(UUID()).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(#"{"some_item": 1}"#.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try JSONEntity(contentsOfFile: path)["some_item"].int() == 1)
        let lost = (try? JSONEntity(contentsOfFile: path + "x")) ?? .missing
        #expect(!lost.isValid, "the original's way with an unreadable file")
        try Data("17".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try JSONEntity(contentsOfFile: path).int() == 17, "a scalar root is a value here, invalid there")
    }

    @Test("init(jsonDictionary:)")
    func dictionary() throws {
        #expect(try JSONEntity(jsonDictionary: ["a": [1, 2]])["a"][1].int() == 2)
    }

    @Test("string(\"Address N/A\"): null and missing values give the default")
    func defaults() {
        #expect(json["address"].string("Address N/A") == "Address N/A")
        #expect(json["nowhere"].string("Address N/A") == "Address N/A")
        #expect(json["some_item"].string() == "x" && json["some_item"].string("d") == "x")
        #expect(json["n"].string("d") == "d", "numbers are not made strings")
    }

    @Test("array, dictionary, int, float and bool, each with and without a default")
    func extraction() {
        #expect(json["entities_array"].array()?.count == 3 && json["inner"].array() == nil)
        #expect(json["inner"].dictionary()?.count == 2 && json["n"].dictionary(["a": 1]) == ["a": 1])
        #expect(
            json["whole"].int() == 2 && json["whole"].int(7) == 2 && json["n"].int(7) == 7,
            "1.5 is no integer, there as here")
        #expect(json["n"].float() == 1.5 && json["x"].float(2.5) == 2.5)
        #expect(json["flag"].bool() == true && json["whole"].bool(true) == true && json["whole"].bool() == nil)
        #expect(json["flag"].int() == 1, "true is the number 1, there as here")
    }

    @Test("Strings as numbers: the whole string must be one; AshlarOriginals has NSString's rules")
    func strings() {
        #expect(json["text"].int(7) == 7 && json["word"].int(7) == 7 && json["word"].bool() == nil)
        #expect(JSONEntity("12").int() == 12)
    }

    @Test("Subscripts never return nil; isValid is false for missing values only")
    func validity() {
        #expect(json["address"].isValid && !json["nowhere"].isValid)
        #expect(json["nowhere"].key == "nowhere" && json["some_item"]["deeper"].key == "deeper")
        #expect(!json["entities_array"][99].isValid, "trapped there")
        #expect(!json["entities_array"][-1].isValid, "trapped there")
        #expect(!json["some_item"][0].isValid, "nil there")
    }

    @Test("for entity in entities: elements have the array's key, members their own")
    func iteration() {
        #expect(json["entities_array"].map { $0["float_item"].float(0) } == [1.5, 2.5, 0])
        #expect(json["entities_array"].map(\.key) == ["entities_array", "entities_array", "entities_array"])
        #expect(json["inner"].map(\.key) == ["b", "a"], "the document's order here, the dictionary's there")
        #expect(Array(json["some_item"]).isEmpty && json["entities_array"].count == 3 && json["some_item"].count == 0)
    }

    @Test("entityWithoutNullValues removes nulls")
    func withoutNulls() {
        #expect(!json.withoutNulls()["address"].isValid && json.withoutNulls()["inner"] == json["inner"])
    }

    @Test("Every extraction has a form with a default, which never returns nil")
    func everyDefault() {
        let gone = json["gone"]
        #expect(gone.string("d") == "d" && gone.int(1) == 1 && gone.float(1.5) == 1.5 && (gone.double() ?? 2.5) == 2.5)
        #expect(gone.bool(true) && gone.array([1]) == [1] && gone.dictionary(["a": 1]) == ["a": 1])
        #expect(gone.string() == nil && gone.int() == nil && gone.float() == nil && gone.double() == nil)
        #expect(gone.bool() == nil && gone.array() == nil && gone.dictionary() == nil)
    }

    @Test("Numbers and Booleans convert as in SquidKit: 1.5 is no Int, 1.0 is 1, 2 is no Bool, true is 1")
    func bridging() throws {
        let list = try JSONEntity(parsing: "[1.5, 1.0, 2, true, 1, 0]")
        #expect(list[0].int(9) == 9 && list[1].int(9) == 1 && list[2].bool() == nil && list[3].int() == 1)
        #expect(list[4].bool() == true && list[5].bool() == false)
    }

    @Test("count is that of arrays and objects, and 0 for everything else")
    func counts() {
        #expect(json["entities_array"].count == 3 && json["inner"].count == 2)
        #expect(json["n"].count == 0 && json["address"].count == 0 && json["gone"].count == 0)
    }
}
