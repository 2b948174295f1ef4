import AshlarAppConfig
import Configuration
import Foundation

struct ProviderSource<Provider: ConfigProvider>: ConfigSource {
    let provider: Provider
    let keys: [String: ConfigType]
    var name: String { provider.providerName }

    func content() throws -> ConfigSourceContent {
        var document = ConfigDocument()
        document.isLiteral = true
        for (key, type) in keys {
            let found = try provider.value(forKey: AbsoluteConfigKey(Configuration.ConfigKey(key)), type: type)
            guard let value = found.value else { continue }
            try document.set(Self.value(value.content), at: ConfigPath(key), isSecret: value.isSecret)
        }
        return .document(document)
    }

    func changes() -> AsyncStream<Void>? {
        AsyncStream { continuation in
            let task = Task { [provider] in
                try? await provider.watchSnapshot { updates in
                    for await _ in updates { continuation.yield() }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private static func value(_ content: ConfigContent) -> AshlarAppConfig.ConfigValue {
        switch content {
        case .string(let text): .string(text)
        case .int(let number): .integer(Int64(number))
        case .double(let number): .real(number)
        case .bool(let flag): .boolean(flag)
        case .bytes(let bytes): .data(Data(bytes))
        case .stringArray(let texts): .array(texts.map { .string($0) })
        case .intArray(let numbers): .array(numbers.map { .integer(Int64($0)) })
        case .doubleArray(let numbers): .array(numbers.map { .real($0) })
        case .boolArray(let flags): .array(flags.map { .boolean($0) })
        case .byteChunkArray(let chunks): .array(chunks.map { .data(Data($0)) })
        }
    }
}
