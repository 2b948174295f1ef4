public import AshlarAppConfig
public import AshlarCustomization
public import AshlarNetworking
public import Observation

/// The snapshots of an app for views.
///
/// A SwiftUI view that reads a snapshot in its body is updated when the snapshot changes. `withObservationTracking` does
/// the same elsewhere.
///
/// ```swift
/// import Observation
///
/// @MainActor func title(_ app: AshlarApp) -> String {
///     let observed = ObservableApp(app)
///     return withObservationTracking {
///         observed.strings.string("app.title")
///     } onChange: {
///         print("the title may have changed")
///     }
/// }
/// ```
@MainActor
public final class ObservableApp: Observable {
    /// The app.
    public let app: AshlarApp
    private let registrar = ObservationRegistrar()
    private var current: (strings: Customization, config: ApplicationConfig, hosts: HostSnapshot)
    private var tasks: [Task<Void, Never>] = []

    /// Observes an app until the object is released.
    public init(_ app: AshlarApp) {
        self.app = app
        // The streams start before the snapshots are read, so that no change is lost in between.
        let (strings, config, hosts) = (app.customization.changes(), app.config.changes(), app.hosts.changes())
        current = (app.customization.current, app.config.current, app.hosts.current)
        tasks = [
            // The streams begin with the current snapshots.
            Task { [weak self] in
                for await snapshot in strings where self?.current.strings.isIdentical(to: snapshot) != true {
                    self?.set(\.strings) { $0.strings = snapshot }
                }
            },
            Task { [weak self] in
                for await snapshot in config where snapshot != self?.current.config {
                    self?.set(\.config) { $0.config = snapshot }
                }
            },
            Task { [weak self] in
                for await snapshot in hosts where self?.current.hosts.hasSameSelections(as: snapshot) != true {
                    self?.set(\.hosts) { $0.hosts = snapshot }
                }
            },
        ]
    }

    deinit { for task in tasks { task.cancel() } }

    /// The strings, values, images and themes.
    public var strings: Customization {
        registrar.access(self, keyPath: \.strings)
        return current.strings
    }

    /// The configuration.
    public var config: ApplicationConfig {
        registrar.access(self, keyPath: \.config)
        return current.config
    }

    /// The hosts and their selection.
    public var hosts: HostSnapshot {
        registrar.access(self, keyPath: \.hosts)
        return current.hosts
    }

    private func set<Value>(
        _ property: KeyPath<ObservableApp, Value>,
        _ change: (inout (strings: Customization, config: ApplicationConfig, hosts: HostSnapshot)) -> Void
    ) {
        registrar.withMutation(of: self, keyPath: property) { change(&current) }
    }
}
