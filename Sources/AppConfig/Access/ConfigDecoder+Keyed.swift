internal import AshlarCore

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

        private func node(_ key: Key) throws -> Int {
            guard let node = entries.find(key.stringValue) else { throw missing(key) }
            return node
        }

        private func decoder(_ key: Key) throws -> ConfigDecoder { decoder.at(try node(key)) }

        @inline(never)
        private func missing(_ key: Key) -> ConfigError {
            let tree = decoder.tree
            let names = tree.children(of: decoder.node).map { tree.key(of: $0) }
            return ConfigError(
                .missingKey, key: decoder.fullPath.appending(key.stringValue),
                location: tree.location(of: decoder.node), expected: "a value", found: "nothing",
                hint: NearestName.find(key.stringValue, among: names).map { "did you mean \($0)?" })
        }

        private func integer<T: FixedWidthInteger & ConfigConvertible>(_ key: Key, as: T.Type = T.self) throws -> T {
            let number = try node(key)
            let found = entries.tree.nodes[number]
            if found.kind == .integer, !decoder.decoding.snapshot.readsAsSeed,
                let value = T(exactly: Int64(bitPattern: found.payload))
            {
                return value
            }
            return try decoder.at(number).convert()
        }

        func contains(_ key: Key) -> Bool { entries.find(key.stringValue) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { entries.tree.nodes[try node(key)].kind == .null }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
            let number = try node(key)
            let found = entries.tree.nodes[number]
            return found.kind == .boolean ? found.payload != 0 : try decoder.at(number).convert()
        }

        func decode(_ type: String.Type, forKey key: Key) throws -> String {
            let number = try node(key)
            let found = entries.tree.nodes[number]
            return found.kind == .string ? entries.tree.strings[Int(found.payload)] : try decoder.at(number).convert()
        }

        func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
            let number = try node(key)
            let found = entries.tree.nodes[number]
            let value = Double(bitPattern: found.payload)
            return found.kind == .real && value.isFinite ? value : try decoder.at(number).convert()
        }

        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).convert() }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }
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
