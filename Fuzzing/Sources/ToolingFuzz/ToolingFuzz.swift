import AshlarTooling
import FuzzHarness

/// The first function that libFuzzer calls.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: [
        FuzzTarget("formatted") { bytes in
            let table = StringsTable.parse(strings: bytes).table
            guard table.count > 0 else { return }
            let again = StringsTable.parse(strings: Array(table.formatted().utf8))
            precondition(!again.hasErrors && again.table.count == table.count)
        },
        FuzzTarget("editor") { bytes in
            guard var editor = try? StringsFileEditor(bytes) else { return }
            try? editor.apply(["a": "x", "new key": "\"y\"\n", "b": String?.none])
        },
        FuzzTarget("lint") { bytes in
            _ = Customization(layers: []).with(themes: Theme.parse(bytes).themes).lint()
        },
        FuzzTarget("host-menu") { bytes in
            guard let map = try? HostMap(json: bytes) else { return }
            let menu = HostMenu(HostSwitch(map))
            try? menu.enter("1")
            _ = menu.text
        },
    ])
}
