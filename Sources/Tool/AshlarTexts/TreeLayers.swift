package import AshlarCustomization

extension Customization {
    /// Every layer of the tree with all languages and brands; without a tree, the layers of the stack.
    package var allLayers: [CustomizationLayer] { tree?.allLayers(base: baseLanguage) ?? layers }

    /// The errors of all files of the tree, each once, in every language and brand; without a tree, those of the layers.
    package var fileErrors: [CustomizationDiagnostic] {
        var found = diagnostics + allLayers.flatMap(\.diagnostics)
        // The tree's own folder has no layer if its only files are string catalogs.
        if let tree { found += tree.folder("").diagnostics.filter { $0.code != .missingFolder } }
        var known: Set<CustomizationDiagnostic> = []
        return found.filter { $0.severity == .error && known.insert($0).inserted }
    }
}

extension CustomizationTree {
    /// Returns the layers of every language but the base language.
    package func languageLayers(
        base: LanguageTag, brand: String?, policy: CustomizationPolicy
    ) -> [CustomizationLayer] {
        languages(brand: brand).filter { $0 != base }.flatMap {
            layers(of: $0, role: .language($0), brand: brand, policy: policy)
        }
    }

    /// Returns every layer of the tree: the base language, the other languages, then each brand with its languages.
    ///
    /// A language can have several layers, such as a string catalog and a folder; the last one wins.
    package func allLayers(base: LanguageTag = "en") -> [CustomizationLayer] {
        var layers = baseLayers(base, options)
        for language in [base] + availableLanguages.filter({ $0 != base }) {
            let role: CustomizationLayer.Role = language == base ? .base(base) : .language(language)
            layers += self.layers(of: language, role: role, policy: options)
        }
        for brand in availableBrands {
            let folder = folder(brand + ".lproj")
            layers.append(folder.layer(role: .brand(brand), policy: options))
            for inner in folder.subfolders {
                guard let language = self.language(of: inner) else { continue }
                let folder = self.folder("\(brand).lproj/\(inner).lproj")
                layers.append(folder.layer(role: .brandLanguage(brand, language), policy: options))
            }
        }
        return layers
    }
}
