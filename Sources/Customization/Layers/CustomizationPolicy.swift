/// How files are read, and the result of reads that find no value.
public struct CustomizationPolicy: Sendable {
    /// The text of a key that no layer defines.
    public enum MissingText: Sendable {
        /// The key itself, as Apple's `localizedString` returns.
        case key
        /// The key between `⟦` and `⟧`, which is easy to see while testing.
        case marked
        /// An empty text.
        case empty
        /// The result of the closure for the key and the table's name.
        case custom(@Sendable (_ key: String, _ table: String) -> String)
    }

    /// The text of a key that no layer defines.
    public var missing: MissingText
    /// How texts are read as numbers and booleans.
    public var numbers: NumberSpelling
    /// The color notation of strings files; themes have their own.
    public var colors: ColorDialect
    /// Whether texts of strings files may be aliases; those of themes always may.
    public var resolvesAliases: Bool
    /// Whether a language in another script can match, such as `sr-Cyrl` for `sr-Latn`.
    public var crossesScripts: Bool
    /// The brands whose folder has the name of a language, such as `bbc`; a brand that is requested need not be declared.
    public var brands: Set<String>
    /// The encoding of files without a byte order mark, if it is not UTF-8.
    public var assumedEncoding: StringsEncoding?
    /// The size of the largest file that is read, in bytes.
    public var maximumFileSize: Int
    /// Whether a text that only the base language defines is reported as a problem.
    public var reportsFallbacks: Bool
    /// Called for each problem of a read, on the reading thread.
    public var onProblem: (@Sendable (CustomizationDiagnostic) -> Void)?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - missing: The text of a key that no layer defines.
    ///   - numbers: How texts are read as numbers and booleans.
    ///   - colors: The color notation of strings files.
    ///   - resolvesAliases: Whether texts of strings files may be aliases.
    ///   - crossesScripts: Whether a language in another script can match.
    ///   - brands: The brands whose folder has the name of a language.
    ///   - assumedEncoding: The encoding of files without a byte order mark, if it is not UTF-8.
    ///   - maximumFileSize: The size of the largest file that is read, in bytes.
    ///   - reportsFallbacks: Whether a text that only the base language defines is reported as a problem.
    ///   - onProblem: Called for each problem of a read, on the reading thread.
    public init(
        missing: MissingText = .key, numbers: NumberSpelling = .strict, colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, crossesScripts: Bool = false, brands: Set<String> = [],
        assumedEncoding: StringsEncoding? = nil,
        maximumFileSize: Int = 256 << 20, reportsFallbacks: Bool = false,
        onProblem: (@Sendable (CustomizationDiagnostic) -> Void)? = nil
    ) {
        (self.missing, self.numbers, self.colors) = (missing, numbers, colors)
        (self.resolvesAliases, self.crossesScripts) = (resolvesAliases, crossesScripts)
        (self.brands, self.assumedEncoding) = (brands, assumedEncoding)
        self.reportsFallbacks = reportsFallbacks
        self.maximumFileSize = min(maximumFileSize, Int(UInt32.max) / 4)
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
