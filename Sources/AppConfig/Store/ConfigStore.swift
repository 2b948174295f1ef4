internal import AshlarCore

/// Holds the current configuration of a program.
///
/// A store is thread-safe. A read holds a lock for the time of one retain. Loading, comparing, and callers' closures
/// run outside the lock.
///
/// ```swift
/// let store = ConfigStore(ApplicationConfig(["http": ["timeout": 30]]))
/// store.update { $0["http.timeout"] = 5 }
/// print(store.current.int(forKey: "http.timeout") ?? 10)  // 5
/// ```
public final class ConfigStore: Sendable {
    /// What readers see.
    struct Published: Sendable {
        var config: ApplicationConfig
        /// The problems of the latest load.
        var errors: [ConfigError] = []
        /// The number of the latest reload that was settled; of concurrent reloads, the one that began last wins.
        var reload = 0
    }

    private struct State {
        /// The number of the latest reload that began.
        var begun = 0
        /// The files directly before the latest load, and the number of its reload.
        var files: PathSnapshot
        var filesReload = 0
        var events: [Int: AsyncStream<Result<ConfigDiff, ConfigError>>.Continuation] = [:]
        var lastNumber = 0
    }

    /// The plan that the store loads; `nil` for a configuration created in code.
    let plan: ConfigPlan?
    let published: Broadcast<Published>
    private let state: Mutex<State>

    private init(_ config: ApplicationConfig, errors: [ConfigError], plan: ConfigPlan?, files: PathSnapshot) {
        self.plan = plan
        published = Broadcast(Published(config: config, errors: errors))
        state = Mutex(State(files: files))
    }

    /// Creates a store for a configuration created in code.
    public convenience init(_ config: ApplicationConfig = ApplicationConfig()) {
        self.init(config, errors: [], plan: nil, files: PathSnapshot(of: []))
    }

    /// Creates a store and loads its configuration.
    ///
    /// - Throws: ``ConfigError`` with every problem.
    public convenience init(loading plan: ConfigPlan) throws(ConfigError) {
        let files = PathSnapshot(of: plan.filePaths)
        self.init(try ApplicationConfig.load(plan), errors: [], plan: plan, files: files)
    }

    /// Creates a store from every source that loads; see `errors` for the others.
    public convenience init(loadingBestEffort plan: ConfigPlan) {
        let files = PathSnapshot(of: plan.filePaths)
        let report = ApplicationConfig.loadReport(plan)
        self.init(report.config, errors: report.errors, plan: plan, files: files)
    }

    /// The store of the main bundle's configuration, loaded on first use, like NEIApplicationConfig's `defaults()`.
    ///
    /// It contains every source that loads; see `errors` for the others.
    public static let shared: ConfigStore = ConfigStore(loadingBestEffort: ConfigPlan())

    /// The current configuration.
    public var current: ApplicationConfig { adjusted(published.read { $0.config }) }

    /// Returns a configuration as the current task sees it.
    func adjusted(_ config: ApplicationConfig) -> ApplicationConfig {
        ConfigAdjustment.current?.apply(self, config) ?? config
    }

    /// The problems of the latest load; empty after a successful load or reload.
    public var errors: [ConfigError] { published.read { $0.errors } }

    /// Changes the current configuration; reloads preserve the change.
    ///
    /// The closure runs on a copy, without a lock. If the configuration changes at the same time, the closure runs
    /// again on the new one. Readers see all changes of the closure at once.
    public func update(_ body: (inout ApplicationConfig) -> Void) {
        published.update { old in
            var new = old
            body(&new.config)
            return new
        }
    }

    // MARK: Reloading

    /// Loads the sources again and makes the result current; values written at run time remain the strongest.
    ///
    /// If a source has a problem, the configuration doesn't change, and the error is also in `errors` and ``events()``.
    /// Of concurrent reloads, the one that started last wins. A store of a configuration created in code doesn't
    /// change.
    ///
    /// - Throws: ``ConfigError`` with every problem.
    @discardableResult
    public func reload() throws(ConfigError) -> ConfigDiff { try reload(expecting: nil, of: []) }

    /// Reads the sources again, unless a file of an earlier snapshot of some paths is missing.
    ///
    /// Such a file may be in the process of being written again; its watch reports when it exists.
    func reload(expecting earlier: PathSnapshot?, of paths: [String]) throws(ConfigError) -> ConfigDiff {
        guard let plan else { return ConfigDiff(from: current, to: current) }
        let number = beginReload()
        let files = PathSnapshot(of: plan.filePaths)
        let lacksFile = earlier.map { PathSnapshot(of: paths).lacksFile(of: $0) } ?? false
        let report = ApplicationConfig.loadReport(plan)
        // Compared by the watched paths, because a source can name other files now.
        if let earlier, lacksFile || PathSnapshot(of: paths).lacksFile(of: earlier) {
            return ConfigDiff(from: ApplicationConfig(), to: ApplicationConfig())
        }
        state.withLock { state in
            guard number > state.filesReload else { return }
            state.files = files
            state.filesReload = number
        }
        if report.errors.isEmpty { return settle(number, report.config) }
        let error = ConfigError.joining(report.errors)
        var isLatest = false
        published.update { old in
            isLatest = number > old.reload
            return isLatest ? Published(config: old.config, errors: report.errors, reload: number) : nil
        }
        if isLatest { send(.failure(error)) }
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
        var diff = ConfigDiff(from: loaded, to: loaded)
        var isLatest = false
        published.update { old in
            var new = loaded
            new.repeatWrites(of: old.config.writes)
            diff = ConfigDiff(from: old.config, to: new)
            isLatest = number > old.reload
            return isLatest ? Published(config: new, reload: number) : nil
        }
        // Writing a file without changing its values isn't an event.
        if isLatest, !diff.isEmpty { send(.success(diff)) }
        return diff
    }

    /// Whether the files of the plan may have changed since the latest load.
    func mayHaveChangedFiles(_ plan: ConfigPlan) -> Bool {
        PathSnapshot(of: plan.filePaths).mayDiffer(from: state.withLock { $0.files })
    }

    // MARK: Events

    /// Returns a stream of the later reloads that change a value or fail; then, the last good values stay current.
    ///
    /// Up to 64 events wait for a slow consumer; then the oldest events are dropped.
    public func events() -> AsyncStream<Result<ConfigDiff, ConfigError>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Result<ConfigDiff, ConfigError>.self, bufferingPolicy: .bufferingNewest(64))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.events[state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.events.removeValue(forKey: number) }
        }
        return stream
    }

    private func send(_ event: Result<ConfigDiff, ConfigError>) {
        for consumer in state.withLock({ Array($0.events.values) }) { consumer.yield(event) }
    }
}

/// Changes what the stores return in the current task and its child tasks, such as overrides in a test.
package struct ConfigAdjustment: Sendable {
    @TaskLocal package static var current: ConfigAdjustment?

    package let apply: @Sendable (ConfigStore, ApplicationConfig) -> ApplicationConfig

    package init(_ apply: @escaping @Sendable (ConfigStore, ApplicationConfig) -> ApplicationConfig) {
        self.apply = apply
    }
}

extension ConfigStore: CustomReflectable {
    /// The current configuration and the errors of the latest load.
    public var customMirror: Mirror {
        Mirror(self, children: ["current": current, "errors": errors.map(\.description)], displayStyle: .class)
    }
}
