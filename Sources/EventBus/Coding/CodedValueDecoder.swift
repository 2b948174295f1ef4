/// Decodes a type from a coded value.
struct CodedValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: CodedValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: CodedValue, _ codingPath: [any CodingKey] = []) {
        (self.value, self.codingPath) = (value, codingPath)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: Any].self, "an object") }
        return KeyedDecodingContainer(Keyed<Key>(members, value, codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch value {
        case .array(let elements): return Unkeyed(elements: elements, codingPath: codingPath)
        case .list(let texts): return Unkeyed(elements: texts.map { .list([$0]) }, codingPath: codingPath)
        default: throw mismatch([Any].self, "an array")
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)"))
    }

    // MARK: Values

    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch value {
        case .bool(let value): return value
        case .list(["true"]): return true
        case .list(["false"]): return false
        default: throw mismatch(type, "true or false")
        }
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.string else { throw mismatch(type, "a string") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double { try number(type, "a finite number") { $0.isFinite } }
    func decode(_ type: Float.Type) throws -> Float { try number(type, "a finite number") { $0.isFinite } }
    func decode(_ type: Int.Type) throws -> Int { try number(type, "an integer") }
    func decode(_ type: Int8.Type) throws -> Int8 { try number(type, "an integer") }
    func decode(_ type: Int16.Type) throws -> Int16 { try number(type, "an integer") }
    func decode(_ type: Int32.Type) throws -> Int32 { try number(type, "an integer") }
    func decode(_ type: Int64.Type) throws -> Int64 { try number(type, "an integer") }
    func decode(_ type: Int128.Type) throws -> Int128 { try number(type, "an integer") }
    func decode(_ type: UInt.Type) throws -> UInt { try number(type, "an integer") }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try number(type, "an integer") }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try number(type, "an integer") }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try number(type, "an integer") }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try number(type, "an integer") }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try number(type, "an integer") }

    private func number<Number: LosslessStringConvertible>(
        _ type: Number.Type, _ expected: String, _ isValid: (Number) -> Bool = { _ in true }
    ) throws -> Number {
        switch value {
        case .number(let text): return try number(text, expected, isValid)
        case .list(let texts) where texts.count == 1: return try number(texts[0], expected, isValid)
        default: throw mismatch(type, expected)
        }
    }

    private func number<Number: LosslessStringConvertible>(
        _ text: String, _ expected: String, _ isValid: (Number) -> Bool
    ) throws -> Number {
        // The initializers of the standard library also accept "+1" and "0x1p3".
        guard text.first != "+", !text.utf8.contains(UInt8(ascii: "x")), let number = Number(text), isValid(number)
        else { throw mismatch(Number.self, "\(expected) that fits \(Number.self)") }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    /// The reason and the path of a decoding error, in one line.
    static func text(of error: any Error) -> String {
        let context: DecodingError.Context
        switch error {
        case DecodingError.keyNotFound(_, let found), DecodingError.typeMismatch(_, let found),
            DecodingError.valueNotFound(_, let found), DecodingError.dataCorrupted(let found):
            context = found
        default: return "\(error)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return "\(context.debugDescription) at $\(path)"
    }

    // MARK: Containers

    /// The position of an element, as a coding key.
    private struct IndexKey: CodingKey {
        let index: Int
        var intValue: Int? { index }
        var stringValue: String { "Index \(index)" }
        init(_ index: Int) { self.index = index }
        init?(intValue: Int) { index = intValue }
        init?(stringValue: String) { nil }
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        private let members: [(key: String, value: CodedValue)]
        private let value: CodedValue
        let codingPath: [any CodingKey]
        /// The members of a large object by key.
        private var index: [ByteText: CodedValue]?

        init(_ members: [(key: String, value: CodedValue)], _ value: CodedValue, _ codingPath: [any CodingKey]) {
            (self.members, self.value, self.codingPath) = (members, value, codingPath)
            guard members.count > 16 else { return }
            index = Dictionary(members.map { (ByteText($0.key), $0.value) }) { $1 }
        }

        var allKeys: [Key] {
            var seen: Set<ByteText> = []
            return members.compactMap { seen.insert(ByteText($0.key)).inserted ? Key(stringValue: $0.key) : nil }
        }

        private func find(_ key: String) -> CodedValue? { index.map { $0[ByteText(key)] } ?? value[key] }

        private func decoder(_ key: any CodingKey) throws -> CodedValueDecoder {
            guard let member = find(key.stringValue) else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: codingPath, debugDescription: "no value under '\(key.stringValue)'"))
            }
            return CodedValueDecoder(member, codingPath + [key])
        }

        func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).decode(type) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).decode(type) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).decode(type) }
        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).decode(type) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).decode(type) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).decode(type) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).decode(type) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).decode(type) }
        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder(key).decode(type) }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder(key).decode(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try decoder(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { CodedValueDecoder(value["super"] ?? .null, codingPath) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let elements: [CodedValue]
        let codingPath: [any CodingKey]
        private(set) var currentIndex = 0

        init(elements: [CodedValue], codingPath: [any CodingKey]) {
            (self.elements, self.codingPath) = (elements, codingPath)
        }

        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        /// Reads the next element and advances only if that succeeds, as the protocol requires.
        private mutating func take<Result>(_ read: (CodedValueDecoder) throws -> Result) throws -> Result {
            let path = codingPath + [IndexKey(currentIndex)]
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    Result.self,
                    .init(codingPath: path, debugDescription: "expected an element, found the end of the array"))
            }
            let result = try read(CodedValueDecoder(elements[currentIndex], path))
            currentIndex += 1
            return result
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, elements[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.decode(type) } }
        mutating func decode(_ type: String.Type) throws -> String { try take { try $0.decode(type) } }
        mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.decode(type) } }
        mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.decode(type) } }
        mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.decode(type) } }
        mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.decode(type) } }
        mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.decode(type) } }
        mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.decode(type) } }
        mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.decode(type) } }
        mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take { try $0.decode(type) } }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try take { try $0.decode(type) } }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try take { try $0.container(keyedBy: type) }
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try take { try $0.unkeyedContainer() }
        }

        mutating func superDecoder() throws -> any Decoder { try take { $0 } }
    }
}
