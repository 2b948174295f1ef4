extension CustomizationUpdate {
    /// The layer of a language; nil if the update has no text in it.
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
