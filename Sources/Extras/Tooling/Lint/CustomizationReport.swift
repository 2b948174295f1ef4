import AshlarCore
public import AshlarCustomization
import AshlarTrees

/// The findings of a lint as text, a summary or SARIF.
public struct CustomizationReport: Sendable {
    /// The findings, sorted by file and line.
    public var diagnostics: [CustomizationDiagnostic]

    /// Creates a report.
    ///
    /// - Parameter diagnostics: The findings, in any order; duplicates are removed.
    public init(_ diagnostics: [CustomizationDiagnostic]) {
        self.diagnostics = Set(diagnostics).sorted {
            ($0.file, $0.line, $0.column, $0.code.rawValue, $0.message)
                < ($1.file, $1.line, $1.column, $1.code.rawValue, $1.message)
        }
    }

    /// Whether there are errors, in which case a program should exit with a failure.
    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    private var totals: String {
        func count(_ severity: CustomizationDiagnostic.Severity) -> Int {
            diagnostics.count { $0.severity == severity }
        }
        return "\(count(.error)) errors, \(count(.warning)) warnings, \(count(.note)) notes\n"
    }

    /// The findings, one per line in the format of a compiler, and a last line with their number.
    public var text: String { diagnostics.map { $0.description.onOneLine + "\n" }.joined() + totals }

    /// The number and first location of the findings of each rule, most frequent first, and a last line with the
    /// totals.
    public var summary: String {
        let rules = Dictionary(grouping: diagnostics, by: \.code).values.sorted {
            ($1.count, $0[0].code.rawValue) < ($0.count, $1[0].code.rawValue)
        }
        let lines = rules.map { findings in
            let severity = findings.map(\.severity).max() ?? .note
            return "\(findings.count) × \(findings[0].code) (\(severity)), first at \(findings[0].location)".onOneLine
                + "\n"
        }
        return lines.joined() + totals
    }

    /// The findings in few lines: one line for more than ten findings of a rule in a language, and one for a rule's
    /// findings of a key in several languages.
    ///
    /// Each line has the format of a compiler, and the last line contains the totals. Errors are treated like other
    /// findings. ``text`` contains every finding.
    ///
    /// - Complexity: O(*n* log *n*) in the number of findings.
    public var overview: String {
        // The folder of the language, or the file.
        func place(_ finding: CustomizationDiagnostic) -> String {
            let parts = finding.file.split(separator: "/")
            return parts.first { $0.hasSuffix(".lproj") }.map(String.init) ?? finding.file
        }
        // The groups of findings with the same name, in the order of their first findings.
        func groups(
            _ findings: [CustomizationDiagnostic], _ name: (CustomizationDiagnostic) -> [String]
        ) -> [[CustomizationDiagnostic]] {
            let numbers = Dictionary(grouping: findings.indices) { name(findings[$0]) }.values
            return numbers.sorted { $0[0] < $1[0] }.map { $0.map { findings[$0] } }
        }
        let rules = groups(diagnostics) { [place($0), $0.code.rawValue] }
        let many = rules.filter { $0.count > 10 }
        var lines = many.map { findings in
            let severity = findings.map(\.severity).max() ?? .note
            let keys = Set(findings.compactMap(\.key)).sorted().prefix(3).map { "\"\($0)\"" }
            let examples = keys.isEmpty ? "" : ", such as \(keys.joined(separator: ", "))"
            return "\(place(findings[0])): \(severity): \(findings.count) findings\(examples); the first is at "
                + "\(findings[0].location) [\(findings[0].code)]"
        }
        let few = diagnostics.filter(Set(diagnostics).subtracting(many.joined()).contains)
        lines += groups(few) { [$0.code.rawValue, $0.key ?? $0.description] }.map { findings in
            let others = Set(findings.dropFirst().map(place)).sorted()
            if others.isEmpty { return findings[0].description }
            let more = others.count > 5 ? " and \(others.count - 5) others" : ""
            return "\(findings[0].description) (\(findings.count - 1) more in "
                + "\(others.prefix(5).joined(separator: ", "))\(more))"
        }
        return lines.map { $0.onOneLine + "\n" }.joined() + totals
    }

    // MARK: Selecting findings

    /// Returns the report with only the findings of some rules, given by their codes.
    public func only(_ codes: Set<CustomizationDiagnostic.Code>) -> CustomizationReport {
        CustomizationReport(diagnostics.filter { codes.contains($0.code) })
    }

    /// Returns the report without the findings of some rules, given by their codes.
    public func ignoring(_ codes: Set<CustomizationDiagnostic.Code>) -> CustomizationReport {
        CustomizationReport(diagnostics.filter { !codes.contains($0.code) })
    }

    /// The findings as a baseline file: one line each, with file, rule and key but without line numbers.
    ///
    /// A baseline lists the accepted findings of a project; see ``removing(baseline:)``. It remains valid when lines
    /// move.
    public var baseline: String { diagnostics.map { Self.identity($0) + "\n" }.sorted().joined() }

    /// Returns the report without the findings of a baseline file.
    ///
    /// A line of the file removes one finding, so a second finding of the same kind is reported.
    ///
    /// - Parameter baseline: The text of the file; lines without a matching finding are ignored.
    /// - Returns: The new findings.
    public func removing(baseline: String) -> CustomizationReport {
        var known = Dictionary(baseline.split(whereSeparator: \.isNewline).map { (String($0), 1) }, uniquingKeysWith: +)
        var report = self
        report.diagnostics.removeAll { finding in
            guard let count = known[Self.identity(finding)], count > 0 else { return false }
            known[Self.identity(finding)] = count - 1
            return true
        }
        return report
    }

    private static func identity(_ finding: CustomizationDiagnostic) -> String {
        "\(finding.file) \(finding.code) \(JSONText.quoted(finding.key ?? ""))".onOneLine
    }

    /// The findings as SARIF 2.1.0 (OASIS), which code hosts and editors read.
    public var sarif: String {
        let rules = Set(diagnostics.map(\.code.rawValue)).sorted()
        let results = diagnostics.map { finding in
            let message = finding.message + (finding.fix.map { "; \($0)" } ?? "")
            return "        {\"ruleId\": \(JSONText.quoted(finding.code.rawValue)), "
                + "\"ruleIndex\": \(rules.firstIndex(of: finding.code.rawValue) ?? 0), "
                + "\"level\": \"\(finding.severity)\", \"message\": {\"text\": \(JSONText.quoted(message))}, "
                + "\"locations\": [\(Self.sarif(finding.location))]"
                + (finding.related.map { ", \"relatedLocations\": [\(Self.sarif($0))]" } ?? "") + "}"
        }
        return """
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "version": "2.1.0",
              "runs": [{
                "tool": {"driver": {"name": "ashlar", "rules": [\
            \(rules.map { "{\"id\": \(JSONText.quoted($0))}" }.joined(separator: ", "))]}},
                "columnKind": "unicodeCodePoints",
                "results": [
            \(results.joined(separator: ",\n"))
                ]
              }]
            }

            """
    }
}

extension CustomizationReport {
    private static func sarif(_ location: CustomizationLocation) -> String {
        var region = ""
        if location.line > 0 {
            region =
                ", \"region\": {\"startLine\": \(location.line)"
                + (location.column > 0 ? ", \"startColumn\": \(location.column)" : "") + "}"
        }
        let uri = PercentCoding.encode(location.file) { PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
        return "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": \(JSONText.quoted(uri))}\(region)}}"
    }
}

extension CustomizationReport {
    /// The codes of all findings of a lint.
    public static let codes: Set<CustomizationDiagnostic.Code> = [
        .malformedFlag, .unknownFlagEntry,
        // Files
        .unreadableFile, .fileTooLarge, .invalidUpdate, .missingFolder, .unknownFolder, .noBrand, .unknownName,
        .keptLastGood,
        .invalidEncoding, .missingByteOrderMark, .strayByteOrderMark, .brokenUTF16, .nulCharacter, .mixedEncodings,
        // Grammar
        .missingSemicolon, .missingEquals, .unterminatedString, .unterminatedComment, .nestedComment,
        .statementInComment, .unexpectedCharacter, .unquotedText, .malformedContainer, .tooDeep, .notATable,
        .skippedText, .duplicateKey, .shorthand, .malformedEscape, .suspiciousEscape, .malformedFile, .furtherProblems,
        .truncatedByFoundation,
        // Values
        .malformedValue, .aliasCycle, .danglingAlias, .missingImage, .ambiguousAlpha, .ignoredAlpha, .similarKeys,
        // Languages
        .missingTranslation, .extraKey, .untranslated, .changedType, .localizedNumber, .edgeWhitespace,
        // Formats
        .placeholderMalformed, .placeholderSuspicious, .placeholderExtra, .placeholderMissing, .placeholderType,
        .pluralMissingOther, .pluralCategoryMissing,
    ]
}

extension CustomizationDiagnostic.Code {
    /// A key of the base language that a language lacks.
    package static let missingTranslation = Self("missing-translation")
    /// A key of a language that the base language lacks.
    package static let extraKey = Self("extra-key")
    /// A string that is the same as the base language's.
    package static let untranslated = Self("untranslated")
    /// Two keys that differ only in case or in the composition of accents.
    package static let similarKeys = Self("similar-keys")
    /// The position at which Foundation stops reading the file without an error.
    package static let truncatedByFoundation = Self("truncated-by-foundation")
    /// A value whose type differs from the base language's value.
    package static let changedType = Self("changed-type")
    /// A number in the notation of a language, such as `0,25`, which a typed read doesn't accept.
    package static let localizedNumber = Self("localized-number")
    /// A fourth component of a color that could be a value from 0 to 255 or a percentage.
    package static let ambiguousAlpha = Self("ambiguous-alpha")
    /// The seventh and eighth digits of a color, which its dialect ignores.
    package static let ignoredAlpha = Self("ignored-alpha")
    /// Whitespace at the start or end of a string that differs from the base language's string.
    package static let edgeWhitespace = Self("edge-whitespace")
    /// Files of one table with different encodings.
    package static let mixedEncodings = Self("mixed-encodings")
}
