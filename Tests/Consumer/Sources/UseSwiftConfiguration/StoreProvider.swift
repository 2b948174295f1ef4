import AshlarAppConfig
import Configuration
import Foundation

struct StoreProvider: ConfigProvider {
    let store: ConfigStore
    var providerName: String { "AshlarAppConfig" }

    func snapshot() -> any ConfigSnapshot { StoreSnapshot(config: store.current) }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try snapshot().value(forKey: key, type: type)
    }

    func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return {
        let changes = store.changes(of: ConfigPath(key.components.map { .key($0) }))
        return try await updatesHandler(
            ConfigUpdatesAsyncSequence(changes.map { _ in Result { try value(forKey: key, type: type) } }))
    }

    func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        let changes = store.changes().map { StoreSnapshot(config: $0) as any ConfigSnapshot }
        return try await updatesHandler(ConfigUpdatesAsyncSequence(changes))
    }
}

struct StoreSnapshot: ConfigSnapshot {
    let config: ApplicationConfig
    var providerName: String { "AshlarAppConfig" }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let path = ConfigPath(key.components.map { .key($0) })
        guard config[path] != nil else { return LookupResult(encodedKey: path.description, value: nil) }
        let content: ConfigContent =
            switch type {
            case .int: .int(try config.get(path))
            case .double: .double(try config.get(path))
            case .bool: .bool(try config.get(path))
            case .string: .string(try config.get(path))
            case .bytes: .bytes([UInt8](try config.get(path, as: Data.self)))
            case .intArray: .intArray(try config.get(path))
            case .doubleArray: .doubleArray(try config.get(path))
            case .boolArray: .boolArray(try config.get(path))
            case .stringArray: .stringArray(try config.get(path))
            case .byteChunkArray: .byteChunkArray(try config.get(path, as: [Data].self).map { [UInt8]($0) })
            }
        return LookupResult(
            encodedKey: path.description,
            value: Configuration.ConfigValue(content, isSecret: config.explain(path).isSecret))
    }
}
