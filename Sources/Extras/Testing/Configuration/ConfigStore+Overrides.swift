public import AshlarAppConfig

extension ConfigStore {
    /// Runs code with overridden values of this store; tasks outside of the scope aren't affected.
    ///
    /// The overrides apply to `current` and everything that reads it, in the current task and its child tasks. They
    /// take precedence over values written at run time. Scopes can be nested; the innermost value wins. Code on other
    /// threads or in detached tasks doesn't see them.
    ///
    /// ```swift
    /// let store = ConfigStore(["http": ["timeout": 30]])
    /// store.withOverrides(["http.timeout": 1]) {
    ///     print(store.current.int(forKey: "http.timeout") ?? 10)  // 1
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - values: The values by path, set in the order of their keys, elements by their numbers; `null` removes a key.
    ///   - operation: The code to run.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public func withOverrides<Value, Failure: Error>(
        _ values: [String: ConfigValue], operation: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let adjustment = adjustment(by: values)
        let result = ConfigAdjustment.$current.withValue(adjustment) {
            Result { () throws(Failure) in try operation() }
        }
        return try result.get()
    }

    /// Runs asynchronous code with overridden values of this store; tasks outside of the scope aren't affected.
    public func withOverrides<Value, Failure: Error>(
        _ values: [String: ConfigValue], isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let adjustment = adjustment(by: values)
        let result: Result<Value, Failure> = await ConfigAdjustment.$current.withValue(
            adjustment,
            operation: {
                do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
            }, isolation: isolation)
        return try result.get()
    }

    /// Returns the adjustments of the current task, and then that of a new scope.
    private func adjustment(by values: [String: ConfigValue]) -> ConfigAdjustment {
        let outer = ConfigAdjustment.current
        let id = ObjectIdentifier(self)
        return ConfigAdjustment { store, config in
            var config = outer?.apply(store, config) ?? config
            if ObjectIdentifier(store) != id { return config }
            // Sections come before the values inside them.
            let paths = values.map { (path: ConfigPath($0.key), value: $0.value) }
            for (path, value) in paths.sorted(by: { ConfigPath.precedes($0.path, $1.path) }) { config[path] = value }
            return config
        }
    }
}
