/// Encodes a value as a coded value.
struct CodedValueEncoder: Encoder {
    /// A position in the encoded value, which is filled while the encoders exist.
    final class Node {
        enum Content {
            case none
            case scalar(CodedValue)
            case array([Node])
            case object([(key: String, node: Node)])
        }
        var content = Content.none

        var value: CodedValue {
            switch content {
            // As in the standard library's encoders, a value that encodes nothing is an empty object.
            case .none: .object([])
            case .scalar(let value): value
            case .array(let nodes): .array(nodes.map(\.value))
            case .object(let members): .object(members.map { ($0.key, $0.node.value) })
            }
        }

        func element() -> Node {
            let node = Node()
            var nodes: [Node] = []
            if case .array(let known) = content { nodes = known }
            // Set first, so that appending doesn't copy the array.
            content = .none
            nodes.append(node)
            content = .array(nodes)
            return node
        }

        func member(_ key: String) -> Node {
            let node = Node()
            var members: [(key: String, node: Node)] = []
            if case .object(let known) = content { members = known }
            content = .none
            members.append((key, node))
            content = .object(members)
            return node
        }
    }

    let node: Node
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns the coded form of a value.
    static func encode(_ value: some Encodable) throws -> CodedValue {
        let encoder = CodedValueEncoder(node: Node(), codingPath: [])
        try encoder.encodeAny(value)
        return encoder.node.value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([]) }
        return KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    fileprivate func encodeAny(_ value: some Encodable) throws {
        switch value {
        case let value as Bool: node.content = .scalar(.bool(value))
        case let value as String: node.content = .scalar(.string(value))
        case let value as Double: try encode(float: value)
        case let value as Float: try encode(float: value)
        case let value as any FixedWidthInteger: node.content = .scalar(.number("\(value)"))
        default: try value.encode(to: self)
        }
    }

    private func encode(float value: some BinaryFloatingPoint & CustomStringConvertible) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: codingPath, debugDescription: "expected a finite number, found \(value)"))
        }
        node.content = .scalar(.number(value.description))
    }

    fileprivate func at(_ key: any CodingKey) -> CodedValueEncoder {
        CodedValueEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    fileprivate func next() -> CodedValueEncoder { CodedValueEncoder(node: node.element(), codingPath: codingPath) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: CodedValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) { encoder.at(key).node.content = .scalar(.null) }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.at(key).encodeAny(value) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.at(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.at(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            CodedValueEncoder(node: encoder.node.member("super"), codingPath: codingPath)
        }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.at(key) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: CodedValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { if case .array(let nodes) = encoder.node.content { nodes.count } else { 0 } }

        func encodeNil() { encoder.next().node.content = .scalar(.null) }
        func encode<Value: Encodable>(_ value: Value) throws { try encoder.next().encodeAny(value) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder.next().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.next().unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder.next() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: CodedValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() { encoder.node.content = .scalar(.null) }
        func encode<Value: Encodable>(_ value: Value) throws { try encoder.encodeAny(value) }
    }
}
