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

/// One layer of a configuration: a dictionary of a tree, and its kind.
struct ConfigLayer: Sendable {
    var kind: ConfigLayerKind
    /// The name of the layer among those of its kind, such as a file name or a bundle identifier's pattern.
    var label: String
    var tree: ConfigTree
    var root: Int = 0
    /// Returns the time at which a source obtained or confirmed its content.
    var date: (@Sendable () -> Date)?
}

/// The rules for merging the layers of a configuration.
public struct ConfigMergePolicy: Hashable, Sendable {
    private enum Kind { case deep, seed }
    private let kind: Kind

    /// Dictionaries merge key by key at every depth, other values replace weaker values, and directives are read.
    public static let deep: ConfigMergePolicy = ConfigMergePolicy(kind: .deep)
    /// The rules of NEIApplicationConfig.
    ///
    /// Files merge at the root only. Only the last file's section of the exact bundle identifier applies; it is merged
    /// at the root only. There are no wildcards and no directives.
    public static let seed: ConfigMergePolicy = ConfigMergePolicy(kind: .seed)

    var isDeep: Bool { kind == .deep }
}

/// Finds the sections of files that a bundle identifier selects.
///
/// A section is a dictionary under a root key: `com.acme.beta.App` for this identifier only, `com.acme.beta.*` for all
/// identifiers with one or more further components.
enum BundleOverrides {
    /// Returns the sections as layers, from the least specific to the exact identifier; for equal patterns, the weaker
    /// file first.
    static func layers(for identifier: String?, in files: [ConfigLayer], policy: ConfigMergePolicy) -> [ConfigLayer] {
        guard let identifier, !identifier.isEmpty else { return [] }
        if !policy.isDeep { return seedLayers(for: identifier, in: files) }
        var found: [(specificity: Int, layer: ConfigLayer)] = []
        for file in files {
            for child in file.tree.children(of: file.root) where file.tree.kind(of: child) == .dictionary {
                let pattern = file.tree.key(of: child)
                guard let specificity = specificity(of: pattern, for: identifier) else { continue }
                found.append(
                    (specificity, ConfigLayer(kind: .bundle, label: pattern, tree: file.tree, root: child)))
            }
        }
        // A stable sort by specificity keeps the order of the files.
        return found.enumerated().sorted { ($0.element.specificity, $0.offset) < ($1.element.specificity, $1.offset) }
            .map(\.element.layer)
    }

    /// Returns the number of fixed components of a pattern, one more for the exact identifier; nil if it doesn't match.
    static func specificity(of pattern: String, for identifier: String) -> Int? {
        if pattern == identifier { return .max }
        guard pattern.hasSuffix(".*") else { return nil }
        let prefix = pattern.dropLast(1)
        guard prefix.count > 1, !prefix.contains("*"), identifier.hasPrefix(prefix),
            identifier.utf8.count > prefix.utf8.count
        else { return nil }
        return prefix.count { $0 == "." }
    }

    /// Returns the section of the merged root, in which only the last file's section remains.
    private static func seedLayers(for identifier: String, in files: [ConfigLayer]) -> [ConfigLayer] {
        for file in files.reversed() {
            guard let section = file.tree.child(of: file.root, key: identifier) else { continue }
            guard file.tree.kind(of: section) == .dictionary else { return [] }
            return [ConfigLayer(kind: .bundle, label: identifier, tree: file.tree, root: section)]
        }
        return []
    }
}
