import AshlarLogging
import BenchmarkHarness

/// The cost of the search for secrets in each line.
struct SecretRows {
    let bench: Bench

    func run(_ suite: inout BenchmarkSuite) {
        let bench = bench
        suite.row(
            "search for secrets in a plain line",
            note: "a message of two numbers, in memory; the peers don't search; SIGKILL loses all of them",
            ours: Contender("with the search") { n in
                bench.start(nil)
                bench.logLines(n)
            },
            against: [
                Peer(
                    Contender("without it (revealsPrivateValues)") { n in
                        bench.start(nil, revealsSecrets: true)
                        bench.logLines(n)
                    }, .atMost(1.2)),
                Peer(SpdlogPeer.memory),
            ])
        suite.row(
            "search for secrets in a line with fields",
            note: "a message and three fields, in memory; the peers don't search; SIGKILL loses all of them",
            ours: Contender("with the search") { n in
                bench.start(nil)
                bench.logFields(n)
            },
            against: [
                Peer(
                    Contender("without it (revealsPrivateValues)") { n in
                        bench.start(nil, revealsSecrets: true)
                        bench.logFields(n)
                    }, .atMost(2)),
                Peer(SpdlogPeer.fields),
            ])
        bench.start(nil)
    }
}

extension Bench {
    @inline(never)
    func logFields(_ count: Int) {
        let log = log
        for _ in 0..<count { log.info("answered", ["status": 200, "user": "ada", "path": "/api/items"]) }
    }
}
