import AshlarNetworking
import BenchmarkHarness
import Foundation

/// 4,000 users of a directory in one array: about 1.28 MB of small objects without whitespace.
private func directory() -> [UInt8] {
    let users = (0..<4000).map { i in
        #"{"id":\#(1_000_000 + i),"name":"user \#(i) of the directory","email":"user\#(i)@example.com","#
            + #""active":\#(i % 3 == 0),"score":\#(0.37 * Double(i) + 0.5),"balance":\#(7919 * i % 100_003),"#
            + #""note":"line one\nline \"\#(i)\" two \u00e9","city":"Zürich","parent":null,"#
            + #""tags":["alpha","beta","t\#(i % 17)"],"address":{"street":"\#(i) High Street","zip":"\#(10000 + i)","#
            + #""geo":[\#(0.01 * Double(i)),\#(-0.02 * Double(i))]},"rank":\#(i % 100)}"#
    }
    return Array("[\(users.joined(separator: ","))]".utf8)
}

private struct TwoFields: Decodable {
    var id: Int
    var name: String
}

private struct User: Decodable {
    struct Address: Decodable {
        var street: String
        var zip: String
        var geo: [Double]
    }
    var id: Int
    var name: String
    var email: String
    var active: Bool
    var score: Double
    var balance: Int
    var note: String
    var city: String
    var parent: String?
    var tags: [String]
    var address: Address
    var rank: Int
}

/// Repeats the work `n` times and adds up its results; a failure stops the run, so that errors can't look fast.
private func sum(_ n: Int, _ work: () throws -> Int) {
    var total = 0
    for _ in 0..<n {
        do { total &+= try work() } catch { preconditionFailure("\(error)") }
    }
    blackHole(total)
}

private func checksum(_ users: [TwoFields]) -> Int { users.reduce(0) { $0 + $1.id + $1.name.utf8.count } }

private func checksum(_ json: JSONEntity) -> Int {
    var total = 0
    for user in json { total += user["id"].int(0) + user["name"].string("").utf8.count }
    return total
}

/// JSON compared with Foundation, on the same bytes in the same run.
func jsonRows(_ suite: inout BenchmarkSuite) {
    let bytes = directory()
    let data = Data(bytes)
    let serialization = Contender("JSONSerialization") { n in
        sum(n) { (try JSONSerialization.jsonObject(with: data) as? [Any])?.count ?? 0 }
    }
    suite.row(
        "JSON: parse, fully checked", note: "\(bytes.count) B, 4,000 objects",
        ours: Contender("JSONEntity") { n in sum(n) { try JSONEntity(parsing: bytes).count } },
        against: [
            Peer(serialization, .atLeast(12)),
            Peer(
                Contender("JSONDecoder, all fields") { n in
                    sum(n) { try JSONDecoder().decode([User].self, from: data).count }
                }, .atLeast(9)),
        ])
    suite.row(
        "JSON: parse and read two fields of each object",
        ours: Contender("JSONEntity") { n in sum(n) { checksum(try JSONEntity(parsing: bytes)) } },
        against: [
            Peer(
                Contender("JSONSerialization") { n in
                    sum(n) {
                        let users = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
                        return users.reduce(0) {
                            $0 + ($1["id"] as? Int ?? 0) + (($1["name"] as? String)?.utf8.count ?? 0)
                        }
                    }
                }, .atLeast(10)),
            Peer(
                Contender("JSONDecoder, two fields") { n in
                    sum(n) { checksum(try JSONDecoder().decode([TwoFields].self, from: data)) }
                }, .atLeast(3)),
        ])
    suite.row(
        "JSON: decode 4,000 structs with all fields",
        ours: Contender("JSONEntity.decode") { n in
            sum(n) { try JSONEntity(parsing: bytes).decode([User].self).reduce(0) { $0 + $1.id + $1.name.utf8.count } }
        },
        against: [
            Peer(
                Contender("JSONDecoder") { n in
                    sum(n) {
                        try JSONDecoder().decode([User].self, from: data).reduce(0) { $0 + $1.id + $1.name.utf8.count }
                    }
                }, .atLeast(3))
        ])
    guard let json = try? JSONEntity(parsing: bytes), let object = try? JSONSerialization.jsonObject(with: data) else {
        return
    }
    suite.row(
        "JSON: write compact",
        ours: Contender("JSONEntity.bytes") { n in sum(n) { json.bytes().count } },
        against: [
            Peer(
                Contender("JSONSerialization.data") { n in
                    sum(n) { try JSONSerialization.data(withJSONObject: object).count }
                })
        ])
    lookupRows(&suite, bytes)
    memoryRow(&suite, bytes)
}

private func lookupRows(_ suite: inout BenchmarkSuite, _ bytes: [UInt8]) {
    guard let user = try? JSONEntity(parsing: bytes)[17] else { return }
    let keys = [
        "id", "name", "email", "active", "score", "balance", "note", "city", "parent", "tags", "address", "rank",
    ]
    let dictionary = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    suite.row(
        "JSON: one lookup among 12 keys, each in turn", allocations: 0,
        ours: Contender("JSONEntity subscript") { n in
            var found = 0
            for i in 0..<n where user[keys[i % 12]].isValid { found &+= 1 }
            blackHole(found)
        },
        against: [
            Peer(
                Contender("[String: Int]") { n in
                    var found = 0
                    for i in 0..<n where dictionary[keys[i % 12]] != nil { found &+= 1 }
                    blackHole(found)
                })
        ])
    suite.row(
        "JSON: a missing key and its fallback", allocations: 0,
        ours: Contender("JSONEntity subscript") { n in
            var total = 0
            for i in 0..<n { total &+= user["absent"].int(i & 1) }
            blackHole(total)
        },
        against: [
            Peer(
                Contender("[String: Int]") { n in
                    var total = 0
                    for i in 0..<n { total &+= dictionary["absent"] ?? (i & 1) }
                    blackHole(total)
                })
        ])
}

private func memoryRow(_ suite: inout BenchmarkSuite, _ bytes: [UInt8]) {
    suite.value("JSON: memory of the parsed document", unit: "× its text", bar: .below(2)) {
        guard let before = liveHeapBytes(), let json = try? JSONEntity(parsing: bytes), let after = liveHeapBytes()
        else { return .nan }
        blackHole(json)
        return Double(after - before) / Double(bytes.count)
    }
}

/// The selection of hosts compared with a plain dictionary.
func hostRows(_ suite: inout BenchmarkSuite) {
    let configurations = (0..<20).map { i in
        #"{"canonical_host": "api\#(i).example.com", "canonical_protocol": "https", "hosts": [{"key": "QA", "host": "qa\#(i).example.com"}]}"#
    }
    let text = #"{"configurations": [\#(configurations.joined(separator: ","))]}"#
    guard let map = try? HostMap(json: Array(text.utf8), strict: true) else { return }
    let hosts = HostSwitch(map)
    for i in 0..<20 { try? hosts.select("QA", for: "api\(i).example.com") }
    let names = (0..<20).map { "api\($0).example.com" }
    let dictionary = Dictionary(
        uniqueKeysWithValues: names.map { ($0, ProtocolHostPair(scheme: "https", host: "qa." + $0)) })
    suite.row(
        "Hosts: resolve one of 20 canonical hosts",
        ours: Contender("HostSwitch.resolve") { n in
            var found = 0
            for i in 0..<n where hosts.resolve(names[i % 20]) != nil { found &+= 1 }
            blackHole(found)
        },
        against: [
            Peer(
                Contender("[String: ProtocolHostPair]") { n in
                    var found = 0
                    for i in 0..<n where dictionary[names[i % 20]] != nil { found &+= 1 }
                    blackHole(found)
                }, .atMost(1.5))
        ])
}
