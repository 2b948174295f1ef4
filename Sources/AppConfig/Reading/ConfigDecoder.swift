#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ApplicationConfig {
    /// Decodes the value at a path, by default the whole configuration.
    ///
    /// The same rules hold as for `get`: numbers in texts are numbers under standard coercion, dates, data, URLs and
    /// durations are read in all their forms. Keys that the type does not ask for are ignored.
    ///
    /// ```swift
    /// struct HTTP: Decodable {
    ///     var timeout: Int
    ///     var hosts: [String]
    /// }
    ///
    /// let config = ApplicationConfig(["http": ["timeout": "30", "hosts": ["a", "b"]]])
    /// let http = try config.decode(HTTP.self, at: "http")
    /// ```
    ///
    /// - Throws: ``ConfigError`` that names the path, file and line of the first value that does not fit.
    /// - Complexity: O(*n*) in the number of values that are decoded.
    public func decode<T: Decodable>(_ type: T.Type = T.self, at path: ConfigPath = .root) throws(ConfigError) -> T {
        guard let place = place(of: path) else { throw missing(path, expected: "\(T.self)") }
        place.snapshot.note(place.node)
        do {
            return try ConfigDecoder(config: self, place: place, path: path).decode(T.self)
        } catch let error as ConfigError {
            throw error
        } catch let error as DecodingError {
            throw foreign(error, place, path)
        } catch {
            var wrapped = ConfigError(
                .typeMismatch, key: path, origin: place.tree.origin(of: place.node), expected: "\(T.self)")
            wrapped.underlying = error
            throw wrapped
        }
    }

    /// An error that a type's own decoding threw; its text is not repeated, for it may quote a secret.
    private func foreign(_ error: DecodingError, _ place: ConfigPlace, _ path: ConfigPath) -> ConfigError {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        let steps = (context?.codingPath ?? []).map { key -> ConfigPath.Component in
            key.intValue.map { .index($0) } ?? .key(key.stringValue)
        }
        let node = place.tree.descend(from: place.node, steps) ?? place.node
        let isSecret = place.tree.isSecret(node, by: snapshot.context.secrets)
        let key = ConfigPath(path.components + steps)
        return ConfigError(
            .typeMismatch, key: key, origin: place.tree.origin(of: node), reason: "the value cannot be decoded",
            found: ConfigDescription.found(node, in: place.tree, isSecret: isSecret),
            notes: isSecret ? [] : [context?.debugDescription].compactMap { $0 })
    }
}

/// Decodes straight from the tree.
private struct ConfigDecoder: Decoder {
    let config: ApplicationConfig
    let place: ConfigPlace
    /// The path of `place`.
    let path: ConfigPath

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var coercion: ConfigCoercion { place.snapshot.context.coercion }

    func at(_ node: Int) -> ConfigDecoder {
        ConfigDecoder(config: config, place: ConfigPlace(snapshot: place.snapshot, node: node), path: path)
    }

    /// The path of the place, for errors only: a container's own part is taken from the tree.
    var fullPath: ConfigPath {
        guard let root = config.locate(path), root.snapshot === place.snapshot else { return path }
        let (outer, inner) = (place.tree.path(of: root.node).components, place.tree.path(of: place.node).components)
        return ConfigPath(path.components + inner.dropFirst(outer.count))
    }

    func mismatch(_ expected: String) -> ConfigError { config.mismatch(place, fullPath, expected) }

    func convert<T: ConfigConvertible>(_ type: T.Type = T.self) throws -> T {
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        guard let made = T(configValue: value, coercion: coercion) else { throw mismatch(T.configTypeName) }
        return made
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let made: Any? =
            switch type {
            case is Date.Type: try convert(Date.self)
            case is Data.Type: try convert(Data.self)
            case is URL.Type: try convert(URL.self)
            case is Duration.Type: try convert(Duration.self)
            default: nil
            }
        if let made = made as? T { return made }
        return try T(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard place.kind == .dictionary else { throw mismatch("dictionary") }
        return KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard place.kind == .array else { throw mismatch("array") }
        return Unkeyed(decoder: self, children: place.tree.children(of: place.node))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    /// Remembers where the last key was found, as keys are mostly asked for in the order they are written.
    final class Cursor {
        var next: Int

        init(_ next: Int) { self.next = next }
    }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ConfigDecoder
        let cursor: Cursor

        init(decoder: ConfigDecoder) {
            self.decoder = decoder
            cursor = Cursor(decoder.place.node + 1)
        }

        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] {
            let tree = decoder.place.tree
            return tree.children(of: decoder.place.node).compactMap { Key(stringValue: tree.key(of: $0)) }
        }

        private func find(_ key: Key) -> Int? {
            let place = decoder.place
            let tree = place.tree
            var name = key.stringValue
            return name.withUTF8 { name in
                tree.nodes.withUnsafeBufferPointer { nodes in
                    tree.keyBytes.withUnsafeBufferPointer { keys in
                        let (first, end) = (place.node + 1, Int(nodes[place.node].end))
                        if first == end { return nil }
                        let start = cursor.next < end ? cursor.next : first
                        var at = start
                        repeat {
                            let node = nodes[at]
                            let next = Int(node.end)
                            if Int(node.keyLength) == name.count {
                                let key = UnsafeBufferPointer(
                                    rebasing: keys[Int(node.keyStart)..<(Int(node.keyStart) + name.count)])
                                if key.hasSameBytes(as: name) {
                                    cursor.next = next
                                    return at
                                }
                            }
                            at = next < end ? next : first
                        } while at != start
                        return nil
                    }
                }
            }
        }

        private func decoder(_ key: Key) throws -> ConfigDecoder {
            guard let node = find(key) else { throw missing(key, "a value") }
            return decoder.at(node)
        }

        private func missing(_ key: Key, _ expected: String) -> ConfigError {
            let tree = decoder.place.tree
            let names = tree.children(of: decoder.place.node).map { tree.key(of: $0) }
            return ConfigError(
                .missingKey, key: decoder.fullPath.appending(key.stringValue),
                origin: tree.origin(of: decoder.place.node), expected: expected, found: "nothing",
                hint: ConfigHints.nearest(to: key.stringValue, among: names).map { "did you mean \($0)?" })
        }

        func contains(_ key: Key) -> Bool { find(key) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).place.kind == .null }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
            let decoder = try decoder(key)
            let node = decoder.place.tree.nodes[decoder.place.node]
            return node.kind == .boolean ? node.payload != 0 : try decoder.convert()
        }

        func decode(_ type: String.Type, forKey key: Key) throws -> String {
            let decoder = try decoder(key)
            let node = decoder.place.tree.nodes[decoder.place.node]
            return node.kind == .string ? decoder.place.tree.strings[Int(node.payload)] : try decoder.convert()
        }

        func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
            let decoder = try decoder(key)
            let node = decoder.place.tree.nodes[decoder.place.node]
            if node.kind == .integer, decoder.coercion.kind != .seed,
                let number = Int(exactly: Int64(bitPattern: node.payload))
            {
                return number
            }
            return try decoder.convert()
        }

        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).convert() }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).convert() }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).convert() }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).convert() }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).convert() }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).convert() }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).convert() }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).convert() }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).convert() }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).convert() }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).convert() }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
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

        func superDecoder() throws -> any Decoder {
            let tree = decoder.place.tree
            guard let node = tree.child(of: decoder.place.node, key: "super") else { return decoder }
            return decoder.at(node)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: ConfigDecoder
        var children: ConfigTree.Children
        var currentIndex = 0

        init(decoder: ConfigDecoder, children: ConfigTree.Children) {
            self.decoder = decoder
            self.children = children
        }

        var codingPath: [any CodingKey] { [] }
        var count: Int? { decoder.place.tree.count(of: decoder.place.node) }
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
            guard let node = children.first, decoder.place.tree.kind(of: node) == .null else { return false }
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

    struct Single: SingleValueDecodingContainer {
        let decoder: ConfigDecoder

        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { decoder.place.kind == .null }
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
