extension Customization {
    /// The language in which every text exists.
    public var baseLanguage: LanguageTag { storage.selection.base }
    /// The first of the person's languages, or the base language if there is none.
    public var deviceLanguage: LanguageTag { storage.selection.device.first ?? storage.selection.base }
    /// The language that was chosen in place of the person's, or nil.
    public var overrideLanguage: LanguageTag? { storage.selection.override }
    /// The brand whose folder lies over the languages, or nil.
    public var brand: String? { storage.selection.brand }
    /// The name of the theme in use, or nil.
    public var theme: String? { storage.selection.theme }
    /// The themes to choose from.
    public var themes: [Theme] { storage.selection.themes }
    /// The languages that the tree has a folder for.
    public var availableLanguages: [LanguageTag] { storage.tree?.availableLanguages ?? [] }
    /// The brands that have a folder in the tree, in the order of their names; empty without a tree.
    public var availableBrands: [String] { storage.tree?.availableBrands ?? [] }

    /// The available language that the person's preferences find, and why; nil if none matches.
    ///
    /// - Complexity: O(*n*) in the number of available languages.
    public var languageMatch: LanguageMatch? { storage.selection.match(availableLanguages, storage.policy) }

    private func selecting(_ change: (inout CustomizationSelection) -> Void) -> Customization {
        var selection = storage.selection
        change(&selection)
        return Customization(
            storage: CustomizationStorage(tree: storage.tree, selection: selection, policy: storage.policy))
    }

    /// The same stack with another language in place of the person's; nil for the person's again.
    ///
    /// - Parameter language: The language; it takes the place of the whole list of preferences.
    /// - Returns: The new snapshot.
    /// - Complexity: O(*n*) in the entries of the stack; files of the language are read if they have not been yet.
    public func switching(language: LanguageTag?) -> Customization { selecting { $0.override = language } }

    /// The same stack with another brand; nil for none.
    ///
    /// - Parameter brand: The name of the brand: `acme` for `acme.lproj`.
    /// - Returns: The new snapshot.
    public func switching(brand: String?) -> Customization { selecting { $0.brand = brand } }

    /// The same stack with another theme of ``themes``; nil for none.
    ///
    /// An unknown name takes the default theme and is told in ``diagnostics``.
    ///
    /// - Parameter theme: The name of the theme.
    /// - Returns: The new snapshot.
    public func switching(theme: String?) -> Customization { selecting { $0.theme = theme } }

    /// The same stack with other themes to choose from, of which the default one is put to use.
    ///
    /// - Parameters:
    ///   - themes: The themes.
    ///   - theme: The name of the one to use; the default one if nil.
    /// - Returns: The new snapshot.
    public func with(themes: [Theme], theme: String? = nil) -> Customization {
        selecting {
            $0.themes = themes
            $0.theme = theme ?? ThemeStack.defaultName(among: themes)
        }
    }

    /// The same stack with one more layer on top.
    ///
    /// - Parameter layer: The layer; one of the same id is replaced.
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

    /// The same stack without the layer of that id that was applied.
    ///
    /// - Parameter id: The id of the layer.
    /// - Returns: The new snapshot.
    public func removing(layer id: String) -> Customization { selecting { $0.given.removeAll { $0.id == id } } }

    /// The same stack read anew: unchanged files are taken over, bad ones keep their last good content.
    ///
    /// - Returns: The new snapshot, or nil if nothing has changed on disk.
    /// - Complexity: One `stat` per file of the folders in use, and O(*n*) in the bytes of the changed files.
    public func reloaded() -> Customization? {
        guard let tree = storage.tree else { return nil }
        let earlier = tree.loadedFolders
        let fresh = CustomizationTree(path: tree.path, policy: tree.options, earlier: earlier)
        for name in earlier.keys { _ = fresh.folder(name) }
        guard TreeState(fresh) != TreeState(tree) else { return nil }
        return Customization(
            storage: CustomizationStorage(tree: fresh, selection: storage.selection, policy: storage.policy))
    }
}

/// What can change in a tree on disk.
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
