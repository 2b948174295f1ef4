public import AshlarCustomization

extension TranslationCatalog {
    /// The catalog as CSV (RFC 4180) with a column and a state column for each language.
    ///
    /// The columns are `table`, `key`, `part`, `comment`, the source language, and the string and state of each other
    /// language, `fr` and `fr state`. A message has a row for each of its strings; `part` is the path of the string,
    /// such as `plural.one`.
    ///
    /// - Complexity: O(*n*) in the size of the strings.
    public var csv: String {
        let languages = self.languages
        var rows = [
            ["table", "key", "part", "comment", "\(sourceLanguage)"] + languages.flatMap { ["\($0)", "\($0) state"] }
        ]
        for unit in units {
            let parts = unit.translations.compactMapValues { TranslationParts($0.value)?.parts }
            var paths: [String] = []
            for language in [sourceLanguage] + languages {
                for part in parts[language] ?? [] where !paths.contains(part.path) { paths.append(part.path) }
            }
            for path in paths {
                func text(_ language: LanguageTag) -> String? { parts[language]?.first { $0.path == path }?.text }
                var row = [unit.table, unit.key, path, unit.comment ?? "", text(sourceLanguage) ?? ""]
                for language in languages {
                    let found = text(language)
                    row += [found ?? "", found == nil ? "" : unit.translations[language]?.state.rawValue ?? ""]
                }
                rows.append(row)
            }
        }
        return rows.map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
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
    ///   - model: A catalog whose messages provide the types of variables.
    /// - Returns: The catalog, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        csv bytes: [UInt8], file: String = "", sourceLanguage: LanguageTag? = nil, model: TranslationCatalog? = nil
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        var diagnostics: [CustomizationDiagnostic] = []
        func report(_ message: String, line: Int) {
            diagnostics.add(.error, .malformedFile, message, at: CustomizationLocation(file: file, line: line))
        }
        let (rows, isClosed) = CSVReader.rows(bytes)
        if !isClosed { report("unterminated quotation mark", line: rows.last?.line ?? 1) }
        let head = rows.first?.cells ?? []
        let known = ["table", "key", "part", "comment"]
        var languages: [(column: Int, language: LanguageTag)] = []
        for (column, name) in head.enumerated() where !known.contains(name) && !name.hasSuffix(" state") {
            guard let language = LanguageTag(name) else {
                report("column \"\(name)\" is not a language", line: 1)
                continue
            }
            languages.append((column, language))
        }
        guard let keys = head.firstIndex(of: "key"), let first = languages.first else {
            report("expected a column \"key\" and a column of a language", line: 1)
            return (TranslationCatalog(sourceLanguage: sourceLanguage ?? "en"), diagnostics)
        }
        let source = sourceLanguage ?? first.language
        var collector = PartCollector()
        for row in rows.dropFirst() where row.cells != [""] {
            func cell(_ name: String) -> String {
                head.firstIndex(of: name).flatMap { row.cells.indices.contains($0) ? row.cells[$0] : nil } ?? ""
            }
            guard row.cells.count == head.count else {
                report("\(row.cells.count) cells, but the first row has \(head.count)", line: row.line)
                continue
            }
            let table = cell("table").isEmpty ? CustomizationLayer.defaultTable : cell("table")
            for (column, language) in languages {
                let state = State(rawValue: cell("\(head[column]) state"))
                let text = row.cells[column]
                if text.isEmpty, state == nil, language != source { continue }
                if text.isEmpty, language == source, !cell("part").isEmpty { continue }
                let place = PartCollector.Place(
                    table: table, key: row.cells[keys], path: cell("part"),
                    comment: cell("comment").isEmpty ? nil : cell("comment"))
                collector.add(text, state: state ?? .translated, in: language, at: place)
            }
        }
        let catalog = collector.catalog(sourceLanguage: source, model: model) { diagnostics.append($0) }
        return (catalog, diagnostics)
    }
}

/// Splits CSV into cells.
private enum CSVReader {
    struct Row {
        var cells: [String] = []
        let line: Int
    }

    static func rows(_ bytes: [UInt8]) -> (rows: [Row], isClosed: Bool) {
        let bytes = bytes.starts(with: Array("\u{FEFF}".utf8)) ? bytes[3...] : bytes[...]
        let firstLine = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let separator =
            separators.max { a, b in firstLine.count { $0 == a } < firstLine.count { $0 == b } } ?? separators[0]
        var rows: [Row] = []
        var row = Row(line: 1)
        var cell: [UInt8] = []
        var (line, at, isQuoted) = (1, bytes.startIndex, false)
        func end() {
            row.cells.append(String(decoding: cell, as: UTF8.self))
            cell.removeAll()
        }
        while at < bytes.endIndex {
            let byte = bytes[at]
            let next = at + 1 < bytes.endIndex ? bytes[at + 1] : 0
            at += 1
            if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n")) { line += 1 }
            if isQuoted {
                if byte != UInt8(ascii: "\"") {
                    cell.append(byte)
                } else if next == byte {
                    cell.append(byte)
                    at += 1
                } else {
                    isQuoted = false
                }
            } else if byte == UInt8(ascii: "\""), cell.isEmpty {
                isQuoted = true
            } else if byte == separator {
                end()
            } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if byte == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { continue }
                end()
                rows.append(row)
                row = Row(line: line)
            } else {
                cell.append(byte)
            }
        }
        if !cell.isEmpty || !row.cells.isEmpty || isQuoted {
            end()
            rows.append(row)
        }
        return (rows, !isQuoted)
    }
}
