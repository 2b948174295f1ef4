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
        var wrapped = ConfigError(.typeMismatch, key: path, location: place.location, expected: expected)
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
        let place = place.descend(steps) ?? place
        let isSecret = place.isSecret
        let key = ConfigPath(path.components + steps)
        return ConfigError(
            .typeMismatch, key: key, location: place.location, reason: "the value can't be decoded",
            found: ConfigDescription.found(place.node, isSecret: isSecret),
            notes: isSecret ? [] : [context.map { SecretText.redacted($0.debugDescription) }].compactMap { $0 })
    }
}

extension ConfigPlace {
    /// Returns the place at the end of a path that starts at this one.
    func descend(_ path: [ConfigPath.Component]) -> ConfigPlace? {
        node.descend(path).map {
            ConfigPlace(snapshot: snapshot, root: root, steps: steps + path, node: $0)
        }
    }
}

/// A value of a configuration that types are decoded from; values are addressed by the order in which they are requested.
final class ConfigDecoding: DecodableTree {
    /// A requested value.
    private struct Entry {
        let node: ConfigNode
        let container: Int
        let step: ConfigPath.Component?
    }

    private let config: ApplicationConfig
    /// The decoded value, and the path by which it was requested.
    private let place: ConfigPlace
    private let path: ConfigPath
    private var entries: [Entry]
    /// The keys that types requested from each dictionary; nil for a dictionary whose keys were listed.
    private(set) var requested: [[ConfigPath.Component]: Set<String>?] = [:]
    private let recordsKeys: Bool

    init(_ config: ApplicationConfig, _ place: ConfigPlace, _ path: ConfigPath, recordsKeys: Bool = false) {
        self.recordsKeys = recordsKeys
        self.config = config
        self.place = place
        self.path = path
        entries = [Entry(node: place.node, container: 0, step: nil)]
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try TreeDecoder(self, at: 0).decode(type) }

    func codingPath(to value: Int) -> [any CodingKey] {
        steps(to: value).map { step in
            switch step {
            case .key(let key): TreeKey(key)
            case .index(let index): TreeKey(index: index)
            }
        }
    }

    private func node(_ value: Int) -> ConfigNode { entries[value].node }

    /// The steps from the decoded value to another one.
    private func steps(to value: Int) -> [ConfigPath.Component] {
        var steps: [ConfigPath.Component] = []
        var entry = entries[value]
        while let step = entry.step {
            steps.append(step)
            entry = entries[entry.container]
        }
        return steps.reversed()
    }

    private func fullPath(of value: Int) -> ConfigPath {
        ConfigPath(path.components + steps(to: value))
    }

    private func add(_ step: ConfigPath.Component, of container: Int) -> Int? {
        guard let child = node(container).child(step) else { return nil }
        entries.append(Entry(node: child, container: container, step: step))
        return entries.count - 1
    }

    // MARK: Scalars

    func isNull(_ value: Int) -> Bool { node(value).kind == .null }

    func bool(_ node: Int) throws -> Bool { try convert(node) }
    func string(_ node: Int) throws -> String { try convert(node) }
    func double(_ node: Int) throws -> Double { try convert(node) }
    func float(_ node: Int) throws -> Float { try convert(node) }
    func int(_ node: Int) throws -> Int { try convert(node) }

    func integer<I: FixedWidthInteger>(_ type: I.Type, _ node: Int) throws -> I {
        guard let integer = place.snapshot.context.coercion.integer(value(node), as: type) else {
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
        if type == ConfigValue.self { return value(node) as? T }
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

    private func value(_ value: Int) -> ConfigValue { node(value).value }

    private func convert<T: ConfigConvertible>(_ node: Int, _ type: T.Type = T.self) throws -> T {
        guard let made = T(configValue: value(node), coercion: place.snapshot.context.coercion) else {
            throw mismatch(node, T.configTypeName)
        }
        return made
    }

    private func mismatch(_ node: Int, _ expected: String) -> ConfigError {
        config.mismatch(place.descend(steps(to: node)) ?? place, fullPath(of: node), expected)
    }

    // MARK: Dictionaries

    func checkObject(_ value: Int) throws {
        if node(value).members == nil { throw mismatch(value, "dictionary") }
    }

    func keys(of dictionary: Int) -> [String] {
        if recordsKeys { requested[steps(to: dictionary)] = .some(nil) }
        return node(dictionary).keys
    }

    func member(_ key: String, of dictionary: Int) -> Int? {
        if recordsKeys {
            let steps = steps(to: dictionary)
            if requested[steps] == nil { requested[steps] = .some([]) }
            requested[steps]??.insert(key)
        }
        return add(.key(key), of: dictionary)
    }

    /// A class is encoded into the same dictionary as its superclass, unless the dictionary has the key `super`.
    func superValue(of dictionary: Int) -> Int { member("super", of: dictionary) ?? dictionary }

    func missing(_ key: any CodingKey, in dictionary: Int) -> any Error {
        ConfigError(
            .missingKey, key: fullPath(of: dictionary).appending(key.stringValue),
            location: node(dictionary).location, expected: "a value", found: "nothing",
            hint: NearestName.find(key.stringValue, among: node(dictionary).keys).map { "did you mean \($0)?" })
    }

    // MARK: Arrays

    func firstElement(of array: Int) throws -> Int? {
        if node(array).elements == nil { throw mismatch(array, "array") }
        return add(.index(0), of: array)
    }

    func element(after element: Int, of array: Int) -> Int? {
        guard case .index(let index)? = entries[element].step else { return nil }
        return add(.index(index + 1), of: array)
    }

    func count(of array: Int) -> Int { node(array).count }

    func missing(index: Int, in array: Int) -> any Error {
        ConfigError(
            .missingKey, key: fullPath(of: array).appending(index: index), expected: "a value",
            found: "the end of the array")
    }
}
