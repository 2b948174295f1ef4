/// An export format of a configuration.
public struct ConfigExportFormat: Hashable, Sendable {
    enum Kind { case json, propertyList }
    let kind: Kind

    /// JSON; dates, data, and numbers that aren't finite are strings.
    public static let json: ConfigExportFormat = ConfigExportFormat(kind: .json)
    /// An XML property list, in which `null` in an array is an empty string and dates have whole seconds.
    ///
    /// Control characters, which XML can't contain, become U+FFFD.
    public static let propertyList: ConfigExportFormat = ConfigExportFormat(kind: .propertyList)
}

extension ApplicationConfig {
    /// Returns the effective values as the text of a file that contains the same values when it is loaded.
    ///
    /// Keys of secret values are omitted. A secret element of an array becomes `<redacted>`, so that the indices of
    /// other elements don't change. Credentials in URLs also become `<redacted>`. `${` in strings is escaped. To load
    /// keys that begin with `$`, turn directives off.
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
