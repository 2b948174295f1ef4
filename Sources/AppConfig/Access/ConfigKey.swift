/// A key with its type and default value.
///
/// A key caches the position of its value in the latest snapshot from which it was read. Another read from this
/// snapshot takes a few nanoseconds, without allocating or retaining. All keys with the same name share this cache,
/// which is never freed. Therefore create keys once, as static constants, and not from an unlimited number of names.
///
/// ```swift
/// enum Settings {
///     static let timeout = ConfigKey("http.timeout", default: 30)
///     static let token = ConfigKey("api.token", default: "", secret: true)
/// }
///
/// let config = ApplicationConfig(["http": ["timeout": 15]])
/// let timeout = config[Settings.timeout]  // 15
/// ```
public struct ConfigKey<Value: ConfigConvertible & Sendable>: Sendable {
    let slot: ConfigKeySlot
    /// The key as written.
    public var name: String { slot.name }
    /// The value if the entry is missing or malformed.
    public let defaultValue: Value
    let isSecret: Bool

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The key or path.
    ///   - defaultValue: The value if the entry is missing or malformed.
    ///   - isSecret: Whether the value, and every value that is built from it, is never printed by any configuration of
    ///     the process. This applies from the creation of the key. Static constants are created on first use. If values
    ///     may be printed before, list the keys in a plan's schema, or use ``ConfigSecrets``.
    public init(_ name: String, default defaultValue: Value, secret isSecret: Bool = false) {
        slot = ConfigKeySlot(name)
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        ConfigDeclaredKeys.add(name, isSecret: isSecret)
    }

    var path: ConfigPath { ConfigPath(name) }
}

/// A key whose value must exist.
///
/// ```swift
/// let host = RequiredConfigKey("http.host", as: String.self)
/// let config = ApplicationConfig(["http": ["host": "example.org"]])
/// print(try config[host])
/// ```
public struct RequiredConfigKey<Value: ConfigConvertible & Sendable>: Sendable {
    /// The key as written.
    public let name: String
    let isSecret: Bool

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The key or path.
    ///   - type: The type of the value.
    ///   - isSecret: Whether the value is never printed; see ``ConfigKey/init(_:default:secret:)``.
    public init(_ name: String, as type: Value.Type = Value.self, secret isSecret: Bool = false) {
        self.name = name
        self.isSecret = isSecret
        ConfigDeclaredKeys.add(name, isSecret: isSecret)
    }

    var path: ConfigPath { ConfigPath(name) }
}

extension ConfigKey: CustomStringConvertible, CustomReflectable {
    /// The key as written.
    public var description: String { name }

    /// The name and default value; the default value of a secret key is `<redacted>`.
    public var customMirror: Mirror {
        let value: Any = isSecret ? ConfigDescription.redacted : defaultValue
        return Mirror(self, children: ["name": name, "defaultValue": value], displayStyle: .struct)
    }
}

extension RequiredConfigKey: CustomStringConvertible {
    /// The key as written.
    public var description: String { name }
}

extension ApplicationConfig {
    /// The value of a key, or its default value if it is missing or malformed; a malformed value records a diagnostic.
    public subscript<Value>(_ key: ConfigKey<Value>) -> Value {
        guard let place = place(of: key.name) else { return key.defaultValue }
        return convert(place, key)
    }

    /// The value of a key, read without a ``ConfigValue``.
    public subscript(_ key: ConfigKey<Int>) -> Int {
        guard let node = fastNode(key) else { return slow(key) }
        let found = snapshot.tree.nodes[node]
        guard found.kind == .integer, !snapshot.readsAsSeed else { return slow(key) }
        return Int(exactly: Int64(bitPattern: found.payload)) ?? slow(key)
    }

    /// The value of a key, read without a ``ConfigValue``.
    public subscript(_ key: ConfigKey<Bool>) -> Bool {
        guard let node = fastNode(key) else { return slow(key) }
        let found = snapshot.tree.nodes[node]
        return found.kind == .boolean ? found.payload != 0 : slow(key)
    }

    /// The value of a key, read without a ``ConfigValue``.
    public subscript(_ key: ConfigKey<Double>) -> Double {
        guard let node = fastNode(key) else { return slow(key) }
        let found = snapshot.tree.nodes[node]
        let number = Double(bitPattern: found.payload)
        return found.kind == .real && number.isFinite ? number : slow(key)
    }

    /// The value of a key, read without a ``ConfigValue``.
    public subscript(_ key: ConfigKey<String>) -> String {
        guard let node = fastNode(key) else { return slow(key) }
        let found = snapshot.tree.nodes[node]
        return found.kind == .string ? snapshot.tree.strings[Int(found.payload)] : slow(key)
    }

    /// Returns the node of a key in the snapshot; nil if there is none, or if run-time writes require the slow path.
    @inline(__always)
    private func fastNode<Value>(_ key: ConfigKey<Value>) -> Int? {
        if overlay != nil { return nil }
        let node = key.slot.node(in: snapshot)
        if node == ConfigKeySlot.absent { return nil }
        if snapshot.tracker != nil { snapshot.note(node, key.name) }
        return node
    }

    @inline(never)
    private func slow<Value>(_ key: ConfigKey<Value>) -> Value {
        guard let place = place(of: key.name) else { return key.defaultValue }
        return convert(place, key)
    }

    /// The value of a required key.
    ///
    /// - Throws: ``ConfigError`` with the code `missingKey` or `typeMismatch`.
    public subscript<Value>(_ key: RequiredConfigKey<Value>) -> Value {
        get throws(ConfigError) {
            guard let place = place(of: key.name) else { throw missing(key.path, expected: Value.configTypeName) }
            let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
            guard let made = Value(configValue: value, coercion: place.snapshot.context.coercion) else {
                throw mismatch(place, key.path, Value.configTypeName, isSecret: key.isSecret)
            }
            return made
        }
    }

    @inline(never)
    private func convert<Value>(_ place: ConfigPlace, _ key: ConfigKey<Value>) -> Value {
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        if let made = Value(configValue: value, coercion: place.snapshot.context.coercion) { return made }
        recordDefault(place, key.name, Value.configTypeName, isSecret: key.isSecret)
        return key.defaultValue
    }
}
