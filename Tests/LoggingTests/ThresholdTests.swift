import AshlarTestSupport
import Testing

@testable import AshlarLogging

@Suite struct ThresholdTests {
    @Test("Every level passes exactly the thresholds at and above it", arguments: LogLevel.allCases)
    func allPairs(threshold: LogLevel) {
        let system = TestSystem(threshold: threshold)
        let log = system.log()
        for level in LogLevel.allCases {
            #expect(log.isEnabled(level) == (level.rawValue <= threshold.rawValue))
            log.log(level, "x")
        }
        #expect(system.lines.count == Int(threshold.rawValue) + 1)
    }

    @Test("Each method logs its own level")
    func methods() {
        let system = TestSystem()
        let log = system.log()
        log.unrecoverable("x")
        log.critical("x")
        log.error("x")
        log.warning("x")
        log.info("x")
        log.logging("x")
        log.debug("x")
        log.analytic("x")
        log.verbose("x")
        let text = "y"
        log.unrecoverable("\(text)")
        log.critical("\(text)")
        log.error("\(text)")
        log.warning("\(text)")
        log.info("\(text)")
        log.logging("\(text)")
        log.debug("\(text)")
        log.analytic("\(text)")
        log.verbose("\(text)")
        let names = LogLevel.allCases.map(\.description)
        #expect(system.lines == names.map { "[\($0)] A - x" } + names.map { "[\($0)] A - y" })
    }

    @Test("Threshold and switch apply to existing loggers immediately")
    func runTime() {
        let system = TestSystem(threshold: .warning)
        let log = system.log()
        log.info("one")
        system.thresholds.global = .info
        log.info("two")
        system.isEnabled = false
        log.unrecoverable("three")
        system.isEnabled = true
        log.debug("four")
        log.level = .verbose
        log.verbose("five")
        log.level = nil
        log.verbose("six")
        #expect(system.lines == ["[INFO] A - two", "[VERBOSE] A - five"])
        #expect(log.description == "Log - level: INFO, context: A")
    }

    @Test("A disabled call evaluates neither message nor fields")
    func nothingEvaluated() {
        let system = TestSystem(threshold: .warning)
        func never() -> Int {
            Issue.record("evaluated")
            return 0
        }
        system.log().log(.verbose, "\(never())")
        system.log().debug("\(never())", ["a": never()])
        system.log().verbose("\(never())")
        #expect(system.live.isEmpty)
    }

    @Test("The longest matching rule applies; a rule matches whole components")
    func contexts() {
        let system = TestSystem(threshold: .warning)
        let (net, cache, other) = (system.log("net"), system.log("net.cache"), system.log("network"))
        func limits() -> [Bool] { [net, cache, other].map { $0.isEnabled(.debug) } }
        #expect(limits() == [false, false, false])
        system.thresholds.contexts["net"] = .some(.debug)
        #expect(limits() == [true, true, false])
        system.thresholds.contexts["net.cache"] = .some(nil)
        #expect(limits() == [true, false, false])
        #expect(!cache.isEnabled(.unrecoverable))
        system.thresholds.contexts[""] = .some(.verbose)
        #expect(limits() == [true, false, true])
        system.thresholds.contexts.removeValue(forKey: "net.cache")
        #expect(limits() == [true, true, true])
        // A logger's own level takes precedence over all rules.
        cache.level = .error
        #expect(!cache.isEnabled(.warning))
    }

    @Test(
        "The environment's list is parsed part by part",
        arguments: [
            ("info", LogLevel.info, [:], 0),
            ("info,net=debug,*=off", .info, ["net": .debug, "": nil], 0),
            (" error , a.b = 8 ,, x=OFF", .error, ["a.b": .verbose, "x": nil], 0),
            ("debug,error", .error, [:], 0), ("off", nil, [:], 0),
            ("loud,net=debug", .warning, ["net": .debug], 1), ("net=,=debug,net", .warning, [:], 3),
            ("", .warning, [:], 0), ("a=b=c", .warning, [:], 1),
        ] as [(String, LogLevel?, [String: LogLevel?], Int)])
    func environment(list: String, global: LogLevel?, contexts: [String: LogLevel?], mistakes: Int) throws {
        let (read, errors) = LogThresholds.parse(list, onto: LogThresholds(global: .warning))
        #expect(read == LogThresholds(global: global, contexts: contexts))
        #expect(errors.count == mistakes)
        if mistakes == 0 {
            #expect(try LogThresholds(list).contexts == contexts)
        } else {
            let error = try #require(throws: LogError.self) { try LogThresholds(list) }
            #expect(error.text == list)
        }
    }

    @Test("Thresholds match a model that checks every rule each time")
    func model() {
        var random = SeededRandom(seed: 7)
        let system = TestSystem()
        let names = ["", "a", "a.b", "a.b/c", "b", "b a"]
        let logs = names.flatMap { [system.log($0), system.log($0 + ".x"), system.log($0 + "x")] } + [system.log("q")]
        var model = LogThresholds(global: .verbose)
        for _ in 0..<500 {
            let level: LogLevel? = Bool.random(using: &random) ? LogLevel.allCases.randomElement(using: &random) : nil
            switch Int.random(in: 0..<4, using: &random) {
            case 0: model.global = level
            case 1: model.contexts.removeValue(forKey: names.randomElement(using: &random)!)
            default: model.contexts[names.randomElement(using: &random)!] = .some(level)
            }
            system.thresholds = model
            for log in logs {
                let rule = model.contexts.filter { rule in
                    rule.key.isEmpty || log.context == rule.key
                        || ["./ ", "-"].joined().contains { log.context.hasPrefix("\(rule.key)\($0)") }
                }.max { $0.key.count < $1.key.count }
                let expected = rule.map { $0.value } ?? model.global
                for level in LogLevel.allCases {
                    #expect(log.isEnabled(level) == (expected.map { level <= $0 } ?? false))
                }
            }
        }
    }

    @Test("Loggers are created and freed on many threads while thresholds change", .timeLimit(.minutes(5)))
    func manyLoggers() async {
        let system = TestSystem(threshold: .error)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for index in 0..<500 {
                        let log = system.log("w\(worker).\(index % 10)")
                        if index % 50 == 0 { system.thresholds.global = .warning }
                        #expect(log.isEnabled(.error))
                    }
                }
            }
        }
        #expect(system.log().isEnabled(.warning))
    }

    @Test("Recorded lines are written before the error that follows, once, with their own times")
    func recording() throws {
        let sink = RecordingSink()
        let system = TestSystem(threshold: .info) {
            $0.sinks = [sink]
            $0.recording = .debug
            $0.recordedBytes = 2000
        }
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
        let careful = try #require(sink.records.first { $0.message == "careful" })
        let recorded = sink.records.filter { $0.level == .debug }
        #expect(recorded.count == steps.count && recorded.allSatisfy { $0.time <= careful.time })
        system.isEnabled = false
        #expect(!log.isEnabled(.debug))
    }

    @Test("Recorded lines don't count as emitted")
    func recordedCount() {
        let system = TestSystem(threshold: .info) { $0.recording = .debug }
        system.log().debug("below")
        system.log().info("above")
        #expect(system.counters.emitted == 1)
    }
}
