/// Replaces deprecated and overlong subtags with the algorithm of UTS #35, "Canonicalizing Syntax".
enum LanguageAliases {
    private struct Rule {
        let regionIsReplaced: Bool
        let variants: [String]
        let replacement: LanguageTag
    }

    private static let languages = CLDRTable.read(CLDRLanguageData.languageAliases)
    private static let regions = CLDRTable.read(CLDRLanguageData.regionAliases)
    private static let scriptsAndVariants = CLDRTable.read(CLDRLanguageData.otherAliases)

    /// Returns the replacement of a tag outside the grammar, such as `i-klingon`.
    ///
    /// - Parameter tag: The whole tag in lowercase.
    /// - Returns: The replacement; nil if there is none.
    static func irregular(_ tag: String) -> LanguageTag? {
        guard tag.utf8.contains(UInt8(ascii: "-")), let replacement = languages[tag] else { return nil }
        return LanguageTagParser.parse(replacement)
    }

    static func canonical(_ tag: LanguageTag) -> LanguageTag {
        var tag = tag
        // Each round applies one rule; CLDR's chains have at most three.
        for _ in 0..<8 {
            guard let next = replacingOnce(tag) else { break }
            tag = next
        }
        return LanguageTag(
            language: tag.language, script: tag.script.map { scriptsAndVariants[$0.lowercased()] ?? $0 },
            region: tag.region.map { region($0, of: tag) },
            variants: tag.variants.map { scriptsAndVariants[$0] ?? $0 }.sorted(), extensions: tag.extensions)
    }

    private static func replacingOnce(_ tag: LanguageTag) -> LanguageTag? {
        guard let rule = rule(for: tag) else { return nil }
        let new = rule.replacement
        let result = LanguageTag(
            language: new.language == "und" ? tag.language : new.language, script: tag.script ?? new.script,
            region: (rule.regionIsReplaced ? nil : tag.region) ?? new.region,
            variants: (tag.variants.filter { !rule.variants.contains($0) } + new.variants).sorted(),
            extensions: tag.extensions)
        return result == tag ? nil : result
    }

    /// Returns the most specific rule for a tag.
    private static func rule(for tag: LanguageTag) -> Rule? {
        func rule(_ key: String, regionIsReplaced: Bool = false, variants: [String] = []) -> Rule? {
            languages[key].flatMap(LanguageTagParser.parse).map {
                Rule(regionIsReplaced: regionIsReplaced, variants: variants, replacement: $0)
            }
        }
        for (index, first) in tag.variants.enumerated() {
            for second in tag.variants[(index + 1)...] {
                if let found = rule("und-\(first)-\(second)", variants: [first, second]) { return found }
            }
        }
        for variant in tag.variants {
            if let found = rule("\(tag.language)-\(variant)", variants: [variant]) { return found }
        }
        if let region = tag.region,
            let found = rule("\(tag.language)-\(self.region(region, of: tag))".lowercased(), regionIsReplaced: true)
        {
            return found
        }
        if let found = rule(tag.language) { return found }
        return tag.variants.lazy.compactMap { rule("und-\($0)", variants: [$0]) }.first
    }

    /// Returns the successor of an old region; of several, the one that the language implies, or else the most
    /// populous.
    private static func region(_ region: String, of tag: LanguageTag) -> String {
        guard let successors = regions[region.lowercased()]?.split(separator: "|").map(String.init) else {
            return region
        }
        if successors.count > 1 {
            let home = LanguageTag(language: tag.language, script: tag.script).maximized.region
            if let home, successors.contains(home) { return home }
        }
        return successors.first ?? region
    }
}
