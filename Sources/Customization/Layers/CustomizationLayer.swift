/// One layer of a customization: the tables of one folder, theme or set of overrides, and its position in the stack.
///
/// A layer is immutable. Composing layers results in a flat table with the value of the highest layer for each key.
public struct CustomizationLayer: Sendable {
    /// The purpose of a layer, which determines its position in the stack.
    public enum Role: Hashable, Sendable, CustomStringConvertible {
        /// The base language, which is complete and lowest.
        case base(LanguageTag)
        /// A language of the user's chain.
        case language(LanguageTag)
        /// A brand or customer.
        case brand(String)
        /// A brand's text in a language.
        case brandLanguage(String, LanguageTag)
        /// A theme, or one of its parents.
        case theme(String)
        /// Values set at run time.
        case override

        /// The role as text, such as `language fr-CA`.
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

    /// The name of the default table, as on Apple systems.
    public static let defaultTable: String = "Localizable"

    /// The identifier of the layer, such as `fr.lproj`, `acme.lproj/fr.lproj` or `Themes.json#Dark`.
    public var id: String
    /// The purpose of the layer.
    public var role: Role
    /// The tables by name; `Localizable` is the default table.
    public var tables: [String: StringsTable]
    /// The color dialect of the layer.
    public var colors: ColorDialect
    /// Whether the strings `$key` and `{a.b}` are aliases of that key; `$$` is then a literal `$`.
    public var resolvesAliases: Bool
    /// The folder with the layer's images, if it has one.
    package var folder: String?
    /// The names of the files in the folder.
    package var files: Set<String> = []
    /// The problems found in the layer's files.
    public var diagnostics: [CustomizationDiagnostic]

    /// Creates a layer.
    public init(
        id: String, role: Role, tables: [String: StringsTable], colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, diagnostics: [CustomizationDiagnostic] = []
    ) {
        (self.id, self.role, self.tables, self.colors) = (id, role, tables, colors)
        (self.resolvesAliases, self.diagnostics) = (resolvesAliases, diagnostics)
    }

    /// Creates a layer of values for the default table from code.
    public init(overrides: [String: CustomizationValue], id: String = "override") {
        let entries = overrides.sorted { $0.key < $1.key }.map {
            CustomizationEntry(key: $0.key, value: $0.value, location: CustomizationLocation(file: id))
        }
        self.init(
            id: id, role: .override, tables: [Self.defaultTable: StringsTable(file: id, entries: entries)],
            colors: .ftCustomization)
    }

    /// The language of the layer's strings; nil if it has none.
    public var language: LanguageTag? {
        switch role {
        case .base(let tag), .language(let tag), .brandLanguage(_, let tag): tag
        case .brand, .theme, .override: nil
        }
    }
}
