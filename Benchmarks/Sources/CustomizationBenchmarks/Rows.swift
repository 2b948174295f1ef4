import AshlarCustomization
import BenchmarkHarness
import Foundation

extension BenchmarkSuite {
    mutating func parsingRows() {
        let utf8 = Array(Sample.source("English").utf8)
        let units = Array(Sample.source("English").utf16)
        let utf16: [UInt8] =
            [0xFF, 0xFE] + units.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let files: [(String, [UInt8], Double)] = [("UTF-8", utf8, 0.2), ("UTF-16", utf16, 0.2)]
        for (name, bytes, bar) in files {
            let data = Data(bytes)
            row(
                "parse 10,000 entries, \(name), \(bytes.count / 1000) kB",
                note: "ours yields a table with positions, comments and diagnostics",
                ours: Contender("StringsTable.parse") { n in
                    var sum = 0
                    for _ in 0..<n { sum &+= StringsTable.parse(strings: bytes).table.count }
                    blackHole(sum)
                },
                against: [
                    Peer(
                        Contender("PropertyListSerialization") { n in
                            var sum = 0
                            for _ in 0..<n {
                                let root = try? PropertyListSerialization.propertyList(from: data, format: nil)
                                sum &+= (root as? NSDictionary)?.count ?? 0
                            }
                            blackHole(sum)
                        }, .atMost(bar))
                ])
        }
    }

    mutating func lookupRows() {
        let layers = Sample.layers()
        let customization = Customization(layers: layers)
        var random = SystemRandomNumberGenerator()
        let names = (0..<1024).map { _ in Sample.key(Int.random(in: 0..<Sample.count, using: &random)) }
        let dictionary = Dictionary(
            uniqueKeysWithValues: (0..<Sample.count).map { (Sample.key($0), "text \($0) of the file") })
        let center = CustomizationCenter(customization)
        let bundle = Self.bundle()
        let hit = Contender("Dictionary<String, String>") { n in
            var sum = 0
            for i in 0..<n { sum &+= dictionary[names[i & 1023]]?.utf8.count ?? 0 }
            blackHole(sum)
        }
        let localizedString = Contender("Bundle.localizedString") { n in
            var sum = 0
            for i in 0..<n {
                sum &+= bundle.localizedString(forKey: names[i & 1023], value: nil, table: nil).utf8.count
            }
            blackHole(sum)
        }
        row(
            "string by name through 5 layers", allocations: 0,
            ours: Contender("Customization.string") { n in
                var sum = 0
                for i in 0..<n { sum &+= customization.string(names[i & 1023]).utf8.count }
                blackHole(sum)
            },
            against: [
                // The peer is Foundation. A dictionary only shows the cost of layers, aliases and types; without a second
                // path for texts, a read takes about three lookups (198 and 63 ns).
                Peer(hit, .atMost(4)),
                Peer(localizedString, .atMost(0.33)),
            ])
        row(
            "string by name through the center",
            ours: Contender("center.current.string") { n in
                var sum = 0
                for i in 0..<n { sum &+= center.current.string(names[i & 1023]).utf8.count }
                blackHole(sum)
            }, against: [Peer(hit)])
        typedRows(customization, [Peer(hit, .atMost(3)), Peer(localizedString, .atMost(0.33))])
    }

    // Typed keys are read like names, without slots of their own: 155 ns of processor time, and a dictionary's lookup of a
    // string 65 ns. Foundation's lookup, which returns a string that the app still has to convert, takes 24 µs on Linux.
    private mutating func typedRows(_ customization: Customization, _ peers: [Peer]) {
        let length: CustomizationKey<Int> = "PINminimumLength.of.the.app"
        let color: CustomizationKey<RGBAColor> = "TabBarColor.of.the.main.view"
        let flag: CustomizationKey<Bool> = "isPINrequired.at.the.start"
        row(
            "whole number by key", allocations: 0,
            ours: Contender("customization[key]") { n in
                var sum = 0
                for _ in 0..<n { sum &+= customization[length] ?? 0 }
                blackHole(sum)
            }, against: peers)
        row(
            "color by key", allocations: 0,
            ours: Contender("customization[key]") { n in
                var sum: Float = 0
                for _ in 0..<n { sum += customization[color]?.red ?? 0 }
                blackHole(sum)
            }, against: peers)
        row(
            "boolean by key", allocations: 0,
            ours: Contender("customization[key]") { n in
                var sum = 0
                for _ in 0..<n where customization[flag] == true { sum &+= 1 }
                blackHole(sum)
            }, against: peers)
    }

    mutating func switchRows() {
        let folder = NSTemporaryDirectory() + "ashlar-benchmark-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["en", "fr", "fr-CA", "de", "de-AT", "acme", "acme.lproj/fr", "acme.lproj/de"] {
            let path = folder + "/\(name).lproj"
            try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try? Data(Sample.source(name).utf8).write(to: URL(fileURLWithPath: path + "/Localizable.strings"))
        }
        let customization = Customization(path: folder, languages: ["fr-CA"], brand: "acme")
        let files = ["en", "fr", "fr-CA"].map { folder + "/\($0).lproj/Localizable.strings" }
        row(
            "start with 10,000 keys in 3 languages",
            note: "the first peer reads the bytes only; the second one reads the three files into tables",
            ours: Contender("Customization.init") { n in
                var sum = 0
                for _ in 0..<n {
                    sum &+= Customization(path: folder, languages: ["fr-CA"], brand: .none).layers.count
                }
                blackHole(sum)
            },
            against: [
                Peer(
                    Contender("the bytes of each file") { n in
                        var sum = 0
                        for _ in 0..<n {
                            for file in files { sum &+= (try? Data(contentsOf: URL(filePath: file)))?.count ?? 0 }
                        }
                        blackHole(sum)
                    }),
                Peer(
                    Contender("StringsTable.parse of each file") { n in
                        var sum = 0
                        for _ in 0..<n {
                            for file in files {
                                let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
                                sum &+= StringsTable.parse(strings: Array(bytes), file: file).table.count
                            }
                        }
                        blackHole(sum)
                    }, .atMost(2.5)),
            ])
        customization.preload()
        precondition(customization.layers.count == 5 && customization.switching(language: "de-AT").layers.count == 5)
        let data = Data(Sample.source("fr").utf8)
        row(
            "switch language, stack of 5 x 10,000 keys, no file read",
            note: "the peer parses one table, as an app that swaps bundles does",
            ours: Contender("switching(language:)") { n in
                var sum = 0
                for i in 0..<n {
                    let language: LanguageTag = i % 2 == 0 ? "de-AT" : "fr-CA"
                    sum &+= customization.switching(language: language).layers.count
                }
                blackHole(sum)
            },
            against: [
                Peer(
                    Contender("PropertyListSerialization, one table") { n in
                        var sum = 0
                        for _ in 0..<n {
                            let root = try? PropertyListSerialization.propertyList(from: data, format: nil)
                            sum &+= (root as? NSDictionary)?.count ?? 0
                        }
                        blackHole(sum)
                    })
            ])
    }

    /// A bundle of one table with the sample's keys, for Foundation to look them up in.
    private static func bundle() -> Bundle {
        let folder = NSTemporaryDirectory() + "ashlar-benchmark-\(UUID().uuidString).bundle"
        let path = folder + "/en.lproj"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try? Data(Sample.source("English").utf8).write(to: URL(fileURLWithPath: path + "/Localizable.strings"))
        return Bundle(path: folder) ?? .main
    }
}
