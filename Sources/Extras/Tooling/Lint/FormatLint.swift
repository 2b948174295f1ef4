package import AshlarCustomization
import AshlarTexts

/// Compares the placeholders of translations with those of the base language, and finds missing plural forms.
enum FormatLint {
    /// Returns the problems of an entry.
    static func check(
        _ entry: CustomizationEntry, base: CustomizationValue?, language: LanguageTag?
    ) -> [CustomizationDiagnostic] {
        guard let text = FormatUse(entry.value) else { return [] }
        let base = base.flatMap(FormatUse.init)
        var found: [CustomizationDiagnostic] = []
        func add(
            _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
            fix: String? = nil
        ) {
            found.add(severity, code, message, for: entry, fix: fix)
        }
        if text.isFormat || base?.isFormat == true {
            for problem in text.problems {
                let fix = "write %% for a percent sign"
                let hasFix = problem.code != .unknownConversion || problem.description.contains(fix)
                add(.warning, .placeholderMalformed, problem.description, fix: hasFix ? nil : fix)
            }
            for placeholder in text.suspicious {
                add(
                    .warning, .placeholderSuspicious, "\"\(placeholder)\" is read as a placeholder",
                    fix: "write %% for a percent sign")
            }
        }
        if let base {
            for (position, type) in text.arguments.sorted(by: { $0.key < $1.key }) {
                guard let expected = base.arguments[position] else {
                    add(.error, .placeholderExtra, "argument \(position) (\(type)) is not used in the base language")
                    continue
                }
                if expected != type {
                    add(
                        expected.kind == type.kind ? .warning : .error, .placeholderType,
                        "argument \(position) is \(expected) in the base language, here \(type)")
                }
            }
            for (position, type) in base.arguments.sorted(by: { $0.key < $1.key })
            where text.arguments[position] == nil {
                add(.warning, .placeholderMissing, "argument \(position) (\(type)) of the base language is not used")
            }
        }
        if let language, let message = text.message {
            for (name, variable) in message.variables.sorted(by: { $0.key < $1.key }) {
                let missing = PluralRules(language).usualCategories.filter { variable.forms[$0] == nil }
                guard !missing.isEmpty else { continue }
                let names = missing.map(\.rawValue).joined(separator: ", ")
                add(.warning, .pluralCategoryMissing, "missing plural forms of \"\(name)\" for \(language): \(names)")
            }
        }
        return found
    }
}

/// The arguments that a message uses.
private struct FormatUse {
    private(set) var arguments: [Int: PrintfFormat.PlaceholderType] = [:]
    private(set) var problems: [MessageProblem] = []
    /// Placeholders that are probably unintended, as in "50% of all".
    private(set) var suspicious: [String] = []
    private(set) var message: PluralText?

    var isFormat: Bool { !arguments.isEmpty }

    init?(_ value: CustomizationValue) {
        switch value {
        case .string(let text):
            let format = PrintfFormat(text)
            problems = format.problems
            take(format)
            for placeholder in format.placeholders where !placeholder.isAccidental {
                for (position, type) in placeholder.uses { add(type, at: position) }
            }
        case .message(let message):
            guard let text = message.source().pluralText else { return nil }
            self.message = text
            walk(text.format, text, PluralNumbering(text), own: nil, next: 1, path: [])
        default: return nil
        }
    }

    private mutating func add(_ type: PrintfFormat.PlaceholderType, at position: Int) {
        arguments[position] = arguments[position] ?? type
    }

    private mutating func take(_ format: PrintfFormat) {
        suspicious += format.placeholders.filter(\.isAccidental).map(\.text)
    }

    /// Collects the arguments of a message and of all forms of its variables.
    private mutating func walk(
        _ text: String, _ message: PluralText, _ numbering: PluralNumbering, own: Int?, next: Int,
        path: [String]
    ) {
        let format = PrintfFormat(text)
        problems += format.problems.filter { $0.code == .unknownConversion || $0.code == .tooWide }
        take(format)
        for (segment, position) in numbering.segments(of: format, own: own, next: next) {
            guard case .placeholder(let placeholder) = segment, !placeholder.isAccidental else { continue }
            guard let name = placeholder.variable else {
                add(placeholder.type, at: position)
                continue
            }
            guard !path.contains(name), path.count < 16, let variable = message.variables[name],
                let numbers = numbering.variables[name]
            else { continue }
            add(PrintfFormat("%" + variable.valueType).placeholders.first?.type ?? .int, at: position)
            for form in variable.forms.values {
                walk(form, message, numbering, own: position, next: numbers.next, path: path + [name])
            }
        }
    }
}

extension PluralRules {
    /// The categories of integers up to 200; the others are for fractions and large numbers.
    var usualCategories: [PluralCategory] {
        let used = Set((0...200).map { category(for: $0) })
        return categories.filter { used.contains($0) }
    }
}

extension CustomizationDiagnostic.Code {
    package static let placeholderMalformed = Self("placeholder-malformed")
    /// A text that is a placeholder, or similar to one, but is probably not intended as one.
    package static let placeholderSuspicious = Self("placeholder-suspicious")
    /// An argument that a translation uses but the base language's string doesn't.
    package static let placeholderExtra = Self("placeholder-extra")
    /// An argument of the base language's string that a translation doesn't use.
    package static let placeholderMissing = Self("placeholder-missing")
    /// An argument whose type differs from the base language's string.
    package static let placeholderType = Self("placeholder-type")
    /// A plural form that the language requires is missing.
    package static let pluralCategoryMissing = Self("plural-category-missing")
}

/// Compares the arguments of ICU messages with those of the base language, and finds syntax errors.
///
/// A string is an ICU message if the base language's string has an argument in braces, or if it contains the start of an
/// argument with a type. Other strings can contain braces.
enum MessageLint {
    /// Whether a string has an argument in braces.
    private static func isMessage(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return false }
        // "Use { and }" has no argument.
        return hasType(text)
            || CustomizationMessage(icu: text).argumentUses.contains { text.contains("{\($0.name)}") }
    }

    /// The types of ICU's arguments, with those that aren't supported.
    private static let types: Set<String> = [
        "plural", "select", "selectordinal", "number", "date", "time", "spellout", "ordinal", "duration",
    ]

    /// Whether a string contains the start of an argument with a type, well-formed or not.
    private static func hasType(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return false }
        return text.split(separator: "{").dropFirst(text.hasPrefix("{") ? 0 : 1).contains { part in
            let words = part.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            return words.count > 1 && types.contains(String(words[1].prefix { $0 != "}" }).trimmingSpace())
        }
    }

    /// Returns the problems of an entry.
    static func check(
        _ entry: CustomizationEntry, base: String?, language: LanguageTag?
    ) -> [CustomizationDiagnostic] {
        guard case .string(let text) = entry.value, isMessage(base ?? text) || hasType(text) else { return [] }
        var findings: [CustomizationDiagnostic] = []
        func add(
            _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String
        ) {
            findings.add(severity, code, message, for: entry)
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
            case .number, .amount, .plural, .ordinal: kinds[use.name, default: []].insert("number")
            case .date: kinds[use.name, default: []].insert("date")
            case .select: kinds[use.name, default: []].insert("choice by name")
            }
        }
    }
}
