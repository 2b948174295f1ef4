public import AshlarAppConfig
public import AshlarCustomization
public import AshlarEventBus
public import AshlarLogging
public import AshlarNetworking

/// What a ``GroundFloor`` starts with: a folder of files and, for each part, its own settings.
///
/// ```swift
/// var plan = GroundFloorPlan(resources: "Resources", environments: [.debug], bundleIdentifier: "com.example.app")
/// plan.languages = ["fr-CA"]
/// plan.brand = "acme"
/// plan.transport = StubTransport(["GET /notes": .json("[]")])
/// let floor = GroundFloor(plan)
/// ```
public struct GroundFloorPlan: Sendable {
    /// The path of the folder with the `.lproj` folders, the host map and the themes.
    public var resources: String
    /// Where the configuration's files are, and for which environments and bundle identifier they are read.
    public var config: ConfigPlan
    /// How the log starts; its thresholds give way to those of the configuration.
    public var log: LogConfiguration
    /// The language in which every text exists.
    public var baseLanguage: LanguageTag = "en"
    /// The person's languages, the preferred one first; the system's if nil.
    public var languages: [LanguageTag]?
    /// Which brand's folder lies over the languages.
    public var brand: CustomizationBrand = .fromInfoPlist
    /// The name of a theme file in `resources`; nil for none.
    public var themes: String?
    /// The name of the host map in `resources`; nil for none.
    public var hostMap: String?
    /// Where the choice of hosts is remembered.
    public var hostChoices: any HostChoiceStore = .memory
    /// What all requests share.
    public var client: ClientConfiguration = ClientConfiguration()
    /// What carries requests out; the platform's own if nil.
    public var transport: (any NetworkTransport)?
    /// The bus that everything is told on.
    public var bus: EventBus = EventBus()

    /// Creates a plan for the files of one folder, `ApplicationConfig.plist` and its siblings among them.
    ///
    /// - Parameters:
    ///   - resources: The path of the folder.
    ///   - environments: The environments whose configuration files apply, the strongest last.
    ///   - bundleIdentifier: The identifier whose configuration sections apply; the main bundle's if nil.
    ///   - log: How the log starts.
    public init(
        resources: String, environments: [ConfigEnvironment] = ConfigEnvironment.current,
        bundleIdentifier: String? = nil, log: LogConfiguration = LogConfiguration()
    ) {
        self.resources = resources
        self.log = log
        config = .directory(resources, environments: environments, bundleIdentifier: bundleIdentifier)
    }
}

/// Something that was not as it should be when a ``GroundFloor`` started.
public struct GroundFloorProblem: Error, Sendable, CustomStringConvertible {
    /// The part of the ground floor that met it.
    public enum Part: String, Hashable, Sendable {
        /// A source of the configuration was left out.
        case configuration
        /// The log writes elsewhere than asked for, or a threshold is no level.
        case log
        /// A file of strings, values or themes has faults.
        case customization
        /// The host map has faults.
        case hosts
    }

    /// The part that met it.
    public let part: Part
    /// What it is, with file and line where one is concerned.
    public let message: String
    /// The error underneath, if there is one.
    public let underlying: (any Error)?

    init(_ part: Part, _ cause: some Sendable) {
        (self.part, message, underlying) = (part, "\(cause)", cause as? any Error)
    }

    /// The part and the message.
    public var description: String { "\(part.rawValue): \(message)" }
}
