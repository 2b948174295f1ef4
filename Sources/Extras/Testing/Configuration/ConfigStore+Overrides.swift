public import AshlarAppConfig
internal import AshlarCore

// Support for tests: overrides for one task, and a record of reads.
extension ConfigStore {
    /// Runs code with overridden values of this store; tasks outside of the scope aren't affected.
    ///
    /// The overrides apply to `current` and everything that reads it, in the current task and its child tasks. They
    /// take precedence over values written at run time. Scopes can be nested; the innermost value wins. Code on other
    /// threads or in detached tasks doesn't see them.
    ///
    /// ```swift
    /// let store = ConfigStore(["http": ["timeout": 30]])
    /// let reads = ConfigReadRecord()
    /// store.withOverrides(["http.timeout": 1], recording: reads) {
    ///     print(store.current.int(forKey: "http.timeout") ?? 10)  // 1
    /// }
    /// print(reads.keys)  // ["http.timeout"]
    /// ```
    ///
    /// - Parameters:
    ///   - values: The values by path, set in the order of their keys; `null` removes a key.
    ///   - record: Receives the reads within the scope.
    ///   - operation: The code to run.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public func withOverrides<Value, Failure: Error>(
        _ values: [String: ConfigValue], recording record: ConfigReadRecord? = nil,
        operation: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let adjustment = adjustment(by: values, record)
        let result = ConfigAdjustment.$current.withValue(adjustment) {
            Result { () throws(Failure) in try operation() }
        }
        return try result.get()
    }

    /// Runs asynchronous code with overridden values of this store; tasks outside of the scope aren't affected.
    public func withOverrides<Value, Failure: Error>(
        _ values: [String: ConfigValue], recording record: ConfigReadRecord? = nil,
        isolation: isolated (any Actor)? = #isolation, operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let adjustment = adjustment(by: values, record)
        let result: Result<Value, Failure> = await ConfigAdjustment.$current.withValue(
            adjustment,
            operation: {
                do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
            }, isolation: isolation)
        return try result.get()
    }

    /// Returns the adjustments of the current task, and then that of a new scope.
    private func adjustment(by values: [String: ConfigValue], _ record: ConfigReadRecord?) -> ConfigAdjustment {
        let outer = ConfigAdjustment.current
        let id = ObjectIdentifier(self)
        return ConfigAdjustment { store, config in
            var config = outer?.apply(store, config) ?? config
            if ObjectIdentifier(store) != id { return config }
            // Sections come before the values inside them.
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { config[ConfigPath(key)] = value }
            return record.map { record in config.trackingAccess { record.add($0) } } ?? config
        }
    }
}

/// A record of reads.
///
/// A record is thread-safe. Record the reads of one configuration with
/// `ApplicationConfig.trackingAccess(report:diagnostic:)` and ``add(_:)``, or the reads of a scope with
/// `ConfigStore.withOverrides(_:recording:operation:)`.
public final class ConfigReadRecord: Sendable {
    private let list = Mutex<[ConfigAccess]>([])

    /// Creates an empty record.
    public init() {}

    /// Adds a read.
    public func add(_ read: ConfigAccess) { list.withLock { $0.append(read) } }

    /// The reads in order.
    public var reads: [ConfigAccess] { list.withLock { $0 } }

    /// The keys that were read, without duplicates, sorted.
    public var keys: [String] { Set(reads.map(\.key)).sorted() }

    /// The keys that were read without a value, without duplicates, sorted.
    public var missingKeys: [String] { Set(reads.filter { !$0.isFound }.map(\.key)).sorted() }
}
