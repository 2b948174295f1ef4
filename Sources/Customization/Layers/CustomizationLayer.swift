/// One layer of a customization: the tables of one folder, theme or set of overrides, and its position in the stack.
///
/// A layer is immutable. Composing layers results in a flat table with the value of the highest layer for each key.
public struct CustomizationLayer: Sendable {
    /// The purpose of a layer, which determines its position in the stack.
    public enum Role: Hashable, Sendable {
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
        package var description: String {
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
    package static let defaultTable: String = "Localizable"

    /// The identifier of the layer, such as `fr.lproj`, `acme.lproj/fr.lproj` or `Themes.json#Dark`.
    public var id: String
    /// The purpose of the layer.
    package var role: Role
    /// The tables by name; `Localizable` is the default table.
    package var tables: [String: StringsTable]
    /// The color dialect of the layer.
    package var colors: ColorDialect
    /// Whether the strings `$key` and `{a.b}` are aliases of that key; `$$` is then a literal `$`.
    package var resolvesAliases: Bool
    /// The folder with the layer's images, if it has one.
    package var folder: String?
    /// The names of the files in the folder.
    package var files: Set<String> = []
    /// The problems found in the layer's files.
    package var diagnostics: [CustomizationDiagnostic]

    /// Creates a layer.
    public init(
        id: String, role: Role, tables: [String: StringsTable], colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, diagnostics: [CustomizationDiagnostic] = []
    ) {
        self.id = id
        self.role = role
        self.tables = tables
        self.colors = colors
        self.resolvesAliases = resolvesAliases
        self.diagnostics = diagnostics
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
    package var language: LanguageTag? {
        switch role {
        case .base(let tag), .language(let tag), .brandLanguage(_, let tag): tag
        case .brand, .theme, .override: nil
        }
    }
}

/// The rules for reading files, and the result of reads without a value.
public struct CustomizationPolicy: Sendable {
    /// The string for a key that no layer defines.
    public enum MissingText: Sendable {
        /// The key itself, as with Apple's `localizedString`.
        case key
        /// The key between `⟦` and `⟧`, which is visible during tests.
        case marked
        /// An empty string.
        case empty
        /// The result of the closure for the key and the table's name.
        case custom(@Sendable (_ key: String, _ table: String) -> String)
    }

    package let missing: MissingText
    package let numbers: NumberSpelling
    package let colors: ColorDialect
    package let resolvesAliases: Bool
    package let crossesScripts: Bool
    package var brands: Set<String>
    package let maximumFileSize: Int
    package let reportsFallbacks: Bool
    package let formatter: (any DateAndCurrencyFormatter)?
    package let onProblem: (@Sendable (CustomizationDiagnostic) -> Void)?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - missing: The string for a key that no layer defines.
    ///   - numbers: The rules for reading strings as numbers and booleans.
    ///   - colors: The color dialect of strings files; themes have their own dialect.
    ///   - resolvesAliases: Whether strings in strings files can be aliases; strings in themes always can.
    ///   - crossesScripts: Whether a language in another script can match, such as `sr-Cyrl` for `sr-Latn`.
    ///   - brands: The brands whose folder has the name of a language, such as `bbc`; a requested brand doesn't have to
    ///     be declared.
    ///   - maximumFileSize: The maximum size of a file in bytes.
    ///   - reportsFallbacks: Whether a string that only the base language defines is reported as a problem.
    ///   - formatter: Formats dates and amounts of money in messages; `AshlarApp` sets one that uses Foundation.
    ///   - onProblem: Called for each problem of a read, on the reading thread.
    public init(
        missing: MissingText = .key, numbers: NumberSpelling = .strict, colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, crossesScripts: Bool = false, brands: Set<String> = [],
        maximumFileSize: Int = 256 << 20, reportsFallbacks: Bool = false,
        formatter: (any DateAndCurrencyFormatter)? = nil,
        onProblem: (@Sendable (CustomizationDiagnostic) -> Void)? = nil
    ) {
        self.missing = missing
        self.numbers = numbers
        self.colors = colors
        self.resolvesAliases = resolvesAliases
        self.crossesScripts = crossesScripts
        self.brands = brands
        self.reportsFallbacks = reportsFallbacks
        self.maximumFileSize = min(maximumFileSize, Int(UInt32.max) / 4)
        self.formatter = formatter
        self.onProblem = onProblem
    }

    func text(for key: String, in table: String) -> String {
        switch missing {
        case .key: key
        case .marked: "⟦\(key)⟧"
        case .empty: ""
        case .custom(let make): make(key, table)
        }
    }
}
