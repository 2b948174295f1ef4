import AshlarLogging
import BenchmarkHarness
import Synchronization

/// The cost of a log call before anything is written.
struct CallRows {
    let bench: Bench

    func run(_ suite: inout BenchmarkSuite) {
        let log = bench.log
        bench.start(nil)
        let byte = FlagByte()
        suite.row(
            "disabled call",
            note: "message of two numbers, never built, four calls a turn as in the peer's unrolled loop; nothing is "
                + "written, SIGKILL loses nothing",
            allocations: 0,
            ours: Contender("log.debug below the threshold") { disabledCalls(log, $0) },
            against: [
                Peer(SpdlogPeer.disabled, .atMost(0.5)),
                Peer(Contender("loop with one relaxed load") { loads(byte, $0) }),
            ])
        suite.value(
            "disabled call beyond the loop", unit: "ns", bar: .below(0.3),
            note: "the least time of a call minus that of a loop with one relaxed load, of 40 interleaved rounds"
        ) {
            let count = 4_000_000
            func nanoseconds(_ body: () -> Void) -> Double {
                let duration = ContinuousClock().measure(body).components
                return (Double(duration.seconds) * 1e9 + Double(duration.attoseconds) / 1e9) / Double(count)
            }
            var (call, loop) = (Double.infinity, Double.infinity)
            for _ in 0..<40 {
                call = min(call, nanoseconds { disabledCalls(log, count) })
                loop = min(loop, nanoseconds { loads(byte, count) })
            }
            return call - loop
        }
        suite.row(
            "building the message", note: "two numbers; nothing is written, SIGKILL loses nothing",
            ours: Contender("LogMessage interpolation") { n in
                for i in 0..<n { consume("message \(i) of \(n)") }
            },
            against: [
                Peer(
                    Contender("String interpolation") { n in
                        for i in 0..<n { consumeString("message \(i) of \(n)") }
                    }, .atMost(1.5))
            ])
        suite.row(
            "enabled, in memory",
            note:
                "SIGKILL loses all of them; ours and the sink in memory print the time and store the line, the null sink "
                + "does neither",
            ours: Contender("memory only") { n in bench.logLines(n) },
            against: [Peer(SpdlogPeer.memory, .atMost(4)), Peer(SpdlogPeer.null)])
        let bound = bench.log.with(["request": 4711])
        suite.row(
            "a bound field", note: "SIGKILL loses all of both; one more field on each line",
            ours: Contender("log.with([\"request\": 4711])") { n in
                for i in 0..<n { bound.info("message \(i) of \(n)") }
            },
            against: [Peer(Contender("the same without the field") { n in bench.logLines(n) }, .atMost(1.5))])
        suite.row(
            "enabled, a string and static text", note: "SIGKILL loses all of it: it is in memory only",
            ours: Contender("memory only") { n in
                let name = "a string that is longer than fifteen bytes"
                for _ in 0..<n {
                    log.info("name \(name)")
                    log.info("static text")
                }
            }, against: [])
    }
}

/// The compiler unrolls the peers' loops, but not a loop with a call site, so this loop is unrolled by hand.
@inline(never)
private func disabledCalls(_ log: Log, _ n: Int) {
    for i in 0..<n / 4 {
        log.debug("message \(i) of \(n)")
        log.debug("message \(i + 1) of \(n)")
        log.debug("message \(i + 2) of \(n)")
        log.debug("message \(i + 3) of \(n)")
    }
    for i in 0..<n % 4 { log.debug("message \(i) of \(n)") }
}

@inline(never)
private func loads(_ byte: FlagByte, _ n: Int) {
    var sum = 0
    for _ in 0..<n { sum &+= Int(byte.value.load(ordering: .relaxed)) }
    blackHole(sum)
}

/// A byte that other code might change.
final class FlagByte: Sendable {
    let value = Atomic<UInt8>(1)
}

/// Builds a message, uses it and releases it, like a log call.
@inline(never)
private func consume(_ message: @autoclosure () -> LogMessage) { blackHole(message().description.utf8.count) }

@inline(never)
private func consumeString(_ text: @autoclosure () -> String) {
    var text = text()
    text.withUTF8 { blackHole($0.count) }
}
