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
            // The canonical form reads back without an error.
            if parsed.table.count > 0 {
                let again = StringsTable.parse(strings: Array(parsed.table.formatted().utf8))
                precondition(!again.hasErrors && again.table.count == parsed.table.count)
            }
        },
        FuzzTarget("strings-foundation") { bytes in
            let parsed = StringsTable.parse(strings: bytes, mode: .foundation)
            precondition(!parsed.isRejected || parsed.table.isEmpty)
        },
        FuzzTarget("editor") { bytes in
            guard var editor = try? StringsFileEditor(bytes) else { return }
            try? editor.apply(["a": "x", "new key": "\"y\"\n", "b": String?.none])
        },
        FuzzTarget("themes") { bytes in
            let parsed = Theme.parse(bytes)
            _ = Customization(layers: []).with(themes: parsed.themes).lint()
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
            precondition(tag.fallbacks.first == tag)
            _ = LanguageTag.chain(for: [tag], available: ["en", "zh-Hant", "pt"], base: "en")
        },
        FuzzTarget("format") { bytes in
            let format = CustomizationFormat(String(decoding: bytes, as: UTF8.self))
            _ = format.formatted("a", 1, 2.5)
            _ = CustomizationFormat(format.positional).formatted("a", 1, 2.5)
        },
        FuzzTarget("android") { bytes in
            let file = AndroidResources.File(
                path: "res/values/strings.xml", text: String(decoding: bytes, as: UTF8.self))
            _ = AndroidResources(AndroidResources(files: [file]).layers().layers)
        },
        FuzzTarget("pseudo") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for style in [PseudoLocalization.accented, .mirrored] { _ = style.text(text) }
        },
    ])
}
