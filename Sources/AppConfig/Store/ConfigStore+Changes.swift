internal import AshlarCore

// Each sequence starts with the current value and continues with each new value that differs. A slow consumer receives
// only the newest value. Values are compared as their type, so a file with the string `30` instead of the number isn't a
// change. A sequence has one consumer, and ends when its task is cancelled.
extension ConfigStore {
    /// Returns a sequence of the current configuration and each new one.
    public func changes() -> AsyncStream<ApplicationConfig> { changes { $0 } }

    /// Returns a sequence of the current value of a key and each new value.
    public func changes<Value: Equatable>(of key: ConfigKey<Value>) -> AsyncStream<Value> { changes { $0[key] } }

    /// Returns a sequence of the current value at a path and each new value.
    public func changes(of path: ConfigPath) -> AsyncStream<ConfigValue?> { changes { $0[path] } }

    /// Returns a sequence of the current settings and each later version, always as a whole.
    ///
    /// If a reload produces values that don't match the type, the last valid settings stay current, and
    /// ``ApplicationConfig/diagnostics`` of ``current`` contains the problems.
    ///
    /// ```swift
    /// struct Settings: ConfigSettings {
    ///     var timeout = 30
    /// }
    ///
    /// let store = ConfigStore(ApplicationConfig(["timeout": 15]))
    /// for await settings in try store.changes(of: Settings.self) {
    ///     print(settings.timeout)  // 15
    ///     break
    /// }
    /// ```
    ///
    /// - Throws: ``ConfigError`` with every problem of the current values.
    public func changes<Settings: ConfigSettings>(
        of type: Settings.Type, at path: ConfigPath = .root
    ) throws(ConfigError) -> AsyncStream<Settings> {
        let last = LastSettings(try current.bind(type, at: path))
        return changes { config in
            do throws(ConfigError) {
                return last.set(try config.bind(type, at: path))
            } catch {
                for problem in error.problems.isEmpty ? [error] : error.problems {
                    config.record(
                        ConfigDiagnostic(
                            .invalidSettings, key: problem.key, location: problem.location,
                            message: "\(type) keeps its last values: \(problem)"))
                }
                return last.value
            }
        }
    }

    private func changes<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (ApplicationConfig) -> Value
    ) -> AsyncStream<Value> {
        published.changes(of: { [self] in read(adjusted($0.config)) }, unless: ==)
    }
}

/// The last settings that matched their type.
private final class LastSettings<Settings: Sendable>: Sendable {
    private let last: Mutex<Settings>

    init(_ settings: Settings) { last = Mutex(settings) }

    var value: Settings { last.withLock { $0 } }

    func set(_ settings: Settings) -> Settings {
        last.withLock { $0 = settings }
        return settings
    }
}
