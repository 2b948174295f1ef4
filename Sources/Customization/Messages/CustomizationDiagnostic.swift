extension CustomizationDiagnostic.Code {
    // Files
    /// A file or folder can't be read.
    public static let unreadableFile = Self("unreadable-file")
    package static let fileTooLarge = Self("file-too-large")
    /// A folder does not exist.
    public static let missingFolder = Self("missing-folder")
    /// The name of a `.lproj` folder is neither a language nor the brand.
    public static let unknownFolder = Self("unknown-folder")
    /// Info.plist has no `FTCustomizationString`, so there is no brand layer.
    package static let noBrand = Self("no-brand")
    package static let unknownName = Self("unknown-name")
    /// A file of new texts is damaged or not signed.
    public static let invalidUpdate = Self("invalid-update")
    /// A reloaded file has errors; its last valid content stays in use.
    public static let keptLastGood = Self("kept-last-good")

    // Text and encodings
    /// The bytes are not text in the file's encoding; the file was not read.
    package static let invalidEncoding = Self("invalid-encoding")
    package static let missingByteOrderMark = Self("missing-byte-order-mark")
    /// A second byte order mark at the start, or a stray one later.
    package static let strayByteOrderMark = Self("stray-byte-order-mark")
    /// An odd last byte of a UTF-16 file, or half of a surrogate pair.
    package static let brokenUTF16 = Self("broken-utf16")
    package static let nulCharacter = Self("nul-character")

    // Grammar of .strings
    package static let missingSemicolon = Self("missing-semicolon")
    /// A key is followed by neither `=` nor `;`.
    package static let missingEquals = Self("missing-equals")
    package static let unterminatedString = Self("unterminated-string")
    package static let unterminatedComment = Self("unterminated-comment")
    /// A comment contains `/*`: the end of a comment before it is probably missing.
    package static let nestedComment = Self("nested-comment")
    /// A statement is inside a comment, probably by mistake.
    package static let statementInComment = Self("statement-in-comment")
    package static let unexpectedCharacter = Self("unexpected-character")
    package static let unquotedText = Self("unquoted-text")
    package static let malformedContainer = Self("malformed-container")
    package static let tooDeep = Self("too-deep")
    /// The file is one value instead of a table.
    package static let notATable = Self("not-a-table")
    /// Text after an invalid statement that is skipped with it.
    package static let skippedText = Self("skipped-text")
    /// A key is defined twice; the last value wins.
    public static let duplicateKey = Self("duplicate-key")
    /// A key without a value, which is its own value.
    package static let shorthand = Self("shorthand")
    /// `\U` without a hexadecimal digit.
    package static let malformedEscape = Self("malformed-escape")
    /// An escape that probably has another meaning than intended.
    package static let suspiciousEscape = Self("suspicious-escape")
    /// A property list or JSON file is not well-formed.
    public static let malformedFile = Self("malformed-file")
    package static let furtherProblems = Self("further-problems")

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
