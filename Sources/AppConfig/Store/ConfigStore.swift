internal import AshlarCore

/// Holds the current configuration of a program.
///
/// A store is thread-safe. A read holds a lock for the time of one retain. Loading, comparing, and callers' closures
/// run outside the lock.
///
/// ```swift
/// let store = ConfigStore(ApplicationConfig(["http": ["timeout": 30]]))
/// store.update { $0["http.timeout"] = 5 }
/// print(store.current.int(forKey: "http.timeout", default: 10))  // 5
/// ```
public final class ConfigStore: Sendable {
    struct State {
        var config: ApplicationConfig
        var version = 0
        /// The number of the latest reload that started, and of the latest whose result was applied.
        var begun = 0
        var settled = 0
        var errors: [ConfigError] = []
        /// The state of the files directly before the latest load.
        var files = PathSnapshot(of: [])
        /// Values written at run time, which are applied again after a reload.
        var writes = ConfigWrites()
        var tracksAccess = false
        var report: (@Sendable (ConfigAccess) -> Void)?
        var diagnostic: (@Sendable (ConfigDiagnostic) -> Void)?
        var listeners: [Int: @Sendable () -> Void] = [:]
        var observers: [Int: @Sendable (ConfigStoreEvent) -> Void] = [:]
        var nextNumber = 0
        /// The number of running scopes with overrides, in all tasks.
        var overrideScopes = 0
    }

    /// The plan that the store loads; `nil` for a configuration created in code.
    let plan: ConfigPlan?
    let state: Mutex<State>

    /// Creates a store for a configuration created in code.
    public init(_ config: ApplicationConfig = ApplicationConfig()) {
        plan = nil
        state = Mutex(State(config: config))
    }

    /// Creates a store and loads its configuration.
    ///
    /// - Throws: ``ConfigError`` with every problem.
    public init(loading plan: ConfigPlan) throws(ConfigError) {
        let files = PathSnapshot(of: plan.filePaths)
        let config = try ApplicationConfig.load(plan)
        self.plan = plan
        state = Mutex(State(config: config, files: files))
    }

    /// Creates a store from every source that loads; see `errors` for the others.
    public init(loadingBestEffort plan: ConfigPlan) {
        let files = PathSnapshot(of: plan.filePaths)
        let report = ApplicationConfig.loadReport(plan)
        self.plan = plan
        state = Mutex(State(config: report.config, errors: report.errors, files: files))
    }

    /// The store of the main bundle's configuration, loaded on first use, like NEIApplicationConfig's `defaults()`.
    ///
    /// It contains every source that loads; see `errors` for the others.
    public static let shared: ConfigStore = ConfigStore(loadingBestEffort: .standard)

    /// The current configuration.
    public var current: ApplicationConfig {
        let (config, hasOverrides) = state.withLock { ($0.config, $0.overrideScopes > 0) }
        return hasOverrides ? applyingOverrides(to: config) : config
    }

    /// The problems of the latest load; empty after a successful load or reload.
    public var errors: [ConfigError] { state.withLock { $0.errors } }

    /// Changes the current configuration; reloads preserve the change.
    ///
    /// The closure runs on a copy, without a lock. If the configuration changes at the same time, the closure runs
    /// again on the new one. Readers see all changes of the closure at once.
    public func update(_ body: (inout ApplicationConfig) -> Void) {
        while true {
            let (old, version) = state.withLock { ($0.config, $0.version) }
            var new = old
            body(&new)
            let listeners = state.withLock { state -> [@Sendable () -> Void]? in
                guard state.version == version else { return nil }
                state.config = new
                state.writes = new.writes
                state.version += 1
                return Array(state.listeners.values)
            }
            guard let listeners else { continue }
            for listener in listeners { listener() }
            return
        }
    }

    /// Loads the sources again and makes the result current; values written at run time remain the strongest.
    ///
    /// If a source has a problem, the configuration doesn't change, and the error is also in `errors` and ``events()``.
    /// Of concurrent reloads, the one that started last wins. A store of a configuration created in code doesn't
    /// change.
    ///
    /// - Throws: ``ConfigError`` with every problem.
    @discardableResult
    public func reload() throws(ConfigError) -> ConfigDiff { try reload(expecting: nil) }

    /// Reads the sources again, unless a file of an earlier snapshot is missing.
    ///
    /// Such a file may be in the process of being written again; its watch reports when it exists.
    func reload(expecting earlier: PathSnapshot?) throws(ConfigError) -> ConfigDiff {
        guard let plan else { return ConfigDiff(from: current, to: current) }
        let number = beginReload()
        let files = PathSnapshot(of: plan.filePaths)
        let report = ApplicationConfig.loadReport(plan)
        if let earlier, files.lacksFile(of: earlier) || PathSnapshot(of: plan.filePaths).lacksFile(of: earlier) {
            return ConfigDiff(from: ApplicationConfig(), to: ApplicationConfig())
        }
        state.withLock { if number > $0.settled { $0.files = files } }
        if report.errors.isEmpty { return settle(number, report.config) }
        let error = ConfigError.joining(report.errors)
        let observers = state.withLock { state -> [@Sendable (ConfigStoreEvent) -> Void] in
            guard number > state.settled else { return [] }
            state.settled = number
            state.errors = report.errors
            return Array(state.observers.values)
        }
        for observer in observers { observer(.failed(error)) }
        throw error
    }

    /// Returns the number of a new reload; of concurrent reloads, the one with the highest number wins.
    func beginReload() -> Int {
        state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    /// Makes a loaded configuration current, unless a later reload has already finished.
    func settle(_ number: Int, _ loaded: ApplicationConfig) -> ConfigDiff {
        while true {
            let (old, version, writes, tracks, report, diagnostic) = state.withLock {
                ($0.config, $0.version, $0.writes, $0.tracksAccess, $0.report, $0.diagnostic)
            }
            var new = loaded
            new.repeatWrites(of: writes)
            if tracks { new = new.trackingAccess(report: report, diagnostic: diagnostic, keeping: old) }
            let diff = ConfigDiff(from: old, to: new)
            let outcome = state.withLock {
                state -> (isDone: Bool, [@Sendable () -> Void], [@Sendable (ConfigStoreEvent) -> Void]) in
                guard number > state.settled else { return (true, [], []) }
                guard state.version == version else { return (false, [], []) }
                state.settled = number
                state.errors = []
                // Writing a file without changing its values doesn't notify listeners.
                state.config = new
                state.version += 1
                return (
                    true, diff.isEmpty ? [] : Array(state.listeners.values),
                    diff.isEmpty ? [] : Array(state.observers.values)
                )
            }
            guard outcome.isDone else { continue }
            for listener in outcome.1 { listener() }
            for observer in outcome.2 { observer(.reloaded(diff)) }
            return diff
        }
    }

    /// Records reads through `current`, including after reloads; see
    /// ``ApplicationConfig/trackingAccess(report:diagnostic:)``.
    public func trackAccess(
        report: (@Sendable (ConfigAccess) -> Void)? = nil, diagnostic: (@Sendable (ConfigDiagnostic) -> Void)? = nil
    ) {
        state.withLock { state in
            state.tracksAccess = true
            state.report = report
            state.diagnostic = diagnostic
        }
        update { $0 = $0.trackingAccess(report: report, diagnostic: diagnostic) }
    }

    func addListener(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return state.nextNumber
        }
    }

    func removeListener(_ number: Int) {
        // The closure is released outside the lock, because it may hold the last reference to an object.
        _ = state.withLock { $0.listeners.removeValue(forKey: number) }
    }
}

/// A reload of a store.
public enum ConfigStoreEvent: Sendable {
    /// A reload changed values.
    case reloaded(ConfigDiff)
    /// A reload failed, and the last good values stay current.
    case failed(ConfigError)
}
