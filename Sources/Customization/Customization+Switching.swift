extension Customization {
    /// The language in which every text exists.
    public var baseLanguage: LanguageTag { storage.selection.base }
    /// The first of the user's languages, or the base language if there is none.
    public var deviceLanguage: LanguageTag { storage.selection.device.first ?? storage.selection.base }
    /// The language that replaces the user's languages, if any.
    public var overrideLanguage: LanguageTag? { storage.selection.override }
    /// The brand whose folder is above the languages, if any.
    public var brand: String? { storage.selection.brand }
    /// The name of the current theme, if any.
    public var theme: String? { storage.selection.theme }
    /// The available themes.
    public var themes: [Theme] { storage.selection.themes }
    /// The languages with a folder in the tree.
    public var availableLanguages: [LanguageTag] { storage.tree.map { storage.selection.languages(of: $0) } ?? [] }
    /// The brands that have a folder in the tree, in the order of their names; empty without a tree.
    public var availableBrands: [String] { storage.tree?.availableBrands ?? [] }

    /// The available language that matches the user's languages, and why; nil if none matches.
    ///
    /// - Complexity: O(*n*) in the number of available languages.
    public var languageMatch: LanguageMatch? { storage.selection.match(availableLanguages, storage.policy) }

    private func selecting(_ change: (inout CustomizationSelection) -> Void) -> Customization {
        var selection = storage.selection
        change(&selection)
        return Customization(
            storage: CustomizationStorage(tree: storage.tree, selection: selection, policy: storage.policy))
    }

    /// The same stack with a language in place of the user's languages; nil restores these.
    ///
    /// - Parameter language: The language, which replaces the whole list of preferences.
    /// - Returns: The new snapshot.
    /// - Complexity: O(*n*) in the entries of the stack; unread files of the language are read.
    public func switching(language: LanguageTag?) -> Customization { selecting { $0.override = language } }

    /// The same stack with another brand; nil for none.
    ///
    /// - Parameter brand: The name of the brand: `acme` for `acme.lproj`.
    /// - Returns: The new snapshot.
    public func switching(brand: String?) -> Customization { selecting { $0.brand = brand } }

    /// The same stack with another theme of ``themes``; nil for none.
    ///
    /// An unknown name selects the default theme and is reported in ``diagnostics``.
    ///
    /// - Parameter theme: The name of the theme.
    /// - Returns: The new snapshot.
    public func switching(theme: String?) -> Customization { selecting { $0.theme = theme } }

    /// The same stack with other themes, of which the default one is selected.
    ///
    /// - Parameters:
    ///   - themes: The themes.
    ///   - theme: The name of the theme to select; the default one if nil.
    /// - Returns: The new snapshot.
    public func with(themes: [Theme], theme: String? = nil) -> Customization {
        selecting {
            $0.themes = themes
            $0.theme = theme ?? ThemeStack.defaultName(among: themes)
        }
    }

    /// The same stack with one more layer on top.
    ///
    /// - Parameter layer: The layer, which replaces one with the same id.
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

    /// The same stack without an applied layer.
    ///
    /// - Parameter id: The id of the layer.
    /// - Returns: The new snapshot.
    public func removing(layer id: String) -> Customization { selecting { $0.given.removeAll { $0.id == id } } }

    /// The same stack with the texts of an update, or without one.
    ///
    /// - Parameter update: The update, which replaces an earlier one; nil to restore the texts of the app.
    /// - Returns: The new snapshot.
    /// - Complexity: O(*n*) in the entries of the stack.
    public func with(update: CustomizationUpdate?) -> Customization { selecting { $0.update = update } }

    /// The version of the update in use, if any.
    public var updateVersion: Int? { storage.selection.update?.version }

    /// The same stack with changed files read again; files with errors keep their last good content.
    ///
    /// - Returns: The new snapshot; nil if nothing changed on disk.
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

/// The state of a tree on disk.
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
