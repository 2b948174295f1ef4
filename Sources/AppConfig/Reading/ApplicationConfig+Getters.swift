internal import AshlarCore

// A read: the key or path finds a place in the snapshot, or in the values written at run time, and the coercion rules
// convert the value there.

// The getters of NEIApplicationConfig with Swift names. A missing or malformed value is `nil`; a malformed value also adds
// a diagnostic to `diagnostics`. `get` and `decode` throw instead.
extension ApplicationConfig {
    /// Returns the string of a key; nil if it is missing or not a string.
    public func string(forKey key: String) -> String? { read(key) }

    /// Returns the boolean of a key; nil if it is missing or not a boolean.
    public func bool(forKey key: String) -> Bool? { read(key) }

    /// Returns the integer of a key; nil if it is missing or not an integer.
    public func int(forKey key: String) -> Int? { read(key) }

    /// Returns the number of a key; nil if it is missing or not a number.
    public func double(forKey key: String) -> Double? { read(key) }

    /// Returns the value of a key as any type that configurations contain; nil if it is missing or malformed.
    ///
    /// ```swift
    /// let config = ApplicationConfig(["timeout": "250ms", "hosts": ["a", "b"]])
    /// let timeout = config.value(forKey: "timeout", as: Duration.self) ?? .seconds(1)
    /// let hosts = config.value(forKey: "hosts", as: [String].self) ?? []
    /// ```
    public func value<T: ConfigConvertible>(forKey key: String, as type: T.Type = T.self) -> T? { read(key) }

    /// Returns the number of bytes of a key: an integer, or a string such as `10MB` (10,000,000) or `10MiB`
    /// (10,485,760).
    ///
    /// The units are `kB`, `MB`, `GB`, `TB` and `PB` (powers of 1,000) and `KiB` to `PiB` (powers of 1,024), in any
    /// case. `1.1kB` is exactly 1,100 bytes; a fraction of a byte is malformed.
    public func bytes(forKey key: String) -> Int? { read(key, as: ConfigByteCount.self)?.count }

    /// Returns the value of a key; nil if it is missing or malformed.
    private func read<T: ConfigConvertible>(_ key: String, as type: T.Type = T.self, isSecret: Bool = false) -> T? {
        guard let place = place(of: key) else { return nil }
        if let value = place.read(as: type) { return value }
        recordDefault(place, key, T.configTypeName, isSecret: isSecret)
        return nil
    }

    /// The value of a key, or its default value if it is missing or malformed; a malformed value records a diagnostic.
    public subscript<Value>(_ key: ConfigKey<Value>) -> Value { read(key) }

    // The compiler can't specialize the generic subscript in other modules. In the row "typed get, Int, 1,024 keys of
    // 10,000" of the benchmarks it takes 140 ns, and these overloads about as long as `int(forKey:)`, 50 ns; a third of
    // the best peer's time is 83 ns.

    /// The value of a key, or its default value if it is missing or malformed.
    public subscript(_ key: ConfigKey<Int>) -> Int { read(key) }

    /// The value of a key, or its default value if it is missing or malformed.
    public subscript(_ key: ConfigKey<Bool>) -> Bool { read(key) }

    /// The value of a key, or its default value if it is missing or malformed.
    public subscript(_ key: ConfigKey<Double>) -> Double { read(key) }

    /// The value of a key, or its default value if it is missing or malformed.
    public subscript(_ key: ConfigKey<String>) -> String { read(key) }

    private func read<Value>(_ key: ConfigKey<Value>) -> Value {
        read(key.name, isSecret: key.isSecret) ?? key.defaultValue
    }

    /// Returns the value of a key, or its default value if it is missing or malformed.
    ///
    /// The first time that a malformed value is read, `report` receives its diagnostic.
    package func value<Value>(of key: ConfigKey<Value>, report: (ConfigDiagnostic) -> Void) -> Value {
        guard let place = place(of: key.name) else { return key.defaultValue }
        if let value = place.read(as: Value.self) { return value }
        recordDefault(place, key.name, Value.configTypeName, isSecret: key.isSecret).map(report)
        return key.defaultValue
    }

    /// Reads the value at a path.
    ///
    /// - Throws: ``ConfigError`` with the code `missingKey` or `typeMismatch`. It contains the file and line, the
    ///   expected and found values, the overridden value, and for a missing key the most similar existing key.
    public func get<T: ConfigConvertible>(_ path: ConfigPath, as type: T.Type = T.self) throws(ConfigError) -> T {
        guard let place = locate(path) else { throw missing(path, expected: T.configTypeName) }
        guard let value = place.read(as: T.self) else { throw mismatch(place, path, T.configTypeName) }
        return value
    }
}

/// A value of a configuration with its position: a node and its tree.
package struct ConfigPlace {
    let snapshot: ConfigSnapshot
    let node: Int

    var tree: ConfigTree { snapshot.tree }

    package var kind: ConfigKind { tree.nodes[node].kind }
    /// The key of the value in its dictionary.
    package var key: String { tree.key(of: node) }
    package var path: ConfigPath { tree.path(of: node) }
    package var location: ConfigLocation { tree.location(of: node) }
    package var isSecret: Bool { snapshot.isSecret(node) }
    /// The elements of an array or the values of a dictionary, in the order of the source.
    package var children: [ConfigPlace] {
        kind.isContainer ? tree.children(of: node).map { ConfigPlace(snapshot: snapshot, node: $0) } : []
    }

    /// The value with its descendants.
    package var value: ConfigValue { tree.scalar(of: node) ?? tree.value(of: node) }

    /// Returns the value as a type by the rules of the configuration; nil if it is malformed.
    package func read<T: ConfigConvertible>(as type: T.Type = T.self) -> T? {
        T(configValue: value, coercion: snapshot.context.coercion)
    }
}

extension ApplicationConfig {
    /// Returns the value of a key's text.
    @inline(__always)
    func place(of key: String) -> ConfigPlace? {
        let node = snapshot.find(key)
        if overlay != nil { return placeInOverlay(of: key, base: node) }
        return node.map { ConfigPlace(snapshot: snapshot, node: $0) }
    }

    /// Returns the value of a path.
    package func locate(_ path: ConfigPath) -> ConfigPlace? {
        switch path.storage {
        case .text(let text): place(of: text)
        case .components(let components): place(of: components)
        }
    }

    private func placeInOverlay(of key: String, base: Int?) -> ConfigPlace? {
        guard let overlay else { return nil }
        if let section = overlay[key], let node = section.tree.child(of: 0, key: key) {
            return ConfigPlace(snapshot: section, node: node)
        }
        if let base, base != 0 {
            var root = base
            while snapshot.tree.nodes[root].parent != 0 { root = Int(snapshot.tree.nodes[root].parent) }
            if overlay[snapshot.tree.key(of: root)] == nil { return ConfigPlace(snapshot: snapshot, node: base) }
        }
        return place(of: ConfigPath(key).components)
    }

    private func place(of components: [ConfigPath.Component]) -> ConfigPlace? {
        guard let overlay else { return snapshot.find(components).map { ConfigPlace(snapshot: snapshot, node: $0) } }
        guard case .key(let first)? = components.first else {
            guard components.isEmpty else { return nil }
            let whole = flattened()
            return ConfigPlace(snapshot: whole, node: 0)
        }
        guard let section = overlay[first] else {
            return snapshot.find(components).map { ConfigPlace(snapshot: snapshot, node: $0) }
        }
        return section.find(components).map { ConfigPlace(snapshot: section, node: $0) }
    }
}

extension ApplicationConfig {
    /// Returns the error for a missing value.
    func missing(_ path: ConfigPath, expected: String) -> ConfigError {
        ConfigError(
            .missingKey, key: path, expected: expected, found: "nothing",
            hint: NearestName.find(path.description, among: pathsWithSections()).map { "did you mean \($0)?" })
    }

    /// The paths of all values and of the dictionaries that contain them, as text.
    private func pathsWithSections() -> [String] {
        var known: Set<String> = []
        for path in paths() {
            for length in path.components.indices {
                known.insert(ConfigPath(Array(path.components[...length])).description)
            }
        }
        return known.sorted()
    }

    /// Returns the error for a value of an unexpected type.
    package func mismatch(
        _ place: ConfigPlace, _ path: ConfigPath, _ expected: String, isSecret: Bool = false
    ) -> ConfigError {
        let isSecret = isSecret || place.snapshot.isSecret(place.node)
        var error = ConfigError(
            .typeMismatch, key: path, location: place.tree.location(of: place.node), expected: expected,
            found: ConfigDescription.found(place.node, in: place.tree, isSecret: isSecret))
        if let below = explain(path).shadowed.first {
            error.notes = ["overrides \(isSecret ? ConfigDescription.redacted : below.text) from \(below.location)"]
        }
        return error
    }

    /// Records, once for each key and type, that a default replaces a malformed value.
    @discardableResult
    func recordDefault(
        _ place: ConfigPlace, _ key: String, _ typeName: String, isSecret: Bool = false
    ) -> ConfigDiagnostic? {
        let subject = "\(typeName) \(key)"
        // A malformed value may be read often, so the error is created only the first time.
        if snapshot.context.log.hasSeen(subject) { return nil }
        let error = mismatch(place, ConfigPath(key), typeName, isSecret: isSecret)
        let diagnostic = ConfigDiagnostic(
            .defaultUsed, key: ConfigPath(key), location: error.location,
            message: "expected \(typeName), found \(error.found ?? ""); the default is used")
        record(diagnostic, about: subject)
        return diagnostic
    }

    /// Stores a diagnostic, unless there is one about the same subject.
    package func record(_ diagnostic: ConfigDiagnostic, about subject: String? = nil) {
        snapshot.context.log.add(diagnostic, about: subject ?? diagnostic.description)
    }
}
