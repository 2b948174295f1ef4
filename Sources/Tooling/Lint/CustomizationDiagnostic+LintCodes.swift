public import AshlarCustomization

extension CustomizationReport {
    /// The codes of all findings of a lint.
    public static let codes: Set<CustomizationDiagnostic.Code> = [
        // Files
        .unreadableFile, .fileTooLarge, .invalidUpdate, .missingFolder, .unknownFolder, .noBrand, .unknownName,
        .keptLastGood,
        .invalidEncoding, .missingByteOrderMark, .strayByteOrderMark, .brokenUTF16, .nulCharacter, .mixedEncodings,
        // Grammar
        .missingSemicolon, .missingEquals, .unterminatedString, .unterminatedComment, .nestedComment,
        .statementInComment, .unexpectedCharacter, .unquotedText, .malformedContainer, .tooDeep, .notATable,
        .skippedText, .duplicateKey, .shorthand, .malformedEscape, .suspiciousEscape, .malformedFile, .furtherProblems,
        .truncatedByFoundation,
        // Values
        .malformedValue, .aliasCycle, .danglingAlias, .missingImage, .ambiguousAlpha, .ignoredAlpha, .similarKeys,
        .androidNameCollision,
        // Languages
        .missingTranslation, .extraKey, .untranslated, .changedType, .localizedNumber, .edgeWhitespace,
        // Formats
        .placeholderMalformed, .placeholderSuspicious, .placeholderExtra, .placeholderMissing, .placeholderType,
        .pluralMissingOther, .pluralCategoryMissing,
    ]
}

extension CustomizationDiagnostic.Code {
    /// A key of the base language that a language lacks.
    package static let missingTranslation = Self("missing-translation")
    /// A key of a language that the base language lacks.
    package static let extraKey = Self("extra-key")
    /// A string that is the same as the base language's.
    package static let untranslated = Self("untranslated")
    /// Two keys that differ only in case or in the composition of accents.
    package static let similarKeys = Self("similar-keys")
    /// The position at which Foundation stops reading the file without an error.
    package static let truncatedByFoundation = Self("truncated-by-foundation")
    /// A value whose type differs from the base language's value.
    package static let changedType = Self("changed-type")
    /// A number in the notation of a language, such as `0,25`, which a typed read doesn't accept.
    package static let localizedNumber = Self("localized-number")
    /// A fourth component of a color that could be a value from 0 to 255 or a percentage.
    package static let ambiguousAlpha = Self("ambiguous-alpha")
    /// The seventh and eighth digits of a color, which its dialect ignores.
    package static let ignoredAlpha = Self("ignored-alpha")
    /// Whitespace at the start or end of a string that differs from the base language's string.
    package static let edgeWhitespace = Self("edge-whitespace")
    /// Files of one table with different encodings.
    package static let mixedEncodings = Self("mixed-encodings")
}
