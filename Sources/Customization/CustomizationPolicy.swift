/// How files are read and what a read does that finds nothing.
public struct CustomizationPolicy: Sendable {
    /// The text that stands for a key that no layer has.
    public enum MissingText: Sendable {
        /// The key itself, as Apple's `localizedString` has it.
        case key
        /// The key between `⟦` and `⟧`, to be seen while testing.
        case marked
        /// An empty text.
        case empty
        /// Whatever the closure makes of the key and the table's name.
        case custom(@Sendable (_ key: String, _ table: String) -> String)
    }

    /// What stands for a missing text.
    public var missing: MissingText
    /// How texts are read as numbers and booleans.
    public var numbers: NumberSpelling
    /// How strings files write colours; themes have their own dialects.
    public var colors: ColorDialect
    /// Whether texts of strings files may be aliases; those of themes always may.
    public var resolvesAliases: Bool
    /// The encoding of files without a byte order mark, if it is not UTF-8.
    public var assumedEncoding: StringsEncoding?
    /// The size of the largest file that is read, in bytes.
    public var maximumFileSize: Int
    /// Whether a read that finds a text in the base language only is a problem to tell.
    public var reportsFallbacks: Bool
    /// Called for each missing, malformed or (if so asked) base-language read, on the reading thread.
    public var onProblem: (@Sendable (CustomizationDiagnostic) -> Void)?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - missing: What stands for a missing text.
    ///   - numbers: How texts are read as numbers and booleans.
    ///   - colors: How strings files write colours.
    ///   - resolvesAliases: Whether texts of strings files may be aliases.
    ///   - assumedEncoding: The encoding of files without a byte order mark, if it is not UTF-8.
    ///   - maximumFileSize: The size of the largest file that is read, in bytes.
    ///   - reportsFallbacks: Whether a text in the base language only is a problem.
    ///   - onProblem: Called for each problem of a read, on the reading thread.
    public init(
        missing: MissingText = .key, numbers: NumberSpelling = .strict, colors: ColorDialect = .ftCustomization,
        resolvesAliases: Bool = false, assumedEncoding: StringsEncoding? = nil, maximumFileSize: Int = 256 << 20,
        reportsFallbacks: Bool = false, onProblem: (@Sendable (CustomizationDiagnostic) -> Void)? = nil
    ) {
        (self.missing, self.numbers, self.colors) = (missing, numbers, colors)
        (self.resolvesAliases, self.assumedEncoding) = (resolvesAliases, assumedEncoding)
        (self.maximumFileSize, self.reportsFallbacks) = (min(maximumFileSize, Int(UInt32.max) / 4), reportsFallbacks)
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
