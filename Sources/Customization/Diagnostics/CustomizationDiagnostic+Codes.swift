extension CustomizationDiagnostic.Code {
    // Files
    /// A file or folder could not be read.
    public static let unreadableFile = Self("unreadable-file")
    /// A file is larger than the limit.
    public static let fileTooLarge = Self("file-too-large")
    /// A folder does not exist.
    public static let missingFolder = Self("missing-folder")
    /// A `.lproj` folder whose name is neither a language nor the brand in use.
    public static let unknownFolder = Self("unknown-folder")
    /// Info.plist has no `FTCustomizationString`, so there is no brand layer.
    public static let noBrand = Self("no-brand")
    /// A brand or theme does not exist.
    public static let unknownName = Self("unknown-name")
    /// A file of new texts is damaged or not signed.
    public static let invalidUpdate = Self("invalid-update")
    /// A reloaded file has errors; its last good content stays in use.
    public static let keptLastGood = Self("kept-last-good")

    // Text and encodings
    /// The bytes are not text in the file's encoding; the file was not read.
    public static let invalidEncoding = Self("invalid-encoding")
    /// UTF-16 without a byte order mark.
    public static let missingByteOrderMark = Self("missing-byte-order-mark")
    /// A second byte order mark at the start, or a stray one later.
    public static let strayByteOrderMark = Self("stray-byte-order-mark")
    /// An odd last byte of a UTF-16 file, or half of a surrogate pair.
    public static let brokenUTF16 = Self("broken-utf16")
    /// A U+0000 in a key or value.
    public static let nulCharacter = Self("nul-character")

    // Grammar of .strings
    /// A `;` is missing after a statement.
    public static let missingSemicolon = Self("missing-semicolon")
    /// A key is followed by neither `=` nor `;`.
    public static let missingEquals = Self("missing-equals")
    /// A string without an end.
    public static let unterminatedString = Self("unterminated-string")
    /// A `/*` comment without an end.
    public static let unterminatedComment = Self("unterminated-comment")
    /// A comment contains `/*`: the end of a comment before it is probably missing.
    public static let nestedComment = Self("nested-comment")
    /// A statement is inside a comment, probably by mistake.
    public static let statementInComment = Self("statement-in-comment")
    /// A character that is not valid here.
    public static let unexpectedCharacter = Self("unexpected-character")
    /// A key or value that needs quotes.
    public static let unquotedText = Self("unquoted-text")
    /// A list, dictionary or data value is not well-formed.
    public static let malformedContainer = Self("malformed-container")
    /// Containers are nested too deeply.
    public static let tooDeep = Self("too-deep")
    /// The file is one value instead of a table.
    public static let notATable = Self("not-a-table")
    /// Text after an invalid statement that is skipped with it.
    public static let skippedText = Self("skipped-text")
    /// A key is defined twice; the last value wins.
    public static let duplicateKey = Self("duplicate-key")
    /// A key without a value, which is its own value.
    public static let shorthand = Self("shorthand")
    /// `\U` without a hexadecimal digit.
    public static let malformedEscape = Self("malformed-escape")
    /// An escape that probably has another meaning than intended.
    public static let suspiciousEscape = Self("suspicious-escape")
    /// A property list or JSON file is not well-formed.
    public static let malformedFile = Self("malformed-file")
    /// There are more problems than are listed.
    public static let furtherProblems = Self("further-problems")

    // Reads
    /// No layer defines the key.
    public static let missingKey = Self("missing-key")
    /// The value cannot be read as the requested type.
    public static let malformedValue = Self("malformed-value")
    /// An alias leads to itself.
    public static let aliasCycle = Self("alias-cycle")
    /// An alias names a key that no layer defines.
    public static let danglingAlias = Self("dangling-alias")
    /// No layer's folder contains the image.
    public static let missingImage = Self("missing-image")
    /// Only the base language defines the key.
    public static let fallback = Self("fallback")
}
