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

    /// The string for a key that no layer defines.
    public var missing: MissingText
    /// The rules for reading strings as numbers and booleans.
    public var numbers: NumberSpelling
    /// The color dialect of strings files; themes have their own dialect.
    public var colors: ColorDialect
    /// Whether strings in strings files can be aliases; strings in themes always can.
    public var resolvesAliases: Bool
    /// Whether a language in another script can match, such as `sr-Cyrl` for `sr-Latn`.
    public var crossesScripts: Bool
    /// The brands whose folder has the name of a language, such as `bbc`; a requested brand doesn't have to be
    /// declared.
    public var brands: Set<String>
    /// The encoding of files without a byte order mark, if it isn't UTF-8.
    public var assumedEncoding: StringsEncoding?
    /// The maximum size of a file in bytes.
    public var maximumFileSize: Int
    /// Whether a string that only the base language defines is reported as a problem.
    public var reportsFallbacks: Bool
    /// Formats dates and amounts of money in messages; `AshlarApp` sets one that uses Foundation.
    public var formatter: (any DateAndCurrencyFormatter)?
    /// Called for each problem of a read, on the reading thread.
    public var onProblem: (@Sendable (CustomizationDiagnostic) -> Void)?

    /// Creates a policy.
    public init(
        missing: MissingText = .key, numbers: NumberSpelling = .strict, colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, crossesScripts: Bool = false, brands: Set<String> = [],
        assumedEncoding: StringsEncoding? = nil,
        maximumFileSize: Int = 256 << 20, reportsFallbacks: Bool = false,
        formatter: (any DateAndCurrencyFormatter)? = nil,
        onProblem: (@Sendable (CustomizationDiagnostic) -> Void)? = nil
    ) {
        (self.missing, self.numbers, self.colors) = (missing, numbers, colors)
        (self.resolvesAliases, self.crossesScripts) = (resolvesAliases, crossesScripts)
        (self.brands, self.assumedEncoding) = (brands, assumedEncoding)
        self.reportsFallbacks = reportsFallbacks
        self.maximumFileSize = min(maximumFileSize, Int(UInt32.max) / 4)
        (self.formatter, self.onProblem) = (formatter, onProblem)
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
