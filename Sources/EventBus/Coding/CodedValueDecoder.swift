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
        case .converted(_, let text): return Unkeyed(elements: [.list([text])], codingPath: codingPath)
        default: throw mismatch([Any].self, "an array")
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)"))
    }

    // MARK: Values

    func decodeNil() -> Bool { value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // A parameter of a route may have been converted to this type during the match.
        if case .converted(let converted, _) = value, let converted = converted as? Value { return converted }
        if let scalar = try scalar(type) as? Value { return scalar }
        return try Value(from: self)
    }

    /// Returns a string, a number or a Boolean; nil if the type isn't one of these and decodes itself.
    private func scalar(_ type: Any.Type) throws -> Any? {
        switch type {
        case is Bool.Type:
            if case .bool(let value) = value { return value }
            guard let value = value.text.flatMap({ Bool($0) }) else { throw mismatch(type, "true or false") }
            return value
        case is String.Type:
            guard let text = value.string else { throw mismatch(type, "a string") }
            return text
        case is Double.Type: return try number(Double.self, "a finite number") { $0.isFinite }
        case is Float.Type: return try number(Float.self, "a finite number") { $0.isFinite }
        case let type as any FixedWidthInteger.Type: return try number(type, "an integer")
        default: return nil
        }
    }

    private func number<Number: LosslessStringConvertible>(
        _ type: Number.Type, _ expected: String, _ isValid: (Number) -> Bool = { _ in true }
    ) throws -> Number {
        var text = value.text
        if case .number(let written) = value { text = written }
        guard let text else { throw mismatch(type, expected) }
        // The initializers of the standard library also accept "+1" and "0x1p3".
        guard text.first != "+", !text.utf8.contains(UInt8(ascii: "x")), let number = Number(text), isValid(number)
        else { throw mismatch(type, "\(expected) that fits \(type)") }
        return number
    }

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
            guard !isAtEnd, elements[currentIndex].isNull else { return false }
            currentIndex += 1
            return true
        }

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
