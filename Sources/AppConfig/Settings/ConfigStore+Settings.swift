internal import AshlarCore

extension ConfigStore {
    /// The settings over time, the current ones first, always as one whole value.
    ///
    /// After a reload whose values do not fit the type, the last good settings stay, and the problems are in
    /// ``ApplicationConfig/diagnostics`` of ``current``.
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
    ) throws(ConfigError) -> ConfigChanges<Settings> {
        let last = LastSettings(try current.bind(type, at: path))
        return ConfigChanges(store: self) { config in
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
}

/// The last settings that fitted their type.
private final class LastSettings<Settings: Sendable>: Sendable {
    private let last: Mutex<Settings>

    init(_ settings: Settings) { last = Mutex(settings) }

    var value: Settings { last.withLock { $0 } }

    func set(_ settings: Settings) -> Settings {
        last.withLock { $0 = settings }
        return settings
    }
}
