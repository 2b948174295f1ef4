import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarCustomization

/// Numbers with their categories, as Scripts/generate-cldr writes them.
enum PluralSamples {
    /// Compares all samples with the rules.
    ///
    /// - Parameter lines: `locales en de`, then `cardinal one 1` and `ordinal other 2~9` for these.
    /// - Returns: The number of comparisons, and a line for each difference.
    /// - Throws: An issue if a line cannot be read.
    static func check(_ lines: [String]) throws -> (checks: Int, failures: [String]) {
        var locales: [LanguageTag] = []
        var checks = 0
        var failures: [String] = []
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "locales" {
                locales = try words.dropFirst().map { try #require(LanguageTag($0), "\($0)") }
                continue
            }
            let kind: PluralRules.Kind = words[0] == "ordinal" ? .ordinal : .cardinal
            let category = try #require(PluralCategory(rawValue: words[1]))
            let rules = locales.map { PluralRules($0, kind: kind) }
            for sample in try words.dropFirst(2).flatMap(expanded) {
                let operands = try #require(PluralOperands(sample), "\(sample)")
                for (locale, rules) in zip(locales, rules) {
                    checks += 1
                    let found = rules.category(for: operands)
                    if found != category { failures.append("\(locale) \(kind) \(sample): \(found), not \(category)") }
                }
            }
        }
        return (checks, failures)
    }

    /// The samples of PyPI's babel for each of its locales; `nil` where PyPI cannot be reached.
    ///
    /// - Returns: The lines, or nil.
    static func ofBabel() -> [String]? {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = root.appending(path: "Scripts/generate-cldr")
        process.arguments = ["--samples"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = output.readText()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return text.split(separator: "\n").map(String.init)
    }

    /// `2~4` and `0.00~0.04` are runs of samples with a step in the last digit.
    private static func expanded(_ sample: String) throws -> [String] {
        let bounds = sample.split(separator: "~").map(String.init)
        guard bounds.count == 2 else { return [sample] }
        let decimals = bounds[0].split(separator: ".").dropFirst().first?.count ?? 0
        let low = try #require(Int(bounds[0].filter { $0 != "." }))
        let high = try #require(Int(bounds[1].filter { $0 != "." }))
        return (low...high).map { number in
            guard decimals > 0 else { return String(number) }
            let digits = String(repeating: "0", count: max(0, decimals + 1 - String(number).count)) + String(number)
            return digits.dropLast(decimals) + "." + digits.suffix(decimals)
        }
    }
}
