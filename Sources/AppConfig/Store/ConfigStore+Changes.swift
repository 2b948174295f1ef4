internal import AshlarCore

extension ConfigStore {
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
