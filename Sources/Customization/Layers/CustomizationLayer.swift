/// One layer of a customization: the tables of one folder, theme or set of overrides, and its place in the stack.
///
/// A layer is immutable data. Composing layers gives a flat table in which the highest layer that has a key wins.
public struct CustomizationLayer: Sendable {
    /// What a layer is for, which decides where in the stack it belongs.
    public enum Role: Hashable, Sendable, CustomStringConvertible {
        /// The base language, complete and below everything.
        case base(LanguageTag)
        /// A language of the chain of the person's choice.
        case language(LanguageTag)
        /// A brand or customer.
        case brand(String)
        /// A brand's own text in a language.
        case brandLanguage(String, LanguageTag)
        /// A theme, or one of its parents.
        case theme(String)
        /// Values set at run time.
        case override

        /// The role in words, such as `language fr-CA`.
        public var description: String {
            switch self {
            case .base(let tag): "base \(tag)"
            case .language(let tag): "language \(tag)"
            case .brand(let name): "brand \(name)"
            case .brandLanguage(let name, let tag): "brand \(name), language \(tag)"
            case .theme(let name): "theme \(name)"
            case .override: "override"
            }
        }
    }

    /// The name of the default table, as on Apple's systems.
    public static let defaultTable: String = "Localizable"

    /// What the layer is called, such as `fr.lproj`, `acme.lproj/fr.lproj` or `Themes.json#Dark`.
    public var id: String
    /// What the layer is for.
    public var role: Role
    /// The tables by name; `Localizable` is the default one.
    public var tables: [String: StringsTable]
    /// How the layer writes colours.
    public var colors: ColorDialect
    /// Whether a whole text `$key` or `{a.b}` stands for that key's value; `$$` then writes a `$`.
    public var resolvesAliases: Bool
    /// The folder that the layer's images are in, if it has one.
    public var folder: String?
    /// The names of the files in the folder.
    public var files: Set<String> = []
    /// What there is to know about the layer's files.
    public var diagnostics: [CustomizationDiagnostic]

    /// Creates a layer.
    ///
    /// - Parameters:
    ///   - id: What the layer is called.
    ///   - role: What the layer is for.
    ///   - tables: The tables by name.
    ///   - colors: How the layer writes colours.
    ///   - resolvesAliases: Whether texts may be aliases.
    ///   - diagnostics: What there is to know about the layer's files.
    public init(
        id: String, role: Role, tables: [String: StringsTable], colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, diagnostics: [CustomizationDiagnostic] = []
    ) {
        (self.id, self.role, self.tables, self.colors) = (id, role, tables, colors)
        (self.resolvesAliases, self.diagnostics) = (resolvesAliases, diagnostics)
    }

    /// Creates a layer of values for the default table, set by code.
    ///
    /// - Parameters:
    ///   - overrides: The values by key.
    ///   - id: What the layer is called.
    public init(overrides: [String: CustomizationValue], id: String = "override") {
        let entries = overrides.sorted { $0.key < $1.key }.map {
            CustomizationEntry(key: $0.key, value: $0.value, location: CustomizationLocation(file: id))
        }
        self.init(
            id: id, role: .override, tables: [Self.defaultTable: StringsTable(file: id, entries: entries)],
            colors: .ftCustomization)
    }

    /// The language that the layer's text is in, or nil if it has none of its own.
    public var language: LanguageTag? {
        switch role {
        case .base(let tag), .language(let tag), .brandLanguage(_, let tag): tag
        case .brand, .theme, .override: nil
        }
    }
}
