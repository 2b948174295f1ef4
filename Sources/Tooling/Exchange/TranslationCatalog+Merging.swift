public import AshlarCustomization

extension TranslationCatalog {
    /// Merges the translations of another catalog, unit by unit.
    ///
    /// With a common ancestor, a translation that only one side changed is used, and different changes of both sides
    /// are a conflict. Without an ancestor, a translation that is missing here is used, and two different translations
    /// are a conflict. If the source string has changed, the translation is used in the state `needsReview`. A key that
    /// is missing here is reported and not added. For a conflict, the result contains the receiver's translation.
    ///
    /// - Parameters:
    ///   - other: The catalog with the new translations, such as one read from XLIFF.
    ///   - ancestor: The common ancestor of both catalogs, if it is known.
    /// - Returns: The merged catalog, and the conflicts and changed source strings in the order of the units.
    /// - Complexity: O(*n*) in the number of translations.
    public func merging(
        _ other: TranslationCatalog, ancestor: TranslationCatalog? = nil
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        var (catalog, diagnostics): (TranslationCatalog, [CustomizationDiagnostic]) = (self, [])
        let index = UnitIndex(units)
        let ancestors = UnitIndex(ancestor?.units ?? [])
        for unit in other.units {
            func report(
                _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String
            ) {
                diagnostics.add(
                    severity, code, message, at: CustomizationLocation(file: unit.table), key: unit.key)
            }
            guard let number = index.find(unit.table, unit.key) else {
                report(
                    .warning, .extraKey, "table \(unit.table) has no key \"\(unit.key)\"; its translations are left out"
                )
                continue
            }
            let mine = units[number]
            let old = ancestors.find(unit.table, unit.key).flatMap { ancestor?.units[$0] }
            let source = unit.translations[other.sourceLanguage]?.value
            let isOutdated = source.map { !Self.isSame($0, mine.translations[sourceLanguage]?.value) } ?? false
            if isOutdated {
                report(
                    .note, .outdatedTranslation,
                    "the text of \(sourceLanguage) has changed since; its translations need a review")
            }
            for (language, theirs) in unit.translations.sorted(by: { $0.key.description < $1.key.description })
            where language != sourceLanguage {
                var theirs = theirs
                if isOutdated, theirs.state == .translated { theirs.state = .needsReview }
                let ours = mine.translations[language]
                let base = old?.translations[language]
                if ours == theirs || (ours?.value == theirs.value && isOutdated) { continue }
                let isUnchangedThere = base != nil && base?.value == theirs.value && base?.state == theirs.state
                if isUnchangedThere || (theirs.state == .new && ours != nil && ours?.state != .new) { continue }
                let isUnchangedHere = ours == nil || ours?.state == .new || (old != nil && ours == base)
                if isUnchangedHere || ours?.value == theirs.value {
                    catalog.units[number].translations[language] = theirs
                    continue
                }
                report(
                    .warning, .mergeConflict,
                    "two \(language) translations: \(ours?.value.description ?? "") is used, \(theirs.value) is not")
            }
        }
        return (catalog, diagnostics)
    }

    /// Whether the other catalog has the same source string, which may have plural categories of other languages.
    private static func isSame(_ theirs: CustomizationValue, _ ours: CustomizationValue?) -> Bool {
        guard let ours = ours.flatMap({ TranslationParts($0) }), let theirs = TranslationParts(theirs) else {
            return false
        }
        return ours.parts.allSatisfy { theirs.parts.contains($0) }
    }
}

extension CustomizationDiagnostic.Code {
    /// A translation of a source string that has changed.
    package static let outdatedTranslation = Self("outdated-translation")
}
