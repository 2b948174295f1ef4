import Foundation
import Testing

@testable import AshlarCustomization

/// The classes in Java/ read the same values as this module.
@Suite struct JavaTests {
    @Test("The values of Resources/ and Java/Fixtures are those in Java/golden.txt, which Java also compares")
    func golden() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let golden = [UInt8](try Data(contentsOf: root.appending(path: "Java/golden.txt")))
        let printed = Array(JavaGolden.text(root: root.path()).utf8)
        let difference = zip(printed, golden).enumerated().first { $1.0 != $1.1 }?.offset ?? golden.count
        let context = String(decoding: printed[..<min(difference + 80, printed.count)].suffix(240), as: UTF8.self)
        #expect(printed.count == golden.count && difference == golden.count, "Swift reads other values: …\(context)…")
    }
}

/// Prints the values of trees as `Java/Test/Check.java` does.
enum JavaGolden {
    static let languages = ["en", "fr", "fr-CA", "de_AT", "es-MX", "es-ES", "pt-AO", "zh-CN", "zh-TW", "sv", "pl"]

    static func text(root: String) -> String {
        var output = ""
        for tree in ["Resources", "Java/Fixtures"] {
            // The lines of the base language without a brand aren't printed again.
            var known: Set<[UInt8]> = []
            for brand in ["", "acme", "borealis"] {
                for language in languages {
                    let strings = Customization(
                        path: root + "/" + tree, languages: LanguageTag(language).map { [$0] },
                        brand: brand.isEmpty ? .none : .named(brand))
                    let lines = lines(strings)
                    let new = lines.filter { !known.contains(Array($0.utf8)) }
                    if known.isEmpty { known = Set(lines.map { Array($0.utf8) }) }
                    output += (["== \(tree) \(language) \(brand)"] + new).map { $0 + "\n" }.joined()
                }
            }
        }
        return output
    }

    private static func lines(_ strings: Customization) -> [String] {
        let errors = Set(strings.diagnostics.filter { $0.severity == .error }.map { "error " + place($0.location) })
        let keys = strings.keys().sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
        return errors.sorted() + keys.map { line(strings, $0) }
    }

    private static func line(_ strings: Customization, _ key: String) -> String {
        var cells = [
            cell(strings, key) { (text: String) in quoted(text) },
            cell(strings, key) { (number: Int) in Int32(exactly: number).map { "\($0)" } },
            cell(strings, key) { (number: Double) in String(Float(number).bitPattern, radix: 16) },
            cell(strings, key) { (flag: Bool) in "\(flag)" },
            cell(strings, key) { (color: RGBAColor) in
                let bytes = color.bytes
                let argb = [bytes.alpha, bytes.red, bytes.green, bytes.blue].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                return String(argb, radix: 16)
            },
        ]
        if key.contains("mage") { cells.append(image(strings, key)) }
        let location = cells.contains(nil) ? strings.entry(key).map { " " + place($0.location) } : nil
        return ([quoted(key)] + cells.map { $0 ?? "-" }).joined(separator: " ") + (location ?? "")
    }

    /// Returns a value as text; nil if it can't be read as this type.
    private static func cell<Value: CustomizationReadable>(
        _ strings: Customization, _ key: String, _ text: (Value) -> String?
    ) -> String? {
        (try? strings.value(CustomizationKey<Value>(key))).flatMap(text)
    }

    private static func image(_ strings: Customization, _ key: String) -> String? {
        guard let tree = strings.storage.tree else { return nil }
        return strings.image(key, scale: 2).map { String($0.path.dropFirst(tree.path.count + 1)) }
    }

    private static func place(_ location: CustomizationLocation) -> String { "\(location.file):\(location.line)" }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
                let digits = String(scalar.value, radix: 16)
                result += "\\" + String(repeating: "0", count: 2 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
