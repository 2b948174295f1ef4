public import AshlarAppConfig
public import AshlarCustomization
public import AshlarEventBus
public import AshlarLogging
public import AshlarNetworking

extension AshlarApp {
    /// The settings of an ``AshlarApp``: a folder of files, and options for each part.
    ///
    /// ```swift
    /// var configuration = AshlarApp.Configuration(resources: "Resources", environments: [.debug])
    /// configuration.languages = ["fr-CA"]
    /// configuration.brand = "acme"
    /// configuration.transport = StubTransport(["GET /notes": .json("[]")])
    /// let app = AshlarApp(configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The path of the folder that contains the configuration files, `.lproj` folders, host map and themes.
        public var resources: String
        /// The environments whose configuration files apply, the strongest last.
        public var environments: [ConfigEnvironment]
        /// The identifier whose configuration sections apply; nil for that of the main bundle.
        public var bundleIdentifier: String?
        /// The plan for the configuration; nil for the files in `resources`.
        ///
        /// A plan replaces `environments` and `bundleIdentifier`.
        public var config: ConfigPlan?
        /// The settings of the log; thresholds in the configuration replace its own.
        public var log: LogConfiguration
        /// The language in which every string exists.
        public var baseLanguage: LanguageTag = "en"
        /// The user's languages, the preferred one first; nil for those of the system.
        public var languages: [LanguageTag]?
        /// The brand whose folder overrides the languages.
        public var brand: CustomizationBrand = .fromInfoPlist
        /// The name of the theme file in `resources`; nil for none.
        public var themes: String?
        /// The name of the host map in `resources`; nil for none.
        public var hostMap: String?
        /// Stores the user's selection of hosts.
        public var hostChoices: any HostChoiceStore = .memory
        /// The settings that all requests share.
        public var client: ClientConfiguration = ClientConfiguration()
        /// The transport of the client; nil for the platform's.
        public var transport: (any NetworkTransport)?
        /// The bus for the app's events; nil for a new one whose failures are logged.
        public var bus: EventBus?

        /// Creates settings for the files in a folder.
        ///
        /// - Parameters:
        ///   - resources: The path of the folder.
        ///   - environments: The environments whose configuration files apply, the strongest last.
        ///   - bundleIdentifier: The identifier whose configuration sections apply; nil for that of the main bundle.
        ///   - log: The settings of the log.
        public init(
            resources: String, environments: [ConfigEnvironment] = ConfigEnvironment.current,
            bundleIdentifier: String? = nil, log: LogConfiguration = LogConfiguration()
        ) {
            self.resources = resources
            self.environments = environments
            self.bundleIdentifier = bundleIdentifier
            self.log = log
        }

        /// The plan in `config`, or one for `ApplicationConfig` files in `resources`, of which the base file is required.
        var configPlan: ConfigPlan {
            if let config { return config }
            var plan = ConfigPlan.directory(
                resources, environments: environments, bundleIdentifier: bundleIdentifier)
            plan.requiresBase = true
            return plan
        }
    }
}
