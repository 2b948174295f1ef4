import Synchronization

/// A key with its type and default, written once and used everywhere.
///
/// A key remembers where the latest snapshot it read holds its value, so that a read of the same snapshot costs a
/// few nanoseconds and allocates nothing. Make keys once, as static constants.
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
    /// The key as it was written.
    public let name: String
    /// The value of a missing or malformed entry.
    public let defaultValue: Value
    /// The value is never printed; list the key in a plan's schema or `secrets` to hold it back everywhere.
    public let isSecret: Bool
    let memo = ConfigKeyMemo()

    /// Creates a key.
    public init(_ name: String, default defaultValue: Value, secret isSecret: Bool = false) {
        self.name = name
        self.defaultValue = defaultValue
        self.isSecret = isSecret
    }

    /// The key as a path.
    public var path: ConfigPath { ConfigPath(name) }
}

/// A key whose value must be there.
///
/// ```swift
/// let host = RequiredConfigKey("http.host", as: String.self)
/// let config = ApplicationConfig(["http": ["host": "example.org"]])
/// print(try config[host])
/// ```
public struct RequiredConfigKey<Value: ConfigConvertible & Sendable>: Sendable {
    /// The key as it was written.
    public let name: String
    /// The value is never printed; list the key in a plan's schema or `secrets` to hold it back everywhere.
    public let isSecret: Bool

    /// Creates a key.
    public init(_ name: String, as type: Value.Type = Value.self, secret isSecret: Bool = false) {
        self.name = name
        self.isSecret = isSecret
    }

    /// The key as a path.
    public var path: ConfigPath { ConfigPath(name) }
}

/// Where a key found its value last: the snapshot's generation and the node's number in one word.
final class ConfigKeyMemo: Sendable {
    static let nodeBits: UInt64 = 28
    static let absent: UInt64 = (1 << nodeBits) - 1

    private let word = Atomic<UInt64>(0)

    /// The node's number in a snapshot, `absent` if it has none.
    @inline(__always)
    func node(_ name: String, in snapshot: ConfigSnapshot) -> UInt64 {
        let word = word.load(ordering: .relaxed)
        if word >> Self.nodeBits == snapshot.generation { return word & Self.absent }
        return find(name, in: snapshot)
    }

    @inline(never)
    private func find(_ name: String, in snapshot: ConfigSnapshot) -> UInt64 {
        let node = snapshot.find(name).map { UInt64($0) } ?? Self.absent
        word.store(snapshot.generation << Self.nodeBits | node, ordering: .relaxed)
        return node
    }
}

extension ApplicationConfig {
    /// The value of a key, or its default if it is missing or malformed; the latter leaves a remark in `diagnostics`.
    public subscript<Value>(_ key: ConfigKey<Value>) -> Value {
        guard let place = place(of: key) else { return key.defaultValue }
        return convert(place, key)
    }

    /// The value of a key, read without a detour through ``ConfigValue``.
    public subscript(_ key: ConfigKey<Int>) -> Int {
        guard let place = place(of: key) else { return key.defaultValue }
        let node = place.tree.nodes[place.node]
        if node.kind == .integer, let number = Int(exactly: Int64(bitPattern: node.payload)),
            place.snapshot.context.coercion.kind != .seed
        {
            return number
        }
        return convert(place, key)
    }

    /// The value of a key, read without a detour through ``ConfigValue``.
    public subscript(_ key: ConfigKey<Bool>) -> Bool {
        guard let place = place(of: key) else { return key.defaultValue }
        let node = place.tree.nodes[place.node]
        return node.kind == .boolean ? node.payload != 0 : convert(place, key)
    }

    /// The value of a key, read without a detour through ``ConfigValue``.
    public subscript(_ key: ConfigKey<Double>) -> Double {
        guard let place = place(of: key) else { return key.defaultValue }
        let node = place.tree.nodes[place.node]
        let number = Double(bitPattern: node.payload)
        return node.kind == .real && number.isFinite ? number : convert(place, key)
    }

    /// The value of a key, read without a detour through ``ConfigValue``.
    public subscript(_ key: ConfigKey<String>) -> String {
        guard let place = place(of: key) else { return key.defaultValue }
        let node = place.tree.nodes[place.node]
        return node.kind == .string ? place.tree.strings[Int(node.payload)] : convert(place, key)
    }

    /// The value of a required key.
    ///
    /// - Throws: ``ConfigError`` with code `missingKey` or `typeMismatch`.
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

    @inline(__always)
    private func place<Value>(of key: ConfigKey<Value>) -> ConfigPlace? {
        if overlay != nil { return place(of: key.name) }
        let node = key.memo.node(key.name, in: snapshot)
        let place = node == ConfigKeyMemo.absent ? nil : ConfigPlace(snapshot: snapshot, node: Int(node))
        snapshot.note(place?.node, key.name)
        return place
    }

    @inline(never)
    private func convert<Value>(_ place: ConfigPlace, _ key: ConfigKey<Value>) -> Value {
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        if let made = Value(configValue: value, coercion: place.snapshot.context.coercion) { return made }
        let error = mismatch(place, key.path, Value.configTypeName, isSecret: key.isSecret)
        remark(
            ConfigDiagnostic(
                .defaultUsed, key: key.path, origin: error.origin,
                message: "expected \(Value.configTypeName), found \(error.found ?? ""); the default is used"))
        return key.defaultValue
    }
}
