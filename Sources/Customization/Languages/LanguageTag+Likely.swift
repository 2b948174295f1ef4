extension LanguageTag {
    /// The tag with the script and region that it implies written out: `zh-TW` gives `zh-Hant-TW`, `de` gives `de-Latn-DE`.
    ///
    /// By the "Add Likely Subtags" operation of UTS #35 with CLDR's table, without its guesses for an open language
    /// (`und`). Variants and extensions stay. A language that CLDR does not know stays as it is.
    public var maximized: LanguageTag {
        guard script == nil || region == nil, let likely = likelySubtags else { return self }
        return LanguageTag(
            language: language, script: script ?? likely.script, region: region ?? likely.region, variants: variants,
            extensions: extensions)
    }

    private var likelySubtags: LikelySubtags.Entry? {
        if let region, let entry = LikelySubtags.entries["\(language)-\(region)"] { return entry }
        if let script, let entry = LikelySubtags.entries["\(language)-\(script)"] { return entry }
        return LikelySubtags.entries[language]
    }

    /// The script that the language alone implies, `"Hans"` for Chinese.
    var defaultScript: String? { LikelySubtags.entries[language]?.script }
}

/// CLDR's table of what a tag implies, by tag.
enum LikelySubtags {
    struct Entry {
        let script: String
        let region: String
    }

    static let entries: [String: Entry] = CLDRTable.read(CLDRLanguageData.likelySubtags).compactMapValues { implied in
        let subtags = implied.split(separator: "-").map(String.init)
        return subtags.count == 2 ? Entry(script: subtags[0], region: subtags[1]) : nil
    }
}
