/// Chooses the available language that is closest to the languages that a user prefers.
///
/// The distances between languages, scripts and regions are those of Unicode CLDR. For example, a user of Brazilian
/// Portuguese gets `pt-PT` if there is no `pt-BR`, a user of Catalan gets Spanish, and `en-AU` prefers `en-GB` to `en`.
/// Another script matches only if you permit it.
///
/// ```swift
/// let matcher = LanguageMatcher(available: ["de", "fr", "pt-PT"], base: "en")
/// if let match = matcher.match(for: ["pt-BR", "fr"]) {
///     print(match)  // pt-PT for pt-BR, distance 5: region 5 (pt-*-* <> pt-*-*)
/// }
/// ```
public struct LanguageMatcher: Sendable {
    /// The languages to choose from, the base language last.
    let candidates: [LanguageTag]
    private let codes: [LanguageCodes]
    /// The positions of the candidates by the language of their codes.
    private let positions: [String: [Int]]
    private let crossesScripts: Bool

    /// Creates a matcher.
    ///
    /// - Parameters:
    ///   - available: The available languages in any order.
    ///   - base: The base language, in which every text exists. It is also available.
    ///   - crossesScripts: Whether a language in another script can match, such as `sr-Cyrl` for `sr-Latn`.
    /// - Complexity: O(*n*) in the number of languages.
    public init(available: [LanguageTag], base: LanguageTag, crossesScripts: Bool = false) {
        candidates = available + [base]
        codes = candidates.map { LanguageCodes($0) }
        positions = Dictionary(grouping: codes.indices) { [codes] in codes[$0].language }
        self.crossesScripts = crossesScripts
    }

    /// Returns the closest language; `nil` if none of the preferences has a match.
    ///
    /// The first preference with a match decides, unless a later preference matches better by more than 5 points per
    /// position in the list. A later preference that is available takes precedence over an earlier one with only a
    /// related language: `[ca, fr]` finds `fr` before `es`. A different region alone isn't sufficient for this.
    ///
    /// Among equal distances, the first language of the preference's ``LanguageTag/fallbacks`` is chosen, then one of
    /// CLDR's paradigm locales (`en`, `en-GB`, `es`, `es-419`, `pt-BR`, `pt-PT`), then the most general language.
    ///
    /// - Parameter preferred: The languages of the user, the best first.
    /// - Returns: The match, with its distance and the chain of languages to use.
    /// - Complexity: O(*p* × *n*) in the numbers of preferences and languages.
    public func match(for preferred: [LanguageTag]) -> LanguageMatch? {
        var best: LanguageMatch?
        var limit = LanguageDistance.threshold
        for preference in preferred {
            guard let (index, distance) = nearest(to: preference), distance < limit else {
                if best != nil { limit -= Self.demotion }
                continue
            }
            best = LanguageMatch(language: candidates[index], preference: preference, distance: distance)
            limit = distance - Self.demotion
            if limit <= 0 { break }
        }
        guard var best else { return nil }
        best.chain = chain(of: best.language)
        return best
    }

    /// The cost of each position in the list of preferences, which is the distance between unrelated regions of
    /// English.
    private static let demotion = 5

    /// The distance of a locale that is related only as CLDR's parent, such as `en-IN` for `hi-Latn`.
    private static let parentDistance = 20

    private func nearest(to preference: LanguageTag) -> (index: Int, distance: Int)? {
        let desired = LanguageCodes(preference)
        var (nearest, least): ([Int], Int) = ([], LanguageDistance.threshold)
        for index in LanguageDistance.languages(relatedTo: desired.language).flatMap({ positions[$0] ?? [] }) {
            // Tags for private use name different languages.
            if preference.language == "und", preference.extensions != candidates[index].extensions { continue }
            guard
                let distance = LanguageDistance.distance(desired, codes[index], crossingScripts: crossesScripts),
                distance <= least
            else { continue }
            if distance < least { nearest.removeAll(keepingCapacity: true) }
            nearest.append(index)
            least = distance
        }
        if nearest.count == 1 { return (nearest[0], least) }
        if let exact = nearest.first(where: { candidates[$0] == preference }) { return (exact, 0) }
        let fallbacks = preference.fallbacks
        if nearest.isEmpty {
            let parent = fallbacks.lazy.compactMap { candidates.firstIndex(of: $0) }.first
            return parent.map { ($0, Self.parentDistance) }
        }
        let fallbackCodes = fallbacks.map { LanguageCodes($0) }
        func rank(_ index: Int) -> [Int] {
            let tag = candidates[index]
            let implied = fallbackCodes.firstIndex(of: codes[index]) ?? fallbacks.count
            let place = fallbacks.firstIndex(of: tag) ?? fallbacks.count
            // Explicit subtags decide between tags that imply the same, such as `nl` and `nl-NL` for `nl-Latn-NL`.
            let shared = [
                tag.script == preference.script ? tag.script : nil, tag.region == preference.region ? tag.region : nil,
            ]
            let explicit = implied == 0 ? -shared.count { $0 != nil } : 0
            let isParadigm = LanguageDistance.paradigms.contains(codes[index])
            return [implied, explicit, place, isParadigm ? 0 : 1] + tag.specificity
        }
        let first = nearest.min { left, right in
            let (ranks, tags) = ((rank(left), rank(right)), (candidates[left], candidates[right]))
            return ranks.0 == ranks.1
                ? tags.0.description < tags.1.description : ranks.0.lexicographicallyPrecedes(ranks.1)
        }
        return first.map { ($0, least) }
    }

    /// Returns the available tags among a tag and its parents, from general to specific.
    ///
    /// Tags that imply the same language, script and region are equivalent, such as `zh-TW` and `zh-Hant`.
    private func chain(of tag: LanguageTag) -> [LanguageTag] {
        let fallbacks = tag.fallbacks
        let ways = fallbacks.map { LanguageCodes($0).matchingForm }
        var languages: [String] = []
        for way in ways where !languages.contains(way.language) { languages.append(way.language) }
        if languages.contains("nb") { languages.append("no") }
        let kin = languages.flatMap { positions[$0] ?? [] }
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
}

extension LanguageTag {
    fileprivate var isGeneral: Bool { region == nil && variants.isEmpty && extensions.isEmpty }

    /// The numbers of extensions, variants, regions and scripts, for sorting general tags before specific ones.
    fileprivate var specificity: [Int] {
        [
            extensions.count, variants.count, region == nil ? 0 : 1, script == nil ? 0 : 1, language == "no" ? 0 : 1,
        ]
    }
}

extension LanguageCodes {
    /// The codes, with Norwegian replaced by Bokmål, which it nearly always is.
    fileprivate var matchingForm: LanguageCodes {
        var codes = self
        if language == "no" { codes.language = "nb" }
        return codes
    }
}

/// The language that a ``LanguageMatcher`` chose, and the reason.
public struct LanguageMatch: Hashable, Sendable, CustomStringConvertible {
    /// The chosen language.
    public let language: LanguageTag
    /// The preference that it matches.
    package let preference: LanguageTag
    /// CLDR's distance between the two, from 0 for the same language to 49.
    package let distance: Int
    /// The chosen language with its available parents, from general to specific.
    public internal(set) var chain: [LanguageTag] = []

    /// The match with its distance and the rules of CLDR that it results from.
    public var description: String {
        let steps = LanguageDistance.steps(LanguageCodes(preference), LanguageCodes(language)) ?? []
        var reasons = steps.map { "\($0.subtag) \($0.distance) (\($0.rule))" }
        if steps.map(\.distance).reduce(0, +) != distance { reasons = ["parent locale"] }
        return "\(language) for \(preference), distance \(distance)"
            + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: " + "))
    }
}
