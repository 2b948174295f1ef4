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
        guard let place = locate(path) else { throw missing(path, expected: "\(T.self)") }
        do {
            return try ConfigDecoding(self, place, path).decode(T.self)
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
            .typeMismatch, key: key, location: place.tree.location(of: node), reason: "the value can't be decoded",
            found: ConfigDescription.found(node, in: place.tree, isSecret: isSecret),
            notes: isSecret
                ? [] : [context.map { SecretText.redacted($0.debugDescription) }].compactMap { $0 })
    }
}

/// A value of a configuration that types are decoded from; values are addressed by their nodes.
final class ConfigDecoding: DecodableTree {
    private let config: ApplicationConfig
    private let snapshot: ConfigSnapshot
    private let tree: ConfigTree
    /// The decoded node, and the path by which it was requested.
    private let root: Int
    private let path: ConfigPath
    /// The indexes of dictionaries that have been searched, because types decode their entries one at a time.
    private var indexes: [Int: [String: Int]] = [:]
    /// The keys that types requested from each dictionary; nil for a dictionary whose keys were listed.
    private(set) var requested: [Int: Set<String>?] = [:]
    private let recordsKeys: Bool

    init(_ config: ApplicationConfig, _ place: ConfigPlace, _ path: ConfigPath, recordsKeys: Bool = false) {
        self.recordsKeys = recordsKeys
        self.config = config
        self.path = path
        snapshot = place.snapshot
        tree = place.snapshot.tree
        root = place.node
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try TreeDecoder(self, at: root).decode(type) }

    func codingPath(to node: Int) -> [any CodingKey] {
        fullPath(of: node).components.dropFirst(path.components.count).map { step in
            switch step {
            case .key(let key): TreeKey(key)
            case .index(let index): TreeKey(index: index)
            }
        }
    }

    private func fullPath(of node: Int) -> ConfigPath {
        let (outer, inner) = (tree.path(of: root).components, tree.path(of: node).components)
        return ConfigPath(path.components + inner.dropFirst(outer.count))
    }

    // MARK: Scalars

    func isNull(_ node: Int) -> Bool { tree.kind(of: node) == .null }

    func bool(_ node: Int) throws -> Bool { try convert(node) }
    func string(_ node: Int) throws -> String { try convert(node) }
    func double(_ node: Int) throws -> Double { try convert(node) }
    func float(_ node: Int) throws -> Float { try convert(node) }
    func int(_ node: Int) throws -> Int { try convert(node) }

    func integer<I: FixedWidthInteger>(_ type: I.Type, _ node: Int) throws -> I {
        guard let integer = snapshot.context.coercion.integer(value(node), as: type) else {
            throw mismatch(node, "\(type)")
        }
        return integer
    }

    func special<T>(_ type: T.Type, _ node: Int) throws -> T? {
        // Otherwise these types would use their own decoding.
        if type == Date.self { return try convert(node, Date.self) as? T }
        if type == Data.self { return try convert(node, Data.self) as? T }
        if type == URL.self { return try convert(node, URL.self) as? T }
        if type == Duration.self { return try convert(node, Duration.self) as? T }
        if type == ConfigValue.self { return tree.value(of: node) as? T }
        if let choice = type as? any (CaseIterable & Decodable).Type { return try self.choice(choice, node) as? T }
        return nil
    }

    /// Decodes an enumeration, whose error lists its cases.
    private func choice<Choice: CaseIterable & Decodable>(_ type: Choice.Type, _ node: Int) throws -> Choice {
        do {
            return try Choice(from: TreeDecoder(self, at: node))
        } catch let error as DecodingError {
            let choices = ConfigChoices.values(of: type)
            if choices.isEmpty { throw error }
            let mismatch = mismatch(node, "")
            throw ConfigError(
                .invalidValue, key: mismatch.key, location: mismatch.location,
                expected: ConfigChoices.expected(choices), found: mismatch.found, notes: mismatch.notes,
                hint: ConfigChoices.hint(for: value(node), among: choices))
        }
    }

    private func value(_ node: Int) -> ConfigValue { tree.scalar(of: node) ?? tree.value(of: node) }

    private func convert<T: ConfigConvertible>(_ node: Int, _ type: T.Type = T.self) throws -> T {
        guard let made = T(configValue: value(node), coercion: snapshot.context.coercion) else {
            throw mismatch(node, T.configTypeName)
        }
        return made
    }

    private func mismatch(_ node: Int, _ expected: String) -> ConfigError {
        config.mismatch(ConfigPlace(snapshot: snapshot, node: node), fullPath(of: node), expected)
    }

    // MARK: Dictionaries

    func checkObject(_ node: Int) throws {
        if tree.kind(of: node) != .dictionary { throw mismatch(node, "dictionary") }
    }

    func keys(of dictionary: Int) -> [String] {
        if recordsKeys { requested[dictionary] = .some(nil) }
        return tree.children(of: dictionary).map { tree.key(of: $0) }
    }

    func member(_ key: String, of dictionary: Int) -> Int? {
        if recordsKeys {
            if requested[dictionary] == nil { requested[dictionary] = .some([]) }
            requested[dictionary]??.insert(key)
        }
        if let index = indexes[dictionary] { return index[key] }
        var index = [String: Int](minimumCapacity: tree.count(of: dictionary))
        for child in tree.children(of: dictionary) { index[tree.key(of: child)] = child }
        indexes[dictionary] = index
        return index[key]
    }

    /// A class is encoded into the same dictionary as its superclass, unless the dictionary has the key `super`.
    func superValue(of dictionary: Int) -> Int { member("super", of: dictionary) ?? dictionary }

    func missing(_ key: any CodingKey, in dictionary: Int) -> any Error {
        let names = tree.children(of: dictionary).map { tree.key(of: $0) }
        return ConfigError(
            .missingKey, key: fullPath(of: dictionary).appending(key.stringValue),
            location: tree.location(of: dictionary), expected: "a value", found: "nothing",
            hint: NearestName.find(key.stringValue, among: names).map { "did you mean \($0)?" })
    }

    // MARK: Arrays

    func firstElement(of array: Int) throws -> Int? {
        if tree.kind(of: array) != .array { throw mismatch(array, "array") }
        return tree.children(of: array).first
    }

    func element(after element: Int, of array: Int) -> Int? {
        ConfigTree.Children(tree: tree, at: Int(tree.nodes[element].end), end: Int(tree.nodes[array].end)).first
    }

    func count(of array: Int) -> Int { tree.count(of: array) }

    func missing(index: Int, in array: Int) -> any Error {
        ConfigError(
            .missingKey, key: fullPath(of: array).appending(index: index), expected: "a value",
            found: "the end of the array")
    }
}
