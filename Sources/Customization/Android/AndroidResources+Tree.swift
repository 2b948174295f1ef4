extension AndroidResources {
    /// Exports a whole tree of `.lproj` folders: the base language, every other language, and every brand with its own
    /// languages.
    ///
    /// ```swift
    /// let tree = CustomizationTree(path: "Resources")
    /// let resources = AndroidResources(tree, base: "en")
    /// for file in resources.files { print(file.path) }  // res/values/strings.xml, res/values-fr/strings.xml …
    /// for problem in resources.diagnostics { print(problem) }
    /// ```
    ///
    /// - Parameters:
    ///   - tree: The tree; what of it was not read yet is read.
    ///   - base: The language that goes to `values`.
    ///   - typing: Which texts become typed resources.
    /// - Complexity: O(*n*) in the bytes of all files.
    public init(_ tree: CustomizationTree, base: LanguageTag = "en", typing: AndroidTyping = .colors) {
        self.init(tree.allLayers(base: base), typing: typing)
    }
}

extension CustomizationTree {
    /// Everything in the tree as layers: the base language, the other languages, then each brand with its languages.
    ///
    /// A language may have several layers, such as a string catalog and a folder; of these the later one wins.
    ///
    /// - Parameter base: The base language; files outside of folders and `Base.lproj` count as it.
    /// - Returns: The layers, whether a customization would use them together or not.
    public func allLayers(base: LanguageTag = "en") -> [CustomizationLayer] {
        let root = folder("")
        var layers: [CustomizationLayer] = []
        if !root.tables.isEmpty { layers.append(root.layer(id: ".", role: .base(base), policy: options)) }
        if folders.contains("Base") { layers.append(folder("Base.lproj").layer(role: .base(base), policy: options)) }
        for language in [base] + availableLanguages.filter({ $0 != base }) {
            let role: CustomizationLayer.Role = language == base ? .base(base) : .language(language)
            if let tables = root.catalogs[language] {
                layers.append(
                    CustomizationLayer(
                        id: "*.xcstrings#\(language)", role: role, tables: tables, colors: options.colors,
                        resolvesAliases: options.resolvesAliases))
            }
            for name in folders where Self.language(name) == language {
                layers.append(folder(name + ".lproj").layer(role: role, policy: options))
            }
        }
        for brand in availableBrands {
            let folder = folder(brand + ".lproj")
            layers.append(folder.layer(role: .brand(brand), policy: options))
            for inner in folder.subfolders {
                guard let language = Self.language(inner) else { continue }
                let folder = self.folder("\(brand).lproj/\(inner).lproj")
                layers.append(folder.layer(role: .brandLanguage(brand, language), policy: options))
            }
        }
        return layers
    }
}
