import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the program does, with its options.
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
        configuration.notesSignals = option("notes") != nil
        configuration.retention.runs = number("runs", or: 5)
        switch option("mode") {
        case "mapped": configuration.mode = .mapped
        case "buffered": configuration.mode = .buffered(bytes: number("bytes", or: 4096), milliseconds: 50)
        default: configuration.mode = .everyLine
        }
        return configuration
    }

    /// Tells the test something, at once.
    func say(_ text: String) {
        var text = text + "\n"
        _ = text.withUTF8 { write(1, $0.baseAddress!, $0.count) }
    }

    /// Logs numbered lines until someone ends the process; each number is told once its call has returned.
    func logForever() {
        LogSystem.start(configuration)
        let log = Log("Kill")
        let padding = String(repeating: "x", count: number("padding", or: 20))
        for index in 1... {
            log.debug("line \(index) \(padding) end")
            say("\(index)")
        }
    }

    /// Logs a line and ends as told by `how`.
    func logAndEnd() {
        LogSystem.start(configuration)
        Log("End").info("the last line")
        switch option("how") {
        case "exit": exit(0)
        case "exit3": exit(3)
        case "shutdown":
            LogSystem.shutdown()
            kill(getpid(), SIGKILL)
        case "_exit": _exit(0)
        case "abort": abort()
        case "trap": fatalError("as asked")
        case let how?:
            if let signal = Int32(how) { kill(getpid(), signal) }
        case nil: break
        }
    }

    /// Tells how the run before ended and what it logged.
    func tellPriorRun() {
        let report = LogSystem.start(configuration)
        guard let prior = report.priorRun else { return say("none") }
        say("\(prior.outcome) \(prior.processID)")
        say(prior.log)
    }
}
