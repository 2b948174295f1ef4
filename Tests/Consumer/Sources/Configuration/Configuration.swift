// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
//
// A stand-in for the module of swift-configuration 1, which these tests cannot download.
//
// The declarations are our transcription of the parts of its public interface that the adapters on the page "Coming from
// swift-configuration" use. The bodies are our own. A newer version of the package can differ.

/// The type in which a value is requested.
public enum ConfigType: String, Sendable {
    case string, int, double, bool, bytes, stringArray, intArray, doubleArray, boolArray, byteChunkArray
}

/// A value in one of the supported types.
public enum ConfigContent: Sendable, Hashable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)
    case bytes([UInt8])
    case stringArray([String])
    case intArray([Int])
    case doubleArray([Double])
    case boolArray([Bool])
    case byteChunkArray([[UInt8]])
}

/// A value and whether it is secret.
public struct ConfigValue: Sendable, Hashable {
    public var content: ConfigContent
    public var isSecret: Bool

    public init(_ content: ConfigContent, isSecret: Bool) { (self.content, self.isSecret) = (content, isSecret) }
}

/// A key relative to a reader.
public struct ConfigKey: Sendable, Hashable, ExpressibleByStringLiteral {
    public var components: [String]

    public init(_ string: String) { components = string.split(separator: ".").map(String.init) }
    public init(stringLiteral value: String) { self.init(value) }
}

/// A key from the root.
public struct AbsoluteConfigKey: Sendable, Hashable {
    public var components: [String]

    public init(_ relative: ConfigKey) { components = relative.components }
}

/// The result of looking up a key.
public struct LookupResult: Sendable, Hashable {
    public var encodedKey: String
    public var value: ConfigValue?

    public init(encodedKey: String, value: ConfigValue?) { (self.encodedKey, self.value) = (encodedKey, value) }
}

/// The values of a provider at one time.
public protocol ConfigSnapshot: Sendable {
    var providerName: String { get }
    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult
}

/// The updates of a value or snapshot.
public struct ConfigUpdatesAsyncSequence<Element: Sendable, Failure: Error>: AsyncSequence {
    private let upstream: any AsyncSequence<Element, Failure>

    public init(_ upstream: some AsyncSequence<Element, Failure>) { self.upstream = upstream }

    public func makeAsyncIterator() -> Iterator { Iterator(iterator: upstream.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        var iterator: any AsyncIteratorProtocol<Element, Failure>

        public mutating func next() async throws(Failure) -> Element? { try await iterator.next(isolation: #isolation) }
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            try await iterator.next(isolation: actor)
        }
    }
}

/// A source of values.
public protocol ConfigProvider: Sendable {
    var providerName: String { get }
    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult
    func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult
    func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return
    func snapshot() -> any ConfigSnapshot
    func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return
}

/// Reads values from a provider.
public struct ConfigReader: Sendable {
    private let provider: any ConfigProvider

    public init(provider: some ConfigProvider) { self.provider = provider }

    public func string(forKey key: ConfigKey) -> String? {
        guard case .string(let text)? = content(key, .string) else { return nil }
        return text
    }

    public func int(forKey key: ConfigKey, default value: Int) -> Int {
        guard case .int(let number)? = content(key, .int) else { return value }
        return number
    }

    private func content(_ key: ConfigKey, _ type: ConfigType) -> ConfigContent? {
        try? provider.value(forKey: AbsoluteConfigKey(key), type: type).value?.content
    }
}
