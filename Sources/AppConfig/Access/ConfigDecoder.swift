internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ApplicationConfig {
    /// Decodes the value at a path, by default the whole configuration.
    ///
    /// The rules are those of `get`: with standard coercion, strings are read as numbers, and dates, data, URLs and
    /// durations are read in all their forms. Keys that the type doesn't use are ignored.
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
    /// - Throws: ``ConfigError`` with the path, file and line of the first value that can't be decoded.
    /// - Complexity: O(*n*) in the number of decoded values.
    public func decode<T: Decodable>(_ type: T.Type = T.self, at path: ConfigPath = .root) throws(ConfigError) -> T {
        guard let place = place(of: path) else { throw missing(path, expected: "\(T.self)") }
        place.snapshot.note(place.node)
        do {
            return try ConfigDecoder(decoding: ConfigDecoding(self, place, path), node: place.node).decode(T.self)
        } catch {
            throw problem(of: error, place, path, expected: "\(T.self)")
        }
    }

    /// Returns the error of decoding a value, with the value's location.
    func problem(
        of error: any Error, _ place: ConfigPlace, _ path: ConfigPath, expected: String = "another value"
    ) -> ConfigError {
        if let error = error as? ConfigError { return error }
        if let error = error as? DecodingError { return foreign(error, place, path) }
        var wrapped = ConfigError(
            .typeMismatch, key: path, location: place.tree.location(of: place.node), expected: expected)
        wrapped.underlying = error
        return wrapped
    }

    /// Returns an error for one that a type's own decoding threw, without its text, which may quote a secret.
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
        let isSecret = place.snapshot.isSecret(node)
        let key = ConfigPath(path.components + steps)
        return ConfigError(
            .typeMismatch, key: key, location: place.tree.location(of: node), reason: "the value cannot be decoded",
            found: ConfigDescription.found(node, in: place.tree, isSecret: isSecret),
            notes: isSecret
                ? [] : [context.map { SecretText.redactingCredentials(in: $0.debugDescription) }].compactMap { $0 })
    }
}

/// One step of a path in decoding errors.
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

/// The state that all containers of one decoding share.
final class ConfigDecoding {
    let config: ApplicationConfig
    let snapshot: ConfigSnapshot
    /// The decoded node, and the path by which it was requested.
    let root: Int
    let path: ConfigPath

    init(_ config: ApplicationConfig, _ place: ConfigPlace, _ path: ConfigPath) {
        (self.config, snapshot, root, self.path) = (config, place.snapshot, place.node, path)
    }

    /// Returns the path of a node, for errors only.
    func path(of node: Int) -> ConfigPath {
        let (outer, inner) = (snapshot.tree.path(of: root).components, snapshot.tree.path(of: node).components)
        return ConfigPath(path.components + inner.dropFirst(outer.count))
    }
}

/// Decodes directly from the tree.
struct ConfigDecoder: Decoder {
    let decoding: ConfigDecoding
    let node: Int

    /// The steps from the decoded value to this one, which types use in their own errors.
    var codingPath: [any CodingKey] {
        decoding.path(of: node).components.dropFirst(decoding.path.components.count).map { ConfigCodingKey($0) }
    }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var tree: ConfigTree { decoding.snapshot.tree }
    var kind: ConfigKind { tree.kind(of: node) }
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
        // Otherwise these types would use their own decoding.
        if type == Date.self, let made = try convert(Date.self) as? T { return made }
        if type == Data.self, let made = try convert(Data.self) as? T { return made }
        if type == URL.self, let made = try convert(URL.self) as? T { return made }
        if type == Duration.self, let made = try convert(Duration.self) as? T { return made }
        if type == ConfigValue.self, let made = tree.value(of: node) as? T { return made }
        return try T(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .dictionary else { throw mismatch("dictionary") }
        return KeyedDecodingContainer(Keyed<Key>(entries: ConfigEntries(self)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw mismatch("array") }
        return Unkeyed(decoder: self, children: tree.children(of: node))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }
}
