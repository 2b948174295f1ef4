import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// The JSON of encodable values.
@Suite(.timeLimit(.minutes(2))) struct JSONEncodingTests {
    private class Base: Codable {
        var id = 1
    }

    private final class Derived: Base {
        var name = "n"

        private enum Key: CodingKey { case name }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            try super.init(from: container.superDecoder())
            name = try container.decode(String.self, forKey: .name)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            try super.encode(to: container.superEncoder())
        }
    }

    private struct Everything: Codable {
        enum Choice: Codable {
            case none
            case one(Int)
            case named(first: String, second: [Double])
        }
        struct Empty: Codable {}

        var flag = true
        var text = "quote \" slash / \\ line\n\u{1}\u{7F}é😀"
        var numbers: [Int] = [.min, -1, 0, .max]
        var wide: UInt64 = .max
        var small: Int8 = -128
        var doubles: [Double] = [0, -0.5, 1e300, .leastNonzeroMagnitude, 1.0, 123_456_789.123]
        var float: Float = 0.1
        var none: String?
        var some: String? = "x"
        var list: [Int?] = [1, nil, 3]
        var dictionary = ["key": ["a": 1.5]]
        var byNumber = [3: "three"]
        var date = Date(timeIntervalSinceReferenceDate: 0.25)
        var data = Data([0, 1, 254, 255])
        var url = URL(string: "https://h.example/a?b=c")
        var choices: [Choice] = [.none, .one(1), .named(first: "f", second: [])]
        var empty = Empty()
        var nothing: [Int] = []
    }

    @Test("A value has the same JSON as with Foundation's encoder, and decodes to itself")
    func sameAsFoundation() throws {
        let data = try JSONEncoder().encode(Everything())
        let ours = try JSONEntity(encoding: Everything(), format: JSONFormat(dates: .secondsSince2001))
        #expect(try ours == JSONEntity(parsing: data))
        let again = try ours.decode(Everything.self)
        #expect(try JSONEntity(encoding: again, format: JSONFormat(dates: .secondsSince2001)) == ours)
    }

    @Test("Members have the order of the properties, and a class that encodes its superclass separately decodes")
    func order() throws {
        #expect(try JSONEntity(encoding: Everything()).keys.prefix(3) == ["flag", "text", "numbers"])
        let json = try JSONEntity(encoding: Derived())
        #expect(json.text() == #"{"name":"n","super":{"id":1}}"#)
        #expect(try json.decode(Derived.self).id == 1)
    }

    @Test("A JSON entity within a value is written as it is, and an impossible one is an error")
    func entities() throws {
        let text = #"{"z":1.50,"a":12345678901234567890123}"#
        let json = try JSONEntity(encoding: ["value": JSONEntity(parsing: text)])
        #expect(json.text() == "{\"value\":\(text)}")
        let deep = (0..<1100).reduce(JSONEntity(1)) { entity, _ in JSONEntity(array: [entity]) }
        let error = #expect(throws: NetworkError.self) { try JSONEntity(encoding: ["value": deep]) }
        #expect(error?.code == .encodingFailed && error?.message.contains("$.value") == true)
    }

    /// A list of lists.
    private struct Nested: Encodable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 1 { try container.encode(Nested(depth: depth - 1)) }
        }
    }

    @Test("A value of 100 containers is encoded, and a deeper one is an error that names the limit")
    func depth() throws {
        for depth in [1, 99, 100] {
            let json = try JSONEntity(encoding: Nested(depth: depth))
            #expect(json.text() == String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        for depth in [101, 511] {
            let error = #expect(throws: NetworkError.self) { try JSONEntity(encoding: Nested(depth: depth)) }
            #expect(error?.code == .encodingFailed)
            #expect(error?.message.hasSuffix("the value has more than 100 nested containers") == true)
        }
    }

    #if os(Linux) || os(macOS)
        @Test("A value of 10,000 containers doesn't exhaust the stack of a task")
        func stack() async {
            await #expect(processExitsWith: .success) {
                let code = await Task.detached {
                    let client = NetworkClient(transport: StubTransport { _ in .status(200) })
                    do throws(NetworkError) {
                        try await client.post("https://h.example", Nested(depth: 10_000))
                        return "none"
                    } catch {
                        return error.code.rawValue
                    }
                }.value
                precondition(code == "encodingFailed", code)
            }
        }
    #endif

    @Test("Numbers that JSON can't represent are errors with their path", arguments: [Double.infinity, .nan])
    func numbers(number: Double) throws {
        for value in [["a": [1, number]]] {
            let error = #expect(throws: NetworkError.self) { try JSONEntity(encoding: value) }
            #expect(error?.code == .encodingFailed && error?.message.hasPrefix("at $.a[1]: ") == true)
        }
        let body = RequestBody.json(["a": Float(number)])
        #expect(throws: NetworkError.self) { try body.makeReader() }
    }

    private struct Stamp: Codable {
        var takenAt = Date(timeIntervalSince1970: 1)
    }

    @Test("A body has the format of the client that sends it, unless it has its own")
    func bodies() async throws {
        let stub = StubTransport { _ in .status(200) }
        var configuration = ClientConfiguration()
        configuration.json = JSONFormat(dates: .secondsSince1970, keys: .snakeCase)
        let client = NetworkClient(configuration, transport: stub)
        let standard = #"{"takenAt":"1970-01-01T00:00:01Z"}"#
        #expect(RequestBody.json(Stamp()).inMemory == Array(standard.utf8))
        for body in [RequestBody.json(Stamp()), .json(Stamp(), format: JSONFormat())] {
            _ = try await client.send(NetworkRequest(.post, "https://h/", body: body))
        }
        let sent = stub.requests.map { String(decoding: $0.body.inMemory ?? [], as: UTF8.self) }
        #expect(sent == [#"{"taken_at":1}"#, standard])
        #expect(stub.requests.allSatisfy { $0.body.length == $0.body.inMemory?.count })
    }

    @Test("A date that only the client's format can represent is sent")
    func farDate() async throws {
        let stub = StubTransport { _ in .status(200) }
        var configuration = ClientConfiguration()
        configuration.json = JSONFormat(dates: .secondsSince2001)
        let client = NetworkClient(configuration, transport: stub)
        let body = RequestBody.json([Date(timeIntervalSinceReferenceDate: 1e13)])
        #expect(throws: NetworkError.self) { try body.makeReader() }
        _ = try await client.send(NetworkRequest(.post, "https://h/", body: body))
        let sent = try JSONEntity(parsing: stub.requests.first?.body.inMemory ?? [])
        #expect(sent[0].double() == 1e13)
    }
}
