import AshlarNetworking
import Foundation
import Testing

/// Paths, positions and depth: correct, without traps, and in linear time.
@Suite(.timeLimit(.minutes(5))) struct JSONPlacesTests {
    @Test(
        "The path of a missing value contains every requested step",
        arguments: [
            ([.key("a")], "$.a"), ([.index(-1)], "$[-1]"), ([.key("list"), .index(-1)], "$.list[-1]"),
            ([.key("list"), .index(-1), .key("x")], "$.list[-1].x"), ([.key("list"), .index(7)], "$.list[7]"),
            ([.key("list"), .index(1), .key("b c"), .index(0)], #"$.list[1]["b c"][0]"#),
            ([.key("list"), .key("x"), .key("y"), .key("z")], "$.list.x.y.z"), ([.index(0), .index(0)], "$[0][0]"),
        ] as [([Step], String)])
    func missing(steps: [Step], path: String) throws {
        let json = try JSONEntity(parsing: #"{"list": [1, {"k": 2}]}"#)
        let place = steps.reduce(json) { $1.look(in: $0) }
        #expect(!place.isValid && place.path == path && place.description == "missing \(path)")
    }

    enum Step: Sendable {
        case key(String)
        case index(Int)
        func look(in entity: JSONEntity) -> JSONEntity {
            switch self {
            case .key(let key): entity[key]
            case .index(let index): entity[index]
            }
        }
    }

    @Test("A missing element has the given key of its array")
    func ownKey() {
        #expect(JSONEntity("k", [1])[-1].key == "k" && JSONEntity("k", [1])[-1].path == "$[-1]")
    }

    @Test("A million steps into missing values cause neither deep recursion nor a leak")
    func longTrail() throws {
        var place = try JSONEntity(parsing: "{}")
        for _ in 0..<1_000_000 { place = place["x"] }
        #expect(!place.isValid && place.key == "x")
        #expect(place.path.utf8.count <= 2 * (JSONLimits.deepest + 2) && place.path.hasPrefix("$.x.x.x"))
    }

    @Test("Nested missing values take the same time at the end of a large document as at its beginning")
    func missingInsideMissing() throws {
        let count = 300_000
        let json = try JSONEntity(parsing: "[" + repeatElement("{}", count: count).joined(separator: ",") + "]")
        // If every read created a path, this would take 45 billion steps.
        #expect(json.count { $0["a"]["b"].string("no") == "no" } == count)
        #expect(json[count - 1]["a"]["b"].path == "$[299999].a.b")
    }

    @Test("Paths and positions in a large document are correct, and found without a search of the whole document")
    func everyPlace() throws {
        let count = 100_000
        let json = try JSONEntity(
            parsing: "[" + (0..<count).map { "{\"n\": [\($0)]}" }.joined(separator: ",\n") + "]")
        var wrong = 0
        for (number, value) in json.enumerated() {
            let place = value["n"][0]
            let column = number == 0 ? 9 : 8
            if place.path != "$[\(number)].n[0]" { wrong += 1 }
            if place.position?.line != number + 1 || place.position?.column != column { wrong += 1 }
        }
        #expect(wrong == 0)
        let object = try JSONEntity(
            parsing: "{" + (0..<100).map { "\"k\($0)\": {\"v\": [\($0)]}" }.joined(separator: ",") + "}")
        #expect(object.map { $0["v"][0].path } == (0..<100).map { "$.k\($0).v[0]" })
    }

    @Test("Equality takes linear time with duplicate keys at every level")
    func repeatedKeysInside() throws {
        // Compared member by member, each level would double the work: 2 to the power of 500.
        let text = String(repeating: #"{"a":1,"a":"#, count: 500) + "0" + String(repeating: "}", count: 500)
        let (left, right) = (try JSONEntity(parsing: text), try JSONEntity(parsing: text))
        #expect(left == right && left.hashValue == right.hashValue)
        #expect(left != (try JSONEntity(parsing: text.replacing(":0", with: ":2"))))
    }

    // MARK: Values created in code

    private func nested(_ depth: Int, in wrap: (JSONEntity) -> JSONEntity) -> JSONEntity {
        (0..<depth).reduce(1) { value, _ in wrap(value) }
    }

    @Test("Values created in code can be as deep as a document; deeper ones are impossible and never trap")
    func depth() throws {
        let wraps: [(JSONEntity) -> JSONEntity] = [
            { [$0] }, { JSONEntity(array: [$0]) }, { ["k": $0] }, { JSONEntity(object: [("k", $0)]) },
            { JSONEntity(object: ["k": $0]) },
        ]
        for wrap in wraps {
            let deepest = nested(JSONLimits.deepest, in: wrap)
            #expect(deepest.isValid && !deepest.isImpossible)
            #expect(try JSONEntity(parsing: deepest.bytes(), limits: JSONLimits(depth: .max)) == deepest)
            let deeper = wrap(deepest)
            #expect(deeper.isImpossible && !deeper.isValid && !deeper.isNull)
            let outer = JSONEntity(array: [1, wrap(wrap(deeper))])
            #expect(outer.isImpossible, "an impossible value does not become null")
            #expect(JSONEntity("key", deeper).isImpossible && outer["x"][0].isImpossible)
            #expect("\(deeper)" == "impossible JSON: too deep, too large or not a number")
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(deeper) }
        }
        #expect(JSONEntity(floatLiteral: .infinity).isImpossible && JSONEntity(floatLiteral: .nan).isImpossible)
        #expect(!JSONEntity.missing.isImpossible && !JSONEntity.null.isImpossible)
    }

    @Test("A request body has the value unchanged; a missing value fails when it is sent")
    func body() throws {
        let text = #"{"z":18446744073709551617,"a":1.10,"u":18446744073709551615}"#
        #expect(RequestBody.json(try JSONEntity(parsing: text)).inMemory == Array(text.utf8))
        for value in [JSONEntity.missing, JSONEntity(floatLiteral: .nan)] {
            let error = #expect(throws: NetworkError.self) { try RequestBody.json(value).makeReader() }
            #expect(error?.code == .encodingFailed && error?.message.hasPrefix("expected a JSON value") == true)
        }
    }

    @Test("Other encoders receive every integer exactly, and no number becomes null")
    func encoding() throws {
        let json = try JSONEntity(parsing: "[18446744073709551615, -1, 1.5]")
        let data = try JSONEncoder().encode(json)
        #expect(String(decoding: data, as: UTF8.self) == "[18446744073709551615,-1,1.5]")
        #expect(try JSONDecoder().decode(JSONEntity.self, from: data) == json)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONEntity(parsing: "[1e999]")) }
    }

    @Test("Removing nulls applies to the last of duplicate keys and preserves the key of the value")
    func withoutNulls() throws {
        let json = try JSONEntity(parsing: #"{"o": {"a": 1, "a": null, "b": null, "b": 2, "c": [null, [null]]}}"#)
        #expect(json["o"].withoutNulls() == ["b": 2, "c": [[]]])
        #expect(json["o"].withoutNulls().key == "o")
        let deep = String(repeating: #"{"x":null,"a":["#, count: 250) + String(repeating: "]}", count: 250)
        #expect(
            try JSONEntity(parsing: deep).withoutNulls().text() == deep.replacing(#""x":null,"#, with: ""))
    }
}
