import AshlarCore
public import AshlarCustomization
import AshlarTrees

extension TranslationCatalog {
    /// Writes the translations of a language into the files of a tree.
    ///
    /// A text is written to the file that defines it: `fr.lproj/Table.strings`, `fr.lproj/Table.stringsdict`, or the
    /// string catalog of the table. In strings files and string catalogs, no other byte changes. A new translation is
    /// written to the table's string catalog, or, if there is none, to the language's folder. Translations in the state
    /// `new` are omitted. No entry is removed.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - folder: The path of the tree.
    /// - Returns: The paths of the changed files.
    /// - Throws: `CustomizationError` with the code `unwritable` for the first text or file that can't be changed; all
    ///   others have been written. If a table's name, which can come from a translator's file, isn't the name of a file,
    ///   such as `../x`, nothing is written.
    public func write(_ language: LanguageTag, toTree folder: String) throws(CustomizationError) -> [String] {
        for table in tableNames
        where table.isEmpty || table.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
            throw CustomizationError(
                .unwritable, key: table, expected: "the name of a table that can be that of a file")
        }
        var writer = TreeWriter(language: language, folder: folder)
        let tables = Dictionary(grouping: units) { $0.table }
        for (table, units) in tables.sorted(by: { $0.key < $1.key }) {
            writer.write(TranslationCatalog(sourceLanguage: sourceLanguage, units: units), table: table)
        }
        if let failure = writer.failure { throw failure }
        return writer.changed
    }
}

private struct TreeWriter {
    let language: LanguageTag
    let path: String
    private let catalogs: [String: StringCatalogFile]
    private(set) var changed: [String] = []
    private(set) var failure: CustomizationError?

    init(language: LanguageTag, folder: String) {
        self.language = language
        // The existing folder of the language, or one with the tag as its name.
        let names = (FolderListing.names(in: folder) ?? []).filter { $0.hasSuffix(".lproj") }
        path = folder + "/" + (names.first { LanguageTag(String($0.dropLast(6))) == language } ?? "\(language).lproj")
        catalogs = Dictionary(StringCatalogFile.files(in: folder).map { ($0.table, $0) }, uniquingKeysWith: { $1 })
    }

    private mutating func attempt(_ body: (inout Self) throws(CustomizationError) -> Void) {
        do throws(CustomizationError) { try body(&self) } catch { failure = failure ?? error }
    }

    /// Writes the texts of a table to the files that define them.
    mutating func write(_ catalog: TranslationCatalog, table: String) {
        let (strings, dictionary) = (path + "/\(table).strings", path + "/\(table).stringsdict")
        let oldStrings = (try? WholeFile.read(strings)) ?? []
        let old = oldStrings.isEmpty ? .empty : StringsTable.parse(strings: oldStrings, file: strings).table
        let oldMessages = (try? WholeFile.read(dictionary)) ?? []
        let known =
            oldMessages.isEmpty ? .empty : StringsTable.parse(stringsDict: oldMessages, file: dictionary).table
        var (texts, messages): ([String: String?], [CustomizationEntry]) = ([:], [])
        var units: [TranslationUnit] = []
        let index = UnitIndex(catalog.units)
        for first in index.keys {
            let key = catalog.units[first].key
            let forms = index.forms(table, key)
            if catalogs[table] != nil, old[key] == nil, known[key] == nil {
                units += forms.map { catalog.units[$0] }
                continue
            }
            guard let value = catalog.value(of: forms, in: language) else {
                let names = forms.filter { catalog.units[$0].targets[language]?.isTranslated == true }
                    .map { catalog.units[$0].name }
                guard !names.isEmpty else { continue }
                failure =
                    failure
                    ?? CustomizationError(
                        .unwritable, key: key, expected: "the texts \(names.joined(separator: ", ")) form no message")
                continue
            }
            if case .message = value {
                if known[key] != value { messages.append(.init(key: key, value: value)) }
            } else if let message = known[key] {
                // A message wins over a string.
                let new = CustomizationValue.message(CustomizationMessage(value.text ?? ""))
                if message != new, message.text != value.text { messages.append(.init(key: key, value: new)) }
            } else if old[key]?.text != value.text {
                // Only texts that differ, so that a text that the base language provides isn't repeated.
                texts[key] = value.text
            }
        }
        if !texts.isEmpty {
            attempt { (self) throws(CustomizationError) in try self.write(texts, to: strings, oldStrings) }
        }
        if !messages.isEmpty {
            attempt { (self) throws(CustomizationError) in
                let text = known.merging(StringsTable(entries: messages)).formattedStringsDict(sorted: true)
                try self.replace(dictionary, with: Array(text.utf8))
            }
        }
        if !units.isEmpty { attempt { (self) throws(CustomizationError) in try self.write(units, table: table) } }
    }

    /// Changes strings; if one can't be changed, the others are changed one by one.
    private mutating func write(
        _ texts: [String: String?], to path: String, _ bytes: [UInt8]
    ) throws(CustomizationError) {
        var editor = try StringsFileEditor(bytes, file: path)
        do throws(CustomizationError) {
            try editor.apply(texts)
        } catch {
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
                attempt { (_) throws(CustomizationError) in try editor.apply([key: text]) }
            }
        }
        if editor.bytes != bytes { try replace(path, with: editor.bytes) }
    }

    private mutating func write(_ units: [TranslationUnit], table: String) throws(CustomizationError) {
        guard var file = catalogs[table] else { return }
        let before = file.bytes
        do throws(JSONSyntaxError) {
            try file.set(language, to: units)
        } catch {
            throw CustomizationError(.unwritable, key: file.file, expected: error.message)
        }
        if file.bytes != before { try replace(file.file, with: file.bytes) }
    }

    private mutating func replace(_ path: String, with bytes: [UInt8]) throws(CustomizationError) {
        try FileOutput.write(bytes, to: path)
        changed.append(path)
    }
}
