import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

@Suite struct ScopeTests {
    private struct Oops: Error, CustomStringConvertible { let description = "oops" }

    @Test("indent(true) indents the following lines of all loggers of the task")
    func imperative() {
        let system = TestSystem()
        let (log, other) = (system.log(), system.log("B"))
        log.debug("get")
        log.indent(true)
        other.debug("inner")
        other.indent(true)
        log.info("innermost")
        other.indent(false).indent(false).debug("get DONE")
        #expect(
            system.lines == [
                "[DEBUG] A - get", "  [DEBUG] B - inner", "    [INFO] A - innermost", "[DEBUG] B - get DONE",
            ])
    }

    @Test("Indent changes below the threshold too; underflow stays at 0 and is counted")
    func balance() {
        let system = TestSystem(threshold: .info)
        let log = system.log()
        log.indent(false).indent(false)
        #expect(system.counters.unbalancedIndents == 2)
        log.debug("hidden")
        log.indent(true)
        log.info("shown")
        log.indent(false).info("back")
        #expect(system.lines == ["  [INFO] A - shown", "[INFO] A - back"])
    }

    @Test("A scope prints its name, indents, and ends with the duration")
    func scope() throws {
        let system = TestSystem()
        let log = system.log()
        let value = log.scope("import \(1)", ["files": 3]) {
            log.info("reading")
            return 42
        }
        #expect(value == 42)
        let lines = system.lines
        #expect(lines.count == 3)
        #expect(lines[0] == "[DEBUG] A - import 1 files=3")
        #expect(lines[1] == "  [INFO] A - reading files=3")
        #expect(lines[2].wholeMatch(of: /\[DEBUG\] A - import 1 DONE files=3 duration=[0-9.]+(ns|us|ms|s)/) != nil)
    }

    @Test("A scope that throws prints FAILED and throws the same error")
    func throwing() throws {
        let system = TestSystem()
        let log = system.log()
        #expect(throws: Oops.self) { try log.scope("import") { () throws(Oops) in throw Oops() } }
        log.info("after")
        #expect(system.lines[1].wholeMatch(of: /\[DEBUG\] A - import FAILED duration=\S+ error=oops/) != nil)
        #expect(system.lines[2] == "[INFO] A - after")
    }

    @Test("A disabled scope prints and evaluates nothing, but indents")
    func disabled() {
        let system = TestSystem(threshold: .info)
        let log = system.log()
        func never() -> Int {
            Issue.record("evaluated")
            return 0
        }
        log.scope("\(never())", ["k": never()]) { log.info("inside") }
        log.info("outside")
        #expect(system.lines == ["  [INFO] A - inside", "[INFO] A - outside"])
    }

    @Test("A scope in which logging is turned off has no last line")
    func switchedOff() {
        let system = TestSystem()
        let log = system.log()
        log.scope("a") {
            log.info("x")
            system.isEnabled = false
        }
        #expect(system.lines == ["[DEBUG] A - a", "  [INFO] A - x"])
        system.isEnabled = true
        log.info("back")
        #expect(system.lines.last == "[INFO] A - back")
    }

    @Test("Child tasks inherit scopes but not indents")
    func childIndents() async {
        let system = TestSystem()
        let log = system.log()
        await log.scope("outer") {
            log.indent(true)
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<3 {
                    group.addTask {
                        log.indent(true)
                        log.info("deep \(index)")
                        log.indent(false).info("flat \(index)")
                    }
                }
            }
            log.info("own")
            log.indent(false).indent(false)
            log.info("under")
        }
        let lines = Set(system.lines)
        for index in 0..<3 {
            #expect(lines.contains("    [INFO] A - deep \(index)") && lines.contains("  [INFO] A - flat \(index)"))
        }
        #expect(lines.contains("    [INFO] A - own") && lines.contains("  [INFO] A - under"))
        #expect(system.counters.unbalancedIndents == 1)
    }

    @Test("Open indents are closed at the end of a scope and counted")
    func unbalanced() {
        let system = TestSystem()
        let log = system.log()
        log.indent(true)
        log.scope("s") { log.indent(true).indent(true).info("deep") }
        log.info("one")
        log.indent(false)
        log.info("zero")
        #expect(system.lines[1] == "        [INFO] A - deep")
        #expect(system.lines[3] == "  [INFO] A - one")
        #expect(system.lines[4] == "[INFO] A - zero")
        #expect(system.counters.unbalancedIndents == 1)
    }

    @Test("Child tasks and task groups inherit the scope; detached tasks do not")
    func inheritance() async {
        let system = TestSystem()
        let log = system.log()
        await log.scope("outer") {
            await log.scope("inner") {
                async let child: Void = { log.info("async let") }()
                await child
                await withTaskGroup(of: Void.self) { group in group.addTask { log.info("group") } }
                _ = await Task { log.info("unstructured") }.value
                _ = await Task.detached { log.info("detached") }.value
            }
        }
        let lines = system.lines
        #expect(lines.contains("    [INFO] A - async let"))
        #expect(lines.contains("    [INFO] A - group"))
        #expect(lines.contains("    [INFO] A - unstructured"))
        #expect(lines.contains("[INFO] A - detached"))
        #expect(lines.first == "[DEBUG] A - outer")
        #expect(lines[1] == "  [DEBUG] A - inner")
    }

    @MainActor @Test("An asynchronous scope stays on its actor and can throw")
    func actor() async throws {
        let system = TestSystem()
        let log = system.log()
        var count = 0
        await #expect(throws: Oops.self) {
            try await log.scope("work") { () async throws(Oops) in
                MainActor.assertIsolated()
                count += 1
                await Task.yield()
                MainActor.assertIsolated()
                throw Oops()
            }
        }
        #expect(count == 1)
        #expect(system.lines[1].contains("FAILED"))
    }

    @Test("No line has another task's indent", .timeLimit(.minutes(5)))
    func manyTasks() async throws {
        let system = TestSystem { $0.rotation = LogRotation(segmentBytes: 1 << 30, runBytes: 4 << 30) }
        let (tasks, rounds) = (64, isSoak ? 10_000 : 60)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let log = system.log("T\(task)")
                    for round in 0..<rounds {
                        let depth = (task + round) % 5
                        await nest(log, depth) {
                            await Task.yield()
                            log.info("depth \(depth)")
                        }
                        log.indent(true)
                        await Task.yield()
                        log.info("depth 1")
                        log.indent(false)
                    }
                }
            }
        }
        let lines = system.lines.filter { $0.contains("- depth") }
        #expect(lines.count == tasks * rounds * 2)
        var wrong = 0
        for line in lines {
            let depth = try #require(line.last?.wholeNumberValue)
            if line.prefix(while: { $0 == " " }).count != depth * 2 { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test("A task that ends with an open indent passes it to no other task", .timeLimit(.minutes(5)))
    func openIndent() async {
        let system = TestSystem()
        let log = system.log()
        for _ in 0..<300 {
            _ = await Task { log.indent(true).indent(true) }.value
            _ = await Task.detached { log.info("later") }.value
        }
        #expect(system.lines.count == 300)
        #expect(system.lines.allSatisfy { $0 == "[INFO] A - later" })
    }

    @Test(
        "In a separate process, no line of 64 tasks has another task's indent", .timeLimit(.minutes(5)),
        arguments: modes)
    func taskProcess(mode: LogStorageMode) throws {
        let name = mode == .mapped ? "mapped" : "writeThrough"
        let folder = TemporaryFolder()
        let rounds = isSoak ? 2500 : 20
        let reported = try TestChild("tasks", folder.path, ["mode=\(name)", "count=\(rounds)", "runs=1"]).run()
        #expect(reported == "0 of \(64 * rounds * 4) lines wrong\n")
    }

    @Test("Loggers are created and released while the thresholds change", .timeLimit(.minutes(2)))
    func loggersAndThresholds() throws {
        let folder = TemporaryFolder()
        #expect(try TestChild("loggers", folder.path, []).run() == "done\n")
    }

    private nonisolated(nonsending) func nest(
        _ log: Log, _ depth: Int, _ body: nonisolated(nonsending) () async -> Void
    ) async {
        guard depth > 0 else { return await body() }
        await log.scope("level", level: .verbose) { await nest(log, depth - 1, body) }
    }

    @Test("Threads outside tasks have separate indents")
    func threads() {
        let system = TestSystem()
        let log = system.log()
        let (ready, go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for number in 1...3 {
            Thread.detachNewThread {
                for _ in 0..<number { log.indent(true) }
                ready.signal()
                go.wait()
                log.info("thread \(number)")
                for _ in 0..<number { log.indent(false) }
                done.signal()
            }
        }
        for _ in 1...3 { ready.wait() }
        for _ in 1...3 { go.signal() }
        for _ in 1...3 { done.wait() }
        #expect(
            system.lines.sorted() == [
                "      [INFO] A - thread 3", "    [INFO] A - thread 2", "  [INFO] A - thread 1",
            ])
    }
}
