import AshlarCustomization
import Testing

/// The rows of ICU's LocaleMatcher.
@Suite struct LocaleMatcherTests {
    @Test("Preferences find the language that ICU finds")
    func rows() throws {
        var (available, base): ([LanguageTag], LanguageTag) = ([], "und")
        var (checks, failures) = (0, [String]())
        var header = ""
        for line in try CLDRFixture.lines("matching.txt") {
            if line.hasPrefix("available ") {
                let sides = line.dropFirst(10).split(separator: "/", omittingEmptySubsequences: false)
                header = line
                available = sides[0].split(separator: " ").compactMap { LanguageTag(String($0)) }
                base = (sides.count > 1 ? LanguageTag(sides[1].filter { $0 != " " }) : available.first) ?? "und"
                continue
            }
            let sides = line.split(separator: ">").map { $0.split(separator: " ").map(String.init) }
            let preferred = sides[0].compactMap { LanguageTag($0) }
            let match = LanguageMatcher(available: available, base: "xzz").match(for: preferred)
            let expected = sides[1][0] == "null" ? "und" : try #require(LanguageTag(sides[1][0]))
            checks += 1
            let found = match?.language ?? base
            if found != expected { failures.append("\(header): \(line), not \(found)") }
        }
        #expect(checks == 498)
        // Equally distant languages: the order of the available languages doesn't matter here.
        let order = "available en-NZ en-IT: en-US > en-NZ, not en-IT"
        // ICU reads sh as sr-Latn in another row only.
        #expect(failures == [order, order, "available en sr nl: sh > en, not sr"])
    }
}
