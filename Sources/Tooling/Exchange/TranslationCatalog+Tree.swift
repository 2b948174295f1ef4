import AshlarCore
public import AshlarCustomization

extension TranslationCatalog {
    /// Writes the translations of a language into the files of a tree.
    ///
    /// Strings are written to `fr.lproj/Table.strings` without changing any other byte. Messages are written to
    /// `fr.lproj/Table.stringsdict`; the file's other messages are preserved. Translations in the state `new` are
    /// omitted. No entry is removed.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - folder: The path of the tree.
    /// - Returns: The paths of the changed files.
    /// - Throws: `CustomizationError` with the code `unwritable`.
    public func write(
        _ language: LanguageTag, toTree folder: String
    ) throws(CustomizationError) -> [String] {
        let name = Self.folderName(of: language, in: folder)
        let path = folder + "/" + name
        var changed: [String] = []
        for (table, content) in tables(of: language).sorted(by: { $0.key < $1.key }) {
            var texts: [String: String?] = [:]
            var messages: [CustomizationEntry] = []
            for entry in content {
                if case .message = entry.value { messages.append(entry) } else { texts[entry.key] = entry.value.text }
            }
            let strings = path + "/" + table + ".strings"
            var editor = try StringsFileEditor((try? WholeFile.read(strings)) ?? [], file: strings)
            let before = editor.bytes
            // Only strings that differ, so that a string that the base language provides isn't repeated.
            texts = texts.filter { key, text in editor.table[key]?.text != text }
            if !texts.isEmpty { try editor.apply(texts) }
            if editor.bytes != before {
                try FileOutput.write(editor.bytes, to: strings)
                changed.append(strings)
            }
            guard !messages.isEmpty else { continue }
            let dictionary = path + "/" + table + ".stringsdict"
            let old = (try? WholeFile.read(dictionary)) ?? []
            let known = old.isEmpty ? StringsTable.empty : StringsTable.parse(stringsDict: old, file: dictionary).table
            guard messages.contains(where: { known[$0.key] != $0.value }) else { continue }
            let text = known.merging(StringsTable(entries: messages)).formattedStringsDict(sorted: true)
            try FileOutput.write(Array(text.utf8), to: dictionary)
            changed.append(dictionary)
        }
        return changed
    }

    /// Returns the folder of a language: the existing one, or one with the tag as its name.
    private static func folderName(of language: LanguageTag, in folder: String) -> String {
        let names = (FolderListing.names(in: folder) ?? []).filter { $0.hasSuffix(".lproj") }
        return names.first { LanguageTag(String($0.dropLast(6))) == language } ?? "\(language).lproj"
    }
}
