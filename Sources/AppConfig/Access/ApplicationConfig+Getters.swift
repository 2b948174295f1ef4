#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// The getters of NEIApplicationConfig with Swift names, each without and with a default. Without a default, a missing
// or malformed value is `nil`. With a default, the getter returns the default in both cases. A malformed value also
// adds a diagnostic to `diagnostics`. `get` and `decode` throw instead.
extension ApplicationConfig {
    /// Returns the string of a key.
    public func string(forKey key: String) -> String? {
        if let node = fastNode(key) {
            if node == ConfigKeySlot.absent { return nil }
            let found = snapshot.tree.nodes[node]
            if found.kind == .string { return snapshot.tree.strings[Int(found.payload)] }
        }
        return slow(key)
    }

    /// Returns the string of a key, or a default if it is missing or not a string.
    public func string(forKey key: String, default value: @autoclosure () -> String) -> String {
        string(forKey: key) ?? value()
    }

    /// Returns the boolean of a key.
    public func bool(forKey key: String) -> Bool? {
        if let node = fastNode(key) {
            if node == ConfigKeySlot.absent { return nil }
            let found = snapshot.tree.nodes[node]
            if found.kind == .boolean { return found.payload != 0 }
        }
        return slow(key)
    }

    /// Returns the boolean of a key, or a default if it is missing or not a boolean.
    public func bool(forKey key: String, default value: @autoclosure () -> Bool) -> Bool {
        bool(forKey: key) ?? value()
    }

    /// Returns the integer of a key.
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

    /// Returns the integer of a key, or a default if it is missing or not an integer.
    public func int(forKey key: String, default value: @autoclosure () -> Int) -> Int { int(forKey: key) ?? value() }

    /// Returns the number of a key.
    public func double(forKey key: String) -> Double? { place(of: key).flatMap { read($0, key) } }

    /// Returns the number of a key, or a default if it is missing or not a number.
    public func double(forKey key: String, default value: @autoclosure () -> Double) -> Double {
        double(forKey: key) ?? value()
    }

    /// Returns the number of a key, rounded to a float.
    public func float(forKey key: String) -> Float? { place(of: key).flatMap { read($0, key) } }

    /// Returns the number of a key rounded to a float, or a default if it is missing or not a number.
    public func float(forKey key: String, default value: @autoclosure () -> Float) -> Float {
        float(forKey: key) ?? value()
    }

    /// Returns the value of a key as any type.
    public func object(forKey key: String) -> ConfigValue? { place(of: key).map { $0.tree.value(of: $0.node) } }

    /// Returns the value of a key as any type, or a default if it is missing.
    public func object(forKey key: String, default value: @autoclosure () -> ConfigValue) -> ConfigValue {
        object(forKey: key) ?? value()
    }

    /// Returns the array of a key.
    public func array(forKey key: String) -> [ConfigValue]? { place(of: key).flatMap { read($0, key) } }

    /// Returns the array of a key, or a default if it is missing or not an array.
    public func array(forKey key: String, default value: @autoclosure () -> [ConfigValue]) -> [ConfigValue] {
        array(forKey: key) ?? value()
    }

    /// Returns the dictionary of a key.
    public func dictionary(forKey key: String) -> [String: ConfigValue]? { place(of: key).flatMap { read($0, key) } }

    /// Returns the dictionary of a key, or a default if it is missing or not a dictionary.
    public func dictionary(
        forKey key: String, default value: @autoclosure () -> [String: ConfigValue]
    ) -> [String: ConfigValue] {
        dictionary(forKey: key) ?? value()
    }

    /// Returns the bytes of a key: data, or a string in Base64.
    public func data(forKey key: String) -> Data? { place(of: key).flatMap { read($0, key) } }

    /// Returns the bytes of a key, or a default if they are missing or not data.
    public func data(forKey key: String, default value: @autoclosure () -> Data) -> Data {
        data(forKey: key) ?? value()
    }

    /// Returns the date of a key: a date, or a string in ISO 8601.
    public func date(forKey key: String) -> Date? { place(of: key).flatMap { read($0, key) } }

    /// Returns the date of a key, or a default if it is missing or not a date.
    public func date(forKey key: String, default value: @autoclosure () -> Date) -> Date {
        date(forKey: key) ?? value()
    }

    /// Returns the URL of a key.
    public func url(forKey key: String) -> URL? { place(of: key).flatMap { read($0, key) } }

    /// Returns the URL of a key, or a default if it is missing or not a URL.
    public func url(forKey key: String, default value: @autoclosure () -> URL) -> URL { url(forKey: key) ?? value() }

    /// Returns the duration of a key: a number of seconds, or a string such as `250ms`, `30s`, `1.5m`, `2h`, `7d`.
    public func duration(forKey key: String) -> Duration? { place(of: key).flatMap { read($0, key) } }

    /// Returns the duration of a key, or a default if it is missing or not a duration.
    public func duration(forKey key: String, default value: @autoclosure () -> Duration) -> Duration {
        duration(forKey: key) ?? value()
    }

    /// Returns the number of bytes of a key: an integer, or a string such as `10MB` (10,000,000) or `10MiB`
    /// (10,485,760).
    ///
    /// The units are `kB`, `MB`, `GB`, `TB` and `PB` (powers of 1,000) and `KiB` to `PiB` (powers of 1,024), in any
    /// case. `1.1kB` is exactly 1,100 bytes; a fraction of a byte is malformed.
    public func bytes(forKey key: String) -> Int? {
        place(of: key).flatMap { read($0, key, as: ConfigByteCount.self)?.count }
    }

    /// Returns the number of bytes of a key, or a default if it is missing or not a size.
    public func bytes(forKey key: String, default value: @autoclosure () -> Int) -> Int {
        bytes(forKey: key) ?? value()
    }

    /// Returns the node of a key in the snapshot, or `absent`; nil if run-time writes or tracking require the slow
    /// path.
    @inline(__always)
    private func fastNode(_ key: String) -> Int? {
        if overlay != nil || snapshot.tracker != nil { return nil }
        return snapshot.find(key) ?? ConfigKeySlot.absent
    }

    @inline(never)
    private func slow<T: ConfigConvertible>(_ key: String) -> T? { place(of: key).flatMap { read($0, key) } }

    /// Reads a value; returns nil and records a diagnostic if it is malformed.
    func read<T: ConfigConvertible>(_ place: ConfigPlace, _ key: String, as: T.Type = T.self) -> T? {
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        if let made = T(configValue: value, coercion: place.snapshot.context.coercion) { return made }
        recordDefault(place, key, T.configTypeName)
        return nil
    }

    /// Records, once for each key and type, that a default replaces a malformed value.
    func recordDefault(_ place: ConfigPlace, _ key: String, _ typeName: String, isSecret: Bool = false) {
        let subject = "\(typeName) \(key)"
        // A malformed value may be read often, so the error is created only the first time.
        if snapshot.context.log.hasSeen(subject) { return }
        let error = mismatch(place, ConfigPath(key), typeName, isSecret: isSecret)
        record(
            ConfigDiagnostic(
                .defaultUsed, key: ConfigPath(key), location: error.location,
                message: "expected \(typeName), found \(error.found ?? ""); the default is used"),
            about: subject)
    }

    /// Stores a diagnostic and reports it to the tracker, outside the lock.
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
