/// A language tag such as `fr-CA` in canonical form.
///
/// A tag is parsed from BCP 47 (RFC 5646) in any case, with hyphens or underscores (`fr_CA`), or from the name of an
/// old `.lproj` folder (`French`, `SimplifiedChinese`). Deprecated and overlong tags are replaced with the alias tables
/// of Unicode CLDR: `iw` with `he`, `deu` with `de`, `sh` with `sr-Latn`, `en-UK` with `en-GB`. Two tags for the same
/// language are equal.
///
/// The existence of a language isn't checked: any two or three letters are a language. Four or more letters aren't a
/// language, which excludes `Base` and most brand names.
///
/// ```swift
/// let tag: LanguageTag = "zh_hant_tw"
/// print(tag, tag.language, tag.script ?? "", tag.region ?? "")  // zh-Hant-TW zh Hant TW
/// ```
public struct LanguageTag: Hashable, Sendable {
    /// The language in lowercase, such as `"fr"`; `"und"` if it is undetermined.
    public let language: String
    /// The script in title case, such as `"Hant"`, if the tag has one.
    public let script: String?
    /// The region in uppercase, such as `"CA"` or `"419"`, if the tag has one.
    public let region: String?
    /// The variants in lowercase and alphabetical order, such as `["valencia"]`.
    package let variants: [String]
    /// Extensions and private use in lowercase, such as `["u-ca-buddhist", "x-sales"]`; private use is last.
    package let extensions: [String]
    /// The whole tag in canonical form, such as `"zh-Hant-TW"`.
    public let description: String

    init(
        language: String, script: String? = nil, region: String? = nil, variants: [String] = [],
        extensions: [String] = []
    ) {
        self.language = language
        self.script = script
        self.region = region
        self.variants = variants
        self.extensions = extensions
        var description = language
        if let script { description += "-" + script }
        if let region { description += "-" + region }
        for subtag in variants { description += "-" + subtag }
        for subtag in extensions { description += "-" + subtag }
        self.description = description
    }
}

extension LanguageTag: LosslessStringConvertible {
    /// Parses a tag or an old `.lproj` name; returns nil if the text is neither.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init?(_ text: String) {
        guard let tag = LanguageTagParser.parse(text) ?? LegacyLanguageNames.tag(named: text) else { return nil }
        self = LanguageAliases.canonical(tag)
        // The canonical form can be longer: `x-a` is `und-x-a`. It must be a tag, too.
        if text.utf8.count > 128, description.utf8.count > LanguageTagParser.longestTag { return nil }
    }
}

extension LanguageTag: ExpressibleByStringLiteral {
    /// Creates a tag from a literal.
    ///
    /// - Precondition: The literal is a tag that ``init(_:)`` accepts.
    public init(stringLiteral literal: String) {
        guard let tag = LanguageTag(literal) else { preconditionFailure("\"\(literal)\" is not a language tag") }
        self = tag
    }
}
