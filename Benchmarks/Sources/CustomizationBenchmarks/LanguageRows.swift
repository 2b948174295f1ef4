import AshlarCustomization
import BenchmarkHarness
import Foundation

extension BenchmarkSuite {
    /// The choice of a language among sixty; the bar is 5 µs.
    mutating func languageRows() {
        let names = """
            ar bg bn bs ca cs da de de-AT de-CH el en-AU en-GB es es-419 et fa fi fil fr fr-CA gl he hi hr hu hy id is it ja
            ka kk km ko lt lv mk mn ms nb nl nn pl pt-BR pt-PT ro ru sk sl sr sr-Latn sv sw ta te th tr uk ur vi zh-Hans
            zh-Hant zh-HK
            """
        let available = names.split { $0 == " " || $0 == "\n" }.prefix(60).compactMap { LanguageTag(String($0)) }
        let preferences: [[LanguageTag]] = [["pt-AO"], ["es-AR"], ["en-NZ"], ["gsw", "fr"], ["zh-MO"], ["xh", "eu"]]
        let identifiers = preferences.map { $0.map(\.description) }
        let folders = available.map(\.description)
        let matcher = LanguageMatcher(available: available, base: "en")
        row(
            "choose a language among 60", note: "the bar of 5 µs is absolute; Foundation on Linux answers English",
            ours: Contender("LanguageMatcher.match") { n in
                var sum = 0
                for i in 0..<n { sum &+= matcher.match(for: preferences[i % preferences.count])?.chain.count ?? 0 }
                blackHole(sum)
            },
            against: [
                Peer(
                    Contender("Bundle.preferredLocalizations") { n in
                        var sum = 0
                        for i in 0..<n {
                            let preferred = identifiers[i % identifiers.count]
                            sum &+= Bundle.preferredLocalizations(from: folders, forPreferences: preferred).count
                        }
                        blackHole(sum)
                    }, .atMost(1))
            ])
    }
}
