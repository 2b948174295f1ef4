extension LanguageTag {
    /// The tag with the script and region that it implies: `zh-Hant-TW` for `zh-TW`, `de-Latn-DE` for `de`.
    ///
    /// Implements "Add Likely Subtags" of UTS #35 with CLDR's table, except that an undetermined language (`und`) stays
    /// undetermined. Variants and extensions are unchanged. A language that CLDR does not list is returned as it is.
    package var maximized: LanguageTag {
        guard script == nil || region == nil else { return self }
        let codes = LanguageCodes(self)
        return LanguageTag(
            language: language, script: codes.script == 0 ? nil : LanguageCodes.text(codes.script),
            region: codes.region == 0 ? nil : LanguageCodes.text(codes.region), variants: variants,
            extensions: extensions)
    }

    /// The script that the language alone implies: `"Hans"` for Chinese.
    var defaultScript: String? {
        LikelySubtags.entry(LanguageCodes(language: language)).map { LanguageCodes.text($0.script) }
    }
}
