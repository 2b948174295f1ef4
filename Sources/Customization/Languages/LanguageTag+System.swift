#if canImport(Darwin)
    import Foundation
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

extension LanguageTag {
    /// Returns the user's preferred languages, the best first.
    ///
    /// On Apple systems they come from the settings, on other systems from the environment: the locale is the first of
    /// `LC_ALL`, `LC_MESSAGES` and `LANG` that isn't empty, and the languages of `LANGUAGE` precede it. Each call reads
    /// them again.
    public static func systemPreferred() -> [LanguageTag] {
        #if canImport(Darwin)
            Locale.preferredLanguages.compactMap { LanguageTag($0) }
        #else
            let names = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]
            return preferred(
                inEnvironment: Dictionary(
                    uniqueKeysWithValues: names.compactMap { name in
                        getenv(name).map { (name, String(cString: $0)) }
                    }))
        #endif
    }

    /// Returns the preferred languages in POSIX environment variables, the best first.
    ///
    /// The locale is the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that isn't empty. If it is unset, `C` or `POSIX`,
    /// the result is empty. Otherwise, the languages of `LANGUAGE` (separated by colons, an extension of GNU gettext)
    /// precede it. Names that aren't languages are skipped.
    package static func preferred(inEnvironment environment: [String: String]) -> [LanguageTag] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        guard let own = LanguageTag(posixLocale: locale[...]) else { return [] }
        var tags: [LanguageTag] = []
        for tag in (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap({ LanguageTag(posixLocale: $0) })
            + [own] where !tags.contains(tag)
        {
            tags.append(tag)
        }
        return tags
    }

    /// Parses a POSIX locale such as `sr_RS.UTF-8@latin`; returns nil for `C` and `POSIX`.
    init?(posixLocale locale: Substring) {
        let modifier = locale.split(separator: "@", maxSplits: 1).dropFirst().first.map(String.init)
        let name = locale.prefix { $0 != "." && $0 != "@" }
        guard let tag = LanguageTag(String(name)), name != "C", name != "POSIX" else { return nil }
        let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "iqtelif": "Latn"]
        let variants = ["valencia": "valencia", "tarask": "tarask"]
        guard let modifier else {
            self = tag
            return
        }
        self.init(
            language: tag.language, script: tag.script ?? scripts[modifier], region: tag.region,
            variants: variants[modifier].map { [$0] } ?? tag.variants, extensions: tag.extensions)
    }
}
