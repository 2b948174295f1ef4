public import AshlarCustomization

/// The result of a merge: the merged catalog, its problems, and the number of changes.
public struct TranslationMerge: Sendable {
    /// The side that wins in a conflict.
    public enum Side: Hashable, Sendable {
        /// The catalog that is merged into.
        case ours
        /// The other catalog.
        case theirs
    }

    /// The merged catalog.
    public internal(set) var catalog: TranslationCatalog
    /// The conflicts, changed source texts and omitted keys, in the order of the other catalog.
    public internal(set) var diagnostics: [CustomizationDiagnostic] = []
    /// The number of translations that were missing.
    public internal(set) var added = 0
    /// The number of translations with another text or state than before.
    public internal(set) var updated = 0
    /// The number of translations without a change.
    public internal(set) var unchanged = 0
    /// The number of translations that both sides changed, including those that a preferred side decides.
    public internal(set) var conflicts = 0

    /// The numbers in one line: `3 added, 1 updated, 12 unchanged, 0 conflicts`.
    public var summary: String {
        "\(added) added, \(updated) updated, \(unchanged) unchanged, \(conflicts) conflicts"
    }
}

extension TranslationCatalog {
    /// Merges the translations of another catalog, unit by unit.
    ///
    /// The merge compares both sides with their common ancestor: the state of the translations when they were exported.
    /// An exported file contains it, unless a tool removed it. A translation that only the other side changed is used.
    /// Without an ancestor, a translation that is missing here is used, and two different translations are a conflict.
    /// If the source text has changed, the translation is used in the state `needsReview`. A key that is missing here is
    /// reported and not added. No unit prevents the merge of another one. Another source language is an error.
    ///
    /// - Parameters:
    ///   - other: The catalog with the new translations, such as one read from XLIFF.
    ///   - ancestor: The catalog that was exported; if nil, its state in the file.
    ///   - side: The side that wins in a conflict; if nil, the conflict is reported and the translation here remains.
    /// - Returns: The merged catalog, and a report.
    /// - Complexity: O(*n*) in the number of translations.
    public func merging(
        _ other: TranslationCatalog, ancestor: TranslationCatalog? = nil, preferring side: TranslationMerge.Side? = nil
    ) -> TranslationMerge {
        var merger = Merger(self, ancestor: ancestor, side: side)
        if other.sourceLanguage.language != sourceLanguage.language {
            merger.merge.diagnostics.add(
                .error, .exchangeLoss,
                "the source language is \(other.sourceLanguage), not \(sourceLanguage); texts in \(sourceLanguage) are left out",
                at: CustomizationLocation(file: "translations"))
        }
        let index = UnitIndex(other.units)
        for first in index.keys {
            merger.merge(index.forms(other.units[first].table, other.units[first].key).map { other.units[$0] })
        }
        return merger.merge
    }
}

private struct Merger {
    let ancestor: TranslationCatalog?
    let side: TranslationMerge.Side?
    var merge: TranslationMerge
    private var index: UnitIndex
    private let ancestors: UnitIndex
    private let tables: Set<String>

    init(_ ours: TranslationCatalog, ancestor: TranslationCatalog?, side: TranslationMerge.Side?) {
        self.ancestor = ancestor
        self.side = side
        merge = TranslationMerge(catalog: ours)
        index = UnitIndex(ours.units)
        ancestors = UnitIndex(ancestor?.units ?? [])
        tables = Set(ours.units.map(\.table))
    }

    /// The table of a unit; that of `en.lproj/Main.strings` is `Main`, unless a table has the whole name.
    private func table(_ name: String) -> String {
        if tables.contains(name) { return name }
        let file = name.split(separator: "/").last.map(String.init) ?? name
        let suffix = [".strings", ".stringsdict", ".xcstrings", ".xib", ".storyboard"].first(where: file.hasSuffix)
        return suffix.map { String(file.dropLast($0.count)) } ?? file
    }

    /// Merges the forms of a key.
    mutating func merge(_ units: [TranslationUnit]) {
        let (table, key) = (table(units[0].table), units[0].key)
        func report(
            _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String
        ) {
            merge.diagnostics.add(severity, code, message, at: CustomizationLocation(file: table), key: key)
        }
        let mine = index.forms(table, key).map { merge.catalog.units[$0] }
        guard !mine.isEmpty else {
            return report(.warning, .extraKey, "table \(table) has no key \"\(key)\"; its translations are left out")
        }
        guard mine.allSatisfy(\.shouldTranslate) else {
            let isChanged = units.contains { unit in
                unit.targets.contains { language, target in
                    target.isTranslated && mine.first { $0.form == unit.form }?.targets[language]?.text != target.text
                }
            }
            guard isChanged else { return }
            return report(.warning, .extraKey, "the text of \"\(key)\" isn't for translators and doesn't change")
        }
        let sources = mine.filter { $0.source != nil }
        let isOutdated = units.contains { unit in
            unit.source.map {
                let source = TranslationCatalog.sourceText(of: unit.form, in: sources) ?? key
                return (unit.hasMarkup ? XLIFFText.plain($0) : $0) != source
            } ?? false
        }
        if isOutdated {
            report(
                .note, .outdatedTranslation,
                "the text of \(merge.catalog.sourceLanguage) of \"\(key)\" has changed since; its translations need a review"
            )
        }
        for language in Set(units.flatMap(\.targets.keys)).sorted(by: { $0.description < $1.description })
        where language != merge.catalog.sourceLanguage {
            let old = mine.filter { $0.targets[language]?.isTranslated == true }
            let new = units.filter { $0.targets[language]?.isTranslated == true }
            // A plural in place of a plain text, or the reverse, replaces all forms.
            let isReplaced =
                !old.isEmpty && !new.isEmpty && !old.contains { form in new.contains { $0.form == form.form } }
            var isTaken = false
            for unit in units {
                guard var target = unit.targets[language] else { continue }
                guard TranslationUnit.isForm(unit.form) else {
                    report(.error, .malformedFile, "\"\(unit.form)\" is not a form of \"\(key)\"")
                    continue
                }
                if unit.hasMarkup {
                    target.text = XLIFFText.plain(target.text)
                    report(.warning, .exchangeLoss, "inline markup in \(language) of \"\(key)\" is read as text")
                }
                if isOutdated, target.state == .translated { target.state = .needsReview }
                let current =
                    isReplaced ? old[0].targets[language] : mine.first { $0.form == unit.form }?.targets[language]
                let base = ancestor.map { ancestor in
                    ancestors.forms(table, key).map { ancestor.units[$0] }.first { $0.form == unit.form }?
                        .targets[language]?.digest
                }
                let exported = base ?? unit.targets[language]?.exported
                // A translation that is missing here is used, even if the file still has the exported one.
                let isUnchangedThere =
                    current != nil && exported != nil && exported == unit.targets[language]?.digest
                guard !isUnchangedThere, let conflict = decide(current, target, base: exported, isOutdated: isOutdated)
                else {
                    merge.unchanged += 1
                    continue
                }
                if conflict, side == nil {
                    report(
                        .warning, .mergeConflict,
                        "two \(language) translations of \"\(unit.name)\": \"\(current?.text ?? "")\" is used, "
                            + "\"\(target.text)\" is not")
                }
                guard !conflict || side == .theirs else { continue }
                isTaken = true
                var added = unit
                (added.table, added.targets, added.source, added.element) = (table, [:], nil, nil)
                (added.hasMarkup, added.note, added.extractionState) = (false, mine[0].note, mine[0].extractionState)
                let sibling = mine.first { $0.plural != nil && $0.plural?.path == unit.plural?.path } ?? mine[0]
                added.notation = sibling.notation
                target.exported = nil
                let number = index.unit(added, in: &merge.catalog.units)
                merge.catalog.units[number].targets[language] = target
            }
            guard isReplaced, isTaken else { continue }
            for number in index.forms(table, key)
            where !new.contains(where: { $0.form == merge.catalog.units[number].form }) {
                merge.catalog.units[number].targets[language] = nil
            }
        }
    }

    /// Compares a translation with the current one; nil to keep the current one, otherwise whether it is a conflict.
    private mutating func decide(
        _ ours: TranslationUnit.Target?, _ theirs: TranslationUnit.Target, base: String?, isOutdated: Bool
    ) -> Bool? {
        let isSame = ours?.text == theirs.text && (ours?.state == theirs.state || isOutdated)
        if isSame || (!theirs.isTranslated && (ours == nil || ours?.isTranslated == true)) { return nil }
        let isConflict =
            ours?.isTranslated == true && ours?.text != theirs.text && (base == nil || ours?.digest != base)
        if isConflict {
            merge.conflicts += 1
        } else if ours?.isTranslated == true {
            merge.updated += 1
        } else {
            merge.added += 1
        }
        return isConflict
    }
}
