import AshlarCore
import AshlarTelemetry
import AshlarTooling

extension Command {
    /// The command `logs`.
    static let logs: Command = Command(
        "logs", "Lists, prints and follows the logs of runs.",
        discussion: """
            Control characters in a printed line are escaped, except with --raw. With --json, each line is an object with
            the ID of its process; a line of an unknown format has its time and text only.
            """,
        commands: [runs, showLog, followLogs])

    private static let folder = Operand("FOLDER", .folder)
    private static let raw = Option("--raw", help: "Prints lines without escaping.")

    private static let runs = Command(
        "runs", "Lists the runs in a log folder with their outcomes, the newest first.",
        operands: [folder], options: [.json], examples: ["logs runs ~/.local/state/notes/logs"]
    ) { invocation, output in
        var listing = Listing("run", "startedAt", "application", "process", "outcome")
        for (number, run) in try runs(in: invocation.operands[0], output).enumerated() {
            listing.add(
                .integer(Int64(number + 1)), .string("\(run.startedAt)"), .string(run.application ?? "?"),
                .integer(Int64(run.processID)), .string("\(run.outcome)"))
        }
        output.list(listing, asJSON: invocation.has("--json"))
        return .success
    }

    private static let showLog = Command(
        "show", "Prints the log of a run.",
        discussion: "RUN is a number of 'logs runs'; 1, the newest run, if omitted.",
        operands: [folder, Operand("RUN", .number, isOptional: true)],
        options: LogSelection.options + [
            Option(
                "--tail", "n", value: "COUNT", kind: .number,
                help: "Prints only the last lines; a message of several lines is one."), raw, .json,
        ],
        examples: ["logs show ~/.local/state/notes/logs -n 20", "logs show logs 2 --level warning --json"]
    ) { invocation, output in
        let run = try run(invocation, output)
        let query = try LogSelection.query(invocation)
        let lines = LogReader(folder: invocation.operands[0]).lines(of: run, matching: query)
        if let count = invocation.number(of: "--tail") {
            for line in lines.suffix(count) { print(line, invocation, output) }
        } else {
            for line in lines { print(line, invocation, output) }
        }
        return .success
    }

    private static let followLogs = Command(
        "follow", "Prints lines as they are written, until it is interrupted.",
        operands: [folder],
        options: LogSelection.options + [
            Option("--from-start", help: "Starts with the lines that exist."), raw, .json,
        ],
        examples: ["logs follow ~/.local/state/notes/logs --context network"]
    ) { invocation, output in
        let query = try LogSelection.query(invocation)
        try output.checkFolder(invocation.operands[0])
        let reader = LogReader(folder: invocation.operands[0])
        for await line in reader.follow(matching: query, fromStart: invocation.has("--from-start")) {
            print(line, invocation, output)
        }
        return .success
    }

    private static func runs(in folder: String, _ output: ToolOutput) throws(ToolError) -> [PriorRun] {
        try output.checkFolder(folder)
        let runs = PriorRun.all(in: folder)
        if runs.isEmpty { throw .problem("\(folder): the folder contains no runs") }
        return runs
    }

    private static func run(_ invocation: Invocation, _ output: ToolOutput) throws(ToolError) -> PriorRun {
        let runs = try runs(in: invocation.operands[0], output)
        let number = invocation.operand(1).flatMap { Int($0) } ?? 1
        guard number <= runs.count else {
            throw .problem("\(invocation.operands[0]): no run \(number); the folder contains \(runs.count)")
        }
        return runs[number - 1]
    }

    /// Prints a line as a text, or as JSON.
    private static func print(_ line: LogLine, _ invocation: Invocation, _ output: ToolOutput) {
        guard invocation.has("--json") else {
            return invocation.has("--raw") ? output.raw(line.text + "\n") : output.lines(line.text)
        }
        func quoted(_ text: String) -> String { JSONWriter(isPretty: false).text(ConfigValue.string(text)) }
        let json =
            line.record?.formatted(as: .jsonLines)
            ?? "{\"time\":\(quoted("\(line.time)")),\"text\":\(quoted(line.text))}"
        output.document("{\"pid\":\(line.processID),\(json.dropFirst())")
    }
}

/// The options that select lines of a log.
enum LogSelection {
    static let options = [
        Option(
            "--level", "l", value: "LEVEL", kind: .known { _ in LogLevel.allCases.map { "\($0)".lowercased() } },
            help: "Selects lines that are at least as severe, such as warning."),
        Option("--context", "c", value: "CONTEXT", help: "Selects lines of a context and of those below it."),
        Option("--text", "t", value: "TEXT", help: "Selects lines that contain a text, ignoring case."),
        Option("--field", "f", value: "KEY=VALUE", help: "Selects lines with a field; repeatable."),
    ]

    static func query(_ invocation: Invocation) throws(ToolError) -> LogQuery {
        var query = LogQuery(context: invocation.value(of: "--context"), text: invocation.value(of: "--text"))
        if let text = invocation.value(of: "--level") {
            guard let level = LogLevel(name: text) else { throw .misuse("--level needs a level, such as warning") }
            query.level = level
        }
        for field in invocation.values(of: "--field") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw .misuse("--field needs KEY=VALUE") }
            query.fields[parts[0]] = parts[1]
        }
        return query
    }
}
