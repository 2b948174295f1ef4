extension CustomizationUpdate {
    /// Returns the layer of a language; nil if the update has no strings for it.
    func layer(
        of language: LanguageTag, role: CustomizationLayer.Role, policy: CustomizationPolicy
    ) -> CustomizationLayer? {
        guard let tables = tables[language] else { return nil }
        return CustomizationLayer(
            id: "update \(version)#\(language)", role: role, tables: tables, colors: policy.colors,
            resolvesAliases: policy.resolvesAliases,
            diagnostics: diagnostics.filter { $0.file.hasSuffix("#\(language)") })
    }
}
