public import AshlarAppConfig
public import AshlarCustomization
public import AshlarEventBus
public import AshlarLogging
public import AshlarNetworking

extension AshlarApp {
    /// The settings of an ``AshlarApp``: a folder of files, and options for each part.
    ///
    /// Without a folder, the app's files are found by the conventions of ``ResourceFolder``. A nil setting comes from
    /// the flavor, then from the configuration's section `app`, then from the platform.
    ///
    /// ```swift
    /// var configuration = AshlarApp.Configuration(resources: "Resources", environments: [.debug])
    /// configuration.languages = ["fr-CA"]
    /// configuration.brand = "acme"
    /// configuration.transport = StubTransport(["GET /notes": .json("[]")])
    /// let app = AshlarApp(configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The folder that contains the configuration files, `.lproj` folders, host map and themes; nil to find it.
        public var resources: ResourceFolder?
        /// The name that selects brand, configuration sections, environments, default hosts and log folder together.
        ///
        /// A file `Flavors.json` (or `.plist`) in the app's folder declares the flavors:
        ///
        /// ```json
        /// {
        ///   "acme-staging": {
        ///     "brand": "acme", "bundleIdentifier": "com.acme.app", "environments": ["debug"],
        ///     "host": "prerelease", "logFolder": "/var/log/acme"
        ///   }
        /// }
        /// ```
        ///
        /// Every member is optional. `host` is `canonical`, `release`, `prerelease`, or the key of an environment of the
        /// host map. Settings of the configuration take precedence over the flavor's. If the name is nil, it is that of the
        /// argument `--flavor`, the variable `ASHLAR_FLAVOR` or the key `AshlarFlavor` of Info.plist, in this order.
        public var flavor: String?
        /// The environments whose configuration files apply, the strongest last; nil for those of the flavor or process.
        public var environments: [ConfigEnvironment]?
        /// The identifier whose configuration sections apply; nil for that of the flavor or main bundle.
        public var bundleIdentifier: String?
        /// The plan for the configuration; nil for the files in `resources`.
        ///
        /// A plan replaces `environments` and `bundleIdentifier`.
        public var config: ConfigPlan?
        /// The prefix of the environment variables that set values of the configuration, such as `APP`; nil for none.
        ///
        /// `APP_HTTP__TIMEOUT` sets `http.timeout`; see `ConfigPlan.variablePrefix`. The plan of ``config`` is changed, too.
        public var variables: String?
        /// Whether the arguments of the command line set values of the configuration.
        ///
        /// `--http.timeout=5` sets `http.timeout`; see `ConfigPlan.arguments`. The argument `--flavor` is left out. The plan
        /// of ``config`` is changed, too.
        public var arguments: Bool = false
        /// The place where the log and the user's selections of hosts are stored, per flavor.
        ///
        /// `log.folder` and the flavor's `logFolder` take precedence.
        public var storage: AppStorage = .standard
        /// The settings of the log; nil starts no log.
        ///
        /// Thresholds in the configuration replace its thresholds. Signals that end the process are noted unless
        /// `notesSignals` is false.
        public var log: LogConfiguration?
        /// The language in which every string exists.
        public var baseLanguage: LanguageTag = "en"
        /// The user's languages, the preferred one first; nil for `app.language` or those of the system.
        public var languages: [LanguageTag]?
        /// The brand whose folder overrides the languages; nil for that of the flavor, `app.brand` or Info.plist.
        public var brand: CustomizationBrand?
        /// Formats dates and amounts of money in messages.
        public var formatter: any DateAndCurrencyFormatter = FoundationFormatter()
        /// The theme file in `resources`.
        public var themes: ResourceFile = .ifPresent("Themes.json")
        /// The host map in `resources`.
        public var hostMap: ResourceFile = .ifPresent("HostMap.json")
        /// The environment of hosts without a selection; nil for that of the flavor, `app.host` or the environment.
        ///
        /// With an environment such as `debug` it is the prerelease environment, otherwise the release environment.
        public var hostDefault: HostDefault?
        /// Stores the user's selections of hosts, separately for each flavor and environment; nil, the default, for a
        /// file in ``storage``.
        package var hostChoices: HostChoiceStore?
        /// The URLs that open the app, in addition to those of the configuration.
        public var links: AppLinks = AppLinks()
        /// The settings that all requests share; the configuration's section `network` takes precedence.
        public var client: ClientConfiguration = ClientConfiguration()
        /// The transport of the client; nil for the platform's.
        public var transport: (any NetworkTransport)?
        /// What other products add to the start of the app, such as files from a server; a later one takes precedence.
        package var additions: [any AppAddition] = []
        /// The bus for the app's events; nil for a new one whose failures are logged.
        public var bus: EventBus?

        /// Creates settings for the files in a folder.
        ///
        /// - Parameters:
        ///   - resources: The path of the folder; nil to find it.
        ///   - environments: The environments whose configuration files apply, the strongest last.
        ///   - bundleIdentifier: The identifier whose configuration sections apply.
        ///   - log: The settings of the log; nil starts no log.
        public init(
            resources: String? = nil, environments: [ConfigEnvironment]? = nil, bundleIdentifier: String? = nil,
            log: LogConfiguration? = LogConfiguration()
        ) {
            self.resources = resources.map { ResourceFolder($0) }
            self.environments = environments
            self.bundleIdentifier = bundleIdentifier
            self.log = log
        }
    }
}

/// A file in the folder of an app.
public enum ResourceFile: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The file must exist; its absence is an issue.
    case required(String)
    /// The file is read if it exists.
    case ifPresent(String)
    /// No file is read.
    case none

    /// A required file.
    public init(stringLiteral name: String) { self = .required(name) }
}
