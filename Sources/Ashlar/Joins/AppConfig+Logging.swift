public import AshlarAppConfig
public import AshlarLogging

extension LogLevel: ConfigConvertible {
    /// The description of a level in error messages.
    public static var configTypeName: String {
        "log level (\(allCases.map { $0.description.lowercased() }.joined(separator: ", ")))"
    }

    /// Reads a level by its name or number; see `LogLevel.init(name:)`.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let name = String(configValue: value, coercion: coercion) else { return nil }
        self.init(name: name)
    }
}

extension LogSystem {
    /// Applies the section `log` of a configuration: the switch and the thresholds.
    ///
    /// | key | value |
    /// |---|---|
    /// | `log.enabled` | the master switch, a boolean |
    /// | `log.threshold` | a level by name or number (`LogLevel.init(name:)`), or `off` |
    /// | `log.contexts` | a dictionary of context prefixes (`*` for all) and levels |
    ///
    /// An absent key changes nothing. A malformed value is returned as an error and changes nothing; the other values
    /// apply. Call this method again after a reload.
    ///
    /// - Returns: An error for each malformed value, with its file and line.
    @discardableResult
    package static func configure(from config: ApplicationConfig) -> [ConfigError] {
        configure(from: config, over: LogSystem.thresholds)
    }

    /// Applies the section `log` of a store's configuration now and after every change, until the task is cancelled.
    ///
    /// A threshold that a reload removes returns to its value before the call. Malformed values of later configurations
    /// are logged as warnings with the context `config`.
    ///
    /// - Returns: The errors of the current configuration, and the task.
    static func begin(following store: ConfigStore) -> (errors: [ConfigError], task: Task<Void, Never>) {
        let (base, wasEnabled, first) = (thresholds, isEnabled, store.current)
        let errors = configure(from: first, over: base)
        return (
            errors,
            Task {
                var last = first
                for await config in store.changes() where config != last {
                    last = config
                    if config["log.enabled"] == nil { isEnabled = wasEnabled }
                    for error in configure(from: config, over: base) {
                        Log("config").warning("\(String(describing: error))")
                    }
                }
            }
        )
    }

    private static func configure(from config: ApplicationConfig, over base: LogThresholds) -> [ConfigError] {
        var errors: [ConfigError] = []
        func read<T: ConfigConvertible>(_ path: ConfigPath, as type: T.Type) -> T? {
            guard config[path] != nil else { return nil }
            do throws(ConfigError) {
                return try config.get(path, as: type)
            } catch {
                errors.append(error)
                return nil
            }
        }

        var thresholds = base
        if let threshold = read("log.threshold", as: Threshold.self) { thresholds.global = threshold.level }
        for prefix in config["log.contexts"]?.dictionary?.keys.sorted() ?? [] {
            let path = ConfigPath(components: ["log", "contexts", prefix])
            guard let threshold = read(path, as: Threshold.self) else { continue }
            thresholds.contexts[prefix == "*" ? "" : prefix] = .some(threshold.level)
        }
        LogSystem.thresholds = thresholds
        if let isEnabled = read("log.enabled", as: Bool.self) { LogSystem.isEnabled = isEnabled }
        return errors
    }
}

/// A level, or `off`.
private struct Threshold: ConfigConvertible {
    static var configTypeName: String { "\(LogLevel.configTypeName) or off" }
    let level: LogLevel?

    init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        if case .string(let text) = value, ["off", "none"].contains(text.lowercased()) {
            level = nil
        } else if let level = LogLevel(configValue: value, coercion: coercion) {
            self.level = level
        } else {
            return nil
        }
    }
}
