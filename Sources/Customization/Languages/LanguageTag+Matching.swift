extension LanguageTag {
    /// Returns the available tags among this tag and its parents, from general to specific.
    ///
    /// Tags that imply the same language, script and region are equivalent, such as `zh-TW` and `zh-Hant`.
    func chain(among candidates: [LanguageTag], _ codes: [LanguageCodes]) -> [LanguageTag] {
        let fallbacks = fallbacks
        let ways = fallbacks.map { LanguageCodes($0).matchingForm }
        let languages = Set(ways.map(\.language))
        let kin = codes.indices.filter { languages.contains(codes[$0].matchingForm.language) }
        var chain: [LanguageTag] = []
        for (index, way) in ways.enumerated().reversed() where !ways[..<index].contains(way) {
            let group = zip(fallbacks, ways).filter { $0.1 == way }.map(\.0)
            let related = kin.filter { group.contains(candidates[$0]) || codes[$0].matchingForm == way }
                .map { candidates[$0] }
            let members = related.filter { tag in
                group.contains(tag) || tag.isGeneral && group.contains { $0.language == tag.language }
            }
            for tag in (members.isEmpty ? related : members).sorted(by: {
                $0.specificity.lexicographicallyPrecedes($1.specificity)
            })
            where !chain.contains(tag) {
                chain.append(tag)
            }
        }
        return chain
    }

    private var isGeneral: Bool { region == nil && variants.isEmpty && extensions.isEmpty }

    /// The numbers of extensions, variants, regions and scripts, for sorting general tags before specific ones.
    var specificity: [Int] {
        [
            extensions.count, variants.count, region == nil ? 0 : 1, script == nil ? 0 : 1, language == "no" ? 0 : 1,
        ]
    }
}

extension LanguageCodes {
    /// The codes, with Norwegian replaced by Bokmål, which it nearly always is.
    fileprivate var matchingForm: LanguageCodes {
        var codes = self
        if language == Self.norwegian { codes.language = Self.bokmal }
        return codes
    }

    private static let norwegian = code("no")
    private static let bokmal = code("nb")
}
