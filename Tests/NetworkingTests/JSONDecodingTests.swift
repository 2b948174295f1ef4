import AshlarNetworking
import Foundation
import Testing

private struct Everything: Codable, Equatable {
    enum Mood: String, Codable { case good, bad }
    struct Part: Codable, Equatable {
        var name: String
        var parts: [Part]?
    }
    var text: String
    var flag: Bool
    var int: Int
    var small: Int8
    var big: UInt64
    var huge: Int128?
    var double: Double
    var float: Float
    var optional: String?
    var missing: Int?
    var list: [Int]
    var nested: [[String]]
    var dictionary: [String: Part]
    var mood: Mood
    var data: Data
    var url: URL
    var decimal: Decimal
    var json: JSONEntity
}

@Suite struct JSONDecodingTests {
    static let text = #"""
        {"text": "a\nb", "flag": true, "int": -5, "small": 127, "big": 18446744073709551615, "double": 1.5, "float": 2.5,
         "optional": null, "list": [1, 2, 3], "nested": [["a"], [], ["b", "c"]],
         "dictionary": {"x": {"name": "n", "parts": [{"name": "m"}]}, "y": {"name": "o", "parts": null}}, "mood": "good",
         "data": "AQID", "url": "https://a.example/b", "decimal": 12345678901234567890.5, "json": {"any": [1, null]}}
        """#

    @Test("Values of every kind are decoded like by JSONDecoder")
    func everything() throws {
        let ours = try JSONEntity(parsing: Self.text).decode(Everything.self)
        let theirs = try JSONDecoder().decode(Everything.self, from: Data(Self.text.utf8))
        #expect(ours == theirs)
        #expect(ours.json["any"][0].int() == 1 && ours.decimal == Decimal(string: "12345678901234567890.5"))
        #expect(try JSONEntity(encoding: ours).decode(Everything.self) == ours)
    }

    @Test("Parts of a document can be decoded alone")
    func parts() throws {
        let json = try JSONEntity(parsing: Self.text)
        #expect(try json["list"].decode([Int].self) == [1, 2, 3])
        #expect(try json["list"][1].decode(Int.self) == 2)
        #expect(try json["dictionary"]["x"].decode(Everything.Part.self).parts?[0].name == "m")
        #expect(try json["nested"].decode([[String]].self)[2] == ["b", "c"])
        #expect(try json["optional"].decode(String?.self) == nil)
        #expect(try JSONEntity(parsing: "[1, null, 3]").decode([Int?].self) == [1, nil, 3])
        #expect(try JSONEntity(parsing: #"{"1": "a", "2": "b"}"#).decode([Int: String].self) == [1: "a", 2: "b"])
        #expect(try JSONEntity(parsing: "170141183460469231731687303715884105727").decode(Int128.self) == .max)
    }

    @Test("Dates are decoded in the requested format")
    func dates() throws {
        let date = Date(timeIntervalSince1970: 1_795_180_778)
        #expect(try JSONEntity(parsing: #"["2026-11-20T13:19:38Z"]"#).decode([Date].self) == [date])
        var json = try JSONEntity(parsing: "[1795180778]")
        json.format.dates = .secondsSince1970
        #expect(try json.decode([Date].self) == [date])
        let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: "[1795180778]").decode([Date].self) }
        #expect(error?.path == "$[0]" && error?.message == "expected a date (rfc3339), found the number 1795180778")
    }

    @Test(
        "An error contains the path, the expectation and the finding",
        arguments: [
            (#""int": -5"#, #""int": "x""#, "$.int", "expected a number, found a string"),
            (#""int": -5"#, #""int": 1.5"#, "$.int", "expected Int, found the number 1.5"),
            (#""small": 127"#, #""small": 128"#, "$.small", "expected Int8, found the number 128"),
            (#""big": 18446744073709551615"#, #""big": -1"#, "$.big", "expected UInt64, found the number -1"),
            (#""double": 1.5"#, #""double": 1e999"#, "$.double", "expected Double, found the number 1e999"),
            (#""flag": true"#, #""flag": 1"#, "$.flag", "expected true or false, found the number 1"),
            (#""text": "a\nb""#, #""text": null"#, "$.text", "expected String, found null"),
            (#""text": "a\nb", "#, "", "$.text", "expected the key 'text', found none"),
            (#"[1, 2, 3]"#, #"[1, 2, {}]"#, "$.list[2]", "expected a number, found an object"),
            (#"[1, 2, 3]"#, #"{"a": 1}"#, "$.list", "expected an array, found an object"),
            (#"["b", "c"]"#, #"["b", 7]"#, "$.nested[2][1]", "expected a string, found the number 7"),
            (#"{"name": "m"}"#, #"{"name": []}"#, "$.dictionary.x.parts[0].name", "expected a string, found an array"),
            (#"{"name": "m"}"#, "17", "$.dictionary.x.parts[0]", "expected an object, found the number 17"),
            (#""AQID""#, #""%%""#, "$.data", "expected Base64, found a string"),
            (#""good""#, #""odd""#, "$.mood", "Cannot initialize Mood from invalid String value odd"),
        ])
    func failures(part: String, replacement: String, path: String, message: String) throws {
        let text = Self.text.replacing(part, with: replacement)
        try #require(text != Self.text)
        let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: text).decode(Everything.self) }
        #expect(error?.code == .decodingFailed && error?.path == path && error?.underlying is DecodingError)
        #expect(error?.message == message)
        #expect((error?.line ?? 0) >= 1 && error?.phase == .decode)
    }

    @Test("An error has the line and column of the value, or of the container that lacks it")
    func failurePlaces() throws {
        struct Item: Decodable { var n: Int }
        let json = try JSONEntity(parsing: "{\"items\": [\n  {\"n\": 1},\n  {\"n\": \"x\"}, {}\n]}")
        var error = #expect(throws: NetworkError.self) { try json["items"].decode([Item].self) }
        #expect(error?.path == "$.items[1].n" && error?.line == 3 && error?.column == 9 && error?.offset == 32)
        error = #expect(throws: NetworkError.self) { try json["items"][2].decode(Item.self) }
        #expect(error?.path == "$.items[2].n" && error?.line == 3 && error?.column == 15)
    }

    @Test("Decoding a missing value throws an error with its path")
    func missing() throws {
        let error = #expect(throws: NetworkError.self) {
            try JSONEntity(parsing: "{}")["a"]["b"].decode(Int.self)
        }
        #expect(error?.code == .decodingFailed && error?.path == "$.a.b")
        #expect(error?.message == "expected Int, found nothing")
    }

    @Test("Custom initializers can use every kind of container")
    func containers() throws {
        struct Shape: Decodable {
            enum Key: String, CodingKey { case kind, points, inner, tail }
            var kind: String
            var points: [Int] = []
            var inner: String
            var keys: Set<String>
            var tail: [String] = []

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                kind = try container.decode(String.self, forKey: .kind)
                keys = Set(container.allKeys.map(\.rawValue))
                var list = try container.nestedUnkeyedContainer(forKey: .points)
                while !list.isAtEnd { points.append(try list.decodeNil() ? -1 : list.decode(Int.self)) }
                let nested = try container.nestedContainer(keyedBy: Key.self, forKey: .inner)
                inner = try nested.decode(String.self, forKey: .kind)
                var rest = try container.superDecoder(forKey: .tail).unkeyedContainer()
                #expect(rest.count == 2 && rest.codingPath.map(\.stringValue) == ["tail"])
                while !rest.isAtEnd {
                    var pair = try rest.nestedUnkeyedContainer()
                    tail.append(try pair.decode(String.self))
                }
                #expect(throws: DecodingError.self) { try rest.decode(String.self) }
                #expect(throws: (any Error).self) { try container.decode(Int.self, forKey: .kind) }
            }
        }
        let text = #"{"kind": "k", "points": [1, null, 3], "inner": {"kind": "i"}, "tail": [["a"], ["b"]], "other": 1}"#
        let shape = try JSONEntity(parsing: text).decode(Shape.self)
        #expect(shape.kind == "k" && shape.points == [1, -1, 3] && shape.inner == "i" && shape.tail == ["a", "b"])
        #expect(shape.keys == ["kind", "points", "inner", "tail"])
    }

    @Test("A duplicate key is in the list of keys once, with the last value")
    func repeatedKeys() throws {
        struct Keys: Decodable {
            var keys: [String]
            var a: Int
            init(from decoder: any Decoder) throws {
                enum Key: String, CodingKey { case a, b }
                let container = try decoder.container(keyedBy: Key.self)
                (keys, a) = (container.allKeys.map(\.rawValue), try container.decode(Int.self, forKey: .a))
            }
        }
        let keys = try JSONEntity(parsing: #"{"a": 1, "b": 2, "a": 3}"#).decode(Keys.self)
        #expect(keys.keys == ["a", "b"] && keys.a == 3)
    }

    @Test("A failed read of an element doesn't advance")
    func failedElement() throws {
        struct Mixed: Decodable {
            var values: [String] = []
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                while !list.isAtEnd {
                    if let int = try? list.decode(Int.self) {
                        values.append("\(int)")
                    } else {
                        values.append(try list.decode(String.self))
                    }
                }
            }
        }
        #expect(try JSONEntity(parsing: #"[1, "a", 2]"#).decode(Mixed.self).values == ["1", "a", "2"])
    }

    @Test("An entity can be used with other encoders and decoders")
    func entityInOtherCoders() throws {
        let json = try JSONEntity(parsing: #"{"a":[1,1.5,"x",null,true,18446744073709551616],"b":{}}"#)
        let data = try JSONEncoder().encode(json)
        #expect(try JSONDecoder().decode(JSONEntity.self, from: data)["a"][1] == 1.5)
        #expect(try JSONDecoder().decode(JSONEntity.self, from: data)["b"].isObject)
        let list = try PropertyListDecoder().decode([JSONEntity].self, from: PropertyListEncoder().encode(["x", "y"]))
        #expect(list == ["x", "y"])
    }
}
