public import AshlarCustomization

extension CustomizationDiagnostic.Code {
    /// A language lacks a key that the base language has.
    public static let missingTranslation = Self("missing-translation")
    /// A language has a key that the base language lacks.
    public static let extraKey = Self("extra-key")
    /// A language's text is the base language's.
    public static let untranslated = Self("untranslated")
    /// Two keys differ only in case or in how accents are composed.
    public static let similarKeys = Self("similar-keys")
    /// Foundation stops reading the file here without a word.
    public static let truncatedByFoundation = Self("truncated-by-foundation")
    /// A higher layer's value does not read as the type that the base's value reads as.
    public static let changedType = Self("changed-type")
    /// A fourth component that may be 0…255 or a percentage.
    public static let ambiguousAlpha = Self("ambiguous-alpha")
    /// A colour's seventh and eighth digits are not read in its dialect.
    public static let ignoredAlpha = Self("ignored-alpha")
    /// A text starts or ends with a blank or line end where the base language's does not, or the other way round.
    public static let edgeWhitespace = Self("edge-whitespace")
    /// The files of one table are in different encodings.
    public static let mixedEncodings = Self("mixed-encodings")
}
