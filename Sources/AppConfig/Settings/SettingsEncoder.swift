#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One value of encoded settings, with its declared type.
final class SettingsNode {
    enum Contents {
        /// No value, for an optional that is `nil`.
        case nothing
        case scalar(ConfigValue)
        case array([SettingsNode])
        case dictionary([(key: String, node: SettingsNode)])
    }

    var contents = Contents.nothing
    var type: Any.Type
    var isOptional = false
    let codingPath: [any CodingKey]

    init(type: Any.Type, codingPath: [any CodingKey]) { (self.type, self.codingPath) = (type, codingPath) }

    /// The value without the parts that are `nil`.
    var value: ConfigValue? {
        switch contents {
        case .nothing: nil
        case .scalar(let value): value
        case .array(let nodes): .array(nodes.map { $0.value ?? .null })
        case .dictionary(let entries):
            .dictionary(
                Dictionary(entries.compactMap { entry in entry.node.value.map { (entry.key, $0) } }) { $1 })
        }
    }

    /// The entries of a dictionary; the setter makes the node a dictionary.
    var entries: [(key: String, node: SettingsNode)] {
        get { if case .dictionary(let entries) = contents { entries } else { [] } }
        set { contents = .dictionary(newValue) }
    }

    var elements: [SettingsNode] {
        get { if case .array(let elements) = contents { elements } else { [] } }
        set { contents = .array(newValue) }
    }

    /// Encodes a value into the node.
    func encode<Value: Encodable>(_ value: Value) throws {
        type = Value.self
        switch value {
        case let value as ConfigValue: contents = .scalar(value)
        case let date as Date: contents = .scalar(.date(date))
        case let data as Data: contents = .scalar(.data(data))
        case let url as URL: contents = .scalar(.string(url.absoluteString))
        case let duration as Duration:
            let (seconds, rest) = duration.components
            contents = .scalar(rest == 0 ? .integer(seconds) : .real(Double(seconds) + Double(rest) / 1e18))
        default: try value.encode(to: SettingsEncoder(node: self))
        }
    }
}

/// Encodes settings into nodes.
struct SettingsEncoder: Encoder {
    let node: SettingsNode

    var codingPath: [any CodingKey] { node.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.entries = node.entries
        return KeyedEncodingContainer(Keyed<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.elements = node.elements
        return Unkeyed(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: SettingsNode
        var codingPath: [any CodingKey] { node.codingPath }

        private func child(_ key: any CodingKey, _ type: Any.Type) -> SettingsNode {
            let child = SettingsNode(type: type, codingPath: codingPath + [key])
            node.entries.append((key.stringValue, child))
            return child
        }

        func encodeNil(forKey key: Key) { child(key, Never.self).isOptional = true }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try child(key, Value.self).encode(value)
        }

        private func encodeOptional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
            let child = child(key, Value.self)
            child.isOptional = true
            if let value { try child.encode(value) }
        }

        // Encodes optional properties, which the standard library would skip if they are nil.
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            try encodeOptional(value, key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            SettingsEncoder(node: child(key, Never.self)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            SettingsEncoder(node: child(key, Never.self)).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { SettingsEncoder(node: node) }
        func superEncoder(forKey key: Key) -> any Encoder { SettingsEncoder(node: child(key, Never.self)) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let node: SettingsNode
        var codingPath: [any CodingKey] { node.codingPath }
        var count: Int { node.elements.count }

        private func child(_ type: Any.Type) -> SettingsNode {
            let child = SettingsNode(type: type, codingPath: codingPath)
            node.elements.append(child)
            return child
        }

        func encodeNil() { child(Never.self).contents = .scalar(.null) }
        func encode<Value: Encodable>(_ value: Value) throws { try child(Value.self).encode(value) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            SettingsEncoder(node: child(Never.self)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            SettingsEncoder(node: child(Never.self)).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { SettingsEncoder(node: child(Never.self)) }
    }

    private struct Single: SingleValueEncodingContainer {
        let node: SettingsNode
        var codingPath: [any CodingKey] { node.codingPath }

        private func set(_ value: ConfigValue) { node.contents = .scalar(value) }

        func encodeNil() { node.isOptional = true }
        func encode(_ value: Bool) { set(.boolean(value)) }
        func encode(_ value: String) { set(.string(value)) }
        func encode(_ value: Double) { set(.real(value)) }
        func encode(_ value: Float) { set(.real(Double("\(value)") ?? Double(value))) }
        func encode(_ value: Int) { set(.integer(Int64(value))) }
        func encode(_ value: Int8) { set(.integer(Int64(value))) }
        func encode(_ value: Int16) { set(.integer(Int64(value))) }
        func encode(_ value: Int32) { set(.integer(Int64(value))) }
        func encode(_ value: Int64) { set(.integer(value)) }
        func encode(_ value: UInt) { encode(UInt64(value)) }
        func encode(_ value: UInt8) { set(.integer(Int64(value))) }
        func encode(_ value: UInt16) { set(.integer(Int64(value))) }
        func encode(_ value: UInt32) { set(.integer(Int64(value))) }
        func encode(_ value: UInt64) { set(Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)) }
        func encode<Value: Encodable>(_ value: Value) throws {
            let type = node.type
            try node.encode(value)
            // A type that encodes itself as another type retains its own name.
            node.type = type
        }
    }
}
