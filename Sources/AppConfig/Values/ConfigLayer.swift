#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    package static let source: ConfigLayerKind = ConfigLayerKind(name: "source")
    /// Environment variables.
    public static let variables: ConfigLayerKind = ConfigLayerKind(name: "environment variables")
    /// Arguments of the command line.
    public static let arguments: ConfigLayerKind = ConfigLayerKind(name: "command line")
    /// Values set at run time.
    package static let runtime: ConfigLayerKind = ConfigLayerKind(name: "run time")

    /// The layer's name, such as `bundle override`.
    public var description: String { name }
}

/// One layer of a configuration, without its values.
final class ConfigLayer: Sendable {
    let kind: ConfigLayerKind
    /// The name of the layer among those of its kind, such as a file name or a bundle identifier's pattern.
    let label: String
    let source: ConfigTreeSource
    /// Returns the time at which a source obtained or confirmed its content.
    let date: (@Sendable () -> Date)?

    init(
        _ kind: ConfigLayerKind, label: String? = nil, source: ConfigTreeSource? = nil,
        date: (@Sendable () -> Date)? = nil
    ) {
        self.kind = kind
        self.label = label ?? kind.description
        self.source = source ?? .code(kind.description)
        self.date = date
    }

    /// The layer of values written at run time.
    static let runtime = ConfigLayer(.runtime)
}
