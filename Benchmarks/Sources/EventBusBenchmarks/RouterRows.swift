import AshlarEventBus
import BenchmarkHarness

/// The router, compared with a dictionary lookup of the whole path, which does no pattern matching.
///
/// The bar of a hit is 4 times the speed of routing-kit, whose published structure takes 2.05 to 2.35 µs on the same
/// machine; that is about twelve dictionary lookups.
enum RouterRows {
    private static var hit: Double { 12 }

    static func run(_ suite: inout BenchmarkSuite) {
        for count in [10, 1000, 10_000, 100_000] { tree(count, &suite) }
        flat(10_000, &suite)
        growth(&suite)
        statics(&suite)
        misses(&suite)
        building(&suite)
        hostile(&suite)
    }

    /// Selects one of 1,024 probes, in an irregular order.
    private static func probe(_ round: Int) -> Int { (round &* 7919) & 1023 }

    private static func number(_ seed: Int, _ limit: Int) -> Int {
        Int((UInt64(seed &+ 1) &* 0x9e37_79b9_7f4a_7c15) >> 33) % limit
    }

    /// Patterns of four segments with one parameter, like the areas and kinds of an app.
    private static func patterns(_ count: Int) -> [String] {
        (0..<count).map { "/area\($0 / 100)/kind\($0 % 100)/:id" }
    }

    private static func paths(_ count: Int) -> [String] {
        (0..<1024).map { round in
            let i = number(round, count)
            return "/area\(i / 100)/kind\(i % 100)/\(10_000 + number(round, 90_000))"
        }
    }

    private static func table(_ patterns: [String]) -> RouteTable {
        do { return try RouteTable(patterns) } catch { preconditionFailure("\(error)") }
    }

    /// Matches a path and reads the parameter.
    private static func match(_ name: String, _ table: RouteTable, _ paths: [String]) -> Contender {
        Contender(name) { n in
            var sum = 0
            for round in 0..<n {
                if let match = try? table.match(paths[probe(round)]), let id = match.parameters["id"] {
                    sum &+= id.utf8.count
                }
            }
            blackHole(sum)
        }
    }

    private static func lookup(_ count: Int, _ patterns: [String], _ paths: [String]) -> Contender {
        var dictionary: [String: Int] = [:]
        for (index, pattern) in patterns.enumerated() { dictionary[pattern] = index }
        for (index, path) in paths.enumerated() { dictionary[path] = index }
        return Contender("Dictionary hit of the whole path") { [dictionary] n in
            var sum = 0
            for round in 0..<n { sum &+= dictionary[paths[probe(round)]] ?? 0 }
            blackHole(sum)
        }
    }

    private static func tree(_ count: Int, _ suite: inout BenchmarkSuite) {
        let (patterns, paths) = (patterns(count), paths(count))
        suite.row(
            "match among \(count) patterns, /area/kind/:id, value read", allocations: 5,
            ours: match("RouteTable.match", table(patterns), paths),
            against: [Peer(lookup(count, patterns, paths), count == 10_000 ? .atMost(hit) : nil)])
    }

    private static func flat(_ count: Int, _ suite: inout BenchmarkSuite) {
        let patterns = (0..<count).map { "/api/v1/resource\($0)/:id" }
        let paths = (0..<1024).map { "/api/v1/resource\(number($0, count))/\(10_000 + number($0, 90_000))" }
        suite.row(
            "match among \(count) siblings, /api/v1/resource/:id, value read", allocations: 5,
            ours: match("RouteTable.match", table(patterns), paths),
            against: [Peer(lookup(count, patterns, paths), .atMost(hit))])
        let router = Router(bus: EventBus())
        for pattern in patterns {
            do { try router.route(pattern) { _ in } } catch { preconditionFailure("\(error)") }
        }
        suite.row(
            "match through a Router among \(count) siblings, value read", allocations: 5,
            ours: Contender("Router.match") { n in
                var sum = 0
                for round in 0..<n {
                    if let match = try? router.match(paths[probe(round)]), let id = match.parameters["id"] {
                        sum &+= id.utf8.count
                    }
                }
                blackHole(sum)
            },
            against: [Peer(lookup(count, patterns, paths), .atMost(hit))])
    }

    private static func growth(_ suite: inout BenchmarkSuite) {
        suite.row(
            "match among 100,000 patterns against 10", allocations: 5,
            ours: match("100,000 patterns", table(patterns(100_000)), paths(100_000)),
            against: [Peer(match("10 patterns", table(patterns(10)), paths(10)), .atMost(2))])
    }

    private static func statics(_ suite: inout BenchmarkSuite) {
        for count in [10_000, 100_000] {
            let patterns = (0..<count).map { "/area\($0 / 100)/kind\($0 % 100)/list" }
            let paths = (0..<1024).map { patterns[number($0, count)] }
            let table = table(patterns)
            suite.row(
                "match a static path among \(count)", allocations: 4,
                ours: Contender("RouteTable.contains") { n in
                    var sum = 0
                    for round in 0..<n where table.contains(paths[probe(round)]) { sum &+= 1 }
                    blackHole(sum)
                },
                against: [Peer(lookup(count, patterns, paths))])
        }
    }

    private static func misses(_ suite: inout BenchmarkSuite) {
        let table = table(patterns(10_000))
        let paths = (0..<1024).map { "/area\(number($0, 100))/nothing\($0)/5" }
        suite.row(
            "miss among 10,000 patterns", allocations: 4,
            ours: Contender("RouteTable.contains") { n in
                var sum = 0
                for round in 0..<n where table.contains(paths[probe(round)]) { sum &+= 1 }
                blackHole(sum)
            },
            against: [Peer(lookup(10_000, patterns(10_000), paths))])
    }

    private static func building(_ suite: inout BenchmarkSuite) {
        let patterns = patterns(100_000)
        suite.value("build a table of 100,000 patterns", unit: "ms", bar: .below(1200)) {
            milliseconds { blackHole(table(patterns)) }
        }
        suite.value("register 100,000 routes with a Router", unit: "ms", bar: .below(1200)) {
            milliseconds {
                let router = Router(bus: EventBus())
                for pattern in patterns {
                    do { try router.route(pattern) { _ in } } catch { preconditionFailure("\(error)") }
                }
                blackHole(router)
            }
        }
        if let before = liveHeapBytes() {
            let table = table(patterns)
            let bytes = Double((liveHeapBytes() ?? before) - before) / 100_000
            suite.value("memory of a table of 100,000, without the text of the patterns", unit: "bytes a pattern") {
                bytes
            }
            blackHole(table)
        }
    }

    private static func hostile(_ suite: inout BenchmarkSuite) {
        let table = table(patterns(1000))
        let paths = ["/" + String(repeating: "x", count: 1 << 20), String(repeating: "/%41", count: 1 << 18)]
        suite.row(
            "refuse a path of a megabyte", allocations: 0,
            ours: Contender("RouteTable.contains") { n in
                var sum = 0
                for round in 0..<n where table.contains(paths[round & 1]) { sum &+= 1 }
                blackHole(sum)
            },
            against: [
                Peer(
                    Contender("50 additions") { n in
                        var sum = 0
                        for round in 0..<n { for step in 0..<50 { sum = (sum &* 31) ^ (round &+ step) } }
                        blackHole(sum)
                    })
            ])
    }

    private static func milliseconds(_ work: () -> Void) -> Double {
        var best = Double.infinity
        for _ in 0..<5 {
            let time = ContinuousClock().measure(work)
            best = min(best, Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3)
        }
        return best
    }
}
