public import AshlarCustomization

extension CustomizationDiagnostic.Code {
    /// A key of the base language that a language lacks.
    public static let missingTranslation = Self("missing-translation")
    /// A key of a language that the base language lacks.
    public static let extraKey = Self("extra-key")
    /// A string that is the same as the base language's.
    public static let untranslated = Self("untranslated")
    /// Two keys that differ only in case or in the composition of accents.
    public static let similarKeys = Self("similar-keys")
    /// The position at which Foundation stops reading the file without an error.
    public static let truncatedByFoundation = Self("truncated-by-foundation")
    /// A value whose type differs from the base language's value.
    public static let changedType = Self("changed-type")
    /// A number in the notation of a language, such as `0,25`, which a typed read doesn't accept.
    public static let localizedNumber = Self("localized-number")
    /// A fourth component of a color that could be a value from 0 to 255 or a percentage.
    public static let ambiguousAlpha = Self("ambiguous-alpha")
    /// The seventh and eighth digits of a color, which its dialect ignores.
    public static let ignoredAlpha = Self("ignored-alpha")
    /// Whitespace at the start or end of a string that differs from the base language's string.
    public static let edgeWhitespace = Self("edge-whitespace")
    /// Files of one table with different encodings.
    public static let mixedEncodings = Self("mixed-encodings")
}
