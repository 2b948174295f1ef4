/// A problem of a file, a value or a read: its code, location and fix.
///
/// Invalid input results in diagnostics. An invalid file never prevents loading and doesn't affect other layers.
public struct CustomizationDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: Hashable, Sendable, Comparable {
        /// Information without a problem.
        case note
        /// A probable mistake; nothing is lost.
        case warning
        /// Text or values are lost or can't be used.
        case error
    }

    /// The code of a problem, a stable identifier such as `missing-semicolon`.
    ///
    /// Compare with a literal: `problem.code == "missing-key"`. Codes may be added, so a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The identifier.
        package let rawValue: String

        /// Creates a code from its identifier.
        package init(_ rawValue: String) { self.rawValue = rawValue }

        /// Creates a code from a literal.
        public init(stringLiteral literal: String) { rawValue = literal }

        /// The identifier.
        public var description: String { rawValue }
    }

    /// The severity.
    public var severity: Severity
    /// The code of the problem.
    public var code: Code
    /// The problem in one sentence, with the expected and the found text.
    public var message: String
    /// The location of the problem.
    public var location: CustomizationLocation
    /// The affected key, if there is one.
    public var key: String?
    /// The language of the affected text, if it is known.
    package var language: LanguageTag?
    /// The fix, such as `insert ";"`, if known.
    public var fix: String?
    /// A second location, such as the first of two statements with the same key.
    package var related: CustomizationLocation?

    /// Creates a diagnostic.
    package init(
        _ severity: Severity, _ code: Code, _ message: String, at location: CustomizationLocation,
        key: String? = nil, fix: String? = nil, related: CustomizationLocation? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.location = location
        self.key = key
        self.fix = fix
        self.related = related
    }

    package var file: String { location.file }
    package var line: Int { location.line }
    package var column: Int { location.column }

    /// The diagnostic in the format of a compiler: `file:line:column: severity: message [code]`.
    ///
    /// For a text in a string catalog, the message begins with the key and the language.
    public var description: String {
        var text = "\(location): \(severity): "
        if let key, let language, line > 0, file.hasSuffix(".xcstrings") { text += "\"\(key)\" in \(language): " }
        return text + message + (fix.map { "; \($0)" } ?? "") + " [\(code)]"
    }
}

extension [CustomizationDiagnostic] {
    /// Adds a problem.
    package mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at location: CustomizationLocation, key: String? = nil, fix: String? = nil,
        related: CustomizationLocation? = nil
    ) {
        append(CustomizationDiagnostic(severity, code, message, at: location, key: key, fix: fix, related: related))
    }
}

extension CustomizationDiagnostic.Code {
    // Files
    /// A file or folder can't be read.
    package static let unreadableFile = Self("unreadable-file")
    package static let fileTooLarge = Self("file-too-large")
    /// A folder does not exist.
    package static let missingFolder = Self("missing-folder")
    /// The name of a `.lproj` folder is neither a language nor the brand.
    package static let unknownFolder = Self("unknown-folder")
    /// Info.plist has no `FTCustomizationString`, so there is no brand layer.
    package static let noBrand = Self("no-brand")
    package static let unknownName = Self("unknown-name")
    /// A reloaded file has errors; its last valid content stays in use.
    package static let keptLastGood = Self("kept-last-good")

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
    package static let duplicateKey = Self("duplicate-key")
    /// A key without a value, which is its own value.
    package static let shorthand = Self("shorthand")
    /// `\U` without a hexadecimal digit.
    package static let malformedEscape = Self("malformed-escape")
    /// An escape that probably has another meaning than intended.
    package static let suspiciousEscape = Self("suspicious-escape")
    /// A property list or JSON file is not well-formed.
    package static let malformedFile = Self("malformed-file")
    package static let furtherProblems = Self("further-problems")

    // Reads
    /// No layer defines the key.
    package static let missingKey = Self("missing-key")
    /// A value can't be read as the requested type.
    package static let malformedValue = Self("malformed-value")
    /// An alias refers to itself.
    package static let aliasCycle = Self("alias-cycle")
    /// An alias refers to a key that no layer defines.
    package static let danglingAlias = Self("dangling-alias")
    /// No layer's folder contains the image.
    package static let missingImage = Self("missing-image")
    /// Only the base language defines the key.
    package static let fallback = Self("fallback")
}

/// The location of a value or a problem in a file.
///
/// Lines end at LF, CR or CR LF. Line and column numbers start at 1; a column is counted in Unicode scalars. 0 means
/// unknown, as for a value of a binary file or a value set by code.
public struct CustomizationLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, relative to the folder that it was loaded from.
    public var file: String
    /// The line, from 1, or 0 if unknown.
    public var line: Int
    /// The column in Unicode scalars, from 1, or 0 if unknown.
    public var column: Int

    /// Creates a location.
    public init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// The location in the format of a compiler: `fr.lproj/Localizable.strings:12:4`.
    public var description: String {
        if line == 0 { return file }
        return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
    }
}
