extension StringsTable {
    /// Parses an XML or binary `.stringsdict` file: strings that depend on numbers, devices or widths.
    ///
    /// The value of an entry is a ``CustomizationMessage``.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    /// - Returns: The table and the problems; an entry with a mistake remains in the table.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(stringsDict bytes: [UInt8], file: String = "") -> ParsedStrings {
        let (table, diagnostics) = StringsDictReader.read(bytes, file: file)
        let isRejected = table.isEmpty && diagnostics.contains { $0.severity == .error && $0.key == nil }
        return ParsedStrings(table: table, diagnostics: diagnostics, isRejected: isRejected)
    }

    /// Parses an `.xcstrings` file: the strings of all languages in one JSON file.
    ///
    /// A key without a string in the source language is its own string.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    /// - Returns: A table for each language, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        stringCatalog bytes: [UInt8], file: String = ""
    ) -> (tables: [LanguageTag: StringsTable], diagnostics: [CustomizationDiagnostic]) {
        StringCatalogReader.read(bytes, file: file)
    }
}
