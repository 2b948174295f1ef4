import Synchronization

/// The holder of a program's current configuration: one snapshot at a time, swapped whole.
///
/// Safe to use from any thread; reading takes a lock for the time of one retain. User code never runs under it.
///
/// ```swift
/// let store = ConfigStore(ApplicationConfig(["http": ["timeout": 30]]))
/// store.update { $0["http.timeout"] = 5 }
/// print(store.current.int(forKey: "http.timeout", default: 10))  // 5
/// ```
public final class ConfigStore: Sendable {
    private struct State {
        var config: ApplicationConfig
        var version = 0
    }

    private let state: Mutex<State>

    /// Creates a holder of a configuration.
    public init(_ config: ApplicationConfig = ApplicationConfig()) { state = Mutex(State(config: config)) }

    /// The current configuration, always one whole generation.
    public var current: ApplicationConfig { state.withLock { $0.config } }

    /// Changes the current configuration.
    ///
    /// The closure works on a copy without a lock; if the configuration changed meanwhile, it runs again on the newer one.
    public func update(_ body: (inout ApplicationConfig) -> Void) {
        while true {
            let (old, version) = state.withLock { ($0.config, $0.version) }
            var new = old
            body(&new)
            let isDone = state.withLock { state in
                guard state.version == version else { return false }
                (state.config, state.version) = (new, version + 1)
                return true
            }
            if isDone { return }
        }
    }
}
