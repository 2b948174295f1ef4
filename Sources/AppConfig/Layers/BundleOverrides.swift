internal import AshlarTrees

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
    static func layers(for identifier: String?, in files: [ConfigLayerValues], policy: ConfigMergePolicy)
        -> [ConfigLayerValues]
    {
        guard let identifier, !identifier.isEmpty else { return [] }
        if !policy.isDeep { return seedLayers(for: identifier, in: files) }
        var found: [(specificity: Int, layer: ConfigLayerValues)] = []
        for file in files {
            for member in file.values.members ?? [] where member.value.kind == .dictionary {
                guard let specificity = specificity(of: member.key, for: identifier) else { continue }
                found.append((specificity, file.section(member)))
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
    private static func seedLayers(
        for identifier: String, in files: [ConfigLayerValues]
    ) -> [ConfigLayerValues] {
        for file in files.reversed() {
            guard let member = file.values.members?.last(where: { $0.key == identifier }) else { continue }
            return member.value.kind == .dictionary ? [file.section(member)] : []
        }
        return []
    }
}

/// A layer with the values that are merged.
struct ConfigLayerValues {
    let layer: ConfigLayer
    let values: PlacedValue
    /// The paths in `$secret` directives.
    var secrets: [[ConfigPath.Component]] = []

    /// Returns the layer of a bundle identifier's section.
    func section(_ member: PlacedValue.Member) -> ConfigLayerValues {
        ConfigLayerValues(
            layer: ConfigLayer(.bundle, label: member.key, source: layer.source), values: member.value,
            secrets: secrets.filter { $0.first == .key(member.key) }.map { Array($0.dropFirst()) })
    }
}
