import AshlarCore
import AshlarTesting
import AshlarTooling

extension Command {
    /// The command `events`.
    static let events: Command = Command(
        "events", "Prints and replays recorded events.",
        discussion: "A recording is a file of 'EventRecorder' of AshlarTesting, with one event a line.",
        commands: [showEvents, replayEvents])

    private static let file = Operand("FILE", .file)
    private static let topic = Option(
        "--topic", "t", value: "PATTERN", help: "Selects events whose names match, such as 'note:*'.")

    private static let showEvents = Command(
        "show", "Lists the events of a recording.", operands: [file], options: [topic, .json]
    ) { invocation, output in
        let recording = try EventRecording(contentsOf: invocation.operands[0])
        var listing = Listing("event", "name", "payload", "location", limit: 60)
        for event in recording.events where try matches(event, invocation) {
            listing.add(
                .integer(Int64(event.number)), .string(event.name), event.json.map { .string($0) } ?? .null,
                event.location.map { .string("\($0)") } ?? .null)
        }
        output.list(listing, asJSON: invocation.has("--json"))
        return report(recording, output)
    }

    private static let replayEvents = Command(
        "replay", "Triggers the events of a recording on a bus, and lists the routes that they match.",
        discussion:
            "With --routes, an event named 'navigate' whose payload is a URL is matched by the routes of a file.",
        operands: [file],
        options: [
            topic, .json, Option("--routes", value: "FILE", kind: .file, help: "Reads routes."),
            Option("--event", value: "NAME", help: "The name of events with URLs; navigate if omitted."),
        ]
    ) { invocation, output in
        let recording = try EventRecording(contentsOf: invocation.operands[0])
        let table = try invocation.value(of: "--routes").map { try RouteTable(try RouteFile($0).lines.map(\.pattern)) }
        let name = invocation.value(of: "--event") ?? "navigate"
        var listing = Listing("event", "name", "payload", "route")
        let failures = recording.replay(on: EventBus(), EventCatalog()) { event, _ in
            guard (try? matches(event, invocation)) == true else { return }
            let url = event.name == name ? event.json.flatMap { try? JSONEntity(parsing: $0).string() } : nil
            let route = url.flatMap { table?.explain($0) }
            listing.add(
                .integer(Int64(event.number)), .string(event.name), event.json.map { .string($0) } ?? .null,
                route.map { .string($0) } ?? .null)
            if invocation.has("--json") { return }
            output.line("\(event.number) \(event.name)" + (event.json.map { " " + $0 } ?? ""))
            for line in route?.split(separator: "\n") ?? [] { output.line("    \(line)") }
        }
        if invocation.has("--json") { output.list(listing, asJSON: true) }
        for failure in failures { output.problem("error: \(failure)") }
        let status = report(recording, output)
        return failures.isEmpty ? status : .problems
    }

    private static func matches(_ event: RecordedEvent, _ invocation: Invocation) throws -> Bool {
        guard let pattern = invocation.value(of: "--topic") else { return true }
        return try TopicPattern(parsing: pattern).matches(event.name)
    }

    private static func report(_ recording: EventRecording, _ output: ToolOutput) -> ToolStatus {
        for problem in recording.problems { output.problem("error: \(problem)") }
        return recording.problems.isEmpty ? .success : .problems
    }
}
