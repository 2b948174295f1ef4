public import AshlarCustomization

extension Customization {
    /// Looks for what is wrong with the whole tree: every language, the brand and theme in use, and their files.
    ///
    /// Findings are those of reading the files (bad syntax, duplicates, suspicious escapes, aliases that lead nowhere)
    /// and, for each language beside the base: missing, extra and untranslated keys, blanks at the edges that
    /// differ, values that change type. For all layers: keys that differ only in case, colours whose alpha is ambiguous
    /// or ignored, texts that are nearly a colour or number, images that no folder has, aliases of every theme that lead
    /// nowhere, and the places where Foundation would stop reading without a word.
    ///
    /// - Parameter ignored: The kinds of findings to leave out.
    /// - Returns: The findings as a report, with text and SARIF.
    /// - Complexity: O(*n*) in the bytes of all strings files of the tree; files that were not read yet are read.
    public func lint(ignoring ignored: Set<CustomizationDiagnostic.Code> = []) -> CustomizationReport {
        var linter = CustomizationLinter(self)
        linter.run()
        return CustomizationReport(linter.findings.filter { !ignored.contains($0.code) })
    }
}

/// Goes through the layers of a tree rule by rule.
struct CustomizationLinter {
    private(set) var findings: [CustomizationDiagnostic] = []
    private let customization: Customization
    /// The stack in use, and of the tree every other language.
    private let layers: [CustomizationLayer]
    private let languages: [CustomizationLayer]
    private let base: [CustomizationLayer]

    init(_ customization: Customization) {
        self.customization = customization
        var layers = customization.layers
        let others = customization.tree?.languageLayers(base: customization.baseLanguage, policy: customization.policy)
        for layer in others ?? [] where layer.id != (customization.brand ?? "") + ".lproj" {
            if !layers.contains(where: { $0.id == layer.id }) { layers.append(layer) }
        }
        self.layers = layers
        languages = layers.filter { if case .language = $0.role { true } else { false } }
        base = layers.filter { if case .base = $0.role { true } else { false } }
    }

    mutating func run() {
        findings = customization.diagnostics
        for layer in languages { findings += layer.diagnostics }
        folders()
        for layer in layers { files(of: layer) }
        for layer in languages { compareLanguage(layer) }
        for layer in layers where !base.contains(where: { $0.id == layer.id }) { compareTypes(layer) }
        aliases(of: customization)
        otherThemes()
        androidNames()
        findings += FormatLint.check(layers: layers, base: customization.baseLanguage)
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at location: CustomizationLocation, key: String? = nil, fix: String? = nil
    ) {
        findings.append(CustomizationDiagnostic(severity, code, message, at: location, key: key, fix: fix))
    }

    /// The base's entry of a key.
    private func baseEntry(_ key: String, _ table: String) -> (entry: CustomizationEntry, layer: CustomizationLayer)? {
        for layer in base.reversed() {
            if let entry = layer.tables[table]?.entry(key) { return (entry, layer) }
        }
        return nil
    }

    // MARK: Folders and files

    private mutating func folders() {
        guard let tree = customization.tree else { return }
        for name in tree.availableBrands where name != customization.brand {
            report(
                .note, .unknownFolder, "\(name).lproj is no language and not the brand in use",
                at: CustomizationLocation(file: name + ".lproj"))
        }
        var encodings: [String: [StringsEncoding: String]] = [:]
        for layer in base + languages {
            for (name, table) in layer.tables where !table.file.isEmpty {
                encodings[name, default: [:]][table.encoding] = table.file
            }
        }
        for (_, files) in encodings.sorted(by: { $0.key < $1.key }) where files.count > 1 {
            let names = files.values.sorted()
            report(
                .note, .mixedEncodings,
                "the table's files have different encodings, as \(names.joined(separator: " and "))",
                at: CustomizationLocation(file: names[0]))
        }
    }

    private mutating func files(of layer: CustomizationLayer) {
        for (_, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
            truncation(table)
            similarKeys(table)
            for entry in table { value(entry, layer) }
        }
    }

    /// Finds where Foundation would stop without a word and lose what follows.
    private mutating func truncation(_ table: StringsTable) {
        guard table.hasSourceText else { return }
        let foundation = StringsTable.parse(strings: table.sourceBytes, file: table.file, mode: .foundation)
        guard !foundation.isRejected, foundation.root == nil, foundation.table.count < table.count else { return }
        guard let lost = table.first(where: { foundation.table[$0.key] == nil }) else { return }
        report(
            .error, .truncatedByFoundation,
            "Foundation and plutil stop before this entry without a word and lose it and all that follow",
            at: lost.location, key: lost.key)
    }

    private mutating func similarKeys(_ table: StringsTable) {
        var folded: [String: CustomizationEntry] = [:]
        for entry in table {
            // Swift compares texts by canonical equivalence, so accents composed differently meet here too.
            let form = entry.key.lowercased()
            guard let other = folded.updateValue(entry, forKey: form) else { continue }
            report(
                .warning, .similarKeys,
                "the key \"\(entry.key)\" differs from the one at line \(other.location.line) only in case or accents",
                at: entry.location, key: entry.key)
        }
    }

    private mutating func value(_ entry: CustomizationEntry, _ layer: CustomizationLayer) {
        guard case .string(let text) = entry.value else { return }
        if text.utf8.contains(0) || entry.key.utf8.contains(0) {
            report(.warning, .nulCharacter, "the entry holds U+0000", at: entry.location, key: entry.key)
        }
        if let kind = Self.nearlyTyped(text, layer.colors) {
            report(
                .warning, .malformedValue, "\"\(text)\" looks like a \(kind) and does not read as one",
                at: entry.location, key: entry.key)
        }
        switch layer.colors {
        case .components(alpha: .undecided):
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            if parts.count == 4, layer.colors.color(text) != nil,
                let alpha = CustomizationValue.integer(String(parts[3])), (1...100).contains(alpha)
            {
                report(
                    .warning, .ambiguousAlpha, "the alpha \(alpha) of \"\(text)\" is taken as \(alpha) of 255",
                    at: entry.location, key: entry.key,
                    fix: "write \(alpha)% for a percentage, or decide with ColorDialect.components(alpha:)")
            }
        case .squidKit, .squidKitLenient:
            let digits =
                text.hasPrefix("#")
                ? text.dropFirst() : text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
            if digits.utf8.count == 8, digits.allSatisfy(\.isHexDigit) {
                report(
                    .warning, .ignoredAlpha, "the last two digits of \"\(text)\" are ignored", at: entry.location,
                    key: entry.key, fix: "give the alpha beside the colour")
            }
        default: break
        }
        if isImageName(text), customization.tree != nil, !customization.hasImage(text, in: layer) {
            report(
                .warning, .missingImage, "no folder of the stack has the image \(text)", at: entry.location,
                key: entry.key)
        }
    }

    /// What a text was probably meant to be that does not read as anything: `92,66,300`, `#12345G`, `1,5`.
    private static func nearlyTyped(_ text: String, _ dialect: ColorDialect) -> String? {
        let text = text.trimmingSpace()
        guard (3...40).contains(text.utf8.count), dialect.color(text) == nil else { return nil }
        if text.utf8.first == UInt8(ascii: "#") {
            let digits = text.dropFirst()
            let isLong = [3, 4, 6, 8].contains(digits.count)
            return isLong && digits.count(where: \.isHexDigit) > digits.count / 2 ? "colour" : nil
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        func isDigit(_ c: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(c) }
        guard
            parts.allSatisfy({ part in
                part.utf8.contains(where: isDigit) && part.utf8.allSatisfy { isDigit($0) || " %+-.".utf8.contains($0) }
            })
        else { return nil }
        switch parts.count {
        case 1:
            let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            return digits.allSatisfy(isDigit) && CustomizationValue.integer(text) == nil ? "whole number" : nil
        case 2: return text.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ",") } ? "number" : nil
        case 3, 4:
            if case .components = dialect { return "colour" }
            return nil
        default: return nil
        }
    }

    /// Whether a text is nothing but the name of an image file.
    private func isImageName(_ text: String) -> Bool {
        guard let dot = text.lastIndex(of: "."), !text.contains(" "), !text.contains("/") else { return false }
        return Customization.imageExtensions.contains(text[text.index(after: dot)...].lowercased())
    }

    // MARK: Languages

    private mutating func compareLanguage(_ layer: CustomizationLayer) {
        guard case .language(let tag) = layer.role else { return }
        let parents = languages.filter { other in
            if case .language(let parent) = other.role { tag.fallbacks.dropFirst().contains(parent) } else { false }
        }
        var tables: Set<String> = Set(layer.tables.keys)
        for layer in base { tables.formUnion(layer.tables.keys) }
        for name in tables.sorted() {
            let table = layer.tables[name] ?? .empty
            for entry in table {
                guard let (reference, _) = baseEntry(entry.key, name) else {
                    report(
                        .warning, .extraKey,
                        "\(tag) has \"\(entry.key)\", which the base language \(customization.baseLanguage) lacks",
                        at: entry.location, key: entry.key)
                    continue
                }
                compareText(entry, with: reference, tag)
            }
            // A regional file is meant to hold differences only.
            guard parents.isEmpty else { continue }
            var known: Set<String> = []
            for source in base {
                for reference in source.tables[name] ?? .empty where known.insert(reference.key).inserted {
                    if table[reference.key] != nil || isValueOnly(reference, source) { continue }
                    // A folder and a string catalog of one language complete each other.
                    if languages.contains(where: { $0.role == layer.role && $0.tables[name]?[reference.key] != nil }) {
                        continue
                    }
                    report(
                        .warning, .missingTranslation,
                        "\(tag) lacks \"\(reference.key)\", which is at \(reference.location)",
                        at: CustomizationLocation(file: table.file.isEmpty ? layer.id : table.file), key: reference.key)
                }
            }
        }
    }

    /// Whether an entry is a number, colour or other value that needs no translation.
    private func isValueOnly(_ entry: CustomizationEntry, _ layer: CustomizationLayer) -> Bool {
        !entry.value.readableTypes(colors: layer.colors).isEmpty
    }

    private mutating func compareText(
        _ entry: CustomizationEntry, with reference: CustomizationEntry, _ tag: LanguageTag
    ) {
        guard case .string(let text) = entry.value, case .string(let original) = reference.value else { return }
        if text == original, tag.language != customization.baseLanguage.language,
            text.unicodeScalars.contains(where: \.properties.isAlphabetic), !isImageName(text),
            entry.value.readableTypes(colors: .ftCustomization).isEmpty
        {
            report(.note, .untranslated, "the text is the base language's", at: entry.location, key: entry.key)
        }
        func edges(_ text: String) -> [Character?] {
            [text.first, text.last].map { $0.flatMap { $0.isWhitespace ? $0 : nil } }
        }
        if edges(text) != edges(original) {
            report(
                .warning, .edgeWhitespace, "blanks or line ends at the edges differ from the base language's text",
                at: entry.location, key: entry.key)
        }
    }

    /// Tells of values that no longer read as what the base's value reads as.
    private mutating func compareTypes(_ layer: CustomizationLayer) {
        for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
            for entry in table {
                guard let (reference, source) = baseEntry(entry.key, name) else { continue }
                let before = reference.value.readableTypes(colors: source.colors)
                // A number may gain or lose a fraction; one kind has to remain.
                guard !before.isEmpty, before.isDisjoint(with: entry.value.readableTypes(colors: layer.colors))
                else { continue }
                // "Yes" may well be the text of a button; only the spellings of flags are held to be flags.
                if before == [.bool], !["YES", "NO", "true", "false"].contains(reference.value.text ?? "") { continue }
                report(
                    before == [.bool] ? .warning : .error, .changedType,
                    "\(entry.value) does not read as \(Self.name(before)), as the base's \(reference.value) at "
                        + "\(reference.location) does", at: entry.location, key: entry.key)
            }
        }
    }

    private static func name(_ parts: Set<CustomizationValue.ReadableType>) -> String {
        parts.contains(.int)
            ? "whole number" : parts.contains(.double) ? "number" : parts.contains(.bool) ? "boolean" : "colour"
    }

    // MARK: Aliases

    private mutating func aliases(of customization: Customization) {
        findings += customization.aliasErrors.map(\.diagnostic)
    }

    /// Looks into the themes that are not in use: what reading them met, and their aliases.
    private mutating func otherThemes() {
        for theme in customization.themes where theme.name != customization.theme {
            findings += theme.diagnostics
            let themed = customization.switching(theme: theme.name)
            for layer in themed.layers where !layers.contains(where: { $0.id == layer.id }) { files(of: layer) }
            aliases(of: themed)
        }
    }

    // MARK: Android

    private mutating func androidNames() {
        findings += AndroidResources(layers).diagnostics.filter { $0.code == .androidNameCollision }
    }
}
