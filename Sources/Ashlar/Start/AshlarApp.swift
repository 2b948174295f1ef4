public import AshlarAppConfig
package import AshlarCore
public import AshlarCustomization
public import AshlarEventBus
public import AshlarLogging
public import AshlarNetworking

/// The parts of an app: configuration, log, customization, hosts, client, bus, router and services.
///
/// The parts are ordinary objects of their modules. `AshlarApp` creates them in the order in which they depend on each
/// other and connects them. The configuration selects log thresholds, timeouts, default hosts, brand, theme and language,
/// and its changes apply at once. Requests go to the hosts that the user selected, contain the current language, and
/// appear in the log and on the bus. Failures on the bus and changes of services appear in the log.
///
/// The log is stored on the disk, per flavor, with the frames of a crash, and so are the user's selections of hosts; see
/// ``AppStorage``. Credentials of the client go to the hosts of the host map only.
///
/// ```swift
/// let app = AshlarApp(AshlarApp.Configuration(resources: "Resources"))
/// for issue in app.issues { print(issue) }
/// print(app.customization.current.string("app.title"))
/// let timeout = app.config.current.double(forKey: "api.timeout") ?? 24
/// ```
///
/// Starting doesn't fail. A missing, malformed or truncated file appears in ``issues`` with its file and line, and the
/// app uses the values that were read. ``start(_:requires:)`` throws if something essential is missing.
public final class AshlarApp: Sendable {
    /// The folder of the app's files.
    public let resources: ResourceFolder
    /// The name of the flavor that selects brand, environments and hosts, if there is one.
    public let flavor: String?
    /// The configuration, from which the other parts take their settings.
    public let config: ConfigStore
    /// The result of starting the log: where it writes, and the previous run; nil if the app starts no log.
    public let logging: LogStartReport?
    /// Strings, values, images and themes in the user's language and the brand's style.
    public let customization: CustomizationCenter
    /// The selected host for each canonical host.
    public let hosts: HostSwitch
    /// Sends requests to the selected hosts; logs them and triggers `NetworkEvent.on` and `off` on `bus`.
    public let client: NetworkClient
    /// The bus that the router, the services and the client use.
    public let bus: EventBus
    /// A router on `bus`, without routes.
    public let router: Router
    /// A service registry on `bus`, without services.
    public let services: ServiceRegistry
    /// The issues found during start-up, in order.
    public let issues: [StartupIssue]

    let settings: AppSettings
    let links: AppLinks
    /// The configuration without the files of additions, if one of them isn't signed.
    let shipped: ApplicationConfig?
    let values: ObservedValues
    /// The files that another product added at the start.
    package let additions: [any StartedAddition]
    /// The sections that other products add to the debug report, by their titles.
    package let reports = Mutex<[String: @Sendable () -> [(title: String, subtitle: String?)]]>([:])
    /// The handlers of the measurements of the client's exchanges.
    package let exchangeTaps = ExchangeTaps()
    private let tasks: [Task<Void, Never>]
    private let serviceLog: Watch

    /// Creates and connects every part.
    ///
    /// Reads files on the calling thread. A process has one log: a second app in the same process changes the settings
    /// of the first one's log.
    public init(_ configuration: Configuration = Configuration()) {
        var issues: [StartupIssue] = []
        let settings = AppSettings(configuration, issues: &issues)
        self.settings = settings
        links = configuration.links
        resources = settings.resources
        flavor = settings.flavor?.name
        let bus = configuration.bus ?? EventBus()
        self.bus = bus

        var plan = settings.plan(configuration)
        // The requests for the files of additions already need the pins that the app ships.
        let shipped = configuration.additions.isEmpty ? nil : ApplicationConfig.loadReport(plan)
        additions = configuration.additions.map {
            $0.started(client: settings.fileClient(configuration, shipped: shipped), issues: &issues)
        }
        let isSigned = additions.allSatisfy(\.isSigned)
        self.shipped = isSigned ? nil : shipped?.config
        for source in additions.compactMap(\.source) { plan.add(source) }
        let config = ConfigStore(loadingBestEffort: plan)
        self.config = config
        issues += config.errors.map { StartupIssue(.configuration, $0, isError: true) }
        issues += links.issues(isSigned ? config.current : shipped?.config ?? config.current)
        issues += config.current.diagnostics.filter { $0.code != .missingSource }
            .map { StartupIssue(.configuration, $0) }

        var tasks: [Task<Void, Never>] = []
        logging = configuration.log.map {
            settings.startLog($0, bus: bus, config: config, issues: &issues, tasks: &tasks)
        }
        customization = settings.customization(configuration, config: config, issues: &issues, tasks: &tasks)
        hosts = settings.hosts(configuration, config: config, issues: &issues, tasks: &tasks)

        if configuration.bus == nil { bus.logFailures(to: Log("bus")) }
        serviceLog = bus.logServices(to: Log("services"))
        client = NetworkClient(
            settings.client(
                configuration.client, config: config,
                shipped: isSigned ? nil : shipped, bus: bus,
                customization: customization, taps: exchangeTaps, issues: &issues),
            transport: configuration.transport, hosts: hosts)
        router = Router(bus: bus)
        services = ServiceRegistry(bus: bus)
        self.issues = issues
        values = ObservedValues(config, customization, hosts)
        tasks += values.announceChanges()
        self.tasks = tasks + [config.announce(on: bus), customization.announce(on: bus), hosts.announce(on: bus)]
        if let prior = logging?.priorRun { bus.trigger(LogSystem.priorRunFound, prior) }
    }

    deinit {
        for task in tasks { task.cancel() }
        serviceLog.cancel()
    }

    /// Explains a decision in lines of text.
    ///
    /// | subject | explanation |
    /// |---|---|
    /// | `resources` | the folder, and all folders that were examined, with their files |
    /// | `flavor` | the flavor, and the value and source of each setting that it can select |
    /// | `log` | where this run's lines are stored, and how the previous run ended |
    /// | a canonical host | the host that requests go to, and why |
    /// | anything else | a path of the configuration: the value, its file and line, and the values that it replaces; for an absent path the nearest one |
    public func explain(_ subject: String) -> String {
        switch subject {
        case "resources": settings.resourcesExplanation
        case "flavor": settings.flavorExplanation
        case "log": logExplanation
        case _ where hosts.current.map[subject] != nil: hosts.explain(subject).description
        default: configExplanation(of: subject)
        }
    }

    private var logExplanation: String {
        guard let logging else { return "log: the app starts none" }
        let place =
            switch logging.storage {
            case .file(let path): path
            case .memory: "in memory"
            }
        let prior = logging.priorRun.map { "\($0.outcome), started \($0.startedAt)" } ?? "none"
        return (["log: \(place) (\(logging.mode))", "  previous run: \(prior)"] + logging.notices.map { "  \($0)" })
            .joined(separator: "\n")
    }

    private func configExplanation(of subject: String) -> String {
        let explanation = config.current.explain(ConfigPath(subject))
        let nearest = NearestName.find(subject, among: config.current.paths().map(\.description))
        guard explanation.winner == nil, let nearest else { return explanation.description }
        return "\(explanation.description)\ndid you mean \(nearest)?"
    }
}
