import AshlarCustomization
import FuzzHarness

/// The first function that libFuzzer calls.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: [
        FuzzTarget("strings") { bytes in
            let parsed = StringsTable.parse(strings: bytes)
            for entry in parsed.table { precondition(parsed.table[entry.key] == entry.value) }
        },
        FuzzTarget("themes") { bytes in
            let parsed = Theme.parse(bytes)
            _ = Customization(layers: []).with(themes: parsed.themes).problems
        },
        FuzzTarget("colors") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let dialects: [ColorDialect] = [.ftCustomization, .squidKit, .squidKitLenient, .db5]
            for dialect in dialects { _ = dialect.color(text) }
        },
        FuzzTarget("stringsdict") { bytes in
            for entry in StringsTable.parse(stringsDict: bytes).table {
                if case .message(let message) = entry.value { _ = message.formatted(1, 2, language: "ar") }
            }
        },
        FuzzTarget("xcstrings") { bytes in
            for table in StringsTable.parse(stringCatalog: bytes).tables.values {
                for entry in table {
                    if case .message(let message) = entry.value {
                        _ = message.formatted(1, 2, language: "ru")
                    }
                }
            }
        },
        FuzzTarget("language-tag") { bytes in
            guard let tag = LanguageTag(String(decoding: bytes, as: UTF8.self)) else { return }
            precondition(LanguageTag(tag.description) == tag, "the canonical form is not canonical")
            let fallbacks = tag.fallbacks
            precondition(fallbacks.first == tag && Set(fallbacks).count == fallbacks.count)
            // Each step removes a subtag or follows CLDR's parents, of which there are at most four.
            precondition(fallbacks.count <= tag.description.split(separator: "-").count + 4)
            for fallback in fallbacks { precondition(LanguageTag(fallback.description) == fallback) }
            _ = LanguageMatcher(available: ["en", "zh-Hant", "pt"], base: "en").match(for: [tag])
        },
        FuzzTarget("format") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let message = CustomizationMessage(text)
            for values in [["a", 1, 2.5], [3, -2, 1, 0, 4, 9], []] as [[any FormatArgument]] {
                let output = message.formatted(values.map(\.formatValue))
                precondition(output.problems.starts(with: message.problems))
            }
        },
        FuzzTarget("icu-message") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let message = CustomizationMessage(icu: text)
            for problem in message.problems {
                precondition((0...text.utf8.count).contains(problem.offset))
            }
            let values: [FormatValue] = [.int(1), .string("a"), .double(2.5)]
            let output = message.formatted(values, language: "ar")
            precondition(output.text.utf8.count <= 16 * (text.utf8.count + 64) * (text.utf8.count + 1))
            _ = message.formatted(["a": 1, "b": "x"], language: "hi")
        },
    ])
}
