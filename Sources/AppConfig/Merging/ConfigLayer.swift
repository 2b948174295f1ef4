/// The kind of a layer, here from the weakest to the strongest.
public struct ConfigLayerKind: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// Defaults in code.
    public static let defaults: ConfigLayerKind = ConfigLayerKind(name: "defaults")
    /// `ApplicationConfig.plist`.
    public static let base: ConfigLayerKind = ConfigLayerKind(name: "base")
    /// The file of an environment, such as `ApplicationConfig.debug.plist`.
    public static let environment: ConfigLayerKind = ConfigLayerKind(name: "environment")
    /// The section of a bundle identifier.
    public static let bundle: ConfigLayerKind = ConfigLayerKind(name: "bundle override")
    /// The local file, which a developer or a machine provides.
    public static let local: ConfigLayerKind = ConfigLayerKind(name: "local file")
    /// A source of the program or of another package.
    public static let source: ConfigLayerKind = ConfigLayerKind(name: "source")
    /// Environment variables.
    public static let variables: ConfigLayerKind = ConfigLayerKind(name: "environment variables")
    /// Arguments of the command line.
    public static let arguments: ConfigLayerKind = ConfigLayerKind(name: "command line")
    /// Values set at run time.
    public static let runtime: ConfigLayerKind = ConfigLayerKind(name: "run time")

    /// The layer's name, such as `bundle override`.
    public var description: String { name }
}

/// One layer of a configuration: a dictionary of a tree, and its kind.
struct ConfigLayer: Sendable {
    var kind: ConfigLayerKind
    /// The name of the layer among those of its kind, such as a file name or a bundle identifier's pattern.
    var label: String
    var tree: ConfigTree
    var root: Int = 0
    /// The seconds since 2001 at which a source obtained its content.
    var date: Double?
}

/// The rules for merging the layers of a configuration.
public struct ConfigMergePolicy: Hashable, Sendable {
    private enum Kind { case deep, seed }
    private let kind: Kind

    /// Dictionaries merge key by key at every depth, other values replace weaker values, and directives apply.
    public static let deep: ConfigMergePolicy = ConfigMergePolicy(kind: .deep)
    /// The rules of NEIApplicationConfig.
    ///
    /// Files merge at the root only. Only the last file's section of the exact bundle identifier applies; it is merged
    /// at the root only. There are no wildcards and no directives.
    public static let seed: ConfigMergePolicy = ConfigMergePolicy(kind: .seed)

    var isDeep: Bool { kind == .deep }
}
