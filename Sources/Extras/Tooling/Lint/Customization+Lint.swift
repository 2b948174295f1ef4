public import AshlarCustomization
import AshlarTexts

extension Customization {
    /// Checks the texts of every language: missing, extra and duplicate keys, and placeholders that differ.
    ///
    /// The report contains the problems found while reading the files, such as syntax errors and duplicate keys. For
    /// each language other than the base language, it contains missing and extra keys. For all layers, it contains
    /// placeholders that differ from the base language's, missing plural forms, and dangling aliases.
    ///
    /// - Returns: The findings.
    /// - Complexity: O(*n*) in the bytes of all strings files of the tree; files that haven't been read yet are read.
    public func lint() -> CustomizationReport {
        var linter = CustomizationLinter(self)
        linter.run()
        return CustomizationReport(linter.findings)
    }
}

/// Checks the layers of a tree rule by rule.
private struct CustomizationLinter {
    private(set) var findings: [CustomizationDiagnostic] = []
    private let customization: Customization
    /// The current layers, and every other language of the tree.
    private let layers: [CustomizationLayer]
    private let languages: [CustomizationLayer]
    private let base: [CustomizationLayer]
    private let coverage: StringsCoverage

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
        findings = customization.diagnostics + customization.fileErrors
        for layer in languages { findings += layer.diagnostics }
        for layer in layers { check(layer) }
        for layer in languages { findMissingKeys(of: layer) }
        findings += customization.aliasErrors.map(\.diagnostic)
    }

    /// Returns the base language's entry for a key.
    private func baseEntry(_ key: String, _ table: String) -> CustomizationEntry? {
        for layer in base.reversed() {
            if let entry = layer.tables[table]?.entry(key) { return entry }
        }
        return nil
    }

    /// Checks the entries of a layer.
    private mutating func check(_ layer: CustomizationLayer) {
        let start = findings.count
        defer { for index in start..<findings.count { findings[index].language = layer.language } }
        for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
            for entry in table {
                let reference = layer.isBase ? nil : baseEntry(entry.key, name)
                if case .language(let tag) = layer.role, reference == nil {
                    findings.add(
                        .warning, .extraKey,
                        "key \"\(entry.key)\" is in \(tag) but not in the base language \(customization.baseLanguage)",
                        for: entry)
                }
                findings += FormatLint.check(entry, base: reference?.value, language: layer.language)
                findings += MessageLint.check(entry, base: reference?.value.text, language: layer.language)
            }
        }
    }

    private mutating func findMissingKeys(of layer: CustomizationLayer) {
        guard case .language(let tag) = layer.role else { return }
        // The file of a region contains only the differences from its parent.
        let hasParent = languages.contains { other in
            if case .language(let parent) = other.role { tag.fallbacks.dropFirst().contains(parent) } else { false }
        }
        if hasParent { return }
        for missing in coverage.missing(tag) {
            guard let reference = baseEntry(missing.key, missing.table) else { continue }
            let file = layer.tables[missing.table]?.file ?? ""
            findings.add(
                .warning, .missingTranslation,
                "no \(tag) translation of \"\(reference.key)\", defined at \(reference.location)",
                at: CustomizationLocation(file: file.isEmpty ? layer.id : file), key: reference.key)
            findings[findings.count - 1].language = tag
        }
    }
}

extension CustomizationLayer {
    /// Whether the layer is one of the base language.
    fileprivate var isBase: Bool { if case .base = role { true } else { false } }
    /// Whether the layer is one of another language, and not of a brand.
    fileprivate var isTranslation: Bool { if case .language = role { true } else { false } }
}

/// The findings of a lint.
public struct CustomizationReport: Sendable {
    /// The findings, sorted by file and line.
    public let diagnostics: [CustomizationDiagnostic]

    /// Creates a report.
    ///
    /// - Parameter diagnostics: The findings, in any order; duplicates are removed.
    public init(_ diagnostics: [CustomizationDiagnostic]) {
        // Positions are sorted instead of findings, which are large.
        let found = Array(Set(diagnostics))
        let order = found.indices.sorted { first, second in
            let (first, second) = (found[first], found[second])
            if first.line != second.line, first.file == second.file { return first.line < second.line }
            let (left, right) = (first.language?.description ?? "", second.language?.description ?? "")
            return (first.file, first.column, first.code.rawValue, first.message, left, first.key ?? "")
                < (second.file, second.column, second.code.rawValue, second.message, right, second.key ?? "")
        }
        self.init(sorted: order.map { found[$0] })
    }

    private init(sorted diagnostics: [CustomizationDiagnostic]) { self.diagnostics = diagnostics }

    /// Whether there are errors, in which case a program should exit with a failure.
    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// The findings, one per line in the format of a compiler, and a last line with their number.
    public var text: String {
        func count(_ severity: CustomizationDiagnostic.Severity) -> Int {
            diagnostics.count { $0.severity == severity }
        }
        return diagnostics.map { $0.description.onOneLine + "\n" }.joined()
            + "\(count(.error)) errors, \(count(.warning)) warnings, \(count(.note)) notes\n"
    }

    /// Returns the report with only the findings of some rules, given by their codes.
    public func only(_ codes: Set<CustomizationDiagnostic.Code>) -> CustomizationReport {
        CustomizationReport(sorted: diagnostics.filter { codes.contains($0.code) })
    }

    /// Returns the report without the findings of some rules, given by their codes.
    public func ignoring(_ codes: Set<CustomizationDiagnostic.Code>) -> CustomizationReport {
        CustomizationReport(sorted: diagnostics.filter { !codes.contains($0.code) })
    }
}

extension CustomizationReport {
    /// The codes of all findings of a lint.
    public static let codes: Set<CustomizationDiagnostic.Code> = [
        // Files
        .unreadableFile, .fileTooLarge, .missingFolder, .unknownFolder, .noBrand, .unknownName,
        .keptLastGood,
        .invalidEncoding, .missingByteOrderMark, .strayByteOrderMark, .brokenUTF16, .nulCharacter,
        // Grammar
        .missingSemicolon, .missingEquals, .unterminatedString, .unterminatedComment, .nestedComment,
        .statementInComment, .unexpectedCharacter, .unquotedText, .malformedContainer, .tooDeep, .notATable,
        .skippedText, .duplicateKey, .shorthand, .malformedEscape, .suspiciousEscape, .malformedFile, .furtherProblems,
        // Values
        .malformedValue, .aliasCycle, .danglingAlias,
        // Languages
        .missingTranslation, .extraKey,
        // Formats
        .placeholderMalformed, .placeholderSuspicious, .placeholderExtra, .placeholderMissing, .placeholderType,
        .pluralMissingOther, .pluralCategoryMissing, .pluralMalformed, .pluralUnknownVariable, .pluralUnknownCategory,
        .catalogPartSkipped,
    ]
}

extension CustomizationDiagnostic.Code {
    /// A key of the base language that a language lacks.
    package static let missingTranslation = Self("missing-translation")
    /// A key of a language that the base language lacks.
    package static let extraKey = Self("extra-key")
}

extension [CustomizationDiagnostic] {
    /// Adds a problem of an entry.
    mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        for entry: CustomizationEntry, fix: String? = nil
    ) {
        add(severity, code, message, at: entry.location, key: entry.key, fix: fix)
    }
}
