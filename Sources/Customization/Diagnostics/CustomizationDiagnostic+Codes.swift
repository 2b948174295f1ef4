extension CustomizationDiagnostic.Code {
    // Files
    /// A file or folder can't be read.
    public static let unreadableFile = Self("unreadable-file")
    /// A file is larger than the limit.
    public static let fileTooLarge = Self("file-too-large")
    /// A folder doesn't exist.
    public static let missingFolder = Self("missing-folder")
    /// The name of a `.lproj` folder is neither a language nor the brand.
    public static let unknownFolder = Self("unknown-folder")
    /// Info.plist has no `FTCustomizationString`, so there is no brand layer.
    public static let noBrand = Self("no-brand")
    /// A brand or theme doesn't exist.
    public static let unknownName = Self("unknown-name")
    /// An update is damaged or not signed.
    public static let invalidUpdate = Self("invalid-update")
    /// A reloaded file has errors; its last valid content stays in use.
    public static let keptLastGood = Self("kept-last-good")

    // Text and encodings
    /// The bytes aren't text in the file's encoding; the file isn't read.
    public static let invalidEncoding = Self("invalid-encoding")
    /// UTF-16 without a byte order mark.
    public static let missingByteOrderMark = Self("missing-byte-order-mark")
    /// A second byte order mark at the start, or a byte order mark at another position.
    public static let strayByteOrderMark = Self("stray-byte-order-mark")
    /// A UTF-16 file with an odd number of bytes, or an unpaired surrogate.
    public static let brokenUTF16 = Self("broken-utf16")
    /// A U+0000 in a key or value.
    public static let nulCharacter = Self("nul-character")

    // Grammar of .strings
    /// A `;` is missing after a statement.
    public static let missingSemicolon = Self("missing-semicolon")
    /// A key is followed by neither `=` nor `;`.
    public static let missingEquals = Self("missing-equals")
    /// An unterminated string.
    public static let unterminatedString = Self("unterminated-string")
    /// An unterminated `/*` comment.
    public static let unterminatedComment = Self("unterminated-comment")
    /// A comment contains `/*`, so the end of an earlier comment is probably missing.
    public static let nestedComment = Self("nested-comment")
    /// A statement is inside a comment, probably by mistake.
    public static let statementInComment = Self("statement-in-comment")
    /// An unexpected character.
    public static let unexpectedCharacter = Self("unexpected-character")
    /// A key or value without necessary quotes.
    public static let unquotedText = Self("unquoted-text")
    /// A malformed list, dictionary or data value.
    public static let malformedContainer = Self("malformed-container")
    /// Containers are nested too deeply.
    public static let tooDeep = Self("too-deep")
    /// The file is one value instead of a table.
    public static let notATable = Self("not-a-table")
    /// Text after an invalid statement, which is skipped.
    public static let skippedText = Self("skipped-text")
    /// A duplicate key; the last value wins.
    public static let duplicateKey = Self("duplicate-key")
    /// A key without a value; the key is its value.
    public static let shorthand = Self("shorthand")
    /// `\U` without a hexadecimal digit.
    public static let malformedEscape = Self("malformed-escape")
    /// An escape that probably isn't intended.
    public static let suspiciousEscape = Self("suspicious-escape")
    /// A malformed property list or JSON file.
    public static let malformedFile = Self("malformed-file")
    /// The list of problems is limited; there are more.
    public static let furtherProblems = Self("further-problems")

    // Reads
    /// No layer defines the key.
    public static let missingKey = Self("missing-key")
    /// A value can't be read as the requested type.
    public static let malformedValue = Self("malformed-value")
    /// An alias refers to itself.
    public static let aliasCycle = Self("alias-cycle")
    /// An alias refers to a key that no layer defines.
    public static let danglingAlias = Self("dangling-alias")
    /// No layer's folder contains the image.
    public static let missingImage = Self("missing-image")
    /// Only the base language defines the key.
    public static let fallback = Self("fallback")
}
