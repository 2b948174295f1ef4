/// A language tag such as `fr-CA` in canonical form.
///
/// Reads BCP 47 (RFC 5646) tags in any letter case, with hyphens or underscores (`fr_CA`), and the names of old `.lproj`
/// folders (`French`, `SimplifiedChinese`). Deprecated and overlong tags are replaced by the alias tables of Unicode CLDR:
/// `iw` by `he`, `deu` by `de`, `sh` by `sr-Latn`, `en-UK` by `en-GB`. Two tags that name the same language are equal.
///
/// A tag does not check whether a language exists: any two or three letters are a language. Four and more letters are not,
/// which excludes `Base` and most brand names.
///
/// ```swift
/// let tag: LanguageTag = "zh_hant_tw"
/// print(tag, tag.language, tag.script ?? "", tag.region ?? "")  // zh-Hant-TW zh Hant TW
/// ```
public struct LanguageTag: Sendable {
    /// The language in lower case, such as `"fr"`; `"und"` if the tag leaves it open.
    public let language: String
    /// The script in title case, such as `"Hant"`, if the tag has one.
    public let script: String?
    /// The region in upper case, such as `"CA"` or `"419"`, if the tag has one.
    public let region: String?
    /// The variants in lower case and alphabetical order, such as `["valencia"]`.
    public let variants: [String]
    /// Extensions and private use in lower case, such as `["u-ca-buddhist", "x-sales"]`; private use is last.
    public let extensions: [String]
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

extension LanguageTag: Hashable {
    /// Two tags are equal when their canonical forms are.
    public static func == (left: LanguageTag, right: LanguageTag) -> Bool { left.description == right.description }

    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension LanguageTag: LosslessStringConvertible {
    /// Reads a tag or an old `.lproj` name; nil if the text is neither.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init?(_ text: String) {
        guard let tag = LanguageTagParser.parse(text) ?? LegacyLanguageNames.tag(named: text) else { return nil }
        self = LanguageAliases.canonical(tag)
    }
}

extension LanguageTag: ExpressibleByStringLiteral {
    /// Creates a tag from a literal.
    ///
    /// - Precondition: The literal is a tag that ``init(_:)`` reads.
    public init(stringLiteral literal: String) {
        guard let tag = LanguageTag(literal) else { preconditionFailure("\"\(literal)\" is not a language tag") }
        self = tag
    }
}

extension LanguageTag: Codable {
    /// Reads a tag from a text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the text is not a tag.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let tag = LanguageTag(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not a language tag")
        }
        self = tag
    }

    /// Writes the canonical form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
