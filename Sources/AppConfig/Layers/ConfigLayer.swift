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
            for child in file.tree.children(of: file.root)
            where file.tree.kind(of: child) == .dictionary && !ConfigDirectives.isList(child, file.tree) {
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
