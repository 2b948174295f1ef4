public import AshlarAppConfig
public import AshlarCustomization
public import AshlarEventBus
public import AshlarLogging
public import AshlarNetworking

/// What an app stands on, started in one go: configuration, log, customization, hosts, client, bus, router, services.
///
/// Each part is an ordinary object of its module and can be used, replaced or left aside by itself; the ground floor
/// only makes them in the right order and lets the glue listen: the log takes its thresholds from the configuration,
/// requests are logged and told on the bus, hosts are chosen through the host map.
///
/// ```swift
/// let floor = GroundFloor(GroundFloorPlan(resources: "Resources"))
/// for problem in floor.problems { print(problem) }
/// print(floor.customization.current.string("app.title"))
/// let timeout = floor.config.current.double(forKey: "api.timeout", default: 24)
/// ```
///
/// Starting never fails. A file that is missing, malformed or cut off is told in ``problems`` with its file and line,
/// and the app goes on with what is left.
public final class GroundFloor: Sendable {
    /// The configuration, of which the log took its thresholds.
    public let config: ConfigStore
    /// What starting the log did: where it writes, and the run before this one.
    public let logging: StartReport
    /// Strings, values, images and themes of the person's language and the brand.
    public let customization: CustomizationCenter
    /// Which host each canonical host stands for now.
    public let hosts: HostSwitch
    /// Sends endpoints through `hosts`; its requests are logged and told on `bus`.
    public let client: NetworkClient
    /// The bus of the router, of the services and of ``NetworkActivity``.
    public let bus: EventBus
    /// Routes on `bus`.
    public let router: Router
    /// Services on `bus`; none is registered yet.
    public let services: ServiceRegistry
    /// What was not as it should be, in the order in which it was met.
    public let problems: [GroundFloorProblem]

    /// Starts everything that the plan describes.
    ///
    /// Reads the files; call it off the main thread if they are big. The log is the process's own, so a second ground
    /// floor in a process changes the settings of the first one's log.
    public init(_ plan: GroundFloorPlan) {
        var problems: [GroundFloorProblem] = []

        let configuration = ApplicationConfig.loadReport(plan.config)
        problems += configuration.errors.map { GroundFloorProblem(.configuration, $0) }
        config = ConfigStore(configuration.config)

        logging = LogSystem.start(plan.log)
        problems += logging.notices.map { GroundFloorProblem(.log, $0) }
        problems += LogSystem.configure(from: configuration.config).map { GroundFloorProblem(.log, $0) }

        let themes = plan.themes.map { Theme.load("\(plan.resources)/\($0)") }
        let strings = Customization(
            path: plan.resources, base: plan.baseLanguage, languages: plan.languages, brand: plan.brand,
            themes: themes?.themes ?? [])
        problems += (strings.diagnostics + (themes?.diagnostics ?? [])).filter { $0.severity > .note }
            .map { GroundFloorProblem(.customization, $0) }
        customization = CustomizationCenter(strings)

        let map = Self.hostMap(plan, &problems)
        problems += map.warnings.map { GroundFloorProblem(.hosts, $0) }
        hosts = HostSwitch(map, store: plan.hostChoices)

        bus = plan.bus
        var settings = plan.client
        settings.observers += [.activity(on: bus), .lines(to: Log("network"))]
        client = NetworkClient(settings, transport: plan.transport, hosts: hosts.resolver)
        router = Router(bus: bus)
        services = ServiceRegistry(bus: bus)
        self.problems = problems
    }

    /// The host map of the plan; an empty one where the file is missing or malformed.
    private static func hostMap(_ plan: GroundFloorPlan, _ problems: inout [GroundFloorProblem]) -> HostMap {
        if let file = plan.hostMap {
            do throws(NetworkError) {
                return try HostMap(contentsOfFile: "\(plan.resources)/\(file)")
            } catch {
                problems.append(GroundFloorProblem(.hosts, error))
            }
        }
        return .empty
    }
}
