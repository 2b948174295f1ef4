/// All that decides what a configuration is loaded from and how; loading the same plan again is a reload.
///
/// Layers from the weakest to the strongest: `defaults`, the base file, a file for each of `environments`, the sections
/// of `bundleIdentifier`, `localFile`, environment variables with `variablePrefix`, `arguments`, values written at run
/// time.
///
/// ```swift
/// var plan = ConfigPlan(location: .memory(["ApplicationConfig.json": #"{"http": {"timeout": 30}}"#]))
/// plan.defaults = ["http": ["retries": 3]]
/// plan.bundleIdentifier = "com.acme.beta.App"
/// let config = try ApplicationConfig.load(plan)
/// ```
public struct ConfigPlan: Sendable {
    /// Where the files are.
    public var location: ConfigLocation
    /// The files' name without environment and extension.
    ///
    /// A file may be a property list, XML or binary, with the
    /// extension `plist`, or JSON with the extension `json`; if both are there, the JSON file is the stronger layer.
    public var name: String = "ApplicationConfig"
    /// The environments whose files apply, the strongest last.
    public var environments: [ConfigEnvironment]
    /// The identifier whose sections apply; none on Linux unless given.
    public var bundleIdentifier: String?
    /// The base file must be there; otherwise its absence is a remark in `diagnostics`.
    public var requiresBase: Bool = false
    /// The environments whose files must be there.
    public var requiredEnvironments: Set<ConfigEnvironment> = []
    /// `localFile` must be there if it is given.
    public var requiresLocalFile: Bool = false
    /// Values of the weakest layer.
    public var defaults: [String: ConfigValue] = [:]
    /// The path of a file with the values of this machine or developer; it need not exist.
    public var localFile: String?
    /// The prefix of the environment variables that set values, such as `APP_`; without one they set none.
    ///
    /// `APP_HTTP__TIMEOUT` sets `http.timeout`: `__` separates keys and `_` is a character. Names are compared without
    /// regard to case with the keys that weaker layers and the schema know; others are taken as they are spelled, with a
    /// remark in `diagnostics`. An empty variable is an empty text. Where a weaker layer has an array or a dictionary, the
    /// variable holds JSON.
    public var variablePrefix: String?
    /// The environment variables, for the layer and for `${env:NAME}`; those of the process if `nil`.
    public var variables: [String: String]?
    /// The arguments of the command line, without the program's name; none are read if empty.
    ///
    /// `--set path=value` (or `--set=path=value`) sets any value, `--path=value` one that a weaker layer or the schema
    /// knows; others are left alone, with a remark in `diagnostics`. Known keys are meant without regard to case. Nothing
    /// is split at commas, an array or a dictionary is given whole as JSON, and `--` ends the arguments.
    public var arguments: [String] = []
    /// References such as `${path}` and `${env:NAME}` in texts of files and defaults are resolved.
    public var interpolates: Bool = true
    /// How references are written.
    public var referenceSyntax: ConfigReferenceSyntax = .dollar
    /// What the values must be; loading fails with all problems if they are not, and its secret keys are never printed.
    public var schema: ConfigSchema?
    /// How layers are laid on each other.
    public var merge: ConfigMergePolicy = .deep
    /// Keys beginning with `$` are directives; switch off for files that hold such keys as values.
    public var readsDirectives: Bool = true
    /// The layers whose keys and texts mean just themselves: no directives and no references are read in them.
    ///
    /// For files that were there before and hold `${` or keys with `$`. Sections of bundle identifiers go with the file
    /// they stand in.
    public var literalLayers: Set<ConfigLayerKind> = []
    /// What a value of one kind may be read as.
    public var coercion: ConfigCoercion = .standard
    /// Which values are never printed.
    public var secrets: ConfigSecrets = .standard
    /// How big sources may be.
    public var limits: ConfigLimits = ConfigLimits()
    /// A key that stands twice in one dictionary is an error; otherwise a remark, and the later one is taken.
    public var refusesDuplicateKeys: Bool = true

    /// Creates a plan for files at a location.
    public init(
        location: ConfigLocation = .mainBundle, environments: [ConfigEnvironment] = ConfigEnvironment.current,
        bundleIdentifier: String? = nil
    ) {
        self.location = location
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier ?? ConfigProcess.bundleIdentifier
    }

    /// `ApplicationConfig` files in the main bundle for this process's environments and bundle identifier.
    public static var standard: ConfigPlan { ConfigPlan() }

    /// A plan for files in a directory.
    public static func directory(
        _ path: String, environments: [ConfigEnvironment] = ConfigEnvironment.current, bundleIdentifier: String? = nil
    ) -> ConfigPlan {
        ConfigPlan(location: .directory(path), environments: environments, bundleIdentifier: bundleIdentifier)
    }
}
