/// The languages, brand, themes and layers that determine the stack for a tree.
struct CustomizationSelection: Sendable {
    var base: LanguageTag
    /// The user's languages, the preferred one first.
    var device: [LanguageTag]
    /// The language that replaces them, if any.
    var override: LanguageTag?
    var brand: String?
    var themes: [Theme] = []
    var theme: String?
    /// Layers that aren't from the tree; they are above all others.
    var given: [CustomizationLayer] = []

    /// The current languages, the preferred one first.
    var preferred: [LanguageTag] { override.map { [$0] } ?? device }

    /// The available language that matches the preferences, if any.
    func match(_ available: [LanguageTag], _ policy: CustomizationPolicy) -> LanguageMatch? {
        LanguageMatcher(available: available, base: base, crossesScripts: policy.crossesScripts).match(for: preferred)
    }

    private func chain(_ available: [LanguageTag], _ policy: CustomizationPolicy) -> [LanguageTag] {
        match(available, policy)?.chain ?? []
    }

    /// Whether a string of the base language is only a fallback.
    var hasLanguage: Bool { preferred.first.map { $0.language != base.language } ?? false }

    /// Returns the stack of layers, lowest first, and the problems.
    func stack(
        of tree: CustomizationTree?, policy: CustomizationPolicy
    ) -> (layers: [CustomizationLayer], diagnostics: [CustomizationDiagnostic]) {
        var layers: [CustomizationLayer] = []
        var diagnostics: [CustomizationDiagnostic] = tree?.diagnostics ?? []
        if let tree {
            layers += languageLayers(tree, policy, &diagnostics)
            if let brand { layers += brandLayers(brand, tree, policy, &diagnostics) }
        }
        if let theme {
            let found = ThemeStack.layers(theme, among: themes)
            layers += found.layers
            diagnostics += found.diagnostics
        }
        layers += given
        for layer in layers { diagnostics += layer.diagnostics }
        return (layers, diagnostics)
    }

    private func languageLayers(
        _ tree: CustomizationTree, _ policy: CustomizationPolicy, _ diagnostics: inout [CustomizationDiagnostic]
    ) -> [CustomizationLayer] {
        let root = tree.folder("")
        diagnostics += root.tables.isEmpty ? root.diagnostics.filter { $0.code != .missingFolder } : []
        var layers = tree.baseLayers(base, policy)
        let available = tree.languages(brand: brand)
        if !available.contains(base), layers.isEmpty {
            diagnostics.add(
                .warning, .missingFolder, "the base language has no folder \(base).lproj",
                at: CustomizationLocation(file: tree.path))
        }
        layers += tree.layers(of: base, role: .base(base), brand: brand, policy: policy)
        let chain = chain(available, policy)
        // The base language is complete, so languages below it are never needed.
        for tag in chain[(chain.firstIndex(of: base).map { $0 + 1 } ?? 0)...] {
            layers += tree.layers(of: tag, role: .language(tag), brand: brand, policy: policy)
        }
        return layers
    }

    private func brandLayers(
        _ brand: String, _ tree: CustomizationTree, _ policy: CustomizationPolicy,
        _ diagnostics: inout [CustomizationDiagnostic]
    ) -> [CustomizationLayer] {
        guard tree.folders.contains(brand) else {
            diagnostics.add(
                .warning, .unknownName, "the brand \(brand) has no folder \(brand).lproj",
                at: CustomizationLocation(file: tree.path))
            return []
        }
        let folder = tree.folder(brand + ".lproj")
        var layers = [folder.layer(role: .brand(brand), policy: policy)]
        let inner = Dictionary(grouping: folder.subfolders) { tree.language(of: $0) }
        var chain = chain(inner.keys.compactMap(\.self), policy)
        if !chain.contains(base) { chain.insert(base, at: 0) }
        for tag in chain {
            layers += CustomizationTree.ordered(inner[tag] ?? [], of: tag).map { name in
                tree.folder("\(brand).lproj/\(name).lproj").layer(role: .brandLanguage(brand, tag), policy: policy)
            }
        }
        return layers
    }
}
