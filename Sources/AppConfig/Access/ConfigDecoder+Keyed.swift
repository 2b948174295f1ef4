extension ConfigDecoder {
    /// The entries of a dictionary, by key.
    ///
    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let entries: ConfigEntries

        private var decoder: ConfigDecoder { entries.decoder }

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            let tree = decoder.tree
            return tree.children(of: decoder.node).compactMap { Key(stringValue: tree.key(of: $0)) }
        }

        private func decoder(_ key: Key) throws -> ConfigDecoder { decoder.at(try entries.node(key.stringValue)) }

        func contains(_ key: Key) -> Bool { entries.find(key.stringValue) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { try entries.isNull(key.stringValue) }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try entries.bool(key.stringValue) }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try entries.string(key.stringValue) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try entries.double(key.stringValue) }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).convert() }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try entries.integer(key.stringValue) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try entries.integer(key.stringValue) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try entries.integer(key.stringValue) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try entries.integer(key.stringValue) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try entries.integer(key.stringValue) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try entries.integer(key.stringValue) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try entries.integer(key.stringValue) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try entries.integer(key.stringValue) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try entries.integer(key.stringValue) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try entries.integer(key.stringValue) }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try decoder(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder {
            let tree = decoder.tree
            guard let node = tree.child(of: decoder.node, key: "super") else { return decoder }
            return decoder.at(node)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }
}
