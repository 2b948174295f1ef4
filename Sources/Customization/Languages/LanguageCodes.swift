/// The language, script and region of a tag as integers, with the subtags that the tag implies.
///
/// Integers, because choosing among 60 languages needs 60 comparisons; see the benchmark row "choose a language".
struct LanguageCodes: Hashable, Sendable {
    var language: UInt32
    var script: UInt32
    var region: UInt32

    /// Creates the codes of a tag, maximized as in ``LanguageTag/maximized``.
    init(_ tag: LanguageTag) {
        language = Self.code(tag.language)
        script = tag.script.map(Self.code) ?? 0
        region = tag.region.map(Self.code) ?? 0
        guard script == 0 || region == 0, let likely = LikelySubtags.entry(self) else { return }
        if script == 0 { script = likely.script }
        if region == 0 { region = likely.region }
    }

    /// Creates the codes of a bare language, without the subtags that it implies.
    init(language: String) { (self.language, script, region) = (Self.code(language), 0, 0) }

    /// Returns a subtag of at most four ASCII letters or digits as an integer; 0 for `*`.
    static func code(_ subtag: some StringProtocol) -> UInt32 {
        subtag == "*" ? 0 : subtag.utf8.reduce(0) { $0 &<< 8 | UInt32($1) }
    }

    static func text(_ code: UInt32) -> String {
        let bytes = (0..<4).reversed().map { UInt8(truncatingIfNeeded: code >> (8 * $0)) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }
}

/// CLDR's table of the subtags that a tag implies.
enum LikelySubtags {
    typealias Entry = (script: UInt32, region: UInt32)

    private static let entries: [UInt64: Entry] = {
        var entries: [UInt64: Entry] = [:]
        for (tag, implied) in CLDRTable.read(CLDRLanguageData.likelySubtags) {
            let (subtags, likely) = (tag.split(separator: "-"), implied.split(separator: "-"))
            guard subtags.count <= 2, likely.count == 2 else { continue }
            let second = subtags.count == 2 ? LanguageCodes.code(subtags[1]) : 0
            entries[key(LanguageCodes.code(subtags[0]), second)] = (
                LanguageCodes.code(likely[0]), LanguageCodes.code(likely[1])
            )
        }
        return entries
    }()

    private static func key(_ language: UInt32, _ second: UInt32) -> UInt64 { UInt64(language) << 32 | UInt64(second) }

    /// Returns the implied subtags of a tag that lacks a script or a region.
    static func entry(_ codes: LanguageCodes) -> Entry? {
        if codes.region != 0, let entry = entries[key(codes.language, codes.region)] { return entry }
        if codes.script != 0, let entry = entries[key(codes.language, codes.script)] { return entry }
        return entries[key(codes.language, 0)]
    }
}
