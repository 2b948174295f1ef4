import Testing

@testable import AshlarCustomization

@Suite struct PluralDataTests {
    @Test(
        "Rules that changed after CLDR 41 are up to date",
        arguments: [
            ("he", 20, "other"), ("he", 2, "two"), ("ro", 101, "few"), ("ro", 119, "few"), ("mt", 2, "two"),
            ("ca", 1_000_000, "many"), ("scn", 1_000_000, "many"), ("lld", 1_000_000, "many"), ("vec", 1, "one"),
            ("csw", 0, "one"), ("blo", 0, "zero"), ("ht", 0, "one"), ("hi-Latn", 0, "one"),
        ])
    func changedRules(tag: String, number: Int, category: String) throws {
        #expect(PluralRules(try #require(LanguageTag(tag))).category(for: number).rawValue == category)
    }

    @Test("All locales of PyPI's babel agree (left out where PyPI cannot be reached)", .timeLimit(.minutes(5)))
    func babel() throws {
        guard let lines = PluralSamples.ofBabel() else {
            print("left out: babel cannot be installed from PyPI")
            return
        }
        // Their rules changed since the version of CLDR that babel has.
        let changed = try CLDRFixture.lines("babel.txt").filter { $0.contains("inal") }.flatMap { line in
            line.split(separator: "=")[1].split(separator: "+").map(String.init)
        }
        let result = try PluralSamples.check(
            lines.map { line in
                guard line.hasPrefix("locales") else { return line }
                return line.split(separator: " ").filter { !changed.contains(String($0)) }.joined(separator: " ")
            })
        #expect(result.checks > 500_000)
        #expect(result.failures.prefix(20).joined(separator: "\n") == "")
    }
}
