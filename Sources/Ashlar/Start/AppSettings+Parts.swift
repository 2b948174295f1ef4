import AshlarAppConfig
import AshlarCustomization
import AshlarEventBus
import AshlarLogging
import AshlarNetworking
import Foundation

/// Each method starts one part of an app.
extension AppSettings {
    /// Returns the plan of the app, or a plan for `ApplicationConfig` files in its folder, of which the base file is
    /// required; with the variables and arguments that the app adds.
    func plan(
        _ configuration: AshlarApp.Configuration, arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> ConfigPlan {
        var plan: ConfigPlan
        if let own = configuration.config {
            plan = own
        } else {
            plan = ConfigPlan(
                files: .directory(resources.path), environments: environments, bundleIdentifier: bundleIdentifier)
            plan.requiredLayers = [.base]
        }
        if let prefix = configuration.variables { plan.variablePrefix = prefix.hasSuffix("_") ? prefix : prefix + "_" }
        if configuration.arguments { plan.arguments += AppFlavor.others(of: arguments) }
        return plan
    }

    /// Returns a client for the files of an addition, with the pins of the configuration that the app ships.
    ///
    /// Their URLs ignore the selection of hosts, so that a new file can correct it.
    func fileClient(_ configuration: AshlarApp.Configuration, shipped: ConfigLoadReport?) -> NetworkClient {
        var client = configuration.client
        // The client of the app reports the errors.
        if let shipped { _ = client.transport.apply(shipped.config, loadErrors: shipped.errors) }
        client.observers.append(.lines(to: Log("network")))
        return NetworkClient(client, transport: configuration.transport)
    }

    /// Starts the log, and updates its thresholds when the configuration changes.
    func startLog(
        _ log: LogConfiguration, bus: EventBus, config: ConfigStore, issues: inout [StartupIssue],
        tasks: inout [Task<Void, Never>]
    ) -> LogStartReport {
        var log = log
        log.folder = logFolder
        log.notesSignals = log.notesSignals ?? true
        if logFolder == nil, storage != .memory {
            issues.append(StartupIssue(.log, "there is no home folder, so the log is in memory only", isError: true))
        }
        let own = log.fieldProvider
        log.fieldProvider = {
            var fields = LogFields.ofEvents
            if let own { fields.append(contentsOf: own()) }
            return fields
        }
        log.sinks.append(EventBusSink(bus: bus))
        let report = LogSystem.start(log)
        issues += report.notices.map { StartupIssue(.log, $0, isError: true) }
        let following = LogSystem.begin(following: config)
        issues += following.errors.map { StartupIssue(.log, $0) }
        tasks.append(following.task)
        return report
    }

    /// Reads strings and themes.
    ///
    /// Unless the app or the flavor sets language, brand and theme, the configuration selects them.
    func customization(
        _ configuration: AshlarApp.Configuration, config: ConfigStore, issues: inout [StartupIssue],
        tasks: inout [Task<Void, Never>]
    ) -> CustomizationCenter {
        let themes = path(of: configuration.themes).map { Theme.load($0) }
        let strings = Customization(
            path: resources.path, base: configuration.baseLanguage, languages: configuration.languages, brand: brand,
            themes: themes?.themes ?? [], policy: CustomizationPolicy(formatter: configuration.formatter))
        issues += (strings.diagnostics + (themes?.diagnostics ?? [])).filter { $0.severity > .note }
            .map { StartupIssue(.customization, $0, isError: $0.severity == .error) }
        let center = CustomizationCenter(strings)
        let (selectsBrand, selectsLanguage) = (configSelects.brand, configuration.languages == nil)
        tasks.append(
            center.follow(config) { config in
                var selected = ConfiguredCustomization(config)
                if !selectsBrand { selected.brand = nil }
                if !selectsLanguage { selected.language = nil }
                return selected
            })
        return center
    }

    /// Reads the host map.
    ///
    /// Unless the app or the flavor sets the default hosts, the configuration selects them.
    func hosts(
        _ configuration: AshlarApp.Configuration, config: ConfigStore, issues: inout [StartupIssue],
        tasks: inout [Task<Void, Never>]
    ) -> HostSwitch {
        var map = HostMap.empty
        if let file = path(of: configuration.hostMap) {
            do throws(NetworkError) {
                map = try HostMap(contentsOfFile: file)
            } catch {
                issues.append(StartupIssue(.hosts, error, isError: true))
            }
        }
        let hosts = HostSwitch(map, store: hostChoices(configuration).store, defaults: hostDefault)
        if configSelects.host { tasks.append(hosts.follow(config, from: hostDefault)) }
        issues += (map.warnings + hosts.warnings).map { StartupIssue(.hosts, $0) }
        return hosts
    }

    /// The store of the selections of hosts, and its file in the storage.
    func hostChoices(_ configuration: AshlarApp.Configuration) -> (store: HostChoiceStore, file: String?) {
        let file = storage.hostChoicesFile(application: application, flavor: flavor?.name)
        let standard = file.map { HostChoiceStore.file($0, createsFolder: true) } ?? .memory
        return ((configuration.hostChoices ?? standard).scoped(scope), file)
    }

    /// Returns the settings of the app's client.
    ///
    /// The pins of `shipped` take precedence over those of the whole configuration, parts of which aren't signed.
    func client(
        _ own: ClientConfiguration, config store: ConfigStore, shipped: ConfigLoadReport?, bus: EventBus,
        customization: CustomizationCenter, taps: ExchangeTaps, issues: inout [StartupIssue]
    ) -> ClientConfiguration {
        var client = own
        client.observers += [.activity(on: bus), .lines(to: Log("network")), taps.observer]
        client.middleware += [AcceptLanguage(center: customization), TraceHeader()]
        if own.retry == nil {
            // The configuration can add retries while the app runs.
            client.retry = .standard
            client.retry?.attempts = 1
        }
        issues += client.transport.apply(store.current, loadErrors: store.errors)
            .map { StartupIssue(.configuration, $0, isError: true) }
        if let shipped { _ = client.transport.applyPins(of: shipped.config, loadErrors: shipped.errors) }
        client.adjustsOptions = { options in
            own.adjustsOptions?(&options)
            options.apply(store.current)
        }
        return client
    }

    /// The path of a file to read, or nil for none.
    private func path(of file: ResourceFile) -> String? {
        switch file {
        case .required(let name): return "\(resources.path)/\(name)"
        case .none: return nil
        case .ifPresent(let name):
            let path = "\(resources.path)/\(name)"
            return FileManager.default.fileExists(atPath: path) ? path : nil
        }
    }
}

extension AshlarApp {
    /// Returns the store of the selections of hosts of an app with a configuration, and its file in the storage.
    ///
    /// If neither the configuration nor its flavor has environments, they are those of a release build.
    package static func hostChoices(
        _ configuration: Configuration
    ) throws(StartupFailure) -> (store: HostChoiceStore, file: String?) {
        var issues: [StartupIssue] = []
        var configuration = configuration
        let settings = AppSettings(configuration, arguments: [], variables: [:], issues: &issues)
        let errors = issues.filter(\.isError)
        guard errors.isEmpty else { throw StartupFailure(issues: errors) }
        if configuration.environments != nil || settings.flavor?.environments != nil {
            return settings.hostChoices(configuration)
        }
        configuration.environments = []
        return AppSettings(configuration, arguments: [], variables: [:], issues: &issues).hostChoices(configuration)
    }
}
