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
    /// Every folder as a layer: the base language, the other languages, then each brand with its languages.
    ///
    /// - Parameter base: The base language; without a folder of its own it is `Base.lproj`.
    /// - Returns: The layers, whether a customization would use them together or not.
    public func allLayers(base: LanguageTag = "en") -> [CustomizationLayer] {
        var (bases, languages, brands): ([CustomizationLayer], [CustomizationLayer], [CustomizationLayer]) = (
            [], [], []
        )
        for name in folders {
            let folder = self.folder(name + ".lproj")
            if let language = Self.language(name) {
                let role: CustomizationLayer.Role = language == base ? .base(base) : .language(language)
                let layer = folder.layer(role: role, policy: options)
                if language == base { bases.append(layer) } else { languages.append(layer) }
            } else if name != "Base" {
                brands.append(folder.layer(role: .brand(name), policy: options))
                for inner in folder.subfolders {
                    guard let language = Self.language(inner) else { continue }
                    let folder = self.folder("\(name).lproj/\(inner).lproj")
                    brands.append(folder.layer(role: .brandLanguage(name, language), policy: options))
                }
            }
        }
        if bases.isEmpty, folders.contains("Base") {
            bases.append(folder("Base.lproj").layer(role: .base(base), policy: options))
        }
        return bases + languages + brands
    }
}
