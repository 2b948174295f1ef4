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
    ///
    /// The first time that a malformed value is read, `report` receives its diagnostic.
    private func read<T: ConfigConvertible>(
        _ key: String, as type: T.Type = T.self, isSecret: Bool = false, report: (ConfigDiagnostic) -> Void = { _ in }
    ) -> T? {
        guard let node = node(of: key) else { return nil }
        if let value = T(configValue: node.value, coercion: snapshot.context.coercion) { return value }
        recordDefault(place(of: ConfigPath(key), node), key, T.configTypeName, isSecret: isSecret).map(report)
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
        read(key.name, isSecret: key.isSecret, report: report) ?? key.defaultValue
    }

    /// Reads the value at a path.
    ///
    /// - Throws: ``ConfigError`` with the code `missingKey` or `typeMismatch`. It contains the file and line, the
    ///   expected and found values, the overridden value, and for a missing key the most similar existing key.
    public func get<T: ConfigConvertible>(_ path: ConfigPath, as type: T.Type = T.self) throws(ConfigError) -> T {
        guard let node = node(at: path) else { throw missing(path, expected: T.configTypeName) }
        guard let value = T(configValue: node.value, coercion: snapshot.context.coercion) else {
            throw mismatch(place(of: path, node), path, T.configTypeName)
        }
        return value
    }
}

/// A value of a configuration with its path.
package struct ConfigPlace {
    let snapshot: ConfigSnapshot
    /// The tree that contains the value.
    let root: ConfigNode
    let steps: [ConfigPath.Component]
    let node: ConfigNode

    package var kind: ConfigKind { node.kind }
    /// The key of the value in its dictionary.
    package var key: String { steps.last?.key ?? "" }
    package var path: ConfigPath { ConfigPath(steps) }
    package var location: ConfigLocation { node.location }
    package var isSecret: Bool {
        var secrecy = snapshot.secrecy()
        return secrecy.isSecret(steps, in: root)
    }
    /// The elements of an array or the values of a dictionary, in the order of the source.
    package var children: [ConfigPlace] {
        node.children.map {
            ConfigPlace(snapshot: snapshot, root: root, steps: steps + [$0.step], node: $0.node)
        }
    }

    /// The value with its descendants.
    package var value: ConfigValue { node.value }

    /// Returns the value as a type by the rules of the configuration; nil if it is malformed.
    package func read<T: ConfigConvertible>(as type: T.Type = T.self) -> T? {
        T(configValue: value, coercion: snapshot.context.coercion)
    }
}

extension ApplicationConfig {
    /// Returns the value of a key's text.
    ///
    /// After a write at run time, the path is followed; otherwise, it is found in the index of the snapshot.
    @inline(__always)
    func node(of key: String) -> ConfigNode? {
        guard let written else { return snapshot.index.find(key) }
        return written.child(.key(key)) ?? written.descend(ConfigPath(key).components)
    }

    /// Returns the value of a path.
    func node(at path: ConfigPath) -> ConfigNode? {
        switch path.storage {
        case .text(let text): node(of: text)
        case .components(let components): root.descend(components)
        }
    }

    private func place(of path: ConfigPath, _ node: ConfigNode) -> ConfigPlace {
        ConfigPlace(snapshot: snapshot, root: root, steps: root.steps(of: path), node: node)
    }

    /// Returns the value of a path with its position.
    package func locate(_ path: ConfigPath) -> ConfigPlace? {
        let steps = root.steps(of: path)
        return root.descend(steps).map { ConfigPlace(snapshot: snapshot, root: root, steps: steps, node: $0) }
    }
}

extension ApplicationConfig {
    /// Returns the error for a missing value.
    func missing(_ path: ConfigPath, expected: String) -> ConfigError {
        ConfigError(
            .missingKey, key: path, expected: expected, found: "nothing",
            hint: NearestName.find(path.description, among: root.names()).map { "did you mean \($0)?" })
    }

    /// Returns the error for a value of an unexpected type.
    package func mismatch(
        _ place: ConfigPlace, _ path: ConfigPath, _ expected: String, isSecret: Bool = false
    ) -> ConfigError {
        let isSecret = isSecret || place.isSecret
        var error = ConfigError(
            .typeMismatch, key: path, location: place.location, expected: expected,
            found: ConfigDescription.found(place.node, isSecret: isSecret))
        if let below = explain(path).shadowed.first {
            error.notes = ["overrides \(isSecret ? ConfigDescription.redacted : below.text) from \(below.location)"]
        }
        return error
    }

    /// Records, once for each key and type, that a default replaces a malformed value.
    private func recordDefault(
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
