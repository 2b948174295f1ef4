import AshlarTooling

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The command-line tool `ashlar`, which shows what the libraries read from an app's files.
@main
struct AshlarTool {
    /// The version that `--version` prints.
    static let version = "0.1.0"

    /// The commands in the order of the help text.
    static var commands: [any ToolCommand.Type] {
        [
            ConfigCommand.self, StringsCommand.self, LintCommand.self, AndroidCommand.self,
            TranslationsCommand.self, HostsCommand.self, LogsCommand.self,
        ]
    }

    static func main() {
        // Writing to a closed pipe, such as the input of `head`, ends the tool without a message.
        signal(SIGPIPE, SIG_DFL)
        let output = ToolOutput(isTerminal: isatty(STDOUT_FILENO) != 0, out: { print($0) }, error: writeError)
        exit(run(Array(CommandLine.arguments.dropFirst()), output).rawValue)
    }

    private static func writeError(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    static func run(_ words: [String], _ output: ToolOutput) -> ToolStatus {
        guard let name = words.first, !["help", "--help", "-h"].contains(name) else {
            if words.count > 1, let command = commands.first(where: { $0.name == words[1] }) {
                output.lines(command.help)
            } else {
                output.lines(help)
            }
            return .success
        }
        if name == "--version" {
            output.line("ashlar \(version)")
            return .success
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            return misuse(
                UsageError("unknown command '\(name)'", name, among: commands.map { $0.name }), "ashlar", output)
        }
        // `--help` works even if other arguments are invalid.
        let flags = words.prefix { $0 != "--" }
        if flags.contains("--help") || flags.contains("-h") {
            output.lines(command.help)
            return .success
        }
        if flags.contains("--version") {
            output.line("ashlar \(version)")
            return .success
        }
        do throws(UsageError) {
            let arguments = try ToolArguments(
                words.dropFirst(), options: command.options, takesProgramArguments: command.takesProgramArguments)
            return try command.init(arguments).run(output)
        } catch {
            return misuse(error, "ashlar \(name)", output)
        }
    }

    private static func misuse(_ error: UsageError, _ program: String, _ output: ToolOutput) -> ToolStatus {
        output.problem("error: \(error.message)")
        output.problem("Run '\(program) --help' for help.")
        return .misuse
    }

    private static var help: String {
        let rows = commands.map { ["  " + $0.name, $0.summary] }
        return """
            Usage: ashlar COMMAND [arguments]

            Shows what the Ashlar libraries read from an app's files.

            Commands:
            \(aligned(rows).joined(separator: "\n"))

            Run 'ashlar COMMAND --help' for a command's arguments and 'ashlar --version' for the version.
            Exit status: 0 for success, 1 for problems in the files, 2 for a mistake on the command line.
            """
    }
}
