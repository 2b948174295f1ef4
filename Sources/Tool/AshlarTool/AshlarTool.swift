import AshlarCore
import AshlarTooling

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The command-line tool `ashlar`, which shows and checks what the libraries read from an app's files.
@main
struct AshlarTool {
    /// The version that `--version` prints.
    static let version = "0.1.0"

    /// The table of commands.
    static let table: Command = Command(
        "ashlar", "Shows and checks what the Ashlar libraries read from an app's files.",
        discussion: """
            Text of files is escaped: it can't control the terminal. Options can stand before and after other words; '--'
            ends them. '--name value' is the same as '--name=value', and '-n value' the same as '-nvalue'.
            """,
        commands: [
            .initialize, .config, .strings, .hosts, .logs, .routes, .report,
            .keys, .completion, .manual,
        ])

    static func main() async {
        // Writing to a closed pipe, such as the input of `head`, ends the tool without a message.
        signal(SIGPIPE, SIG_DFL)
        let words = Array(CommandLine.arguments.dropFirst())
        exit(await run(words, .standard(words)).rawValue)
    }

    /// Runs a command line; its results and errors are printed.
    static func run(_ words: [String], _ output: ToolOutput) async -> ToolStatus {
        if words.first == "complete" {
            let words = words.dropFirst(words.dropFirst().first == "--" ? 2 : 1)
            for candidate in Completion.candidates(Array(words), in: table) { output.raw(candidate + "\n") }
            return .success
        }
        // `help NAME` is `NAME --help`, and the tool alone prints its help.
        let isHelp = words.isEmpty || words[0] == "help"
        let (path, count) = table.command(at: isHelp ? Array(words.dropFirst()) : words)
        let command = path[path.count - 1]
        let rest = isHelp ? [] : Array(words[count...])
        // `--help` works even if other arguments are invalid.
        let flags = rest.prefix { $0 != "--" }
        if isHelp || flags.contains("--help") || flags.contains("-h") {
            output.lines(Command.help(path))
            return .success
        }
        if flags.contains("--version") {
            output.line("ashlar \(version)")
            return .success
        }
        do {
            guard let body = command.body else { throw missing(command, rest) }
            return try await body(try Invocation(rest, of: command), output)
        } catch {
            let error = ToolError(error)
            if !error.message.isEmpty { output.problem("error: \(error.message)") }
            if error.status == .misuse {
                output.problem("Run '\(path.map(\.name).joined(separator: " ")) --help' for help.")
            }
            return error.status
        }
    }

    /// The error of a group of commands without the name of one.
    private static func missing(_ group: Command, _ rest: [String]) -> ToolError {
        let names = group.commands.map(\.name)
        guard let name = rest.first(where: { !$0.hasPrefix("-") }) else {
            return .misuse(
                rest.first.map { "unknown option '\($0)'" }
                    ?? "missing command; known: \(names.joined(separator: ", "))")
        }
        return .unknown("command", name, among: names)
    }
}

extension ToolOutput {
    /// The output of the process.
    fileprivate static func standard(_ words: [String]) -> ToolOutput {
        let color = color(words)
        return ToolOutput(
            terminal: Terminal(STDOUT_FILENO, color: color), errorTerminal: Terminal(STDERR_FILENO, color: color),
            out: { write($0, to: STDOUT_FILENO) }, error: { write(Array($0.utf8), to: STDERR_FILENO) })
    }

    /// The last value of `--color`; the command's own parsing reports a malformed one.
    private static func color(_ words: [String]) -> String? {
        let words = words.prefix { $0 != "--" }
        for (number, word) in words.enumerated().reversed() {
            if word.hasPrefix("--color=") { return String(word.dropFirst("--color=".count)) }
            if word == "--color", number + 1 < words.count { return words[number + 1] }
        }
        return nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension Terminal {
    /// The state of a descriptor.
    fileprivate init(_ descriptor: Int32, color: String?) {
        isTerminal = isatty(descriptor) != 0
        var size = winsize()
        let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let columns = Self.environment("COLUMNS").flatMap { Int($0) } ?? (isKnown ? Int(size.ws_col) : 80)
        width = isTerminal ? columns : nil
        usesColor =
            switch color {
            case "always": true
            case "never": false
            default: isTerminal && (Self.environment("NO_COLOR") ?? "").isEmpty && Self.environment("TERM") != "dumb"
            }
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
