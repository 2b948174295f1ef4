import AshlarCustomization

/// The layer that a folder of resources belongs to: a language, a brand, or both.
struct AndroidPlace {
    /// The role of the folder's layer.
    let role: CustomizationLayer.Role

    /// Reads the path of a folder such as `app/src/acme/res/values-fr`; `nil` if it has another qualifier.
    ///
    /// - Parameters:
    ///   - folder: The path; a folder above `res` other than `main` is a brand.
    ///   - base: The language of `values`.
    ///   - locale: The language that the file specifies.
    init?(folder: String, base: LanguageTag, locale: LanguageTag? = nil) {
        let parts = folder.split(separator: "/").map(String.init)
        guard let name = parts.last, name == "values" || name.hasPrefix("values-") else { return nil }
        let isBase = name == "values"
        guard let language = isBase ? locale ?? base : AndroidNames.language(ofFolder: name) else { return nil }
        let above = parts.count >= 3 && parts[parts.count - 2] == "res" ? parts[parts.count - 3] : nil
        role =
            switch (above == "main" ? nil : above, isBase) {
            case (nil, true): .base(language)
            case (nil, false): .language(language)
            case (let brand?, true): .brand(brand)
            case (let brand?, false): .brandLanguage(brand, language)
            }
    }

    /// Whether a layer was imported from a resource folder, whose name is the layer's identifier.
    ///
    /// Such a layer is exported to the same folder, and its keys are the names of its resources.
    static func isImported(_ layer: CustomizationLayer) -> Bool {
        guard let place = AndroidPlace(folder: layer.id, base: layer.language ?? "en") else { return false }
        return place.role == layer.role
    }

    /// Returns the folder that a layer is exported to.
    static func folder(of layer: CustomizationLayer) -> String {
        if isImported(layer) { return layer.id }
        switch layer.role {
        case .base: return "res/values"
        case .language(let language): return "res/" + AndroidNames.folder(language)
        case .brand(let name): return AndroidNames.file(name) + "/res/values"
        case .brandLanguage(let name, let language):
            return AndroidNames.file(name) + "/res/" + AndroidNames.folder(language)
        case .theme(let name): return "theme-" + AndroidNames.file(name) + "/res/values"
        case .override: return "override/res/values"
        }
    }
}
