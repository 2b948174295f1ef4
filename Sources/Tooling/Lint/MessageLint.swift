import AshlarCustomization

/// Compares the arguments of ICU messages with those of the base language, and finds syntax errors.
///
/// A string is an ICU message if the base language's string has an argument in braces, or if it contains the start of a
/// plural or a choice. Other strings can contain braces.
enum MessageLint {
    private typealias Use = CustomizationMessage.ArgumentUse

    static func check(layers: [CustomizationLayer]) -> [CustomizationDiagnostic] {
        let bases = layers.filter(\.isBase)
        var findings: [CustomizationDiagnostic] = []
        for layer in layers {
            for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
                for entry in table {
                    guard case .string(let text) = entry.value else { continue }
                    let base = bases.reversed().lazy.compactMap { $0.tables[name]?[entry.key]?.text }.first
                    guard isMessage(base ?? text) || hasChoice(text) else { continue }
                    findings += check(text, entry, base: layer.isBase ? nil : base, language: layer.language)
                }
            }
        }
        return findings
    }

    /// Whether a string has an argument in braces.
    private static func isMessage(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return false }
        // "Use { and }" has no argument.
        return hasChoice(text)
            || CustomizationMessage(icu: text).argumentUses.contains { text.contains("{\($0.name)}") }
    }

    /// Whether a string contains the start of a plural or a choice, well-formed or not.
    private static func hasChoice(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return false }
        return text.split(separator: "{").dropFirst(text.hasPrefix("{") ? 0 : 1).contains { part in
            let words = part.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            return words.count > 1
                && ["plural", "select", "selectordinal"].contains(String(words[1]).trimmingSpace())
        }
    }

    private static func check(
        _ text: String, _ entry: CustomizationEntry, base: String?, language: LanguageTag?
    ) -> [CustomizationDiagnostic] {
        var findings: [CustomizationDiagnostic] = []
        func add(
            _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String
        ) {
            findings.add(severity, code, message, at: entry.location, key: entry.key)
        }
        let message = CustomizationMessage(icu: text)
        for problem in message.problems {
            switch problem.code {
            case .missingOther: add(.error, .pluralMissingOther, problem.description)
            case .messageSyntax: add(.error, .placeholderMalformed, "\(problem.description), at byte \(problem.offset)")
            default: add(.warning, .placeholderMalformed, problem.description)
            }
        }
        if let language {
            for use in message.argumentUses where use.kind == .plural || use.kind == .ordinal {
                let rules = PluralRules(language, kind: use.kind == .ordinal ? .ordinal : .cardinal)
                let missing = rules.usualCategories.map(\.rawValue).filter { !use.cases.contains($0) && $0 != "other" }
                // A case for exactly 1 often replaces the category.
                guard !missing.isEmpty, !(use.hasExactCases && missing == ["one"]) else { continue }
                add(
                    .warning, .pluralCategoryMissing,
                    "missing plural forms of \"\(use.name)\" for \(language): \(missing.joined(separator: ", "))")
            }
        }
        guard let base, !message.problems.contains(where: { $0.code == .messageSyntax }) else { return findings }
        let expected = kinds(CustomizationMessage(icu: base))
        let found = kinds(message)
        for (name, kinds) in found.sorted(by: { $0.key < $1.key }) {
            guard let before = expected[name] else {
                add(.error, .placeholderExtra, "argument \"\(name)\" is not used in the base language")
                continue
            }
            if let kind = kinds.subtracting(before).sorted().first, !before.isEmpty {
                add(
                    .error, .placeholderType,
                    "argument \"\(name)\" is a \(before.sorted().joined(separator: " and ")) in the base language, here a \(kind)"
                )
            }
        }
        for name in expected.keys.sorted() where found[name] == nil {
            add(.warning, .placeholderMissing, "argument \"\(name)\" of the base language is not used")
        }
        return findings
    }

    /// Returns the kinds of each argument: number or choice by name; an argument that is only displayed has no kind.
    private static func kinds(_ message: CustomizationMessage) -> [String: Set<String>] {
        message.argumentUses.reduce(into: [:]) { kinds, use in
            switch use.kind {
            case .plain: kinds[use.name, default: []].formUnion([])
            case .number, .plural, .ordinal: kinds[use.name, default: []].insert("number")
            case .date: kinds[use.name, default: []].insert("date")
            case .select: kinds[use.name, default: []].insert("choice by name")
            }
        }
    }
}
