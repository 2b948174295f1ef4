public import AshlarCustomization

extension CustomizationDiagnostic.Code {
    /// A language lacks a key that the base language has.
    public static let missingTranslation = Self("missing-translation")
    /// A language has a key that the base language lacks.
    public static let extraKey = Self("extra-key")
    /// A language's text is the same as the base language's.
    public static let untranslated = Self("untranslated")
    /// Two keys differ only in case or in how accents are composed.
    public static let similarKeys = Self("similar-keys")
    /// Foundation stops reading the file here without an error.
    public static let truncatedByFoundation = Self("truncated-by-foundation")
    /// A higher layer's value does not have the type of the base's value.
    public static let changedType = Self("changed-type")
    /// A number in a language's spelling, such as `0,25`, which only a person reads as one.
    public static let localizedNumber = Self("localized-number")
    /// A fourth component of a color that may be 0…255 or a percentage.
    public static let ambiguousAlpha = Self("ambiguous-alpha")
    /// The seventh and eighth digit of a color, which its dialect ignores.
    public static let ignoredAlpha = Self("ignored-alpha")
    /// White space at the start or end of a text that differs from the base language's text.
    public static let edgeWhitespace = Self("edge-whitespace")
    /// The files of one table are in different encodings.
    public static let mixedEncodings = Self("mixed-encodings")
}
