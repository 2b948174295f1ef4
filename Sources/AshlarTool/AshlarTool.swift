#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command-line tool `ashlar`: looks at the files that the libraries read, and says what the libraries would.
@main
struct AshlarTool {
    /// The commands by name, in the order in which help lists them.
    static var commands: [any ToolCommand.Type] {
        [ConfigCommand.self, StringsCommand.self, HostsCommand.self, LogsCommand.self]
    }

    static func main() {
        let status = run(Array(CommandLine.arguments.dropFirst())) { print($0) }
        exit(status)
    }

    /// Runs the command that the arguments name.
    ///
    /// - Returns: The exit status: 0 for success, 1 where a file has faults, 2 for a mistake on the command line.
    static func run(_ arguments: [String], write: (String) -> Void) -> Int32 {
        guard let name = arguments.first, !["help", "--help", "-h"].contains(name) else {
            write(help)
            return 0
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            write("ashlar has no command \(name); it has \(commands.map { $0.name }.joined(separator: ", "))")
            return 2
        }
        do throws(UsageError) {
            var arguments = ToolArguments(arguments.dropFirst())
            return try command.init(&arguments).run(write)
        } catch {
            write("\(error.message)\n\n\(command.usage)")
            return 2
        }
    }

    static var help: String {
        "ashlar looks at the files that an app's libraries read, and says what they make of them.\n\n"
            + commands.map { $0.usage }.joined(separator: "\n\n")
    }
}

/// One thing that the tool does.
protocol ToolCommand {
    static var name: String { get }
    /// A line with the arguments, and what each is for.
    static var usage: String { get }
    init(_ arguments: inout ToolArguments) throws(UsageError)
    /// Does it; the exit status.
    func run(_ write: (String) -> Void) -> Int32
}

/// A mistake on the command line.
struct UsageError: Error {
    let message: String
}
