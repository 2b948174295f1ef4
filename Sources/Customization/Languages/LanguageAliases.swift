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

/// The language, script and region of a tag, with the subtags that the tag implies; empty if there is none.
struct LanguageCodes: Hashable, Sendable {
    var language: String
    var script: String
    var region: String

    /// Creates the codes of a tag, maximized as in ``LanguageTag/maximized``.
    ///
    /// A pseudolocale, such as `en-XA`, has a language of its own, so that it matches only itself. An undetermined
    /// language is the one that its region or script implies: `und-TW` is Chinese.
    init(_ tag: LanguageTag) {
        language = tag.language
        script = tag.script ?? ""
        region = tag.region ?? ""
        if language == "und" {
            let subtags = script == "Latn" ? [region, script] : [script, region]
            language = subtags.lazy.compactMap { LikelySubtags.undetermined[$0] }.first ?? language
        }
        if script.isEmpty || region.isEmpty, let likely = LikelySubtags.entry(self) {
            if script.isEmpty { script = likely.script }
            if region.isEmpty { region = likely.region }
        }
        let pseudolocale = Self.pseudolocales.first { tag.region == $0.region || tag.variants.contains($0.variant) }
        if let pseudolocale { language += "-" + pseudolocale.region }
    }

    /// The regions and variants of texts that look translated: with accents, mirrored, and with cracked letters.
    private static let pseudolocales = [
        (region: "XA", variant: "psaccent"), (region: "XB", variant: "psbidi"), (region: "XC", variant: "pscrack"),
    ]
}

/// CLDR's table of the subtags that a tag implies.
enum LikelySubtags {
    typealias Entry = (script: String, region: String)

    private static let entries = CLDRTable.readGroups(CLDRLanguageData.likelySubtags).mapValues { implied -> Entry in
        (String(implied.prefix { $0 != "-" }), String(implied.drop { $0 != "-" }.dropFirst()))
    }

    /// The language of a region or script.
    static let undetermined = CLDRTable.readGroups(CLDRLanguageData.undetermined)

    /// Returns the subtags that a language implies.
    static func entry(_ language: String) -> Entry? { entries[language] }

    /// Returns the implied subtags of a tag that lacks a script or a region.
    static func entry(_ codes: LanguageCodes) -> Entry? {
        entries[codes.language + "-" + codes.region] ?? entries[codes.language + "-" + codes.script]
            ?? entries[codes.language]
    }
}

/// The English names of `.lproj` folders from the time before language codes, which old trees still use.
enum LegacyLanguageNames {
    /// Returns the tag of an old name in any case; spaces, hyphens and underscores are ignored.
    static func tag(named name: String) -> LanguageTag? {
        guard name.utf8.count <= 32 else { return nil }
        let letters = name.lowercased().filter { !" -_".contains($0) }
        return tags[letters].flatMap(LanguageTagParser.parse)
    }

    // The names of Core Foundation, and their variants in GNUstep's trees.
    private static let tags: [String: String] = [
        "afrikaans": "af", "albanian": "sq", "amharic": "am", "arabic": "ar", "armenian": "hy", "assamese": "as",
        "aymara": "ay", "azerbaijani": "az", "basque": "eu", "belorussian": "be", "belarusian": "be", "bengali": "bn",
        "bhutanese": "dz", "bosnian": "bs", "brazilian": "pt-BR", "brazilianportuguese": "pt-BR", "breton": "br",
        "bulgarian": "bg", "burmese": "my", "byelorussian": "be", "catalan": "ca", "chewa": "ny", "chinese": "zh",
        "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "dzongkha": "dz", "english": "en",
        "esperanto": "eo", "estonian": "et", "faeroese": "fo", "faroese": "fo", "farsi": "fa", "finnish": "fi",
        "flemish": "nl-BE", "french": "fr", "galician": "gl", "galla": "om", "georgian": "ka", "german": "de",
        "greek": "el", "greenlandic": "kl", "guarani": "gn", "gujarati": "gu", "hawaiian": "haw", "hebrew": "he",
        "hindi": "hi", "hungarian": "hu", "icelandic": "is", "indonesian": "id", "inuktitut": "iu", "irish": "ga",
        "italian": "it", "japanese": "ja", "javanese": "jv", "kannada": "kn", "kashmiri": "ks", "kazakh": "kk",
        "khmer": "km", "kinyarwanda": "rw", "kirghiz": "ky", "korean": "ko", "kurdish": "ku", "lao": "lo",
        "lappish": "se", "latin": "la", "latvian": "lv", "lettish": "lv", "lithuanian": "lt", "macedonian": "mk",
        "malagasy": "mg", "malay": "ms", "malayalam": "ml", "maltese": "mt", "manx": "gv", "marathi": "mr",
        "moldavian": "ro-MD", "moldovan": "ro-MD", "mongolian": "mn", "nepali": "ne", "norwegian": "nb",
        "nyanja": "ny", "nynorsk": "nn", "oriya": "or", "oromo": "om", "pashto": "ps", "persian": "fa", "polish": "pl",
        "portuguese": "pt", "punjabi": "pa", "pushto": "ps", "quechua": "qu", "romanian": "ro", "ruanda": "rw",
        "rundi": "rn", "russian": "ru", "saamisk": "se", "sami": "se", "sanskrit": "sa", "scottish": "gd",
        "serbian": "sr", "simpchinese": "zh-Hans", "simplifiedchinese": "zh-Hans", "sindhi": "sd", "sinhalese": "si",
        "slovak": "sk", "slovenian": "sl", "somali": "so", "spanish": "es", "sundanese": "su", "swahili": "sw",
        "swedish": "sv", "tagalog": "fil", "tajik": "tg", "tajiki": "tg", "tamil": "ta", "tatar": "tt",
        "telugu": "te", "thai": "th", "tibetan": "bo", "tigrinya": "ti", "tongan": "to", "tradchinese": "zh-Hant",
        "traditionalchinese": "zh-Hant", "turkish": "tr", "turkmen": "tk", "uighur": "ug", "ukrainian": "uk",
        "urdu": "ur", "uzbek": "uz", "vietnamese": "vi", "welsh": "cy", "yiddish": "yi",
    ]
}
