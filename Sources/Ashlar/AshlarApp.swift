public import AshlarAppConfig
public import AshlarCustomization
public import AshlarEventBus
public import AshlarLogging
public import AshlarNetworking

/// The foundation of an app: configuration, log, customization, hosts, client, bus, router and services.
///
/// The parts are ordinary objects of their modules. `AshlarApp` creates them in the order in which they depend on each
/// other and connects them. The log takes its thresholds from the configuration and follows its changes. Requests go to
/// the hosts the user selected, carry the current language, and appear in the log and on the bus. Failures on the bus
/// and changes of services appear in the log.
///
/// ```swift
/// let app = AshlarApp(AshlarApp.Configuration(resources: "Resources"))
/// for issue in app.issues { print(issue) }
/// print(app.customization.current.string("app.title"))
/// let timeout = app.config.current.double(forKey: "api.timeout", default: 24)
/// ```
///
/// Starting doesn't fail. A missing, malformed or truncated file appears in ``issues`` with its file and line, and the
/// app uses the values that were read.
public final class AshlarApp: Sendable {
    /// The configuration; the log takes its thresholds from it.
    public let config: ConfigStore
    /// The result of starting the log: where it writes, and the previous run.
    public let logging: LogStartReport
    /// Strings, values, images and themes in the user's language and the brand's style.
    public let customization: CustomizationCenter
    /// The selected host for each canonical host.
    public let hosts: HostSwitch
    /// Sends requests to the selected hosts; logs them and triggers ``NetworkActivity`` on `bus`.
    public let client: NetworkClient
    /// The bus that the router, the services and the client use.
    public let bus: EventBus
    /// A router on `bus`, without routes.
    public let router: Router
    /// A service registry on `bus`, without services.
    public let services: ServiceRegistry
    /// The issues found during start-up, in order.
    public let issues: [StartupIssue]

    private let configurationTask: Task<Void, Never>
    private let serviceLog: Watch

    /// Creates and connects every part.
    ///
    /// Reads files on the calling thread. A process has one log: a second app in the same process changes the settings
    /// of the first one's log.
    public init(_ configuration: Configuration) {
        var issues: [StartupIssue] = []

        config = ConfigStore(loadingBestEffort: configuration.configPlan)
        let settings = config.current
        issues += config.errors.map { StartupIssue(.configuration, $0) }
        issues += settings.diagnostics.filter { $0.kind != .missingSource }.map { StartupIssue(.configuration, $0) }

        logging = LogSystem.start(configuration.log)
        issues += logging.notices.map { StartupIssue(.log, $0) }
        issues += LogSystem.configure(from: settings).map { StartupIssue(.log, $0) }

        let themes = configuration.themes.map { Theme.load("\(configuration.resources)/\($0)") }
        let strings = Customization(
            path: configuration.resources, base: configuration.baseLanguage, languages: configuration.languages,
            brand: configuration.brand, themes: themes?.themes ?? [])
        issues += (strings.diagnostics + (themes?.diagnostics ?? [])).filter { $0.severity > .note }
            .map { StartupIssue(.customization, $0) }
        customization = CustomizationCenter(strings)

        let map = Self.hostMap(configuration, &issues)
        issues += map.warnings.map { StartupIssue(.hosts, $0) }
        hosts = HostSwitch(map, store: configuration.hostChoices)

        bus = configuration.bus ?? EventBus()
        if configuration.bus == nil { bus.logFailures(to: Log("bus")) }
        serviceLog = bus.logServices(to: Log("services"))
        configurationTask = Task { [config] in await LogSystem.follow(config) }
        var client = configuration.client
        client.observers += [.activity(on: bus), .lines(to: Log("network"))]
        client.middleware.append(AcceptLanguage(customization))
        self.client = NetworkClient(client, transport: configuration.transport, hosts: hosts.resolver)
        router = Router(bus: bus)
        services = ServiceRegistry(bus: bus)
        self.issues = issues
    }

    deinit {
        configurationTask.cancel()
        serviceLog.cancel()
    }

    /// Reads the host map, or returns an empty one if the file is missing or malformed.
    private static func hostMap(_ configuration: Configuration, _ issues: inout [StartupIssue]) -> HostMap {
        guard let file = configuration.hostMap else { return .empty }
        do throws(NetworkError) {
            return try HostMap(contentsOfFile: "\(configuration.resources)/\(file)")
        } catch {
            issues.append(StartupIssue(.hosts, error))
            return .empty
        }
    }
}
