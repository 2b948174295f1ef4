import AshlarTooling

/// Lists the runs in a log folder with their outcomes, and prints the log of a run.
struct LogsCommand: ToolCommand {
    static let name = "logs"
    static let summary = "Lists the runs of a log folder or prints the log of one."
    static let synopsis = "FOLDER"
    static let discussion = """
        Lists the runs in a log folder with their outcomes, the newest first. Control characters in a printed log are
        escaped.
        """
    static let options = [
        ToolOption("--show", value: "NUMBER", "Prints the log of a run; 1 is the newest."),
        ToolOption("--tail", value: "BYTES", "Prints only the last bytes of the log, from the start of a line."),
        ToolOption("--raw", "Prints the log without escaping."),
    ]

    private let folder: String
    private let shown: Int?
    private let tail: Int?
    private let isRaw: Bool

    init(_ arguments: ToolArguments) throws(UsageError) {
        folder = try arguments.words("FOLDER")[0]
        shown = try arguments.number(of: "--show")
        tail = try arguments.number(of: "--tail")
        isRaw = arguments.has("--raw")
    }

    func run(_ output: ToolOutput) -> ToolStatus {
        guard output.checkFolder(folder) else { return .problems }
        let runs = PriorRun.all(in: folder)
        guard !runs.isEmpty else {
            output.problem("error: \(folder): the folder contains no runs")
            return .problems
        }
        guard let shown else {
            let rows = runs.enumerated().map { index, run in
                ["\(index + 1)", "\(run.startedAt)", run.application ?? "?", "pid \(run.processID)", "\(run.outcome)"]
            }
            for line in aligned(rows) { output.line(line) }
            return .success
        }
        guard shown <= runs.count else {
            output.problem("error: \(folder): no run \(shown); the folder contains \(runs.count)")
            return .problems
        }
        let run = runs[shown - 1]
        var log = tail.map { run.tail(bytes: $0) } ?? run.log
        if log.hasSuffix("\n") { log.removeLast() }
        if isRaw { output.raw(log) } else { output.lines(log) }
        return .success
    }
}
