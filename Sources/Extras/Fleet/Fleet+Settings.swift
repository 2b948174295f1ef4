internal import AshlarNetworking

extension Fleet {
    /// Sets a value of the configuration in all processes.
    ///
    /// - Parameters:
    ///   - path: The path of the value: keys of letters, digits, `-` and `_`, separated by `.`.
    ///   - value: The value; nil removes it, so that the one of the files applies again.
    /// - Throws: ``FleetError``, with the code `conflict` if the bucket has a value above or below the path that isn't a
    ///   dictionary, such as one for `x.n` if the path is `x.n.y`; or the error of the value's type.
    public func set<Value: Encodable & Sendable>(_ path: String, to value: Value?) async throws {
        let bytes = try value.map { try JSONFormat().encode($0) }
        if let bytes { try await checkNeighbors(of: path, JSONEntity(parsing: bytes).isObject) }
        try await settingsBucket.put(bytes, for: FleetSettings.prefix + path)
    }

    /// Throws an error if a value and one above or below it can't both be in the configuration.
    private func checkNeighbors(of path: String, _ isDictionary: Bool) async throws {
        let names = path.split(separator: ".").map(String.init)
        for count in names.indices.dropFirst() {
            let key = FleetSettings.prefix + names.prefix(count).joined(separator: ".")
            guard let value = try await settingsBucket.entry(key)?.value else { continue }
            guard var part = try? JSONEntity(parsing: value) else { continue }
            var rest = names.dropFirst(count)
            while part.isObject, let name = rest.popFirst() { part = part[name] }
            if part.isValid, !rest.isEmpty { throw Self.hidden(path, by: key) }
        }
        if isDictionary { return }
        for key in try await settingsBucket.keys(below: FleetSettings.prefix + path) {
            if try await settingsBucket.entry(key)?.value != nil { throw Self.hidden(path, by: key) }
        }
    }

    private static func hidden(_ path: String, by key: String) -> FleetError {
        FleetError(.conflict, "the key '\(key)' has a value that excludes this one; remove it first", subject: path)
    }

    /// Removes a value of the configuration in all processes, so that the one of the files applies again.
    public func remove(_ path: String) async throws {
        try await settingsBucket.put(nil, for: FleetSettings.prefix + path)
    }
}
