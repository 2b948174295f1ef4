/// All that decides what a configuration is loaded from and how; loading the same plan again is a reload.
///
/// Layers from the weakest to the strongest: `defaults`, the base file, a file for each of `environments`, the sections
/// of `bundleIdentifier`, `localFile`, values written at run time.
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
    /// Values of the weakest layer.
    public var defaults: [String: ConfigValue] = [:]
    /// The path of a file with the values of this machine or developer; it need not exist.
    public var localFile: String?
    /// How layers are laid on each other.
    public var merge: ConfigMergePolicy = .deep
    /// Keys beginning with `$` are directives; switch off for files that hold such keys as values.
    public var readsDirectives: Bool = true
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
