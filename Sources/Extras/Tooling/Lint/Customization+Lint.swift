internal import AshlarCore
public import AshlarCustomization

extension Customization {
    /// Checks the whole tree: every language, the brand and themes, and their files.
    ///
    /// The report contains the problems found while reading the files: syntax errors, duplicates and suspicious
    /// escapes. For each language other than the base language, it contains missing, extra and untranslated keys,
    /// different whitespace at the edges, wrong placeholders and plural forms, and values of another type. For all
    /// layers, it contains keys that differ only in case, ambiguous or ignored alphas, strings that are almost a color
    /// or number, missing images, dangling aliases, and the positions at which Foundation stops reading a file without
    /// an error.
    ///
    /// - Returns: The findings as a report, with text and SARIF.
    /// - Complexity: O(*n*) in the bytes of all strings files of the tree; files that haven't been read yet are read.
    public func lint() -> CustomizationReport {
        var linter = CustomizationLinter(self)
        linter.run()
        return CustomizationReport(linter.findings)
    }
}

/// Checks the layers of a tree rule by rule.
struct CustomizationLinter {
    private(set) var findings: [CustomizationDiagnostic] = []
    private let customization: Customization
    /// The current layers, and every other language of the tree.
    private let layers: [CustomizationLayer]
    private let languages: [CustomizationLayer]
    private let base: [CustomizationLayer]
    private let coverage: StringsCoverage
    /// The pairs of similar keys that have been reported, because other languages have the same pairs.
    private var similarPairs: Set<[String]> = []

    init(_ customization: Customization) {
        self.customization = customization
        var layers = customization.layers
        let others = customization.tree?.languageLayers(
            base: customization.baseLanguage, brand: customization.brand, policy: customization.policy)
        for layer in others ?? [] where layer.id != (customization.brand ?? "") + ".lproj" {
            if !layers.contains(where: { $0.id == layer.id }) { layers.append(layer) }
        }
        self.layers = layers
        languages = layers.filter(\.isTranslation)
        base = layers.filter(\.isBase)
        coverage = StringsCoverage(customization)
    }

    mutating func run() {
        findings = customization.diagnostics
        for layer in languages { findings += layer.diagnostics }
        checkFolders()
        for layer in layers { check(layer) }
        for layer in languages { findMissingKeys(of: layer) }
        findings += customization.aliasErrors.map(\.diagnostic)
        checkOtherThemes()
    }

    /// Returns the base language's entry for a key.
    private func baseEntry(_ key: String, _ table: String) -> (entry: CustomizationEntry, layer: CustomizationLayer)? {
        for layer in base.reversed() {
            if let entry = layer.tables[table]?.entry(key) { return (entry, layer) }
        }
        return nil
    }

    // MARK: Folders and files

    private mutating func checkFolders() {
        guard let tree = customization.tree else { return }
        for name in tree.availableBrands where name != customization.brand {
            findings.add(
                .note, .unknownFolder, "\(name).lproj is neither a language nor the brand in use",
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
            findings.add(
                .note, .mixedEncodings,
                "the files of the table have different encodings, such as \(names.joined(separator: " and "))",
                at: CustomizationLocation(file: names[0]))
        }
    }

    /// Checks the files and entries of a layer.
    private mutating func check(_ layer: CustomizationLayer) {
        let isOfBase = base.contains { $0.id == layer.id }
        for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
            checkTruncation(table)
            checkSimilarKeys(table, name)
            for entry in table {
                checkValue(entry, layer)
                let reference = isOfBase ? nil : baseEntry(entry.key, name)
                if case .language(let tag) = layer.role { compareText(entry, with: reference?.entry, tag) }
                if let reference { compareType(entry, of: layer, with: reference) }
                findings += FormatLint.check(entry, base: reference?.entry.value, language: layer.language)
                findings += MessageLint.check(
                    entry, base: reference?.entry.value.text, language: layer.language)
            }
        }
    }

    /// Finds the position at which Foundation stops without an error and loses the rest of the file.
    private mutating func checkTruncation(_ table: StringsTable) {
        guard table.hasSourceText else { return }
        let foundation = StringsTable.parse(strings: table.sourceBytes, file: table.file, mode: .foundation)
        guard !foundation.isRejected, foundation.root == nil, foundation.table.count < table.count else { return }
        guard let lost = table.first(where: { foundation.table[$0.key] == nil }) else { return }
        findings.add(
            .error, .truncatedByFoundation,
            "Foundation and plutil stop before this entry without an error and lose the rest of the file",
            at: lost.location, key: lost.key)
    }

    private mutating func checkSimilarKeys(_ table: StringsTable, _ name: String) {
        var folded: [String: CustomizationEntry] = [:]
        for entry in table {
            // Swift compares strings by canonical equivalence, so the composition of accents doesn't matter.
            let form = entry.key.lowercased()
            guard let other = folded.updateValue(entry, forKey: form),
                similarPairs.insert([name, other.key, entry.key].map { "\(Array($0.utf8))" }).inserted
            else { continue }
            findings.add(
                .warning, .similarKeys,
                "key \"\(entry.key)\" differs from the one at line \(other.location.line) only in case or accents",
                for: entry)
        }
    }

    private mutating func checkValue(_ entry: CustomizationEntry, _ layer: CustomizationLayer) {
        guard case .string(let text) = entry.value else { return }
        if text.utf8.contains(0) || entry.key.utf8.contains(0) {
            findings.add(.warning, .nulCharacter, "the entry contains U+0000", for: entry)
        }
        if let kind = Self.nearlyTyped(text, layer.colors), !(layer.isTranslation && Self.isLocalizedNumber(text)) {
            findings.add(.warning, .malformedValue, "\"\(text)\" looks like a \(kind) but is not one", for: entry)
        }
        switch layer.colors {
        case .components(alpha: .undecided):
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            if parts.count == 4, layer.colors.color(text) != nil,
                let alpha = NumberReading.integer(String(parts[3])), (1...100).contains(alpha)
            {
                findings.add(
                    .warning, .ambiguousAlpha, "alpha \(alpha) of \"\(text)\" is read as \(alpha) of 255",
                    for: entry,
                    fix: "write \(alpha)% for a percentage, or decide with ColorDialect.components(alpha:)")
            }
        case .squidKit, .squidKitLenient:
            let digits =
                text.hasPrefix("#")
                ? text.dropFirst() : text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
            if digits.utf8.count == 8, digits.allSatisfy(\.isHexDigit) {
                findings.add(
                    .warning, .ignoredAlpha, "the last two digits of \"\(text)\" are ignored", for: entry,
                    fix: "state the alpha separately")
            }
        default: break
        }
        if entry.value.isImageName, customization.tree != nil, !customization.hasImage(text, in: layer) {
            findings.add(.warning, .missingImage, "no folder of the stack contains the image \(text)", for: entry)
        }
    }

    /// Returns the probably intended type of a malformed value: `92,66,300`, `#12345G`, `1,5`.
    private static func nearlyTyped(_ text: String, _ dialect: ColorDialect) -> String? {
        let text = text.trimmingSpace()
        guard (3...40).contains(text.utf8.count), dialect.color(text) == nil else { return nil }
        if text.utf8.first == UInt8(ascii: "#") {
            let digits = text.dropFirst()
            let isLong = [3, 4, 6, 8].contains(digits.count)
            return isLong && digits.count(where: \.isHexDigit) > digits.count / 2 ? "color" : nil
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard
            parts.allSatisfy({ part in
                part.utf8.contains(where: \.isDigit) && part.utf8.allSatisfy { $0.isDigit || " %+-.".utf8.contains($0) }
            })
        else { return nil }
        switch parts.count {
        case 1:
            let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            return digits.allSatisfy(\.isDigit) && NumberReading.integer(text) == nil ? "integer" : nil
        case 2: return text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ",") } ? "number" : nil
        case 3, 4:
            if case .components = dialect { return "color" }
            return nil
        default: return nil
        }
    }

    // MARK: Languages

    private mutating func findMissingKeys(of layer: CustomizationLayer) {
        guard case .language(let tag) = layer.role else { return }
        // The file of a region contains only the differences from its parent.
        let hasParent = languages.contains { other in
            if case .language(let parent) = other.role { tag.fallbacks.dropFirst().contains(parent) } else { false }
        }
        if hasParent { return }
        for missing in coverage.missing(tag) {
            guard let reference = baseEntry(missing.key, missing.table)?.entry else { continue }
            let file = layer.tables[missing.table]?.file ?? ""
            findings.add(
                .warning, .missingTranslation,
                "no \(tag) translation of \"\(reference.key)\", defined at \(reference.location)",
                at: CustomizationLocation(file: file.isEmpty ? layer.id : file), key: reference.key)
        }
    }

    private mutating func compareText(
        _ entry: CustomizationEntry, with reference: CustomizationEntry?, _ tag: LanguageTag
    ) {
        guard let reference else {
            return findings.add(
                .warning, .extraKey,
                "key \"\(entry.key)\" is in \(tag) but not in the base language \(customization.baseLanguage)",
                for: entry)
        }
        guard case .string(let text) = entry.value, case .string(let original) = reference.value else { return }
        if text == original, tag.language != customization.baseLanguage.language,
            text.unicodeScalars.contains(where: \.properties.isAlphabetic),
            entry.value.isTranslatable(colors: .ftCustomization)
        {
            findings.add(.note, .untranslated, "the text is the same as the base language's", for: entry)
        }
        func edges(_ text: String) -> [Character?] {
            [text.first, text.last].map { $0.flatMap { $0.isWhitespace ? $0 : nil } }
        }
        if edges(text) != edges(original) {
            findings.add(
                .warning, .edgeWhitespace, "white space at the edges differs from the base language's text", for: entry)
        }
    }

    /// Finds a value whose type differs from the base language's value.
    private mutating func compareType(
        _ entry: CustomizationEntry, of layer: CustomizationLayer,
        with base: (entry: CustomizationEntry, layer: CustomizationLayer)
    ) {
        let reference = base.entry
        let before = reference.value.types(colors: base.layer.colors)
        // A number can gain or lose a fraction, but one type must remain.
        guard !before.isEmpty, before.isDisjoint(with: entry.value.readableTypes(colors: layer.colors)) else { return }
        if !before.isDisjoint(with: [.int, .double]), Self.isLocalizedNumber(entry.value.text ?? "") {
            return findings.add(
                .note, .localizedNumber,
                "\(entry.value) is a number in the spelling of a language; a typed read expects "
                    + "\(reference.value), as at \(reference.location)", for: entry)
        }
        findings.add(
            before == [.bool] ? .warning : .error, .changedType,
            "\(entry.value) is not \(Self.name(before)), unlike \(reference.value) of the base language at "
                + "\(reference.location)", for: entry)
    }

    /// Whether a string is a number in the notation of a language: `0,25`, `1 000`, `٠٫٢٥`.
    private static func isLocalizedNumber(_ text: String) -> Bool {
        let scalars = text.trimmingSpace().unicodeScalars
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType == .decimal }
        guard let last = scalars.last, isDigit(last), let sign = scalars.first else { return false }
        return (isDigit(sign) || "+-−".unicodeScalars.contains(sign))
            && scalars.dropFirst().allSatisfy { isDigit($0) || ".,٫٬'’\u{A0}\u{202F} ".unicodeScalars.contains($0) }
    }

    private static func name(_ parts: Set<CustomizationValue.ReadableType>) -> String {
        parts.contains(.int)
            ? "an integer" : parts.contains(.double) ? "a number" : parts.contains(.bool) ? "a boolean" : "a color"
    }

    // MARK: Themes

    /// Checks the themes that aren't selected: their problems, values and aliases.
    private mutating func checkOtherThemes() {
        for theme in customization.themes where theme.name != customization.theme {
            findings += theme.diagnostics
            let themed = customization.switching(theme: theme.name)
            for layer in themed.layers where !layers.contains(where: { $0.id == layer.id }) { check(layer) }
            findings += themed.aliasErrors.map(\.diagnostic)
        }
    }
}

extension CustomizationLayer {
    /// Whether the layer is one of the base language.
    var isBase: Bool { if case .base = role { true } else { false } }
    /// Whether the layer is one of another language, and not of a brand.
    fileprivate var isTranslation: Bool { if case .language = role { true } else { false } }
}
