import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct NoiseTests {
    @Test("Repeated lines are replaced by their number, which is written at a flush or before another line")
    func repeats() {
        let system = TestSystem { $0.collapsesRepeats = true }
        let log = system.log()
        for _ in 1...38 { log.info("again") }
        log.info("other")
        log.info("other")
        log.info("other", ["k": 1])
        system.log("B").info("last")
        for _ in 1...3 { system.log("B").info("last") }
        system.flush(sync: false)
        #expect(
            system.lines == [
                "[INFO] A - again", "[INFO] A - last line repeated 37 times", "[INFO] A - other",
                "[INFO] A - last line repeated once", "[INFO] A - other k=1", "[INFO] B - last",
                "[INFO] B - last line repeated 3 times",
            ])
        #expect(system.counters.suppressed == 41)
    }

    @Test("Lines that differ only in their level or context aren't repeats, and a notice is written once")
    func differences() {
        let system = TestSystem { $0.collapsesRepeats = true }
        system.log("A").info("same")
        system.log("A").warning("same")
        system.log("B").warning("same")
        system.log("B").warning("same")
        system.flush(sync: false)
        system.flush(sync: false)
        #expect(
            system.lines == [
                "[INFO] A - same", "[WARNING] A - same", "[WARNING] B - same", "[WARNING] B - last line repeated once",
            ])
    }

    @Test(
        "Suppressed lines leave a trace with a flush, at the end and at a new start, without another line of their site"
    )
    func traces() {
        let system = TestSystem { $0.rateLimit = .oneOf(100) }
        let log = system.log()
        func log5(_ text: String) { for _ in 0..<5 { log.warning("\(text)") } }
        log5("one")
        system.flush(sync: false)
        #expect(system.lines == ["[WARNING] A - one", "[WARNING] A - 4 lines suppressed suppressed=4"])
        log5("two")
        var configuration = system.configuration
        configuration.rateLimit = .oneOf(3)
        _ = system.pipeline.start(configuration)
        #expect(system.lines.suffix(1) == ["[WARNING] A - 5 lines suppressed suppressed=5"])
        log5("three")
        system.shutdown()
        #expect(system.lines.last == "[WARNING] A - 1 line suppressed suppressed=1")
        #expect(system.counters.suppressed == 12)
    }

    @Test("Lines of a silent call site are reported after its period, by a line of another one")
    func silence() {
        let now = Guarded<Int64>(0)
        for (limit, wait) in [(LogRateLimit.lines(1, per: .seconds(5)), 5), (.oneOf(9), 60)] as [(LogRateLimit, Int64)]
        {
            now.withLock { $0 = 0 }
            let limiter = RateLimiter(limit) { now.withLock { $0 } }
            for _ in 0..<4 { #expect(limiter.admit(1).notices.isEmpty) }
            now.withLock { $0 = wait * 1_000_000_000 - 1 }
            #expect(limiter.admit(2).notices.isEmpty)
            now.withLock { $0 += 1_000_000_001 }
            let notices = limiter.admit(3).notices
            #expect(notices.map(\.message) == ["3 lines suppressed"])
            #expect(notices.first?.line == 1 && notices.first?.file == "File" && notices.first?.level == .warning)
            #expect(limiter.admit(1).0 == .admitted(suppressed: 0) || limit == .oneOf(9))
        }
    }

    @Test("Beyond 4,096 call sites, silent ones make room, and each suppressed line is reported once", arguments: 1...3)
    func manySites(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let now = Guarded<Int64>(0)
        let limiter = RateLimiter(.lines(1, per: .seconds(1_000_000))) { now.withLock { $0 } }
        var (held, reported) = (0, 0)
        for _ in 0..<60_000 {
            now.withLock { $0 += 1000 }
            let (verdict, notices) = limiter.admit(UInt.random(in: 0..<9000, using: &random))
            reported += Self.count(notices)
            if case .admitted(let count) = verdict { reported += count } else { held += 1 }
        }
        reported += Self.count(limiter.takeNotices())
        #expect(held > 1000 && reported == held, "seed \(seed): \(reported) of \(held)")
    }

    private static func count(_ notices: [LogRecord]) -> Int {
        notices.reduce(0) { sum, notice in
            guard case .integer(let count)? = notice.fields["suppressed"] else { return sum }
            return sum + Int(count)
        }
    }

    @Test("With both filters, each suppressed line is in exactly one count", arguments: 1...10)
    func bothFilters(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let system = TestSystem {
            $0.collapsesRepeats = true
            $0.rateLimit = .oneOf(3)
            $0.contextRateLimits = ["B": .lines(2, per: .seconds(1000))]
        }
        let count = 2000
        for _ in 0..<count {
            let log = system.log(Bool.random(using: &random) ? "A" : "B")
            let text = "text \(Int.random(in: 0...1, using: &random))"
            if Bool.random(using: &random) { log.info(text) } else { log.warning(text) }
        }
        system.flush(sync: false)
        var (written, suppressed) = (0, 0)
        for line in system.lines {
            if let match = line.firstMatch(of: /suppressed=(\d+)/) { suppressed += try #require(Int(match.1)) }
            if line.contains("repeated once") { suppressed += 1 }
            if let match = line.firstMatch(of: /repeated (\d+) times/) { suppressed += try #require(Int(match.1)) }
            if line.contains("- text") { written += 1 }
        }
        #expect(written + suppressed == count && suppressed == system.counters.suppressed, "seed \(seed)")
    }

    @Test("The longest matching rate limit of a context applies, and each call site has its own count")
    func longestLimit() {
        let system = TestSystem { $0.contextRateLimits = ["net": .oneOf(2), "net.http": .oneOf(5), "": .oneOf(10)] }
        let log = system.log("net.http")
        for _ in 0..<10 { log.info("first") }
        #expect(system.lines.count == 2)
        for file in ["App/A.swift", "App/B.swift"] as [StaticString] { log.info("second", file: file, line: 7) }
        #expect(system.lines.count == 4)
    }

    @Test("Rate limits of contexts take precedence, by component")
    func contexts() {
        let system = TestSystem {
            $0.rateLimit = .oneOf(2)
            $0.contextRateLimits = ["net": .oneOf(5)]
        }
        for context in ["net.http", "network", "x"] {
            let log = system.log(context)
            for index in 0..<10 { log.info("line \(index)") }
        }
        func count(_ context: String) -> Int { system.lines.count { $0.contains(" \(context) ") } }
        #expect(["net.http", "network", "x"].map(count) as [Int] == [2, 5, 5] as [Int])
    }

    @Test("Recorded lines are written before the error that follows, once, with their own times")
    func recording() {
        let system = TestSystem(threshold: .info) { $0.recording = LogRecording(level: .debug, bytes: 2000) }
        let log = system.log()
        for index in 1...100 { log.debug("step \(index)") }
        log.verbose("below")
        log.warning("careful")
        #expect(system.lines == ["[WARNING] A - careful"])
        log.error("failed")
        let steps = system.lines.filter { $0.contains("step") }
        #expect(steps.count >= 5 && steps.last == "[DEBUG] A - step 100")
        #expect(system.lines.last == "[ERROR] A - failed")
        log.error("again")
        #expect(system.lines.count == steps.count + 3)
        system.isEnabled = false
        #expect(!log.isEnabled(.debug))
    }
}
