extension ConfigDecoder {
    /// The elements of an array, in order.
    struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: ConfigDecoder
        var children: ConfigTree.Children
        var currentIndex = 0

        init(decoder: ConfigDecoder, children: ConfigTree.Children) {
            self.decoder = decoder
            self.children = children
        }

        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { decoder.tree.count(of: decoder.node) }
        var isAtEnd: Bool { children.first == nil }

        private mutating func next() throws -> ConfigDecoder {
            guard let node = children.next() else {
                throw ConfigError(
                    .missingKey, key: decoder.fullPath.appending(index: currentIndex), expected: "a value",
                    found: "the end of the array")
            }
            currentIndex += 1
            return decoder.at(node)
        }

        mutating func decodeNil() throws -> Bool {
            guard let node = children.first, decoder.tree.kind(of: node) == .null else { return false }
            _ = try next()
            return true
        }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    /// A single value.
    struct Single: SingleValueDecodingContainer {
        let decoder: ConfigDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.kind == .null }
        func decode(_ type: Bool.Type) throws -> Bool { try decoder.convert() }
        func decode(_ type: String.Type) throws -> String { try decoder.convert() }
        func decode(_ type: Double.Type) throws -> Double { try decoder.convert() }
        func decode(_ type: Float.Type) throws -> Float { try decoder.convert() }
        func decode(_ type: Int.Type) throws -> Int { try decoder.convert() }
        func decode(_ type: Int8.Type) throws -> Int8 { try decoder.convert() }
        func decode(_ type: Int16.Type) throws -> Int16 { try decoder.convert() }
        func decode(_ type: Int32.Type) throws -> Int32 { try decoder.convert() }
        func decode(_ type: Int64.Type) throws -> Int64 { try decoder.convert() }
        func decode(_ type: UInt.Type) throws -> UInt { try decoder.convert() }
        func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.convert() }
        func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.convert() }
        func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.convert() }
        func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.convert() }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
    }
}
