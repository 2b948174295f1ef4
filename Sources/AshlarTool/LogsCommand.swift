import AshlarTooling

/// Lists the runs in a log folder with how each ended, and shows one.
struct LogsCommand: ToolCommand {
    static let name = "logs"
    static let usage = """
        ashlar logs FOLDER [--show NUMBER] [--tail BYTES]
            The runs in a folder, the newest first, and how each ended; or the log of one of them, 1 being the newest.
        """

    private let folder: String
    private let shown: Int?
    private let tail: Int?

    init(_ arguments: inout ToolArguments) throws(UsageError) {
        shown = try Self.number(arguments.value(of: "--show"), of: "--show")
        tail = try Self.number(arguments.value(of: "--tail"), of: "--tail")
        folder = try arguments.word("the folder")
        try arguments.finish()
    }

    private static func number(_ text: String?, of flag: String) throws(UsageError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), number > 0 else { throw UsageError(message: "\(flag) needs a number from 1 on") }
        return number
    }

    func run(_ write: (String) -> Void) -> Int32 {
        let runs = PriorRun.all(in: folder)
        guard !runs.isEmpty else {
            write("error: \(folder) holds no run")
            return 1
        }
        guard let shown else {
            let rows = runs.enumerated().map { index, run in
                ["\(index + 1)", "\(run.startedAt)", run.application ?? "?", "pid \(run.processID)", "\(run.outcome)"]
            }
            for line in aligned(rows) { write(line) }
            return 0
        }
        guard shown <= runs.count else {
            write("error: there are \(runs.count) runs, not \(shown)")
            return 1
        }
        let run = runs[shown - 1]
        let log = tail.map { run.tail(bytes: $0) } ?? run.log
        write(log.hasSuffix("\n") ? String(log.dropLast()) : log)
        return 0
    }
}
