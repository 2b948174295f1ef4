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
        FuzzTarget("stringsdict") { bytes in _ = StringsTable.parse(stringsDict: bytes) },
        FuzzTarget("xcstrings") { bytes in _ = StringsTable.parse(stringCatalog: bytes) },
    ])
}
