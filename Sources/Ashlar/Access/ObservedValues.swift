import AshlarAppConfig
import AshlarCustomization
import AshlarNetworking
import Observation

/// The snapshots of an app, read observably on any thread: code that tracks its reads learns about the next change.
final class ObservedValues: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let store: ConfigStore
    private let center: CustomizationCenter
    private let selections: HostSwitch

    init(_ store: ConfigStore, _ center: CustomizationCenter, _ selections: HostSwitch) {
        self.store = store
        self.center = center
        self.selections = selections
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

    /// The hosts and their selection.
    var hosts: HostSnapshot {
        registrar.access(self, keyPath: \.hosts)
        return selections.current
    }

    /// Announces changes until the tasks are cancelled.
    func announceChanges() -> [Task<Void, Never>] {
        [
            announce(\.config, of: store.changes(), since: store.current) { $0 == $1 },
            announce(\.strings, of: center.changes(), since: center.current) { $0.isIdentical(to: $1) },
            announce(\.hosts, of: selections.changes(), since: selections.current) { $0.hasSameSelections(as: $1) },
        ]
    }

    /// Announces each snapshot of a stream that differs from the previous one.
    ///
    /// The stream starts before the first snapshot is read, so that no change is lost in between.
    private func announce<Snapshot: Sendable>(
        _ property: any KeyPath<ObservedValues, Snapshot> & Sendable, of snapshots: AsyncStream<Snapshot>,
        since first: Snapshot, isSame: @escaping @Sendable (Snapshot, Snapshot) -> Bool
    ) -> Task<Void, Never> {
        Task { [self] in
            var last = first
            for await snapshot in snapshots where !isSame(snapshot, last) {
                last = snapshot
                registrar.withMutation(of: self, keyPath: property) {}
            }
        }
    }
}
