public import AshlarAppConfig
import AshlarCore
import AshlarCustomization
import AshlarLogging

extension AshlarApp {
    @TaskLocal private static var scoped: AshlarApp?
    private static let process = Mutex<AshlarApp?>(nil)

    /// The app of the current task, or the one that this process started last; nil before the first start.
    public static var current: AshlarApp? { scoped ?? process.withLock { $0 } }

    static func setCurrent(_ app: AshlarApp) {
        // The previous app is released outside the lock.
        _ = process.withLock { current in
            defer { current = app }
            return current
        }
    }

    /// Runs code whose ``current`` app is this one, for tests and previews.
    ///
    /// Child tasks of the code use this app, too; other tasks don't.
    public func asCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$scoped.withValue(self, operation: body)
    }

    /// Runs asynchronous code whose ``current`` app is this one.
    public func asCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$scoped.withValue(self, operation: body, isolation: isolation)
    }
}

/// A value of the current app's configuration, read at each access.
///
/// ```swift
/// struct API {
///     @Setting("api.timeout") var timeout = 24.0
///     @Setting("api.host") var host: String?
/// }
/// ```
///
/// The value is the initial one if the key is absent, the value has another type, or no app has been started. A value of
/// another type is logged as a warning with file and line, once for each configuration, and is in its `diagnostics`.
///
/// A SwiftUI view that reads the value in its body is updated when the configuration changes, because the read is observable.
/// Each access finds the key in O(1). Any thread may read.
@propertyWrapper
public struct Setting<Value: ConfigConvertible & Sendable>: Sendable {
    private let key: ConfigKey<Value>

    /// Creates a setting.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - key: The path of the value in the configuration.
    ///   - isSecret: Whether no text may contain the value; see `ConfigKey`.
    public init(wrappedValue: Value, _ key: String, secret isSecret: Bool = false) {
        self.key = ConfigKey(key, default: wrappedValue, secret: isSecret)
    }

    /// The current value.
    public var wrappedValue: Value {
        guard let app = AshlarApp.current else { return key.defaultValue }
        return app.values.config.value(of: key) { Log("config").warning("\($0.description)") }
    }
}

extension Setting where Value: ExpressibleByNilLiteral {
    /// Creates a setting that is nil if the key is absent.
    public init(_ key: String, secret isSecret: Bool = false) { self.init(wrappedValue: nil, key, secret: isSecret) }
}

/// A string of the current app's customization, read at each access.
///
/// ```swift
/// struct Buttons {
///     @Localized("cancel") var cancel
/// }
/// ```
///
/// The value is the key if the string is absent or no app has been started. A SwiftUI view that reads the value in its body is
/// updated when the language, the brand or the strings change, because the read is observable.
@propertyWrapper
public struct Localized: Sendable {
    private let key: String
    private let table: String?

    /// Creates a string with its key, in one table or in all tables.
    public init(_ key: String, table: String? = nil) {
        self.key = key
        self.table = table
    }

    /// The string in the current language and brand.
    public var wrappedValue: String { AshlarApp.current?.values.strings.string(key, table: table) ?? key }
}
