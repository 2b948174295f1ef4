/// The language that a ``LanguageMatcher`` chose, and the reason.
public struct LanguageMatch: Hashable, Sendable, CustomStringConvertible {
    /// The chosen language.
    public let language: LanguageTag
    /// The preference that it matches.
    public let preference: LanguageTag
    /// CLDR's distance between the two, from 0 for the same language to 49.
    public let distance: Int
    /// The chosen language with its available parents, from general to specific.
    public internal(set) var chain: [LanguageTag] = []

    /// The match with its distance and the rules of CLDR that it results from.
    public var description: String {
        let steps = LanguageDistance.steps(LanguageCodes(preference), LanguageCodes(language))
        var reasons = steps.map { "\($0.subtag) \($0.distance) (\($0.rule))" }
        if steps.map(\.distance).reduce(0, +) != distance { reasons = ["parent locale"] }
        return "\(language) for \(preference), distance \(distance)"
            + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: " + "))
    }
}
