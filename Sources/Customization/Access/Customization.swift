/// A snapshot of all strings, values, colors and images of an app, composed from layers.
///
/// The stack is, lowest first: base language → language chain, general to specific (`fr`, then `fr-CA`) → brand →
/// brand's text in those languages → theme → run-time overrides. Each key has the value of the highest layer that
/// defines it, so files can be incomplete. A snapshot is an immutable value: a copy costs one retain, reads never wait,
/// and methods such as ``switching(language:)`` create a new snapshot. Store the current snapshot in a
/// ``CustomizationCenter``.
///
/// ```swift
/// let strings = Customization(path: "Resources", languages: ["fr-CA"])
/// print(strings.string("CancelString"))       // Annuler
/// print(strings.int("PINminimumLength"))      // 4
/// print(strings.explain("CancelString"))      // every layer that defines it, with file, line and column
/// ```
public struct Customization: Sendable {
    let storage: CustomizationStorage

    init(storage: CustomizationStorage) { self.storage = storage }

    /// Whether both are the same snapshot.
    package func isIdentical(to other: Customization) -> Bool { storage === other.storage }

    /// Reads a folder of `.lproj` folders.
    ///
    /// The initializer never fails: an unreadable folder or file is reported in ``diagnostics``, and its layer contains
    /// the entries that can be read.
    ///
    /// - Parameters:
    ///   - path: The path of the folder with the `.lproj` folders and an optional Info.plist.
    ///   - base: The base language, in which every text exists.
    ///   - languages: The user's languages, the preferred one first; the system's if nil.
    ///   - brand: The brand.
    ///   - themes: The available themes.
    ///   - theme: The name of the first theme; none if nil.
    ///   - policy: The rules for reading files, and the result of reads without a value.
    /// - Complexity: O(*n*) in the bytes of the stack's files.
    public init(
        path: String, base: LanguageTag = "en", languages: [LanguageTag]? = nil,
        brand: CustomizationBrand = .fromInfoPlist, themes: [Theme] = [], theme: String? = nil,
        policy: CustomizationPolicy = .init()
    ) {
        var policy = policy
        if case .named(let name) = brand { policy.brands.insert(name) }
        let tree = CustomizationTree(path: path, policy: policy)
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

    /// Creates a stack from layers, lowest first.
    ///
    /// - Parameters:
    ///   - layers: The layers, lowest first.
    ///   - policy: The result of reads without a value.
    public init(layers: [CustomizationLayer], policy: CustomizationPolicy = .init()) {
        var base: LanguageTag = "en"
        for layer in layers { if case .base(let tag) = layer.role { base = tag } }
        var selection = CustomizationSelection(base: base, device: layers.compactMap(\.language).suffix(1))
        selection.given = layers
        storage = CustomizationStorage(tree: nil, selection: selection, policy: policy)
    }

    /// The layers of the stack, lowest first.
    public var layers: [CustomizationLayer] { storage.layers }
    /// The problems found in the files of the stack; for problems of reads, see ``problems``.
    public var diagnostics: [CustomizationDiagnostic] { storage.diagnostics }
    /// The rules for reading files, and the result of reads without a value.
    package var policy: CustomizationPolicy { storage.policy }
    /// The tree that the snapshot was loaded from, if any.
    package var tree: CustomizationTree? { storage.tree }
    /// The names of all tables, sorted.
    package var tableNames: [String] { storage.tables.keys.sorted() }

    /// Returns all keys of a table, sorted.
    ///
    /// - Parameter table: The table's name; `Localizable` if nil.
    /// - Returns: The keys; empty if no layer defines the table.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func keys(table: String? = nil) -> [String] {
        guard let composed = storage.table(table) else { return [] }
        return composed.entries.map(\.key).sorted()
    }

    /// Returns the entry of a key, without following aliases; nil if no layer defines the key.
    package func entry(_ key: String, table: String? = nil) -> CustomizationEntry? {
        resolvedEntry(for: key, table: table)?.entry
    }

    /// Returns the entry of a key and its layer; nil if no layer defines the key.
    package func resolvedEntry(
        for key: String, table: String? = nil
    ) -> (entry: CustomizationEntry, layer: CustomizationLayer)? {
        guard let composed = storage.table(table), let number = composed.number(of: key) else { return nil }
        let winner = composed.entries[number]
        return (composed.definition(of: winner), storage.layers[composed.layer(of: winner)])
    }
}

/// The brand of a customization.
public enum CustomizationBrand: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The brand in Info.plist's `FTCustomizationString`, if any.
    case fromInfoPlist
    /// The brand with a name: `acme` for `acme.lproj`.
    case named(String)
    /// No brand.
    case none

    /// Creates a brand with a name.
    public init(stringLiteral name: String) { self = .named(name) }
}
