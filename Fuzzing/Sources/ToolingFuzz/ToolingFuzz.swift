import AshlarTooling
import FuzzHarness

/// The first function that libFuzzer calls.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: [
        FuzzTarget("lint") { bytes in
            let tables = ["Localizable": StringsTable.parse(strings: bytes).table]
            _ = Customization(layers: [
                CustomizationLayer(id: "en.lproj", role: .base("en"), tables: tables),
                CustomizationLayer(id: "fr.lproj", role: .language("fr"), tables: tables),
            ]).with(themes: Theme.parse(bytes).themes).lint()
        },
        FuzzTarget("host-menu") { bytes in
            guard let map = try? HostMap(json: bytes) else { return }
            let menu = HostMenu(HostSwitch(map))
            try? menu.enter("1")
            _ = menu.text
        },
    ])
}
