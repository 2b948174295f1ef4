import AshlarCore
import Testing

/// The form that ``TreeEncoder`` makes of a value, as a tree to decode.
private final class EncodedTree: DecodableTree {
    private struct Node {
        let content: EncodedValue.Content
        let path: [any CodingKey]
        var children: [(key: String, node: Int)] = []
    }

    private var nodes: [Node] = []

    init(_ root: EncodedValue) { _ = add(root, []) }

    private func add(_ value: EncodedValue, _ path: [any CodingKey]) -> Int {
        let number = nodes.count
        nodes.append(Node(content: value.content, path: path))
        switch value.content {
        case .array(let elements):
            nodes[number].children = elements.enumerated().map { ("", add($1, path + [TreeKey(index: $0)])) }
        case .object(let members):
            nodes[number].children = members.map { ($0.key, add($0.value, path + [TreeKey($0.key)])) }
        case .empty, .null, .scalar: break
        }
        return number
    }

    func codingPath(to value: Int) -> [any CodingKey] { nodes[value].path }

    func isNull(_ value: Int) -> Bool {
        switch nodes[value].content {
        case .empty, .null: true
        default: false
        }
    }

    private func scalar<T>(_ type: T.Type, _ value: Int) throws -> T {
        if case .scalar(let scalar) = nodes[value].content, let result = scalar as? T { return result }
        throw mismatch(type, expected: "\(type)", found: "another value", at: value)
    }

    func bool(_ value: Int) throws -> Bool { try scalar(Bool.self, value) }
    func string(_ value: Int) throws -> String { try scalar(String.self, value) }
    func double(_ value: Int) throws -> Double { try scalar(Double.self, value) }
    func float(_ value: Int) throws -> Float { try scalar(Float.self, value) }
    func integer<I: FixedWidthInteger>(_ type: I.Type, _ value: Int) throws -> I { try scalar(type, value) }
    func special<T>(_ type: T.Type, _ value: Int) throws -> T? { nil }

    func checkObject(_ value: Int) throws {
        if case .object = nodes[value].content { return }
        throw mismatch([String: Any].self, expected: "an object", found: "another value", at: value)
    }

    func keys(of object: Int) -> [String] { nodes[object].children.map(\.key) }
    func member(_ key: String, of object: Int) -> Int? { nodes[object].children.last { $0.key == key }?.node }

    func firstElement(of array: Int) throws -> Int? {
        if case .array = nodes[array].content { return nodes[array].children.first?.node }
        throw mismatch([Any].self, expected: "an array", found: "another value", at: array)
    }

    func element(after element: Int, of array: Int) -> Int? {
        nodes[array].children.first { $0.node > element }?.node
    }

    func count(of array: Int) -> Int { nodes[array].children.count }
}

private func makeDecoder(_ value: some Encodable, superKey: String? = "super") throws -> TreeDecoder {
    TreeDecoder(EncodedTree(try TreeEncoder.encode(value, superKey: superKey)), at: 0)
}

@Suite struct TreeDecoderTests {
    private struct Scalars: Codable, Hashable {
        var bool = true
        var string = "s"
        var double = 1.5
        var float: Float = 2.5
        var int = -1
        var int8: Int8 = -8
        var int16: Int16 = -16
        var int32: Int32 = -32
        var int64: Int64 = -64
        var int128: Int128 = -128
        var uint: UInt = 1
        var uint8: UInt8 = 8
        var uint16: UInt16 = 16
        var uint32: UInt32 = 32
        var uint64: UInt64 = 64
        var uint128: UInt128 = 128
    }

    private struct Optionals: Codable, Hashable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var scalars: Scalars?
    }

    private struct Nested: Codable, Hashable {
        var scalars = Scalars()
        var optionals = [
            Optionals(),
            Optionals(
                bool: false, string: "", double: 0, float: 0, int: 0, int8: 0, int16: 0, int32: 0, int64: 0, uint: 0,
                uint8: 0, uint16: 0, uint32: 0, uint64: 0, scalars: Scalars()),
        ]
        var lists: [String: [[Int?]]] = ["a": [[1, nil, 3], []], "b": []]
        var elements: [[Bool]] = [[true], []]
        var numbers: [[Double]] = [[1.5, 2.5]]
        var signed: [Int128] = [.min, 1]
        var unsigned: [UInt128?] = [.max, nil]
    }

    @Test("A value of every kind decodes from the form in which it was encoded")
    func roundTrip() throws {
        #expect(try Nested(from: makeDecoder(Nested())) == Nested())
    }

    private class Base: Codable {
        var name = "base"
        init() {}
    }

    private final class Derived: Base {
        private enum CodingKeys: String, CodingKey { case number }
        var number = 7

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try container.decode(Int.self, forKey: .number)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("A superclass has an object of its own, or adds its members to those of its subclass")
    func superclass() throws {
        let value = Derived()
        (value.name, value.number) = ("changed", 8)
        let decoded = try Derived(from: makeDecoder(value))
        #expect(decoded.name == "changed" && decoded.number == 8)
        guard case .object(let members) = try TreeEncoder.encode(value).content else {
            Issue.record("a class is encoded as an object")
            return
        }
        #expect(members.map(\.key) == ["number", "name"])
        let error = #expect(throws: DecodingError.self) { try Derived(from: makeDecoder(value, superKey: nil)) }
        #expect(error.map(describe) == "key super not found in : no value under 'super'")
    }

    // MARK: Errors

    private func describe(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".") + ": " + context.debugDescription
        }
        return switch error {
        case .keyNotFound(let key, let context): "key \(key.stringValue) not found in \(place(context))"
        case .valueNotFound(let type, let context): "\(type) not found at \(place(context))"
        case .typeMismatch(let type, let context): "no \(type) at \(place(context))"
        case .dataCorrupted(let context): "corrupted \(place(context))"
        @unknown default: "unknown"
        }
    }

    @Test("An error names the missing key, the value that is null, and the value of another type, with their paths")
    func errors() {
        struct Names: Codable { var names: [String] }
        let empty = #expect(throws: DecodingError.self) { try Names(from: makeDecoder([String: Int]())) }
        #expect(empty.map(describe) == "key names not found in : no value under 'names'")
        let null = #expect(throws: DecodingError.self) { try Names(from: makeDecoder(["names": ["a", nil]])) }
        #expect(null.map(describe) == "String not found at names.Index 1: expected String, found another value")
        let other = #expect(throws: DecodingError.self) { try Names(from: makeDecoder(["names": [1]])) }
        #expect(other.map(describe) == "no String at names.Index 0: expected String, found another value")
        let array = #expect(throws: DecodingError.self) { try Names(from: makeDecoder([1])) }
        #expect(array.map(describe) == "no Dictionary<String, Any> at : expected an object, found another value")
    }

    /// Arrays or objects within each other.
    private struct Deep: Codable {
        var objects: Int
        init(_ objects: Int) { self.objects = objects }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: TreeKey.self)
            let inner = container.contains(TreeKey("k")) ? try container.decode(Deep.self, forKey: TreeKey("k")) : nil
            objects = 1 + (inner?.objects ?? 0)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: TreeKey.self)
            if objects > 1 { try container.encode(Deep(objects - 1), forKey: TreeKey("k")) }
        }
    }

    @Test("A value has at most a hundred containers within each other")
    func depth() throws {
        let tree = EncodedTree(try TreeEncoder.encode(Deep(TreeDecoder.deepest)))
        #expect(try Deep(from: TreeDecoder(tree, at: 0)).objects == TreeDecoder.deepest)
        // Elements of an array of its own, so that the outer containers count.
        struct Wrapped: Decodable {
            init(from decoder: any Decoder) throws {
                var decoder = decoder
                for _ in 0...TreeDecoder.deepest {
                    var elements = try decoder.unkeyedContainer()
                    decoder = try elements.superDecoder()
                }
            }
        }
        let error = #expect(throws: DecodingError.self) { try Wrapped(from: TreeDecoder(Endless(), at: 0)) }
        #expect(error.map(describe) == "corrupted : more than 100 containers within each other")
    }

    /// An array that contains itself.
    private final class Endless: DecodableTree {
        func codingPath(to value: Int) -> [any CodingKey] { [] }
        func isNull(_ value: Int) -> Bool { false }
        func bool(_ value: Int) throws -> Bool { throw missing(index: 0, in: value) }
        func string(_ value: Int) throws -> String { throw missing(index: 0, in: value) }
        func double(_ value: Int) throws -> Double { throw missing(index: 0, in: value) }
        func float(_ value: Int) throws -> Float { throw missing(index: 0, in: value) }
        func integer<I: FixedWidthInteger>(_ type: I.Type, _ value: Int) throws -> I {
            throw missing(index: 0, in: value)
        }
        func special<T>(_ type: T.Type, _ value: Int) throws -> T? { nil }
        func checkObject(_ value: Int) throws {}
        func keys(of object: Int) -> [String] { [] }
        func member(_ key: String, of object: Int) -> Int? { nil }
        func firstElement(of array: Int) throws -> Int? { array }
        func element(after element: Int, of array: Int) -> Int? { nil }
        func count(of array: Int) -> Int { 1 }
    }

    // MARK: Containers

    @Test("An array is decoded element by element, and a failed element can be decoded as another type")
    func elements() throws {
        let decoder = try makeDecoder([1, nil, 3])
        var elements = try decoder.unkeyedContainer()
        #expect(elements.count == 3 && elements.currentIndex == 0 && !elements.isAtEnd)
        #expect(throws: DecodingError.self) { try elements.decode(String.self) }
        #expect(try elements.currentIndex == 0 && !elements.decodeNil() && elements.currentIndex == 0)
        #expect(try elements.decode(Int.self) == 1 && elements.currentIndex == 1)
        #expect(try elements.decodeNil() && elements.currentIndex == 2)
        let last = try elements.superDecoder()
        #expect(last.codingPath.map(\.intValue) == [2])
        #expect(try last.singleValueContainer().decode(Int.self) == 3)
        #expect(elements.isAtEnd && elements.currentIndex == 3)
        let error = #expect(throws: DecodingError.self) { try elements.decode(Int.self) }
        #expect(error.map(describe) == "Any not found at Index 3: expected an element, found the end of the array")
        #expect(throws: DecodingError.self) { try elements.decodeNil() }
    }

    @Test("Containers are decoded within each other, with their paths")
    func nested() throws {
        let decoder = try makeDecoder(["a": [["b": [4]]]])
        let outer = try decoder.container(keyedBy: TreeKey.self)
        #expect(outer.allKeys.map(\.stringValue) == ["a"])
        #expect(outer.contains(TreeKey("a")) && !outer.contains(TreeKey("b")))
        #expect(try !outer.decodeNil(forKey: TreeKey("a")))
        var list = try outer.nestedUnkeyedContainer(forKey: TreeKey("a"))
        #expect(list.codingPath.map(\.stringValue) == ["a"])
        let inner = try list.nestedContainer(keyedBy: TreeKey.self)
        #expect(inner.codingPath.map(\.stringValue) == ["a", "Index 0"])
        let numbers = try inner.superDecoder(forKey: TreeKey("b"))
        #expect(numbers.codingPath.map(\.stringValue) == ["a", "Index 0", "b"])
        var four = try numbers.unkeyedContainer()
        #expect(try four.decode(Int.self) == 4)
        var lists = try makeDecoder([[[5]]]).unkeyedContainer()
        var first = try lists.nestedUnkeyedContainer()
        var second = try first.nestedUnkeyedContainer()
        #expect(try second.decode(Int.self) == 5)
        let object = try makeDecoder(["x": ["y": 6]]).container(keyedBy: TreeKey.self)
        let member = try object.nestedContainer(keyedBy: TreeKey.self, forKey: TreeKey("x"))
        #expect(try member.decode(Int.self, forKey: TreeKey("y")) == 6)
    }

    @Test("An optional property without a value is recorded, and a dictionary is told from a type with properties")
    func particulars() throws {
        guard case .object(let members) = try TreeEncoder.encode(Optionals(int: 1)).content else {
            Issue.record("a type with properties is encoded as an object")
            return
        }
        #expect(members.count == 15)
        for member in members where member.key != "int" {
            guard case .empty = member.value.content else {
                Issue.record("\(member.key) has a value")
                continue
            }
        }
        #expect(try TreeEncoder.encode(["a": 1]).isDictionary)
        #expect(try !TreeEncoder.encode(Scalars()).isDictionary && !TreeEncoder.encode([1]).isDictionary)
    }
}
