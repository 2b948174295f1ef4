extension CustomizationDiagnostic.Code {
    // Files
    /// A file or folder could not be read.
    public static let unreadableFile = Self("unreadable-file")
    /// A file is larger than the limit.
    public static let fileTooLarge = Self("file-too-large")
    /// The folder that was asked for is not there.
    public static let missingFolder = Self("missing-folder")
    /// A `.lproj` folder whose name is neither a language nor the brand in use.
    public static let unknownFolder = Self("unknown-folder")
    /// Info.plist has no `FTCustomizationString`, so there is no brand layer.
    public static let noBrand = Self("no-brand")
    /// A brand or theme was asked for that does not exist.
    public static let unknownName = Self("unknown-name")
    /// A reload met a file that is now bad; the last good content stays in use.
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
    /// A quoted text never ends.
    public static let unterminatedString = Self("unterminated-string")
    /// A `/*` comment never ends.
    public static let unterminatedComment = Self("unterminated-comment")
    /// A comment contains `/*`: the comment before it probably never ended.
    public static let nestedComment = Self("nested-comment")
    /// A statement stands inside a comment that probably was not meant to hold it.
    public static let statementInComment = Self("statement-in-comment")
    /// A character that cannot stand here.
    public static let unexpectedCharacter = Self("unexpected-character")
    /// A key or value that has to be quoted.
    public static let unquotedText = Self("unquoted-text")
    /// A list, dictionary or data value is not well-formed.
    public static let malformedContainer = Self("malformed-container")
    /// Containers are nested too deeply.
    public static let tooDeep = Self("too-deep")
    /// The file holds one value and not a table.
    public static let notATable = Self("not-a-table")
    /// Text behind a statement that could not be read, which was passed over with it.
    public static let skippedText = Self("skipped-text")
    /// The same key stands twice; the last one counts.
    public static let duplicateKey = Self("duplicate-key")
    /// A key without a value, which then stands for itself.
    public static let shorthand = Self("shorthand")
    /// `\U` without a hexadecimal digit.
    public static let malformedEscape = Self("malformed-escape")
    /// An escape that reads as something else than was probably meant.
    public static let suspiciousEscape = Self("suspicious-escape")
    /// A property list or JSON file is not well-formed.
    public static let malformedFile = Self("malformed-file")
    /// More problems than are listed.
    public static let furtherProblems = Self("further-problems")

    // Reads
    /// The key is in no layer.
    public static let missingKey = Self("missing-key")
    /// The value cannot be read as the type asked for.
    public static let malformedValue = Self("malformed-value")
    /// An alias leads to itself.
    public static let aliasCycle = Self("alias-cycle")
    /// An alias names a key that is in no layer.
    public static let danglingAlias = Self("dangling-alias")
    /// The image is in no layer's folder.
    public static let missingImage = Self("missing-image")
    /// The key has a value in the base language only.
    public static let fallback = Self("fallback")
}
