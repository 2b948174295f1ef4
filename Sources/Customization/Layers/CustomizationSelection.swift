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
    /// The strings that override those of the tree, if any.
    var update: UpdatedStrings?
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
        if let update, tree == nil { add(update, to: &layers) }
        for layer in layers { diagnostics += layer.diagnostics }
        return (layers, diagnostics)
    }

    /// Returns the languages of a tree and of the update.
    func languages(of tree: CustomizationTree) -> [LanguageTag] {
        let languages = tree.languages(brand: brand)
        guard let update else { return languages }
        return Set(languages).union(update.tables.keys).sorted { $0.description < $1.description }
    }

    /// Adds an update to given layers, above the last layer of each language.
    private func add(_ update: UpdatedStrings, to layers: inout [CustomizationLayer]) {
        for language in update.tables.keys {
            guard let last = layers.lastIndex(where: { $0.language == language }),
                let layer = update.layer(of: language, role: layers[last].role, policy: .init())
            else { continue }
            layers.insert(layer, at: last + 1)
        }
    }

    private func languageLayers(
        _ tree: CustomizationTree, _ policy: CustomizationPolicy, _ diagnostics: inout [CustomizationDiagnostic]
    ) -> [CustomizationLayer] {
        let root = tree.folder("")
        diagnostics += root.tables.isEmpty ? root.diagnostics.filter { $0.code != .missingFolder } : []
        var layers = tree.baseLayers(base, policy)
        let available = languages(of: tree)
        func add(_ tag: LanguageTag, _ role: CustomizationLayer.Role) {
            layers += tree.layers(of: tag, role: role, brand: brand, policy: policy)
            if let layer = update?.layer(of: tag, role: role, policy: policy) { layers.append(layer) }
        }
        if !available.contains(base), layers.isEmpty {
            diagnostics.add(
                .warning, .missingFolder, "the base language has no folder \(base).lproj",
                at: CustomizationLocation(file: tree.path))
        }
        add(base, .base(base))
        for tag in chain(available, policy) where tag != base {
            add(tag, .language(tag))
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
        var inner: [LanguageTag: String] = [:]
        for name in folder.subfolders { if let tag = tree.language(of: name) { inner[tag] = name } }
        var chain = chain(Array(inner.keys), policy)
        if !chain.contains(base) { chain.insert(base, at: 0) }
        for tag in chain {
            guard let name = inner[tag] else { continue }
            layers.append(
                tree.folder("\(brand).lproj/\(name).lproj").layer(role: .brandLanguage(brand, tag), policy: policy))
        }
        return layers
    }
}

/// Strings that override those of an app while it runs.
package struct UpdatedStrings: Sendable {
    package let version: Int
    /// The tables of each language by name.
    package let tables: [LanguageTag: [String: StringsTable]]
    package let diagnostics: [CustomizationDiagnostic]

    package init(
        version: Int, tables: [LanguageTag: [String: StringsTable]], diagnostics: [CustomizationDiagnostic]
    ) {
        self.version = version
        self.tables = tables
        self.diagnostics = diagnostics
    }

    /// Returns the layer of a language; nil if there are no strings for it.
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
