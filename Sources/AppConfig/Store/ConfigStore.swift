internal import AshlarCore

/// The holder of a program's current configuration: one snapshot at a time, swapped whole.
///
/// Safe to use from any thread; reading takes a lock for the time of one retain. Loading, comparing and user code run
/// outside of it.
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
        /// The newest reload that was begun, and the newest whose outcome stands.
        var begun = 0
        var settled = 0
        var errors: [ConfigError] = []
        /// What the files looked like right before they were read last.
        var files = PathSnapshot(of: [])
        /// Values written at run time, which reloads keep.
        var writes = ConfigWrites()
        var tracksAccess = false
        var report: (@Sendable (ConfigAccess) -> Void)?
        var remark: (@Sendable (ConfigDiagnostic) -> Void)?
        var listeners: [Int: @Sendable () -> Void] = [:]
        var observers: [Int: @Sendable (ConfigStoreEvent) -> Void] = [:]
        var nextNumber = 0
    }

    /// What the store loads; `nil` for a configuration made in code.
    public let plan: ConfigPlan?
    let state: Mutex<State>

    /// Creates a holder of a configuration that is not loaded from anywhere.
    public init(_ config: ApplicationConfig = ApplicationConfig()) {
        plan = nil
        state = Mutex(State(config: config))
    }

    /// Loads a configuration and creates its holder.
    ///
    /// - Throws: ``ConfigError`` with all that is wrong.
    public init(loading plan: ConfigPlan) throws(ConfigError) {
        let files = PathSnapshot(of: plan.filePaths)
        let config = try ApplicationConfig.load(plan)
        self.plan = plan
        state = Mutex(State(config: config, files: files))
    }

    /// Loads what can be loaded and creates its holder; `errors` tells what could not.
    public init(loadingWhatIsLeftOf plan: ConfigPlan) {
        let files = PathSnapshot(of: plan.filePaths)
        let report = ApplicationConfig.loadReport(plan)
        self.plan = plan
        state = Mutex(State(config: report.config, errors: report.errors, files: files))
    }

    /// The configuration of the main bundle, loaded when it is first asked for, as the original's `defaults()`.
    ///
    /// It holds what could be loaded; look at `errors` for what could not.
    public static let shared: ConfigStore = ConfigStore(loadingWhatIsLeftOf: .standard)

    /// The current configuration, always one whole generation.
    public var current: ApplicationConfig { state.withLock { $0.config } }

    /// What was wrong when the sources were read last; empty after a successful load or reload.
    public var errors: [ConfigError] { state.withLock { $0.errors } }

    /// Changes the current configuration; reloads keep what is written here.
    ///
    /// The closure works on a copy without a lock; if the configuration changed meanwhile, it runs again on the newer one.
    /// What it leaves becomes current as a whole.
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

    /// Reads the sources again and makes the result current; values written at run time stay on top.
    ///
    /// If anything is wrong with the sources, the configuration stays as it is, and the error goes to `errors` and
    /// ``events()`` as well. Of reloads that run at once, the one begun last prevails. A store made in code keeps its
    /// values.
    ///
    /// - Throws: ``ConfigError`` with all that is wrong.
    @discardableResult
    public func reload() throws(ConfigError) -> ConfigDiff { try reload(expecting: nil) }

    /// Reads the sources again, unless a file of an earlier snapshot is missing.
    ///
    /// Such a file may be about to be written again; its watch reports when it is back.
    func reload(expecting earlier: PathSnapshot?) throws(ConfigError) -> ConfigDiff {
        guard let plan else { return ConfigDiff(from: current, to: current) }
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
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

    private func settle(_ number: Int, _ loaded: ApplicationConfig) -> ConfigDiff {
        while true {
            let (old, version, writes, tracks, report, remark) = state.withLock {
                ($0.config, $0.version, $0.writes, $0.tracksAccess, $0.report, $0.remark)
            }
            var new = loaded
            new.repeatWrites(of: writes)
            if tracks { new = new.trackingAccess(report: report, remark: remark, keeping: old) }
            let diff = ConfigDiff(from: old, to: new)
            let outcome = state.withLock {
                state -> (isDone: Bool, [@Sendable () -> Void], [@Sendable (ConfigStoreEvent) -> Void]) in
                guard number > state.settled else { return (true, [], []) }
                guard state.version == version else { return (false, [], []) }
                state.settled = number
                state.errors = []
                // A touched file changes places at most; nobody is woken for that.
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

    /// Begins to remember what is read through `current`, over reloads too; see
    /// ``ApplicationConfig/trackingAccess(report:remark:)``.
    public func trackAccess(
        report: (@Sendable (ConfigAccess) -> Void)? = nil, remark: (@Sendable (ConfigDiagnostic) -> Void)? = nil
    ) {
        state.withLock { state in
            state.tracksAccess = true
            state.report = report
            state.remark = remark
        }
        update { $0 = $0.trackingAccess(report: report, remark: remark) }
    }

    /// The paths of the values that nobody has read since ``trackAccess(report:remark:)``; `nil` before.
    public func unusedKeys() -> [ConfigPath]? { current.unusedKeys() }

    func addListener(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return state.nextNumber
        }
    }

    func removeListener(_ number: Int) {
        // The closure is freed after the lock, as it may hold the last reference to anything.
        _ = state.withLock { $0.listeners.removeValue(forKey: number) }
    }
}

/// What happened to a store's sources.
public enum ConfigStoreEvent: Sendable {
    /// A reload made other values current.
    case reloaded(ConfigDiff)
    /// A reload failed and the last good values stay current.
    case failed(ConfigError)
}
