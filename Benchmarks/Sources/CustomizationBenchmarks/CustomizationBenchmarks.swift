import AshlarCustomization
import BenchmarkHarness
import Foundation

@main
struct CustomizationBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("Customization")
        suite.parsingRows()
        suite.lookupRows()
        suite.messageRows()
        suite.switchRows()
        suite.languageRows()
        suite.finish()
    }
}

/// The input of the rows: 10,000 keys like those of an app.
enum Sample {
    static let count = 10_000

    static func key(_ i: Int) -> String { "screen\(i % 100).element\(i).title" }

    /// A strings file of about 0.9 MB with comments and some escapes.
    static func source(_ language: String) -> String {
        (0..<count).map { i in
            "/* The title of element \(i) */\n\"\(key(i))\" = \"\(language) text \(i) of the file"
                + (i % 10 == 0 ? ", \\\"quoted\\\"\\n" : "") + "\";\n\n"
        }.joined()
    }

    /// The layers of the lookups; only the first one has every key.
    static func layers() -> [CustomizationLayer] {
        let roles: [CustomizationLayer.Role] = [
            .base("en"), .language("fr"), .language("fr-CA"), .brand("acme"), .theme("Dark"),
        ]
        return roles.enumerated().map { number, role in
            let entries = (0..<count).filter { $0 % (number + 1) == 0 }.map { i in
                CustomizationEntry(key: key(i), value: .string("layer \(number) text \(i) of the file"))
            }
            let values = [
                CustomizationEntry(key: "PINminimumLength.of.the.app", value: .string("4")),
                CustomizationEntry(key: "TabBarColor.of.the.main.view", value: .string("92,66,134,54")),
                CustomizationEntry(key: "isPINrequired.at.the.start", value: .string("YES")),
            ]
            return CustomizationLayer(
                id: "\(number)", role: role, tables: ["Localizable": StringsTable(entries: entries + values)])
        }
    }
}
