extension LanguageTag {
    /// The tag whose texts replace missing texts of this one; nil if only the base language remains.
    ///
    /// Private use, extensions and variants are dropped first, from the right, as in the lookup of RFC 4647, section 3.4.
    /// Then CLDR's parents apply: `es-MX` → `es-419`, `en-AU` → `en-001`, `pt-AO` → `pt-PT`. A region that implies
    /// another script than the language leads to that script (`zh-TW` → `zh-Hant-TW`), which does not lead back to the
    /// language: `zh-Hant` and `sr-Latn` have no parent, because their readers can't read `zh` and `sr`.
    package var parent: LanguageTag? {
        if let last = extensions.last { return droppingEnd(of: last) }
        if !variants.isEmpty {
            return LanguageTag(language: language, script: script, region: region, variants: variants.dropLast())
        }
        if let parent = Self.parents[description] { return parent }
        guard let region else {
            return script == nil || script != defaultScript ? nil : LanguageTag(language: language)
        }
        guard let script else {
            let implied = LanguageCodes(self).script
            guard implied != defaultScript ?? "" else { return LanguageTag(language: language) }
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

    private static let parents: [String: LanguageTag] = {
        var parents: [String: LanguageTag] = [:]
        for (text, children) in CLDRTable.pairs(CLDRLanguageData.parents) {
            guard let parent = LanguageTagParser.parse(text) else { continue }
            for child in children.split(separator: "+") {
                // A region stands for a locale with the language of its parent.
                let isRegion = child.first?.isLowercase == false
                parents[isRegion ? "\(parent.language)-\(child)" : String(child)] = parent
            }
        }
        return parents
    }()
}

extension LanguageTag {
    /// The tag with the script and region that it implies: `zh-Hant-TW` for `zh-TW`, `de-Latn-DE` for `de`.
    ///
    /// Implements "Add Likely Subtags" of UTS #35 with CLDR's table, except that an undetermined language (`und`) stays
    /// undetermined. Variants and extensions are unchanged. A language that CLDR does not list is returned as it is.
    package var maximized: LanguageTag {
        guard script == nil || region == nil else { return self }
        let codes = LanguageCodes(self)
        return LanguageTag(
            language: language, script: codes.script.isEmpty ? nil : codes.script,
            region: codes.region.isEmpty ? nil : codes.region, variants: variants, extensions: extensions)
    }

    /// The script that the language alone implies: `"Hans"` for Chinese.
    var defaultScript: String? { LikelySubtags.entry(language)?.script }
}

/// Reads the generated tables, which are lists of `key=value` pairs separated by whitespace.
enum CLDRTable {
    /// Returns the pairs of a table; a value can be empty.
    static func read(_ text: String) -> [String: String] {
        Dictionary(pairs(text)) { _, last in last }
    }

    /// Returns the pairs of a table in order.
    static func pairs(_ text: String) -> [(String, String)] {
        words(text).map { pair in
            let key = pair.utf8.prefix { $0 != UInt8(ascii: "=") }
            return (String(Substring(key)), String(pair[key.endIndex...].dropFirst()))
        }
    }

    /// Returns the parts of a text that whitespace separates.
    static func words(_ text: String) -> [Substring] {
        // Bytes, because splitting characters would take milliseconds on the first use of a language.
        text.utf8.split { $0 <= UInt8(ascii: " ") }.map { Substring($0) }
    }

    /// Returns the keys of a table of `value=key+key` groups with their values.
    static func readGroups(_ text: String) -> [String: String] {
        var table: [String: String] = [:]
        for (value, keys) in pairs(text) {
            for key in keys.utf8.split(separator: UInt8(ascii: "+")) { table[String(Substring(key))] = value }
        }
        return table
    }

    /// Returns the value of a language, of its closest parent in the same language, of the bare language, or of its
    /// closest parent in another language.
    static func lookUp<Value>(_ language: LanguageTag, in table: [String: Value]) -> Value? {
        let fallbacks = language.fallbacks
        let tags = fallbacks.filter { $0.language == language.language }.map(\.description)
        return (tags + [language.language] + fallbacks.map(\.description)).lazy.compactMap { table[$0] }.first
    }
}
