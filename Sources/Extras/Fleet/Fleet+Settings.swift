internal import AshlarNetworking

extension Fleet {
    /// Sets a value of the configuration in all processes.
    ///
    /// - Parameters:
    ///   - path: The path of the value: keys of letters, digits, `-` and `_`, separated by `.`.
    ///   - value: The value; nil removes it, so that the one of the files applies again.
    /// - Throws: ``FleetError``; or the error of the value's type.
    public func set<Value: Encodable & Sendable>(_ path: String, to value: Value?) async throws {
        try await settingsBucket.put(try value.map { try JSONFormat().encode($0) }, for: "config." + path)
    }

    /// Removes a value of the configuration in all processes, so that the one of the files applies again.
    public func remove(_ path: String) async throws { try await settingsBucket.put(nil, for: "config." + path) }

    /// Selects an environment of a host in all processes.
    ///
    /// - Parameters:
    ///   - environment: The key of the environment in the host map; nil ends the selection for processes that start later.
    ///   - host: The canonical host.
    /// - Throws: ``FleetError``.
    public func selectHost(_ environment: String?, for host: String) async throws {
        try await settingsBucket.put(environment.map { Array($0.utf8) }, for: "hosts." + host)
    }
}
