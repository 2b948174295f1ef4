import AshlarAppConfig
import BenchmarkHarness
import Foundation

func loadRows(_ suite: inout BenchmarkSuite) {
    let (small, big) = (Corpus(keys: 10_000), Corpus(keys: 100_000))
    let (xml, binary, json) = (small.plist(.xml), small.plist(.binary), small.json())
    let (bigXML, bigBinary) = (big.plist(.xml), big.plist(.binary))
    func foundation(_ bytes: [UInt8]) -> Contender {
        let data = Data(bytes)
        return Contender("PropertyListSerialization alone") { n in
            for _ in 0..<n {
                blackHole(try? PropertyListSerialization.propertyList(from: data, options: [], format: nil))
            }
        }
    }
    func ours(_ name: String, _ bytes: [UInt8]) -> Contender {
        Contender(name) { n in for _ in 0..<n { blackHole(load(bytes)) } }
    }
    suite.row(
        "load 10,000 keys of XML", note: "\(xml.count) bytes; indexed, with places",
        ours: ours("ApplicationConfig.load", xml), against: [Peer(foundation(xml), .atLeast(1))])
    suite.row(
        "load 10,000 keys of binary", note: "\(binary.count) bytes; indexed, with places",
        ours: ours("ApplicationConfig.load", binary), against: [Peer(foundation(binary), .atLeast(1))])
    let jsonData = Data(json)
    suite.row(
        "load 10,000 keys of JSON", note: "\(json.count) bytes; indexed, with places",
        ours: ours("ApplicationConfig.load", json),
        against: [
            Peer(
                Contender("JSONSerialization alone") { n in
                    for _ in 0..<n { blackHole(try? JSONSerialization.jsonObject(with: jsonData)) }
                })
        ])
    suite.row(
        "load 100,000 keys of XML", ours: ours("100,000 keys", bigXML),
        against: [Peer(ours("10,000 keys", xml), .atMost(12))])
    suite.row(
        "load 100,000 keys of binary", ours: ours("100,000 keys", bigBinary),
        against: [Peer(ours("10,000 keys", binary), .atMost(12))])
    let xmlText = String(decoding: xml, as: UTF8.self)
    suite.row(
        "load and merge four layers of 10,000 keys",
        ours: Contender("base, debug, bundle section, variables") { n in
            for _ in 0..<n { blackHole(layered(xmlText, small)) }
        }, against: [Peer(ours("base alone", xml))])
    suite.value("heap of a configuration of 10,000 keys", unit: "× the XML file") {
        let before = liveHeapBytes() ?? 0
        let config = load(xml)
        let after = liveHeapBytes() ?? 0
        blackHole(config)
        return Double(after - before) / Double(xml.count)
    }
}

private func layered(_ xml: String, _ corpus: Corpus) -> ApplicationConfig {
    var plan = ConfigPlan(
        files: .memory(["ApplicationConfig.plist": xml, "ApplicationConfig.debug.plist": xml]),
        environments: [.debug], bundleIdentifier: "section3")
    plan.variablePrefix = "APP_"
    plan.variables = ["APP_SECTION7__KEY7": "1"]
    do {
        return try ApplicationConfig.load(plan)
    } catch {
        fatalError("\(error)")
    }
}
