/// A snapshot of all strings, values, colours and images that an app shows: layers laid over each other.
///
/// The stack, lowest first, is: base language → language chain, general to specific (`fr`, then `fr-CA`) → brand →
/// brand's own text in those languages → theme → run-time overrides. For each key the highest layer that has it wins,
/// so a file may be as incomplete as it likes. A snapshot is an immutable value: copying costs one retain, reading
/// never waits, and ``switching(language:)`` and its siblings make another one. Keep the current one in a
/// ``CustomizationCenter``.
///
/// ```swift
/// let strings = Customization(path: "Resources", languages: ["fr-CA"])
/// print(strings.string("CancelString"))       // Annuler
/// print(strings.int("PINminimumLength"))      // 4
/// print(strings.explain("CancelString"))      // every layer that has it, with file, line and column
/// ```
public struct Customization: Sendable {
    let storage: CustomizationStorage

    init(storage: CustomizationStorage) { self.storage = storage }

    /// Reads a folder of `.lproj` folders.
    ///
    /// Nothing here fails: a folder or file that cannot be read is in ``diagnostics``, and its layer is left out or
    /// holds what could be read.
    ///
    /// - Parameters:
    ///   - path: The path of the folder that holds the `.lproj` folders and, if there is one, Info.plist.
    ///   - base: The base language, in which every text exists.
    ///   - languages: The person's languages, the preferred one first; the system's if nil.
    ///   - brand: Which brand's folder lies over the languages.
    ///   - themes: The themes to choose from.
    ///   - theme: The name of the theme to start with; none if nil.
    ///   - policy: How files are read and what a read does that finds nothing.
    /// - Complexity: O(*n*) in the bytes of the files that the stack needs.
    public init(
        path: String, base: LanguageTag = "en", languages: [LanguageTag]? = nil,
        brand: CustomizationBrand = .fromInfoPlist, themes: [Theme] = [], theme: String? = nil,
        policy: CustomizationPolicy = .init()
    ) {
        self.init(
            tree: CustomizationTree(path: path, policy: policy), base: base, languages: languages, brand: brand,
            themes: themes, theme: theme, policy: policy)
    }

    /// Makes a stack of a tree that was read before; what it has already read is not read again.
    ///
    /// - Parameters:
    ///   - tree: The folder of `.lproj` folders.
    ///   - base: The base language, in which every text exists.
    ///   - languages: The person's languages, the preferred one first; the system's if nil.
    ///   - brand: Which brand's folder lies over the languages.
    ///   - themes: The themes to choose from.
    ///   - theme: The name of the theme to start with; none if nil.
    ///   - policy: What a read does that finds nothing.
    public init(
        tree: CustomizationTree, base: LanguageTag = "en", languages: [LanguageTag]? = nil,
        brand: CustomizationBrand = .fromInfoPlist, themes: [Theme] = [], theme: String? = nil,
        policy: CustomizationPolicy = .init()
    ) {
        let brandName: String? =
            switch brand {
            case .fromInfoPlist: tree.brandOfInfoPlist
            case .named(let name): name
            case .none: nil
            }
        let selection = CustomizationSelection(
            base: base, device: languages ?? LanguageTag.systemPreferred(), brand: brandName, themes: themes,
            theme: theme)
        storage = CustomizationStorage(tree: tree, selection: selection, policy: policy)
    }

    /// Makes a stack of layers, lowest first, that come from no folder.
    ///
    /// - Parameters:
    ///   - layers: The layers, lowest first.
    ///   - policy: What a read does that finds nothing.
    public init(layers: [CustomizationLayer], policy: CustomizationPolicy = .init()) {
        var base: LanguageTag = "en"
        for layer in layers { if case .base(let tag) = layer.role { base = tag } }
        var selection = CustomizationSelection(base: base, device: layers.compactMap(\.language).suffix(1))
        selection.given = layers
        storage = CustomizationStorage(tree: nil, selection: selection, policy: policy)
    }

    /// The layers of the stack, lowest first.
    public var layers: [CustomizationLayer] { storage.layers }
    /// What there is to know about the files of the stack; reads add to ``problems`` and not to these.
    public var diagnostics: [CustomizationDiagnostic] { storage.diagnostics }
    /// How files are read and what a read does that finds nothing.
    public var policy: CustomizationPolicy { storage.policy }
    /// The names of all tables that a layer has, sorted.
    public var tableNames: [String] { storage.tables.keys.sorted() }

    /// All keys of a table, sorted.
    ///
    /// - Parameter table: The table's name; `Localizable` if nil.
    /// - Returns: The keys; empty if no layer has the table.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func keys(table: String? = nil) -> [String] {
        guard let composed = storage.table(table) else { return [] }
        return (0..<composed.count).map { composed.key(of: $0) }.sorted()
    }

    /// The entry that wins for a key, an alias as it stands, or nil if no layer has the key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The entry, or nil.
    public func entry(_ key: String, table: String? = nil) -> CustomizationEntry? { winner(key, table: table)?.entry }

    /// The entry that wins for a key with the layer that it comes from, or nil if no layer has the key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The entry and its layer, or nil.
    public func winner(_ key: String, table: String? = nil) -> (entry: CustomizationEntry, layer: CustomizationLayer)? {
        guard let composed = storage.table(table) else { return nil }
        let slot = composed.slot(key)
        guard slot >= 0 else { return nil }
        let winner = composed.resolvedEntry(of: slot)
        return (winner.entry, storage.layers[winner.layer])
    }
}

/// Which brand's folder lies over the languages.
public enum CustomizationBrand: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The one that Info.plist names in `FTCustomizationString`, if it does.
    case fromInfoPlist
    /// The one of that name: `acme` for `acme.lproj`.
    case named(String)
    /// No brand.
    case none

    /// The brand of that name.
    public init(stringLiteral name: String) { self = .named(name) }
}
