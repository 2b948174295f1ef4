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
            return try ConfigDecoder(decoding: ConfigDecoding(self, place, path), node: place.node).decode(T.self)
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

/// One step of a path for decoding errors.
private struct ConfigCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ component: ConfigPath.Component) {
        switch component {
        case .key(let key): (stringValue, intValue) = (key, nil)
        case .index(let index): (stringValue, intValue) = ("\(index)", index)
        }
    }

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init?(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

/// What all parts of one decoding share.
private final class ConfigDecoding {
    let config: ApplicationConfig
    let snapshot: ConfigSnapshot
    /// The node that is decoded, and the path it was asked for by.
    let root: Int
    let path: ConfigPath

    init(_ config: ApplicationConfig, _ place: ConfigPlace, _ path: ConfigPath) {
        (self.config, snapshot, root, self.path) = (config, place.snapshot, place.node, path)
    }

    /// The path of a node, for errors only.
    func path(of node: Int) -> ConfigPath {
        let (outer, inner) = (snapshot.tree.path(of: root).components, snapshot.tree.path(of: node).components)
        return ConfigPath(path.components + inner.dropFirst(outer.count))
    }
}

/// Decodes straight from the tree.
private struct ConfigDecoder: Decoder {
    let decoding: ConfigDecoding
    let node: Int

    /// The steps from the value that is decoded to this one; types put them into errors of their own.
    var codingPath: [any CodingKey] {
        decoding.path(of: node).components.dropFirst(decoding.path.components.count).map { ConfigCodingKey($0) }
    }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var tree: ConfigTree { decoding.snapshot.tree }
    var kind: ConfigKind { tree.nodes[node].kind }
    var coercion: ConfigCoercion { decoding.snapshot.context.coercion }
    var fullPath: ConfigPath { decoding.path(of: node) }

    func at(_ node: Int) -> ConfigDecoder { ConfigDecoder(decoding: decoding, node: node) }

    func mismatch(_ expected: String) -> ConfigError {
        decoding.config.mismatch(ConfigPlace(snapshot: decoding.snapshot, node: node), fullPath, expected)
    }

    func convert<T: ConfigConvertible>(_ type: T.Type = T.self) throws -> T {
        let value = tree.scalar(of: node) ?? tree.value(of: node)
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
            case is ConfigValue.Type: tree.value(of: node)
            default: nil
            }
        if let made = made as? T { return made }
        return try T(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .dictionary else { throw mismatch("dictionary") }
        return KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw mismatch("array") }
        return Unkeyed(decoder: self, children: tree.children(of: node))
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
            cursor = Cursor(decoder.node + 1)
        }

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            let tree = decoder.tree
            return tree.children(of: decoder.node).compactMap { Key(stringValue: tree.key(of: $0)) }
        }

        @inline(__always)
        private func find(_ key: Key) -> Int? {
            let (nodes, keys) = (decoder.tree.nodes, decoder.tree.keyBytes)
            var name = key.stringValue
            return name.withUTF8 { name in
                let (first, end) = (decoder.node + 1, Int(nodes[decoder.node].end))
                if first == end { return nil }
                let start = cursor.next < end ? cursor.next : first
                var at = start
                repeat {
                    let node = nodes[at]
                    let next = Int(node.end)
                    if Int(node.keyLength) == name.count {
                        var same = 0
                        while same < name.count, keys[Int(node.keyStart) + same] == name[same] { same += 1 }
                        if same == name.count {
                            cursor.next = next
                            return at
                        }
                    }
                    at = next < end ? next : first
                } while at != start
                return nil
            }
        }

        private func node(_ key: Key) throws -> Int {
            guard let node = find(key) else { throw missing(key, "a value") }
            return node
        }

        private func decoder(_ key: Key) throws -> ConfigDecoder {
            decoder.at(try node(key))
        }

        private func missing(_ key: Key, _ expected: String) -> ConfigError {
            let tree = decoder.tree
            let names = tree.children(of: decoder.node).map { tree.key(of: $0) }
            return ConfigError(
                .missingKey, key: decoder.fullPath.appending(key.stringValue),
                origin: tree.origin(of: decoder.node), expected: expected, found: "nothing",
                hint: ConfigHints.nearest(to: key.stringValue, among: names).map { "did you mean \($0)?" })
        }

        func contains(_ key: Key) -> Bool { find(key) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { decoder.tree.nodes[try node(key)].kind == .null }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
            let number = try node(key)
            let found = decoder.tree.nodes[number]
            return found.kind == .boolean ? found.payload != 0 : try decoder.at(number).convert()
        }

        func decode(_ type: String.Type, forKey key: Key) throws -> String {
            let number = try node(key)
            let found = decoder.tree.nodes[number]
            return found.kind == .string ? decoder.tree.strings[Int(found.payload)] : try decoder.at(number).convert()
        }

        func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
            let number = try node(key)
            let found = decoder.tree.nodes[number]
            if found.kind == .integer, !decoder.decoding.snapshot.readsAsSeed,
                let value = Int(exactly: Int64(bitPattern: found.payload))
            {
                return value
            }
            return try decoder.at(number).convert()
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
            let tree = decoder.tree
            guard let node = tree.child(of: decoder.node, key: "super") else { return decoder }
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
