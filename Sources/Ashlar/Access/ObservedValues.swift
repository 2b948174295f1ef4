import AshlarAppConfig
import AshlarCustomization
import Observation

/// The snapshots of an app, read observably on any thread: code that tracks its reads learns about the next change.
final class ObservedValues: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let store: ConfigStore
    private let center: CustomizationCenter

    init(_ store: ConfigStore, _ center: CustomizationCenter) {
        self.store = store
        self.center = center
    }

    /// The configuration.
    var config: ApplicationConfig {
        registrar.access(self, keyPath: \.config)
        return store.current
    }

    /// The strings, values, images and themes.
    var strings: Customization {
        registrar.access(self, keyPath: \.strings)
        return center.current
    }

    /// Announces changes until the tasks are cancelled.
    func announceChanges() -> [Task<Void, Never>] {
        // The streams start before the snapshots are read, so that no change is lost in between.
        let configs = store.changes()
        let strings = center.changes()
        let first = (store.current, center.current)
        return [
            Task { [self] in
                var last = first.0
                for await config in configs where config != last {
                    last = config
                    registrar.withMutation(of: self, keyPath: \.config) {}
                }
            },
            Task { [self] in
                var last = first.1
                for await strings in strings where !strings.isIdentical(to: last) {
                    last = strings
                    registrar.withMutation(of: self, keyPath: \.strings) {}
                }
            },
        ]
    }
}
