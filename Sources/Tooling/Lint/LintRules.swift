public import AshlarCustomization

/// The rules of a lint, selected by the codes of their findings.
public struct LintRules: Hashable, Sendable {
    private var only: Set<CustomizationDiagnostic.Code>?
    private var ignored: Set<CustomizationDiagnostic.Code> = []

    /// Every rule.
    public static let all: LintRules = LintRules()

    /// Selects some rules.
    ///
    /// - Parameter codes: The codes of their findings.
    /// - Returns: The rules.
    public static func only(_ codes: Set<CustomizationDiagnostic.Code>) -> LintRules { LintRules(only: codes) }

    private init(only: Set<CustomizationDiagnostic.Code>? = nil) { self.only = only }

    /// Returns the rules without some.
    ///
    /// - Parameter codes: The codes of their findings.
    /// - Returns: The other rules.
    public func ignoring(_ codes: Set<CustomizationDiagnostic.Code>) -> LintRules {
        var rules = self
        rules.ignored.formUnion(codes)
        return rules
    }

    /// Returns whether a rule is applied.
    public func includes(_ code: CustomizationDiagnostic.Code) -> Bool {
        only?.contains(code) != false && !ignored.contains(code)
    }

    /// The codes of all rules.
    public static let allCodes: Set<CustomizationDiagnostic.Code> = [
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
