#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// The getters of the original under Swift names, each without and with a default. Without a default a missing value is
// `nil`; so is a malformed one, which also leaves a diagnostic in `diagnostics`. With a default the default is returned
// in both cases. `get` and `decode` throw instead.
extension ApplicationConfig {
    /// The text of a key.
    public func string(forKey key: String) -> String? {
        if let node = fastNode(key) {
            if node == ConfigKeySlot.absent { return nil }
            let found = snapshot.tree.nodes[node]
            if found.kind == .string { return snapshot.tree.strings[Int(found.payload)] }
        }
        return slow(key)
    }

    /// The text of a key, or a default if it is missing or not text.
    public func string(forKey key: String, default value: @autoclosure () -> String) -> String {
        string(forKey: key) ?? value()
    }

    /// The boolean of a key.
    public func bool(forKey key: String) -> Bool? {
        if let node = fastNode(key) {
            if node == ConfigKeySlot.absent { return nil }
            let found = snapshot.tree.nodes[node]
            if found.kind == .boolean { return found.payload != 0 }
        }
        return slow(key)
    }

    /// The boolean of a key, or a default if it is missing or not a boolean.
    public func bool(forKey key: String, default value: @autoclosure () -> Bool) -> Bool {
        bool(forKey: key) ?? value()
    }

    /// The integer of a key.
    public func int(forKey key: String) -> Int? {
        if let node = fastNode(key) {
            if node == ConfigKeySlot.absent { return nil }
            let found = snapshot.tree.nodes[node]
            if found.kind == .integer, !snapshot.readsAsSeed,
                let number = Int(exactly: Int64(bitPattern: found.payload))
            {
                return number
            }
        }
        return slow(key)
    }

    /// The integer of a key, or a default if it is missing or not an integer.
    public func int(forKey key: String, default value: @autoclosure () -> Int) -> Int { int(forKey: key) ?? value() }

    /// The number of a key.
    public func double(forKey key: String) -> Double? { place(of: key).flatMap { read($0, key) } }

    /// The number of a key, or a default if it is missing or not a number.
    public func double(forKey key: String, default value: @autoclosure () -> Double) -> Double {
        double(forKey: key) ?? value()
    }

    /// The number of a key, rounded to a float.
    public func float(forKey key: String) -> Float? { place(of: key).flatMap { read($0, key) } }

    /// The number of a key rounded to a float, or a default if it is missing or not a number.
    public func float(forKey key: String, default value: @autoclosure () -> Float) -> Float {
        float(forKey: key) ?? value()
    }

    /// The value of a key, whatever its kind.
    public func object(forKey key: String) -> ConfigValue? { place(of: key).map { $0.tree.value(of: $0.node) } }

    /// The value of a key whatever its kind, or a default if it is missing.
    public func object(forKey key: String, default value: @autoclosure () -> ConfigValue) -> ConfigValue {
        object(forKey: key) ?? value()
    }

    /// The array of a key.
    public func array(forKey key: String) -> [ConfigValue]? { place(of: key).flatMap { read($0, key) } }

    /// The array of a key, or a default if it is missing or not an array.
    public func array(forKey key: String, default value: @autoclosure () -> [ConfigValue]) -> [ConfigValue] {
        array(forKey: key) ?? value()
    }

    /// The dictionary of a key.
    public func dictionary(forKey key: String) -> [String: ConfigValue]? { place(of: key).flatMap { read($0, key) } }

    /// The dictionary of a key, or a default if it is missing or not a dictionary.
    public func dictionary(
        forKey key: String, default value: @autoclosure () -> [String: ConfigValue]
    ) -> [String: ConfigValue] {
        dictionary(forKey: key) ?? value()
    }

    /// The bytes of a key: data, or a base64 text.
    public func data(forKey key: String) -> Data? { place(of: key).flatMap { read($0, key) } }

    /// The bytes of a key, or a default if it is missing or not data.
    public func data(forKey key: String, default value: @autoclosure () -> Data) -> Data {
        data(forKey: key) ?? value()
    }

    /// The date of a key: a date, or an ISO 8601 text.
    public func date(forKey key: String) -> Date? { place(of: key).flatMap { read($0, key) } }

    /// The date of a key, or a default if it is missing or not a date.
    public func date(forKey key: String, default value: @autoclosure () -> Date) -> Date {
        date(forKey: key) ?? value()
    }

    /// The URL of a key.
    public func url(forKey key: String) -> URL? { place(of: key).flatMap { read($0, key) } }

    /// The URL of a key, or a default if it is missing or not a URL.
    public func url(forKey key: String, default value: @autoclosure () -> URL) -> URL { url(forKey: key) ?? value() }

    /// The duration of a key: a number of seconds, or a text such as `250ms`, `30s`, `1.5m`, `2h`, `7d`.
    public func duration(forKey key: String) -> Duration? { place(of: key).flatMap { read($0, key) } }

    /// The duration of a key, or a default if it is missing or not a duration.
    public func duration(forKey key: String, default value: @autoclosure () -> Duration) -> Duration {
        duration(forKey: key) ?? value()
    }

    /// The number of bytes of a key: an integer, or a text such as `10MB` (10,000,000) or `10MiB` (10,485,760).
    ///
    /// Units are `kB`, `MB`, `GB`, `TB` and `PB` of thousands and `KiB` to `PiB` of 1,024, in any case. `1.1kB` are exactly
    /// 1,100 bytes; a fraction of a byte is malformed.
    public func bytes(forKey key: String) -> Int? {
        place(of: key).flatMap { read($0, key, as: ConfigByteCount.self)?.count }
    }

    /// The number of bytes of a key, or a default if it is missing or not a size.
    public func bytes(forKey key: String, default value: @autoclosure () -> Int) -> Int {
        bytes(forKey: key) ?? value()
    }

    /// The node of a key in the snapshot, or `absent`; nil if run-time writes or tracking require the slow path.
    @inline(__always)
    private func fastNode(_ key: String) -> Int? {
        if overlay != nil || snapshot.tracker != nil { return nil }
        return snapshot.find(key) ?? ConfigKeySlot.absent
    }

    @inline(never)
    private func slow<T: ConfigConvertible>(_ key: String) -> T? { place(of: key).flatMap { read($0, key) } }

    /// Reads a value; returns nil, with a diagnostic, if it is malformed.
    func read<T: ConfigConvertible>(_ place: ConfigPlace, _ key: String, as: T.Type = T.self) -> T? {
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        if let made = T(configValue: value, coercion: place.snapshot.context.coercion) { return made }
        recordDefault(place, key, T.configTypeName)
        return nil
    }

    /// Records, once for a key and type, that a default replaced a malformed value.
    func recordDefault(_ place: ConfigPlace, _ key: String, _ typeName: String, isSecret: Bool = false) {
        let subject = "\(typeName) \(key)"
        // A malformed value may be read often; the error is made the first time only.
        if snapshot.context.log.hasSeen(subject) { return }
        let error = mismatch(place, ConfigPath(key), typeName, isSecret: isSecret)
        record(
            ConfigDiagnostic(
                .defaultUsed, key: ConfigPath(key), location: error.location,
                message: "expected \(typeName), found \(error.found ?? ""); the default is used"),
            about: subject)
    }

    /// Stores a diagnostic and reports it to the tracker, without a lock.
    func record(_ diagnostic: ConfigDiagnostic, about subject: String? = nil) {
        let isNew = snapshot.context.log.add(diagnostic, about: subject ?? diagnostic.description)
        if isNew { snapshot.tracker?.diagnostic?(diagnostic) }
    }
}

/// A size in bytes, with units in text.
struct ConfigByteCount: ConfigConvertible {
    static let configTypeName = "a size in bytes such as 10MiB"
    let count: Int

    init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        if case .string(let text) = value {
            guard coercion.kind != .strict, let count = ConfigUnits.bytes(text), count >= 0 else { return nil }
            self.count = count
        } else {
            guard let count = coercion.integer(value, as: Int.self), count >= 0 else { return nil }
            self.count = count
        }
    }
}
