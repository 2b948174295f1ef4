import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The commands of the program, with its options.
struct Child {
    let folder: String
    private let options: [String: String]

    init(folder: String, options list: [String]) {
        self.folder = folder
        var options: [String: String] = [:]
        for option in list {
            let sides = option.split(separator: "=", maxSplits: 1)
            options[String(sides[0])] = sides.count > 1 ? String(sides[1]) : ""
        }
        self.options = options
    }

    func option(_ name: String) -> String? { options[name] }
    func number(_ name: String, or standard: Int) -> Int { options[name].flatMap(Int.init) ?? standard }

    var configuration: LogConfiguration {
        var configuration = LogConfiguration(folder: folder, threshold: .verbose, sinks: [])
        configuration.application = option("application") ?? "child"
        configuration.format = .myLogger
        configuration.notesSignals = option("notes") != nil
        configuration.retention.runs = number("runs", or: 5)
        configuration.rotation = LogRotation(segmentBytes: number("segment", or: 1 << 20), runBytes: 64 << 20)
        switch option("mode") {
        case "mapped": configuration.mode = .mapped
        default: configuration.mode = .writeThrough
        }
        return configuration
    }

    /// Prints a line for the test immediately.
    func say(_ text: String) {
        var text = text + "\n"
        #if canImport(Darwin)
            _ = text.withUTF8 { Darwin.write(1, $0.baseAddress!, $0.count) }
        #elseif canImport(Musl)
            _ = text.withUTF8 { Musl.write(1, $0.baseAddress!, $0.count) }
        #else
            _ = text.withUTF8 { Glibc.write(1, $0.baseAddress!, $0.count) }
        #endif
    }

    /// Logs numbered lines until the process is killed; prints each number when its call has returned.
    func logForever() {
        let report = LogSystem.start(configuration)
        if option("silent") == nil { say("mode \(report.mode)") }
        let log = Log("Kill")
        let padding = String(repeating: "x", count: number("padding", or: 20))
        for index in 1... {
            log.debug("line \(index) \(padding) end")
            say("\(index)")
            if option("throttle") != nil { usleep(500) }
        }
    }

    /// Logs a number of lines and ends normally.
    func write() {
        LogSystem.start(configuration)
        let log = Log(option("id") ?? "write")
        let padding = String(repeating: "x", count: number("padding", or: 20))
        for index in 1...number("count", or: 10) { log.debug("line \(index) \(padding) end") }
    }

    /// Prints how the prior run ended and its log.
    func tellPriorRun() {
        let report = LogSystem.start(configuration)
        guard let prior = report.priorRun, LogSystem.priorRun?.startedAt == prior.startedAt else { return say("none") }
        let outcome =
            switch prior.outcome {
            case .clean: "clean"
            case .signalled(let signal): "signalled(\(signal))"
            case .unclean: "unclean"
            case .endedInBackground: "endedInBackground"
            case .machineRestarted: "machineRestarted"
            case .stillRunning: "stillRunning"
            }
        say("\(outcome) \(prior.processID)")
        say(prior.log)
    }

    /// Prints the levels that the environment enables by context.
    func tellWhatTheEnvironmentEnables() {
        let report = LogSystem.start(configuration)
        for context in ["net", "net.cache", "other"] {
            let log = Log(context)
            say("\(context) \(LogLevel.allCases.filter { log.isEnabled($0) }.last?.description ?? "OFF")")
        }
        for notice in report.notices { say(notice) }
        // Errors are reported once, not with every change of the settings.
        say("then \(LogSystem.start(configuration).notices.count)")
    }

    /// Logs concurrently from 64 tasks, in scopes of different depth, while thresholds and formats change.
    func logInManyTasks() async {
        var configuration = configuration
        configuration.rotation = LogRotation(segmentBytes: 1 << 24, runBytes: 1 << 30)
        LogSystem.start(configuration)
        let rounds = number("count", or: 20)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    let log = Log("T\(task)")
                    for round in 0..<rounds {
                        let depth = (task + round) % 4
                        await nest(log, depth) {
                            log.debug("depth \(depth)")
                            await Task.yield()
                            log.info("depth \(depth)")
                            log.indent(true)
                            await Task.yield()
                            log.error("depth \(depth + 1)")
                            log.indent(false)
                            log.debug("depth \(depth)")
                        }
                    }
                }
            }
            group.addTask {
                for round in 0..<rounds * 4 {
                    LogSystem.thresholds.contexts[""] = round % 2 == 0 ? .debug : .verbose
                    LogSystem.format = .myLogger
                    await Task.yield()
                }
            }
        }
        let lines = LogSystem.liveLog.split(separator: "\n").filter { $0.contains("- depth ") }
        let wrong = lines.filter { line in
            line.prefix { $0 == " " }.count != 2 * (line.last?.wholeNumberValue ?? -1)
        }
        say("\(wrong.count) of \(lines.count) lines wrong")
    }

    /// Creates and releases loggers on two threads while a third changes the thresholds of all.
    func createLoggersWhileThresholdsChange() async {
        LogSystem.start(configuration)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for index in 0..<20_000 { Log("logger \(index)").verbose("created") }
                }
            }
            group.addTask {
                for index in 0..<20_000 {
                    LogSystem.thresholds.contexts["other"] = index % 2 == 0 ? .debug : .info
                }
            }
        }
        say("done")
    }

    private nonisolated(nonsending) func nest(
        _ log: Log, _ depth: Int, _ body: nonisolated(nonsending) () async -> Void
    ) async {
        guard depth > 0 else { return await body() }
        await log.scope("level", level: .verbose) { await nest(log, depth - 1, body) }
    }

    /// Prints lines to the standard error stream.
    func logToStandardError() {
        var configuration = configuration
        configuration.sinks = [StandardErrorSink(format: .myLogger)]
        LogSystem.start(configuration)
        Log("Console").warning("careful")
        Log("Console").indent(true).debug("details")
    }

    /// Prints points in time in the time zone of the environment.
    func tellLocalTimes() {
        for second in (option("seconds") ?? "").split(separator: ",").compactMap({ Int64($0) }) {
            let record = LogRecord(
                sequence: 1, level: .info, time: LogTime(nanoseconds: second * 1_000_000_000), depth: 0, context: "",
                message: "", fields: [:], file: "", function: "", line: 1, threadID: 1)
            var format = LogFormat.standard
            format.usesLocalTime = true
            say(String(record.formatted(as: format).prefix { $0 != " " }))
        }
    }

    /// Logs without a start, or before one, and ends without the functions of a normal end.
    func logWithoutStart() {
        let log = Log("First")
        log.info("hi", ["k": 1])
        log.debug("below the default threshold")
        log.error("bad")
        if option("start") != nil {
            var configuration = configuration
            configuration.sinks = [StandardErrorSink(format: .myLogger)]
            LogSystem.start(configuration)
            log.info("then")
            say(LogSystem.liveLog)
        }
        _exit(0)
    }

    /// Logs before the start and after the end of the run.
    func logEarlyAndLate() {
        let log = Log("Early")
        log.info("before \(1)", ["k": 1])
        log.debug("not by default")
        let report = LogSystem.start(configuration)
        log.debug("started")
        LogSystem.shutdown()
        log.info("after")
        say("\(report.earlyLines)")
        say(LogSystem.liveLog)
    }
}
