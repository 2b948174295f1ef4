public import Ashlar
internal import AshlarCore
public import AshlarNetworking

/// SquidKit's `HostMapManager`: the host switch that all ``JSONResponseEndpoint`` use by default.
public final class HostMapManager: Sendable {
    /// The manager.
    public static let sharedInstance: HostMapManager = HostMapManager()

    private let state: Mutex<(cache: (any HostMapCache)?, hosts: HostSwitch)>

    package init() {
        let cache = DefaultsCache()
        state = Mutex((cache, HostSwitch(.empty, store: cache.store)))
    }

    /// The switch with the environments and the selections.
    public var hosts: HostSwitch { state.withLock { $0.hosts } }

    /// The client of the endpoints, which asks ``hosts`` for each host.
    public static let client: NetworkClient = NetworkClient(hosts: { host, scheme in
        sharedInstance.hosts.resolver(host, scheme)
    })

    /// Where selections are stored; by default the user's defaults, and nowhere if it is nil.
    ///
    /// Setting a cache restores the selections in it, and ends the current ones.
    public var hostMapCache: (any HostMapCache)? {
        get { state.withLock { $0.cache } }
        set {
            // Reading the cache is the app's code, which runs without the lock.
            let hosts = HostSwitch(hosts.current.map, store: newValue?.store ?? .none)
            state.withLock { $0 = (newValue, hosts) }
        }
    }

    /// Reads the environments from a resource, or from a file with an absolute path.
    ///
    /// Returns whether the file was read; one with errors is logged and changes nothing.
    @discardableResult
    public func loadConfigurationMapFromResourceFile(_ fileName: String) -> Bool {
        let path = ResourceFile.path(fileName)
        guard let map = ResourceFile.attempt(in: "HostMapManager", { try HostMap(contentsOfFile: path) }) else {
            return false
        }
        for warning in map.warnings { ResourceFile.report(warning, in: "HostMapManager") }
        hosts.update(map)
        return true
    }

    /// Selects the environment `prerelease_key` of every host; see `HostSwitch.selectPrerelease()`.
    public func setPrereleaseConfigurations() { hosts.selectPrerelease() }
    /// Selects the environment `release_key` of every host; see `HostSwitch.selectRelease()`.
    public func setReleaseConfigurations() { hosts.selectRelease() }
}

/// SquidKit's `HostMapCache`: an app's own place for the selections of a ``HostMapManager``.
public protocol HostMapCache: Sendable {
    /// The place, such as `HostChoiceStore.file(path)`, or one that calls the app's own functions.
    var store: HostChoiceStore { get }
}

extension HostMapCache {
    /// Removes all stored selections; the current ones remain until the next start.
    public func removeAll() {
        ResourceFile.attempt(in: "HostMapManager") { try store.update { _ in [:] } }
    }
}

private struct DefaultsCache: HostMapCache { let store = HostChoiceStore.userDefaults() }

#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    /// SquidKit's `HostConfigurationTableViewController`, which selects the environments of ``HostMapManager``.
    public final class HostConfigurationTableViewController: SectionsController {
        /// Creates the controller; the table is grouped in any style.
        @nonobjc public init(style: UITableView.Style) {
            super.init {
                HostMapManager.sharedInstance.hosts.listSections { ResourceFile.report($0, in: "HostMapManager") }
            }
        }

        /// Not available: the environments are in a file.
        public required init?(coder: NSCoder) { nil }
    }
#endif

/// SquidKit's section of a table; `HostSwitch.listSections(failed:)` returns the environments as sections.
public typealias TableSection = ListSection
/// SquidKit's row of a table.
public typealias TableItem = ListRow
