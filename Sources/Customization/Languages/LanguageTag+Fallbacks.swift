extension LanguageTag {
    /// The tag whose texts replace missing texts of this one; nil if only the base language remains.
    ///
    /// Private use, extensions and variants are dropped first, from the right, as in the lookup of RFC 4647, section 3.4.
    /// Then CLDR's parents apply: `es-MX` → `es-419`, `en-AU` → `en-001`, `pt-AO` → `pt-PT`. A region that implies
    /// another script than the language leads to that script (`zh-TW` → `zh-Hant-TW`), which does not lead back to the
    /// language: `zh-Hant` and `sr-Latn` have no parent, because their readers cannot read `zh` and `sr`.
    package var parent: LanguageTag? {
        if let last = extensions.last { return droppingEnd(of: last) }
        if !variants.isEmpty {
            return LanguageTag(language: language, script: script, region: region, variants: variants.dropLast())
        }
        if let parent = Self.parents[description] { return parent.isEmpty ? nil : LanguageTagParser.parse(parent) }
        guard let region else {
            return script == nil || script != defaultScript ? nil : LanguageTag(language: language)
        }
        guard let script else {
            let implied = maximized.script
            guard implied != defaultScript else { return LanguageTag(language: language) }
            return LanguageTag(language: language, script: implied, region: region)
        }
        if script == defaultScript, Self.parents["\(language)-\(region)"] != nil {
            return LanguageTag(language: language, region: region)
        }
        return LanguageTag(language: language, script: script)
    }

    /// The tag and its parents, from specific to general: `es-MX`, `es-419`, `es`.
    public var fallbacks: [LanguageTag] {
        var tags = [self]
        while let next = tags.last?.parent, !tags.contains(next) { tags.append(next) }
        return tags
    }

    /// Removes the last subtag, and the singleton before it if it has no other subtag.
    private func droppingEnd(of last: String) -> LanguageTag {
        let rest = last.split(separator: "-").dropLast()
        let kept = rest.count > 1 ? [rest.joined(separator: "-")] : []
        return LanguageTag(
            language: language, script: script, region: region, variants: variants,
            extensions: extensions.dropLast() + kept)
    }

    private static let parents = CLDRTable.read(CLDRLanguageData.parents)
}
