import AshlarCustomization
import FuzzHarness

/// libFuzzer's first call.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: [
        FuzzTarget("strings") { bytes in
            let parsed = StringsTable.parse(strings: bytes)
            precondition(!parsed.isRejected || parsed.table.isEmpty)
            for entry in parsed.table { precondition(parsed.table[entry.key] == entry.value) }
        },
        FuzzTarget("strings-foundation") { bytes in
            let parsed = StringsTable.parse(strings: bytes, mode: .foundation)
            precondition(!parsed.isRejected || parsed.table.isEmpty)
        },
        FuzzTarget("themes") { bytes in
            let parsed = Theme.parse(bytes)
            _ = Customization(layers: []).with(themes: parsed.themes).problems
        },
        FuzzTarget("colors") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let dialects: [ColorDialect] = [.ftCustomization, .squidKit, .squidKitLenient, .db5, .css, .android, .dtcg]
            for dialect in dialects { _ = dialect.color(text) }
        },
        FuzzTarget("stringsdict") { bytes in
            for entry in StringsTable.parse(stringsDict: bytes).table {
                _ = PluralMessage(stringsDict: entry.value)?.formatted(1, 2, rules: PluralRules("ar"))
            }
        },
        FuzzTarget("xcstrings") { bytes in
            for table in StringsTable.parse(stringCatalog: bytes).tables.values {
                for entry in table {
                    _ = PluralMessage(stringsDict: entry.value)?.formatted(1, 2, rules: PluralRules("ru"))
                }
            }
        },
        FuzzTarget("language-tag") { bytes in
            guard let tag = LanguageTag(String(decoding: bytes, as: UTF8.self)) else { return }
            precondition(LanguageTag(tag.description) == tag, "the canonical form is not canonical")
            let fallbacks = tag.fallbacks
            precondition(fallbacks.first == tag && Set(fallbacks).count == fallbacks.count)
            // Each step drops a subtag or goes by CLDR's parents, whose longest way has four steps.
            precondition(fallbacks.count <= tag.description.split(separator: "-").count + 4)
            precondition(fallbacks.last?.parent == nil, "the fallbacks stop before the root")
            for fallback in fallbacks { precondition(LanguageTag(fallback.description) == fallback) }
            _ = LanguageTag.chain(for: [tag], available: ["en", "zh-Hant", "pt"], base: "en")
        },
        FuzzTarget("format") { bytes in
            let format = CustomizationFormat(String(decoding: bytes, as: UTF8.self))
            let positional = CustomizationFormat(format.positional)
            precondition(positional.positional == format.positional && positional.argumentTypes == format.argumentTypes)
            for values in [["a", 1, 2.5], [3, -2, 1, 0, 4, 9], []] as [[any FormatArgument]] {
                let output = format.formatted(values.map(\.formatValue))
                // A placeholder that lacks a value stays as it is written, which differs.
                if output.problems.dropFirst(format.problems.count).isEmpty {
                    precondition(positional.formatted(values.map(\.formatValue)).text == output.text)
                }
            }
        },
    ])
}
