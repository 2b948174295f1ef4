internal import AshlarCore

/// Parses the grammar of RFC 5646, section 2.1, and underscores, without resolving aliases.
enum LanguageTagParser {
    /// The maximum length of tags; the longest tag that the RFC recommends to support has 35 bytes.
    static let longestTag = 255

    /// The languages that can precede an extended language in the IANA registry.
    private static let prefixesOfExtendedLanguages = ["ar", "kok", "lv", "ms", "sgn", "sw", "uz", "zh"]

    static func parse(_ text: String) -> LanguageTag? {
        guard !text.isEmpty, text.utf8.count <= longestTag else { return nil }
        guard
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        let parts = text.lowercased().split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        var subtags = parts.map(String.init)[...]
        guard subtags.allSatisfy({ (1...8).contains($0.utf8.count) }) else { return nil }
        if let whole = LanguageAliases.irregular(subtags.joined(separator: "-")) { return whole }

        var language = "und"
        if subtags.first != "x" {
            guard let first = subtags.popFirst(), (2...3).contains(first.utf8.count), first.utf8.allSatisfy(\.isLetter)
            else { return nil }
            language = first
        }
        // An extended language subtag is itself a language: `zh-yue` is `yue`.
        if prefixesOfExtendedLanguages.contains(language), let extended = subtags.first, extended.utf8.count == 3,
            extended.utf8.allSatisfy(\.isLetter)
        {
            language = extended
            subtags.removeFirst()
        }
        var script: String?
        if let next = subtags.first, next.utf8.count == 4, next.utf8.allSatisfy(\.isLetter) {
            script = next.prefix(1).uppercased() + next.dropFirst()
            subtags.removeFirst()
        }
        var region: String?
        if let next = subtags.first, isRegion(next) {
            region = next.uppercased()
            subtags.removeFirst()
        }
        var variants: [String] = []
        while let next = subtags.first, isVariant(next) {
            guard !variants.contains(next) else { return nil }
            variants.append(next)
            subtags.removeFirst()
        }
        guard let extensions = extensions(subtags) else { return nil }
        return LanguageTag(
            language: language, script: script, region: region, variants: variants.sorted(), extensions: extensions)
    }

    /// Divides the subtags after the variants at the singletons; returns nil if a singleton is repeated or has no
    /// subtag.
    private static func extensions(_ subtags: ArraySlice<String>) -> [String]? {
        var groups: [[String]] = []
        for subtag in subtags {
            if subtag.utf8.count == 1, groups.last?.first != "x" {
                guard !groups.contains(where: { $0.first == subtag }) else { return nil }
                groups.append([subtag])
            } else {
                guard !groups.isEmpty else { return nil }
                groups[groups.count - 1].append(subtag)
            }
        }
        guard groups.allSatisfy({ $0.count > 1 }) else { return nil }
        return groups.sorted { ($0[0] == "x" ? "~" : $0[0]) < ($1[0] == "x" ? "~" : $1[0]) }
            .map { $0.joined(separator: "-") }
    }

    private static func isRegion(_ subtag: String) -> Bool {
        switch subtag.utf8.count {
        case 2: subtag.utf8.allSatisfy(\.isLetter)
        case 3: subtag.utf8.allSatisfy(\.isDigit)
        default: false
        }
    }

    private static func isVariant(_ subtag: String) -> Bool {
        subtag.utf8.count >= 5 || (subtag.utf8.count == 4 && subtag.utf8.first?.isDigit == true)
    }
}
