internal import AshlarCore
public import AshlarCustomization

extension TranslationCatalog {
    /// The catalog as CSV (RFC 4180) with columns for each language.
    ///
    /// The columns are `table`, `key`, `part`, `comment`, the source language, and for each other language its text, its
    /// state, `fr state`, and the digest of both, `fr exported`, so that an import recognizes changes. A key has a row for
    /// each of its forms; `part` is the path of the form, such as `plural.one`. The rows are those of
    /// ``units(for:)`` for all languages.
    ///
    /// - Complexity: O(*n*) in the size of the texts.
    public var csv: String {
        let languages = self.languages
        var (rows, index) = ([TranslationUnit](), UnitIndex())
        for language in languages.isEmpty ? [sourceLanguage] : languages {
            for unit in units(for: language) {
                let number = index.unit(unit, in: &rows)
                rows[number].targets[language] = unit.targets[language]
            }
        }
        let head =
            ["table", "key", "part", "comment", "\(sourceLanguage)"]
            + languages.flatMap { ["\($0)", "\($0) state", "\($0) exported"] }
        let cells = rows.map { unit in
            [unit.table, unit.key, unit.form, unit.note ?? "", unit.source ?? ""]
                + languages.flatMap { language in
                    unit.targets[language].map { [$0.text, $0.state.rawValue, $0.digest] } ?? ["", "", ""]
                }
        }
        return ([head] + cells).map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) || cell.hasPrefix(" ") || cell.hasSuffix(" ")
        else { return cell }
        return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Reads CSV with the columns of ``csv``; the separator can also be a semicolon or a tab.
    ///
    /// The columns can have any order. `key` is required; an empty cell with an empty state has no translation.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes, UTF-8.
    ///   - file: The file's path, for locations.
    ///   - sourceLanguage: The source language; if nil, that of the first column with strings.
    /// - Returns: The catalog, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        csv bytes: [UInt8], file: String = "", sourceLanguage: LanguageTag? = nil
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        var diagnostics: [CustomizationDiagnostic] = []
        func report(_ message: String, line: Int) {
            diagnostics.add(.error, .malformedFile, message, at: CustomizationLocation(file: file, line: line))
        }
        if let offset = UTF8Validation.firstInvalid(in: bytes) {
            let line = 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") }
            report("the file is not UTF-8; other bytes are read as U+FFFD", line: line)
        }
        let (rows, isClosed) = CSVReader.rows(String(decoding: bytes, as: UTF8.self))
        if !isClosed { report("unterminated quotation mark", line: rows.last?.line ?? 1) }
        let head = rows.first?.cells ?? []
        let columns = Dictionary(zip(head, head.indices), uniquingKeysWith: { first, _ in first })
        var languages: [(column: Int, language: LanguageTag, state: Int?, exported: Int?)] = []
        for (column, name) in head.enumerated()
        where !["table", "key", "part", "comment"].contains(name) && !name.hasSuffix(" state")
            && !name.hasSuffix(" exported")
        {
            guard let language = LanguageTag(name) else {
                report("column \"\(name)\" is not a language", line: 1)
                continue
            }
            languages.append((column, language, columns[name + " state"], columns[name + " exported"]))
        }
        guard let keys = columns["key"], let first = languages.first else {
            report("expected a column \"key\" and a column of a language", line: 1)
            return (TranslationCatalog(sourceLanguage: sourceLanguage ?? "en"), diagnostics)
        }
        let source = sourceLanguage ?? first.language
        var (units, index) = ([TranslationUnit](), UnitIndex())
        for row in rows.dropFirst() where row.cells != [""] {
            guard row.cells.count == head.count else {
                report("\(row.cells.count) cells, but the first row has \(head.count)", line: row.line)
                continue
            }
            func cell(_ name: String) -> String? {
                columns[name].map { row.cells[$0] }.flatMap { $0.isEmpty ? nil : $0 }
            }
            let (key, form) = (row.cells[keys], cell("part") ?? "")
            guard TranslationUnit.isForm(form) else {
                report("\"\(form)\" is not a form of \"\(key)\"", line: row.line)
                continue
            }
            var unit = TranslationUnit(table: cell("table") ?? CustomizationLayer.defaultTable, key: key, form: form)
            unit.note = cell("comment")
            let number = index.unit(unit, in: &units)
            for (column, language, state, exported) in languages {
                let text = row.cells[column]
                let state = state.flatMap { TranslationUnit.State(rawValue: row.cells[$0]) }
                if language == source {
                    if !text.isEmpty || form.isEmpty { units[number].source = text }
                } else if !text.isEmpty || state != nil {
                    units[number].targets[language] = .init(text, state: state ?? .translated)
                    let digest = exported.map { row.cells[$0] } ?? ""
                    units[number].targets[language]?.exported = digest.isEmpty ? nil : digest
                }
            }
        }
        return (TranslationCatalog(sourceLanguage: source, units: units), diagnostics)
    }
}

/// Splits CSV into cells.
private enum CSVReader {
    struct Row {
        var cells: [String] = []
        let line: Int
    }

    static func rows(_ text: String) -> (rows: [Row], isClosed: Bool) {
        let scalars = text.unicodeScalars.drop { $0 == "\u{FEFF}" }
        let firstLine = scalars.prefix { $0 != "\n" && $0 != "\r" }
        let separators: [Unicode.Scalar] = [",", ";", "\t"]
        let separator = separators.max { a, b in firstLine.count { $0 == a } < firstLine.count { $0 == b } } ?? ","
        var (rows, row, line, isQuoted) = ([Row](), Row(line: 1), 1, false)
        var (cell, last): (String.UnicodeScalarView, Unicode.Scalar?) = (.init(), nil)
        // Whether the last quotation mark ended a quoted text.
        var hasClosed = false
        func end() {
            row.cells.append(String(cell))
            cell = .init()
        }
        for scalar in scalars {
            let follows = (lineEnd: last == "\r", quotes: hasClosed)
            (last, hasClosed) = (scalar, false)
            let isLineEnd = scalar == "\n" || scalar == "\r"
            let isSecond = scalar == "\n" && follows.lineEnd
            if isLineEnd, !isSecond { line += 1 }
            if scalar == "\"", isQuoted {
                (isQuoted, hasClosed) = (false, true)
            } else if scalar == "\"", follows.quotes || cell.isEmpty {
                // The second of two quotation marks in a quoted cell is text.
                if follows.quotes { cell.append(scalar) }
                isQuoted = true
            } else if isQuoted || !isLineEnd && scalar != separator {
                cell.append(scalar)
            } else if !isSecond {
                end()
                if isLineEnd {
                    rows.append(row)
                    row = Row(line: line)
                }
            }
        }
        if !cell.isEmpty || !row.cells.isEmpty || isQuoted {
            end()
            rows.append(row)
        }
        return (rows, !isQuoted)
    }
}
