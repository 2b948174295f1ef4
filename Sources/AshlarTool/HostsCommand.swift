import AshlarTooling

/// Lists the host environments of a map and changes the selection.
struct HostsCommand: ToolCommand {
    static let name = "hosts"
    static let summary = "Lists the host environments of a host map and selects one."
    static let synopsis = "FILE [HOST KEY [TEXT]]"
    static let discussion = """
        Lists the environments of a host map with a tick next to the selected ones. HOST and KEY select an environment
        of a canonical host. TEXT is the host of an environment whose host is typed.
        """
    static let options = [
        ToolOption("--store", value: "FILE", "Reads the selection from a file and saves it there."),
        ToolOption("--release", "Selects the release environments that the map names."),
        ToolOption("--prerelease", "Selects the prerelease environments that the map names."),
        ToolOption("--clear", "Removes the selection first."),
    ]

    private let arguments: ToolArguments
    private let words: [String]

    init(_ arguments: ToolArguments) throws(UsageError) {
        words = try arguments.words("FILE", optional: 3)
        if words.count == 2 { throw UsageError("missing argument KEY") }
        self.arguments = arguments
    }

    func run(_ output: ToolOutput) -> ToolStatus {
        do throws(NetworkError) {
            let map = try HostMap(contentsOfFile: words[0])
            let store: HostChoiceStore = arguments.value(of: "--store").map { .file($0) } ?? .none
            let hosts = HostSwitch(map, store: store)
            if arguments.has("--clear") { hosts.reset() }
            if arguments.has("--release") { hosts.selectRelease() }
            if arguments.has("--prerelease") { hosts.selectPrerelease() }
            if words.count > 2 {
                try hosts.select(words[2], for: words[1], userHost: words.count > 3 ? words[3] : nil)
            }
            output.lines(HostMenu(hosts).text)
            for section in hosts.rows {
                output.line("\(section.title) → \(hosts.resolve(section.title).map { "\($0)" } ?? section.title)")
            }
            for warning in map.warnings + hosts.warnings { output.problem("warning: \(warning)") }
            return .success
        } catch {
            output.problem("error: \(error)")
            return .problems
        }
    }
}
