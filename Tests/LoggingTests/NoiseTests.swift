import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

@Suite struct NoiseTests {
    @Test("Repeated lines are replaced by their number, which is written at a flush or before another line")
    func repeats() {
        let system = TestSystem { $0.collapsesRepeats = true }
        let log = system.log()
        for _ in 1...38 { log.info("again") }
        log.info("other").info("other")
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
        system.log("A").info("same").warning("same")
        system.log("B").warning("same").warning("same")
        system.flush(sync: false)
        system.flush(sync: false)
        #expect(
            system.lines == [
                "[INFO] A - same", "[WARNING] A - same", "[WARNING] B - same", "[WARNING] B - last line repeated once",
            ])
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
