extension Customization {
    /// The base language, in which every text exists.
    public var baseLanguage: LanguageTag { storage.selection.base }
    /// The first of the user's languages, or the base language if there is none.
    public var deviceLanguage: LanguageTag { storage.selection.device.first ?? storage.selection.base }
    /// The language that replaces the user's languages, if any.
    public var overrideLanguage: LanguageTag? { storage.selection.override }
    /// The current brand, if any.
    public var brand: String? { storage.selection.brand }
    /// The name of the current theme, if any.
    public var theme: String? { storage.selection.theme }
    /// The available themes.
    public var themes: [Theme] { storage.selection.themes }
    /// The languages with a folder in the tree.
    public var availableLanguages: [LanguageTag] { storage.tree?.languages(brand: storage.selection.brand) ?? [] }
    /// The brands with a folder in the tree, sorted by name; empty without a tree.
    public var availableBrands: [String] { storage.tree?.availableBrands ?? [] }

    /// The available language that matches the user's languages, and the reason; nil if none matches.
    ///
    /// - Complexity: O(*n*) in the number of available languages.
    public var languageMatch: LanguageMatch? { storage.selection.match(availableLanguages, storage.policy) }

    private func selecting(_ change: (inout CustomizationSelection) -> Void) -> Customization {
        var selection = storage.selection
        change(&selection)
        return Customization(
            storage: CustomizationStorage(tree: storage.tree, selection: selection, policy: storage.policy))
    }

    /// Returns the stack with a language instead of the user's languages; nil restores these.
    ///
    /// - Parameter language: The language, which replaces all preferences.
    /// - Returns: The new snapshot.
    /// - Complexity: O(*n*) in the entries of the stack; unread files of the language are read.
    public func switching(language: LanguageTag?) -> Customization { selecting { $0.override = language } }

    /// Returns the stack with another brand; nil for no brand.
    ///
    /// - Parameter brand: The name of the brand: `acme` for `acme.lproj`.
    /// - Returns: The new snapshot.
    public func switching(brand: String?) -> Customization { selecting { $0.brand = brand } }

    /// Returns the stack with another theme of ``themes``; nil for no theme.
    ///
    /// An unknown name selects the default theme and is reported in ``diagnostics``.
    ///
    /// - Parameter theme: The name of the theme.
    /// - Returns: The new snapshot.
    public func switching(theme: String?) -> Customization { selecting { $0.theme = theme } }

    /// Returns the stack with other themes, of which the default theme is selected.
    ///
    /// - Parameters:
    ///   - themes: The themes.
    ///   - theme: The name of the theme to select; if nil, the default theme.
    /// - Returns: The new snapshot.
    public func with(themes: [Theme], theme: String? = nil) -> Customization {
        selecting {
            $0.themes = themes
            $0.theme = theme ?? ThemeStack.defaultName(among: themes)
        }
    }

    /// Returns the stack with another layer on top.
    ///
    /// - Parameter layer: The layer; it replaces a layer with the same identifier.
    /// - Returns: The new snapshot.
    public func applying(_ layer: CustomizationLayer) -> Customization {
        selecting { selection in
            if let old = selection.given.firstIndex(where: { $0.id == layer.id }) {
                selection.given[old] = layer
            } else {
                selection.given.append(layer)
            }
        }
    }

    /// Returns the stack without an applied layer.
    public func removing(layer id: String) -> Customization { selecting { $0.given.removeAll { $0.id == id } } }

    /// Reads all unread files of the folder, so that switching the language or brand reads no file.
    ///
    /// - Complexity: O(*n*) in the bytes of all strings files.
    public func preload() { storage.tree?.preload() }

    /// Returns the stack with changed files read again; if a file has errors, its last valid content stays in use.
    ///
    /// - Returns: The new snapshot; nil if no file has changed.
    /// - Complexity: One `stat` for each file in the folders of the stack, and O(*n*) in the bytes of the changed
    ///   files.
    package func reloaded() -> Customization? {
        guard let tree = storage.tree else { return nil }
        let earlier = tree.loadedFolders
        let fresh = CustomizationTree(path: tree.path, policy: tree.options, earlier: earlier)
        for name in earlier.keys { _ = fresh.folder(name) }
        guard TreeState(fresh) != TreeState(tree) else { return nil }
        return Customization(
            storage: CustomizationStorage(tree: fresh, selection: storage.selection, policy: storage.policy))
    }
}

/// The state of a tree's files.
private struct TreeState: Equatable {
    var folders: [String]
    var names: [String: Set<String>]
    var versions: [String: [String: [LoadedFolder.Version?]]]

    init(_ tree: CustomizationTree) {
        folders = tree.folders
        names = tree.loadedFolders.mapValues(\.names)
        versions = tree.loadedFolders.mapValues { $0.files.mapValues { [$0.version, $0.rejected] } }
    }
}
