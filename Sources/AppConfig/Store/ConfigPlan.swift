/// The sources of a configuration and the rules for loading it.
///
/// The layers are, from the weakest to the strongest: `defaults`, the base file, a file for each of `environments`, the
/// sections of `bundleIdentifier`, `localFile`, `sources`, environment variables with `variablePrefix`, `arguments`,
/// and values written at run time.
///
/// ```swift
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"http": {"timeout": 30}}"#]))
/// plan.defaults = ["http": ["retries": 3]]
/// plan.bundleIdentifier = "com.acme.beta.App"
/// let config = try ApplicationConfig.load(plan)
/// ```
public struct ConfigPlan: Sendable {
    /// The location of the files.
    public var files: ConfigFiles
    /// The names of the files without environment and extension.
    ///
    /// A file is a property list (XML or binary) with the extension `plist`, JSON with the extension `json`, or has one
    /// of `formats`. If several exist, the JSON file is stronger than the property list, and the files of other formats
    /// are stronger than both, in the order of their extensions.
    public var name: String = "ApplicationConfig"
    /// The environments whose files apply, the strongest last.
    public var environments: [ConfigEnvironment]
    /// The identifier whose sections apply; on Linux, nil unless you set it.
    public var bundleIdentifier: String?
    /// The layers whose missing files are errors: `base`, `environment` and `local`; otherwise, they are diagnostics.
    public var requiredLayers: Set<ConfigLayerKind> = []
    /// Values of the weakest layer.
    public var defaults: [String: ConfigValue] = [:]
    /// The path of a file with the values of this machine or developer; it doesn't have to exist.
    public var localFile: String?
    /// The prefix of the environment variables that set values, such as `APP_`; if `nil`, variables set no values.
    ///
    /// `APP_HTTP__TIMEOUT` sets `http.timeout`: `__` separates keys, and `_` is part of a key. Known keys are found
    /// regardless of case and separators: `APP_MAX_RETRIES` sets `maxRetries`. Keys are known from weaker layers,
    /// settings, and typed keys. An unknown key is written in lowercase, with a diagnostic.
    ///
    /// The type that settings or a typed key declare decides how the text is read, otherwise that of the value in a weaker
    /// layer. An array is JSON, such as `["a", "b"]`; a declared one can also be written as `a, b`, and is empty for an
    /// empty text. A dictionary is JSON. In an array, a number is an index: `APP_SERVERS__0` replaces or adds one element
    /// and changes no other; a gap is an error. Other values are the text itself.
    public var variablePrefix: String?
    /// The formats of files by extension, in addition to `plist` and `json` or instead of them.
    ///
    /// They also apply to `localFile`.
    public var formats: [String: any ConfigFormat] = [:]
    /// The sources of the program, the strongest last.
    private(set) var sources: [ConfigSourceLayer] = []
    /// The paths of `.env` files, the strongest last; variables of the environment are stronger.
    ///
    /// A missing file adds a diagnostic. For the syntax, see <doc:Sources>.
    public var variableFiles: [String] = []
    /// The environment variables, for the layer and for `${env:NAME}`; if `nil`, those of the process.
    public var variables: [String: String]?
    /// Whether `${env:NAME}` without a default remains as written if the variable isn't set, instead of being an error; for
    /// tools that read the files of another machine.
    package var keepsUnsetVariables = false
    /// The arguments of the command line, without the program's name; by default none.
    ///
    /// `--set path=value` (or `--set=path=value`) sets any value. For a known path, `--path=value` and `--path value` set
    /// it, and `--path` alone sets a boolean to `true`, which only a following `true`, `false`, `yes`, `no`, `on` or `off`
    /// changes. A value that begins with `--` is written after `=`. `--servers[1]=q` sets one element; a repeated option
    /// adds elements to a declared array. Known keys and the forms of values are those of ``variablePrefix``. Other
    /// arguments are ignored with a diagnostic, which doesn't contain their text. `--` ends the arguments.
    public var arguments: [String] = []
    /// The types of declared settings.
    private var declaredShape = ConfigShape.structure([:])
    /// The paths of declared settings that are never printed.
    private(set) var declaredSecrets: Set<ConfigPath> = []
    /// The checks of required settings: each returns the problems of a loaded configuration.
    private var checks: [@Sendable (ApplicationConfig) -> [ConfigError]] = []
    /// The rules for merging layers.
    public var merge: ConfigMergePolicy = .deep
    /// The layers without directives and references.
    ///
    /// Use this property for existing files that contain `${` or keys with `$`. A file's sections are part of its
    /// layer.
    public var literalLayers: Set<ConfigLayerKind> = []
    /// The rules for reading a value of one type as another.
    public var coercion: ConfigCoercion = .standard
    /// The values that are never printed.
    public var secrets: ConfigSecrets = ConfigSecrets()
    /// The limits of sources.
    public var limits: ConfigLimits = ConfigLimits()

    /// Creates a plan for the `ApplicationConfig` files at a location.
    ///
    /// - Parameters:
    ///   - files: The location; by default, the resources of the main bundle, on Linux the directory of the executable.
    ///   - environments: The environments whose files apply; by default, those of this process.
    ///   - bundleIdentifier: The identifier whose sections apply; by default, that of the main bundle.
    public init(
        files: ConfigFiles? = nil, environments: [ConfigEnvironment] = ConfigEnvironment.current,
        bundleIdentifier: String? = nil
    ) {
        self.files = files ?? .directory(ConfigProcess.resourceDirectory)
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier ?? ConfigProcess.bundleIdentifier
    }

    /// Adds a custom source.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - kind: The source is stronger than the layers of this kind and weaker than those of the next kind. By
    ///     default, it is stronger than the local file and weaker than environment variables. Later sources are
    ///     stronger.
    ///   - isRequired: Whether missing content is an error; otherwise it adds a diagnostic.
    /// - Precondition: `kind` is neither `source` nor `runtime`.
    public mutating func add(
        _ source: any ConfigSource, over kind: ConfigLayerKind = .local, isRequired: Bool = false
    ) {
        precondition(kind != .source && kind != .runtime, "a source lies over a layer of the plan")
        sources.append(ConfigSourceLayer(source: source, over: kind, isRequired: isRequired))
    }

    /// Declares settings before the configuration is loaded.
    ///
    /// Variables and arguments then find the settings by their declared names and are read by their declared types, and
    /// secret settings of the plan's configurations are never printed. Other plans aren't affected.
    ///
    /// Loads don't check the settings; see ``require(_:at:unknownKeys:)``.
    public mutating func declare<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath = .root) {
        let outline = SettingsOutline(type, at: path)
        declaredShape.declare(outline.shape(), at: [])
        declaredSecrets.formUnion(outline.secretPaths())
    }

    /// Declares settings that each load checks: loading fails with every problem of their values.
    ///
    /// - Parameters:
    ///   - type: The type of the settings.
    ///   - path: The path of the section with the settings, by default the root.
    ///   - unknownKeys: The treatment of values in the section that the type does not declare.
    public mutating func require<Settings: ConfigSettings>(
        _ type: Settings.Type, at path: ConfigPath = .root, unknownKeys: ConfigUnknownKeys = .allowed
    ) {
        declare(type, at: path)
        checks.append { config in
            do throws(ConfigError) {
                _ = try config.bind(type, at: path, unknownKeys: unknownKeys)
                return []
            } catch {
                return error.problems.isEmpty ? [error] : error.problems
            }
        }
    }

    /// Returns the problems of the settings that are required.
    func problems(of config: ApplicationConfig) -> [ConfigError] { checks.flatMap { $0(config) } }

    /// The types that settings and typed keys declare.
    var shape: ConfigShape {
        var shape = ConfigShape.structure([:])
        for (name, type) in ConfigDeclaredKeys.types.sorted(by: { $0.key < $1.key }) {
            shape.declare(ConfigShape(of: type), at: ConfigPath(name).components[...])
        }
        shape.declare(declaredShape, at: [])
        return shape
    }

    /// The extensions of files, the strongest last.
    var extensions: [String] {
        let own = ["plist", "json"]
        return own + formats.keys.filter { !own.contains($0) }.sorted()
    }

    /// Returns the path of a file in the plan's folder; nil if the files are in memory.
    func path(of name: String) -> String? {
        guard case .directory(let directory) = files.kind else { return nil }
        return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }
}

// A plan can contain the values of secret keys, so its description contains no values.
extension ConfigPlan: CustomStringConvertible, CustomReflectable {
    /// The files and environments, without values.
    public var description: String {
        ([name] + environments.map(\.name)).joined(separator: "+") + " in \(files)"
            + (bundleIdentifier.map { " for \($0)" } ?? "")
    }

    /// The parts of the plan; for defaults, variables and arguments only their number.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "files": files, "name": name, "environments": environments.map(\.name),
            "bundleIdentifier": bundleIdentifier ?? "none", "defaults": "\(defaults.count) keys",
            "localFile": localFile ?? "none", "variablePrefix": variablePrefix ?? "none",
            "variables": variables.map { "\($0.count) given" } ?? "the process's",
            "arguments": "\(arguments.count) given",
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension ConfigFiles: CustomStringConvertible, CustomReflectable {
    /// The path of the directory, or the names of the files in memory.
    public var description: String {
        switch kind {
        case .directory(let path): path
        case .memory(let files): "memory (\(files.keys.sorted().joined(separator: ", ")))"
        }
    }

    /// A mirror with only the description.
    public var customMirror: Mirror { Mirror(self, children: ["place": description], displayStyle: .struct) }
}

/// A source of a plan and its position among the layers.
struct ConfigSourceLayer: Sendable {
    let source: any ConfigSource
    /// The kind of layers directly below the source.
    let over: ConfigLayerKind
    /// Whether missing content is an error.
    let isRequired: Bool
}
