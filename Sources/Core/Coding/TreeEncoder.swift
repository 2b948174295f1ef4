/// A value encoded by a ``TreeEncoder``, with the particulars of its declaration.
package final class EncodedValue {
    package enum Content {
        /// The value encoded nothing.
        case empty
        /// An optional without a value.
        case null
        /// A Boolean, a string, a number, or a value of one of the encoder's other scalar types.
        case scalar(any Encodable)
        case array([EncodedValue])
        case object([(key: String, value: EncodedValue)])
    }

    package fileprivate(set) var content: Content = .empty
    /// Whether the keys of the object are those of a dictionary, not the names of properties.
    package fileprivate(set) var isDictionary = false
    /// The declared type, which may encode itself as another one; `Never` if it is unknown.
    package let type: Any.Type
    /// Where the value is; empty for a Boolean, a string or an `Int`, which every format can represent.
    package let codingPath: [any CodingKey]

    fileprivate init(_ type: Any.Type, codingPath: [any CodingKey] = []) {
        self.type = type
        self.codingPath = codingPath
    }

    fileprivate func append(element type: Any.Type) -> EncodedValue {
        var elements: [EncodedValue] = []
        if case .array(let known) = content { elements = known }
        let element = EncodedValue(type, codingPath: codingPath + [TreeKey(index: elements.count)])
        // Emptied first, so that appending doesn't copy the array.
        content = .empty
        elements.append(element)
        content = .array(elements)
        return element
    }

    fileprivate func append(_ key: any CodingKey, _ type: Any.Type) -> EncodedValue {
        let member = EncodedValue(type, codingPath: codingPath + [key])
        append(key, member)
        return member
    }

    fileprivate func append(_ key: any CodingKey, _ member: EncodedValue) {
        var members: [(key: String, value: EncodedValue)] = []
        if case .object(let known) = content { members = known }
        content = .empty
        if members.isEmpty { members.reserveCapacity(8) }
        members.append((key.stringValue, member))
        content = .object(members)
    }
}

/// Encodes types as ``EncodedValue``, in the order of their properties.
package struct TreeEncoder: Encoder {
    /// The forms of values.
    private final class Rules {
        let isScalar: (any Encodable) -> Bool
        let superKey: String?
        /// The first value whose nesting is too deep.
        var tooDeep: EncodedValue?
        /// The number of values that are being encoded, each within the one before.
        var depth = 0

        init(isScalar: @escaping (any Encodable) -> Bool, superKey: String?) {
            self.isScalar = isScalar
            self.superKey = superKey
        }
    }

    /// The maximum number of containers within each other: what can be encoded can also be decoded.
    private static let deepest = TreeDecoder.deepest

    private let value: EncodedValue
    private let rules: Rules

    /// Returns the encoded form of a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isScalar: Whether a value is a scalar other than a Boolean, string or number.
    ///   - superKey: The key of the object of a superclass that encodes itself separately; nil adds its members to those of
    ///     its subclass.
    /// - Returns: The encoded form.
    /// - Throws: The errors of the value's types, and `EncodingError.invalidValue` for a value with more than 100 nested
    ///   containers, such as a list whose elements contain each other.
    package static func encode<Value: Encodable>(
        _ value: Value, isScalar: @escaping (any Encodable) -> Bool = { _ in false }, superKey: String? = nil
    ) throws -> EncodedValue {
        let encoder = TreeEncoder(
            value: EncodedValue(Value.self), rules: Rules(isScalar: isScalar, superKey: superKey))
        try encoder.encode(value)
        if let found = encoder.rules.tooDeep { throw tooDeep(value, found) }
        return encoder.value
    }

    package var codingPath: [any CodingKey] { value.codingPath }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = value.content {} else { value.content = .object([]) }
        noteDepth()
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = value.content {} else { value.content = .array([]) }
        noteDepth()
        return Elements(encoder: self)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private func encode<Value: Encodable>(_ scalarOrOther: Value) throws {
        // Types are compared, because a cast of a value takes many times as long.
        let isPlain =
            Value.self == String.self || Value.self == Bool.self || Value.self == Double.self
            || Value.self == Float.self
        switch scalarOrOther {
        case _ where isPlain, is any FixedWidthInteger: value.content = .scalar(scalarOrOther)
        case let other where rules.isScalar(other): value.content = .scalar(other)
        default:
            // A value that encodes itself as another one adds no container; two for each container are permitted.
            if rules.depth > 2 * Self.deepest { rules.tooDeep = rules.tooDeep ?? value }
            if let found = rules.tooDeep { throw Self.tooDeep(scalarOrOther, found) }
            value.isDictionary = scalarOrOther is any AnyDictionary
            rules.depth += 1
            defer { rules.depth -= 1 }
            try scalarOrOther.encode(to: self)
        }
    }

    private static func tooDeep(_ value: Any, _ found: EncodedValue) -> EncodingError {
        .invalidValue(
            value,
            .init(
                codingPath: Array(found.codingPath.prefix(8)),
                debugDescription: "the value has more than \(deepest) nested containers"))
    }

    /// Notes a container within too many others.
    private func noteDepth() {
        if value.codingPath.count >= Self.deepest { rules.tooDeep = rules.tooDeep ?? value }
    }

    /// The encoder of a value; one that is too deep isn't added, and the encoding fails.
    private func below(_ add: (EncodedValue) -> EncodedValue) -> TreeEncoder {
        guard value.codingPath.count < Self.deepest else {
            rules.tooDeep = rules.tooDeep ?? value
            return TreeEncoder(value: EncodedValue(Never.self, codingPath: value.codingPath), rules: rules)
        }
        return TreeEncoder(value: add(value), rules: rules)
    }

    private func encodeNil() { value.content = .null }

    private func element(_ type: Any.Type = Never.self) -> TreeEncoder {
        below { $0.append(element: type) }
    }

    private func member(_ key: any CodingKey, _ type: Any.Type = Never.self) -> TreeEncoder {
        below { $0.append(key, type) }
    }

    // MARK: Containers

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: TreeEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        /// Adds a scalar that every format can represent, without the casts and the path that others need.
        private func add<Value: Encodable>(_ value: Value, _ key: Key) throws {
            guard encoder.value.codingPath.count < TreeEncoder.deepest else {
                return try encoder.member(key, Value.self).encode(value)
            }
            let member = EncodedValue(Value.self)
            member.content = .scalar(value)
            encoder.value.append(key, member)
        }

        func encodeNil(forKey key: Key) { encoder.member(key).encodeNil() }
        func encode(_ value: Bool, forKey key: Key) throws { try add(value, key) }
        func encode(_ value: String, forKey key: Key) throws { try add(value, key) }
        func encode(_ value: Int, forKey key: Key) throws { try add(value, key) }
        // The standard library's own methods for these two would throw an error.
        func encode(_ value: Int128, forKey key: Key) throws { try encoder.member(key, Int128.self).encode(value) }
        func encode(_ value: UInt128, forKey key: Key) throws { try encoder.member(key, UInt128.self).encode(value) }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try encoder.member(key, Value.self).encode(value)
        }

        private func encodeOptional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
            let member = encoder.member(key, Value.self)
            if let value { try member.encode(value) }
        }

        // Records optional properties, which the standard library would skip if they are nil.
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            try encodeOptional(value, key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.member(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.member(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            encoder.rules.superKey.map { encoder.member(TreeKey($0)) } ?? encoder
        }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: TreeEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { if case .array(let elements) = encoder.value.content { elements.count } else { 0 } }

        func encodeNil() { encoder.element().encodeNil() }
        func encode(_ value: Int128) throws { try encoder.element(Int128.self).encode(value) }
        func encode(_ value: UInt128) throws { try encoder.element(UInt128.self).encode(value) }
        func encode<Value: Encodable>(_ value: Value) throws { try encoder.element(Value.self).encode(value) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder.element().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder.element() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: TreeEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() { encoder.encodeNil() }
        func encode(_ value: Int128) throws { try encoder.encode(value) }
        func encode(_ value: UInt128) throws { try encoder.encode(value) }
        func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
    }
}

private protocol AnyDictionary {}

extension Dictionary: AnyDictionary {}
