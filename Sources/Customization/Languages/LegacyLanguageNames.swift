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
