extension LanguageTag {
    /// Chooses the languages to lay over the base language, from general to specific.
    ///
    /// The preferences are tried in order; the first that has anything available decides, and the chain holds every
    /// available tag on its way to the root (see ``fallbacks``). An empty chain means that no preference is available:
    /// use the base alone. The base counts as available, so a reader who prefers it gets it, and not the next preference;
    /// it stands in the chain only then.
    ///
    /// Tags also match by what they imply: `zh-Hant` finds `zh-TW` and `fr-CH` finds `fr-FR` if there is no plain `fr`,
    /// because `fr` implies France. A tag never matches one in another script: `zh-TW` does not find `zh-CN`.
    ///
    /// ```swift
    /// let chain = LanguageTag.chain(for: ["fr-CA", "de"], available: ["de", "fr", "fr-CA"], base: "en")
    /// print(chain)  // [fr, fr-CA]
    /// ```
    ///
    /// - Parameters:
    ///   - preferred: The reader's languages, the best first.
    ///   - available: The languages there are, in any order.
    ///   - base: The language in which every text exists.
    /// - Returns: Members of `available`, or `base`; each once.
    /// - Complexity: O(*p* × *a*) in the numbers of preferred and available tags.
    public static func chain(
        for preferred: [LanguageTag], available: [LanguageTag], base: LanguageTag
    ) -> [LanguageTag] {
        let candidates = (available + [base]).map { (tag: $0, implied: $0.matchingForm) }
        for preference in preferred {
            var chain: [LanguageTag] = []
            for group in preference.fallbackGroups.reversed() {
                var members = candidates.filter { candidate in
                    group.tags.contains(candidate.tag)
                        || (candidate.tag.isGeneral && candidate.implied == group.implied
                            && group.tags.contains { $0.language == candidate.tag.language })
                }
                if members.isEmpty { members = candidates.filter { $0.implied == group.implied } }
                for tag in members.map(\.tag).sorted(by: isMoreGeneral) where !chain.contains(tag) {
                    chain.append(tag)
                }
            }
            if !chain.isEmpty { return chain }
        }
        return []
    }

    /// The fallbacks, from specific to general, in groups that imply the same language, script and region.
    private var fallbackGroups: [(implied: LanguageTag, tags: [LanguageTag])] {
        var groups: [(implied: LanguageTag, tags: [LanguageTag])] = []
        for tag in fallbacks {
            let implied = tag.matchingForm
            if let index = groups.firstIndex(where: { $0.implied == implied }) {
                groups[index].tags.append(tag)
            } else {
                groups.append((implied, [tag]))
            }
        }
        return groups
    }

    /// What the tag implies; plain Norwegian counts as the Bokmål that it nearly always is.
    private var matchingForm: LanguageTag {
        let full = maximized
        guard language == "no" else { return full }
        return LanguageTag(
            language: "nb", script: full.script, region: full.region, variants: variants, extensions: extensions)
    }

    private var isGeneral: Bool { region == nil && variants.isEmpty && extensions.isEmpty }

    private static func isMoreGeneral(_ left: LanguageTag, _ right: LanguageTag) -> Bool {
        func rank(_ tag: LanguageTag) -> [Int] {
            [
                tag.extensions.count, tag.variants.count, tag.region == nil ? 0 : 1, tag.script == nil ? 0 : 1,
                tag.language == "no" ? 0 : 1,
            ]
        }
        return rank(left).lexicographicallyPrecedes(rank(right))
    }
}
