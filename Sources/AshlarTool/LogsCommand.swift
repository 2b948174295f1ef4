import AshlarCore
import AshlarFleet
import AshlarTelemetry
import AshlarTooling
import Dispatch

/// Lists the runs in a log folder with their outcomes, prints the log of a run, or follows the lines of many processes.
struct LogsCommand: ToolCommand {
    static let name = "logs"
    static let summary = "Lists the runs of a log folder, prints the log of one, or follows the logs of a fleet."
    static let synopsis = "FOLDER | --fleet URL"
    static let discussion = """
        Lists the runs in a log folder with their outcomes, the newest first. Control characters in a printed log are
        escaped.

        With --fleet, prints the lines that the processes of a fleet store on a NATS server, as they are stored, with the
        role, the machine and the ID of the process. --level, --context, --text and --field select lines.
        """
    static let options = [
        ToolOption("--show", value: "NUMBER", "Prints the log of a run; 1 is the newest."),
        ToolOption("--tail", value: "BYTES", "Prints only the last bytes of the log, from the start of a line."),
        ToolOption("--raw", "Prints the log without escaping."),
        ToolOption("--fleet", value: "URL", "Follows the lines on a NATS server, such as nats://127.0.0.1:4222."),
        ToolOption("--stored", "Prints the lines that the server has stored and ends, instead of following new ones."),
        ToolOption("--prefix", value: "PREFIX", "Reads the stream of this prefix instead of 'app'."),
        ToolOption("--credentials", value: "FILE", "Connects with a credentials file."),
        ToolOption("--trust-roots", value: "FILE", "Connects with TLS and the trusted roots of a PEM file."),
        ToolOption("--level", value: "LEVEL", "Selects lines that are at least as severe, such as warning."),
        ToolOption("--context", value: "CONTEXT", "Selects lines of a context and of those below it."),
        ToolOption("--text", value: "TEXT", "Selects lines that contain a text, ignoring case."),
        ToolOption("--field", value: "KEY=VALUE", "Selects lines with a field; repeatable."),
    ]

    private let folder: String
    private let fleet: (url: String, options: FleetOptions)?
    private let endsAfterStored: Bool
    private let query: LogQuery
    private let shown: Int?
    private let tail: Int?
    private let isRaw: Bool

    init(_ arguments: ToolArguments) throws(UsageError) {
        if let url = arguments.value(of: "--fleet") {
            _ = try arguments.words()
            folder = ""
            var options = FleetOptions(name: "logs")
            options.prefix = arguments.value(of: "--prefix") ?? options.prefix
            options.credentials = arguments.value(of: "--credentials").map { .file($0) }
            options.tls = arguments.value(of: "--trust-roots").map { FleetTLS(trustRoots: $0) }
            fleet = (url, options)
        } else {
            folder = try arguments.words("FOLDER")[0]
            fleet = nil
        }
        endsAfterStored = arguments.has("--stored")
        query = try Self.query(arguments)
        shown = try arguments.number(of: "--show")
        tail = try arguments.number(of: "--tail")
        isRaw = arguments.has("--raw")
    }

    private static func query(_ arguments: ToolArguments) throws(UsageError) -> LogQuery {
        var query = LogQuery(context: arguments.value(of: "--context"), text: arguments.value(of: "--text"))
        if let text = arguments.value(of: "--level") {
            guard let level = LogLevel(name: text) else { throw UsageError("--level needs a level, such as warning") }
            query.level = level
        }
        for field in arguments.values(of: "--field") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw UsageError("--field needs KEY=VALUE") }
            query.fields[parts[0]] = parts[1]
        }
        return query
    }

    func run(_ output: ToolOutput) -> ToolStatus {
        if let fleet { return follow(fleet.url, fleet.options, output) }
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

    private func follow(_ url: String, _ options: FleetOptions, _ output: ToolOutput) -> ToolStatus {
        let reader: FleetLogReader
        do { reader = try FleetLogReader(url, options: options) } catch {
            output.problem("error: \(error)")
            return .problems
        }
        if case .reconnecting(let reason) = reader.state, !endsAfterStored {
            output.problem("waiting for a server: \(reason)")
        }
        let lines = endsAfterStored ? reader.lines(matching: query) : reader.follow(matching: query)
        // The tool has one thread of commands, which waits here; the lines arrive on another one.
        let end = DispatchSemaphore(value: 0)
        let status = Broadcast(ToolStatus.success)
        Task.detached { [isRaw] in
            do {
                for try await line in lines { if isRaw { output.raw("\(line)") } else { output.line("\(line)") } }
            } catch {
                output.problem("error: \(error)")
                status.update { _ in .problems }
            }
            end.signal()
        }
        _ = end.wait(timeout: .distantFuture)
        return status.current
    }
}
