/// A format in which a configuration is exported.
public struct ConfigExportFormat: Hashable, Sendable {
    enum Kind { case json, propertyList }
    let kind: Kind

    /// JSON; dates, data, and numbers that are not finite are strings.
    public static let json: ConfigExportFormat = ConfigExportFormat(kind: .json)
    /// An XML property list, in which `null` in an array is an empty string and dates have whole seconds.
    ///
    /// Control characters, which XML cannot contain, become U+FFFD.
    public static let propertyList: ConfigExportFormat = ConfigExportFormat(kind: .propertyList)
}

extension ApplicationConfig {
    /// Returns the effective values as the text of a file that reads back as the same values.
    ///
    /// Keys of secret values are left out. A secret element of an array becomes `<redacted>`, so that the others keep their
    /// indices, and so do credentials inside URLs. `${` in strings is escaped. Keys that begin with `$` read back only
    /// without directives.
    ///
    /// ```swift
    /// let config = ApplicationConfig(["http": ["timeout": 30], "apiToken": "secret"])
    /// print(config.exported(as: .json))  // {"http": {"timeout": 30}}, over several lines
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public func exported(as format: ConfigExportFormat, includesSecrets: Bool = false) -> String {
        let whole = flattened()
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        builder.children(
            of: 0, in: whole.tree, isSecret: includesSecrets ? nil : whole.secretNodes, entries: .omitted,
            escapesReferences: true)
        builder.close()
        let tree = builder.finish(sources: whole.tree.sources)
        switch format.kind {
        case .json: return JSONWriter(isPretty: true).text(tree) + "\n"
        case .propertyList: return PropertyListWriter().text(tree)
        }
    }
}
