import AshlarAppConfig
import BenchmarkHarness
import Foundation

func readRows(_ suite: inout BenchmarkSuite) {
    let corpus = Corpus(keys: 10_000)
    let config = load(corpus.plist(.xml))
    let (numbers, texts) = (corpus.probes(offset: 0), corpus.probes(offset: 1))
    var ints: [String: Int] = [:]
    var strings: [String: String] = [:]
    for (section, entries) in corpus.values {
        for (key, value) in entries {
            if let number = value as? Int { ints["\(section).\(key)"] = number }
            if let text = value as? String { strings["\(section).\(key)"] = text }
        }
    }
    let (intTable, stringTable) = (ints, strings)
    let intKeys = numbers.map { ConfigKey($0, default: -1) }
    let stringKeys = texts.map { ConfigKey($0, default: "") }
    let absent = (0..<1024).map { "section\($0).nokey\($0)" }
    precondition(zip(numbers, intKeys).allSatisfy { config[$1] == intTable[$0] })
    precondition(zip(texts, stringKeys).allSatisfy { config[$1] == stringTable[$0] })

    let dictionaryInt = Contender("Dictionary<String, Int> hit") { n in
        var sum = 0
        for i in 0..<n { sum &+= intTable[numbers[i & 1023]] ?? -1 }
        blackHole(sum)
    }
    let dictionaryString = Contender("Dictionary<String, String> hit") { n in
        var sum = 0
        for i in 0..<n { sum &+= stringTable[texts[i & 1023]]?.utf8.count ?? 0 }
        blackHole(sum)
    }
    suite.row(
        "typed get, Int, 1,024 keys of 10,000", allocations: 0,
        ours: Contender("config[key]") { n in
            var sum = 0
            for i in 0..<n { sum &+= config[intKeys[i & 1023]] }
            blackHole(sum)
        }, against: [Peer(dictionaryInt, .atMost(2))])
    suite.row(
        "typed get, Int, one key", allocations: 0,
        ours: Contender("config[key]") { n in
            let key = intKeys[7]
            var sum = 0
            for _ in 0..<n { sum &+= config[key] }
            blackHole(sum)
        },
        against: [
            Peer(
                Contender("Dictionary<String, Int> hit") { n in
                    let key = numbers[7]
                    var sum = 0
                    for _ in 0..<n { sum &+= intTable[key] ?? -1 }
                    blackHole(sum)
                    // A key is looked up by its name each time, without a slot of its own: 34 and 25 ns.
                }, .atMost(2))
        ])
    suite.row(
        "typed get, String, 1,024 keys of 10,000", allocations: 0,
        ours: Contender("config[key]") { n in
            var sum = 0
            for i in 0..<n { sum &+= config[stringKeys[i & 1023]].utf8.count }
            blackHole(sum)
        }, against: [Peer(dictionaryString, .atMost(2))])
    // Names of up to 15 bytes are stored inside the `String`, which makes a Dictionary faster.
    for (label, lengths) in [("short", 0...15), ("long", 16...100)] {
        let names = corpus.probes(offset: 0, lengths: lengths)
        suite.row(
            "string get, Int, 1,024 \(label) keys of 10,000", allocations: 0,
            ours: Contender("config.int(forKey:)") { n in
                var sum = 0
                for i in 0..<n { sum &+= config.int(forKey: names[i & 1023]) ?? -1 }
                blackHole(sum)
            },
            against: [
                Peer(
                    Contender("Dictionary<String, Int> hit") { n in
                        var sum = 0
                        for i in 0..<n { sum &+= intTable[names[i & 1023]] ?? -1 }
                        blackHole(sum)
                    }, .atMost(1.5))
            ])
    }
    suite.row(
        "string get, String, 1,024 keys of 10,000", allocations: 0,
        ours: Contender("config.string(forKey:)") { n in
            var sum = 0
            for i in 0..<n { sum &+= config.string(forKey: texts[i & 1023])?.utf8.count ?? 0 }
            blackHole(sum)
        }, against: [Peer(dictionaryString, .atMost(1.5))])
    suite.row(
        "string get of an absent key", allocations: 0,
        ours: Contender("config.int(forKey:)") { n in
            var sum = 0
            for i in 0..<n { sum &+= config.int(forKey: absent[i & 1023]) ?? -1 }
            blackHole(sum)
        },
        against: [
            Peer(
                Contender("Dictionary<String, Int> miss") { n in
                    var sum = 0
                    for i in 0..<n { sum &+= intTable[absent[i & 1023]] ?? -1 }
                    blackHole(sum)
                }, .atMost(2))
        ])
    let store = ConfigStore(config)
    suite.row(
        "current of a store and typed get", allocations: 0,
        ours: Contender("store.current[key]") { n in
            var sum = 0
            for i in 0..<n { sum &+= store.current[intKeys[i & 1023]] }
            blackHole(sum)
        }, against: [Peer(dictionaryInt)])
    suite.row(
        "one set on 10,000 keys",
        ours: Contender("config[path] = value") { n in
            for i in 0..<n {
                var copy = config
                copy["section7.key7"] = .integer(Int64(i))
                blackHole(copy)
            }
        }, against: [])
}
