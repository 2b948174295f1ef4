import AshlarCore
import AshlarTooling

/// A command of the tool.
protocol ToolCommand {
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// The arguments other than options, such as `FOLDER [KEY]`.
    static var synopsis: String { get }
    /// A description of the command in sentences.
    static var discussion: String { get }
    static var options: [ToolOption] { get }
    /// Whether the words after `--` are the arguments of a program instead of words of the command.
    static var takesProgramArguments: Bool { get }

    init(_ arguments: ToolArguments) throws(UsageError)
    func run(_ output: ToolOutput) throws(UsageError) -> ToolStatus
}

extension ToolCommand {
    static var takesProgramArguments: Bool { false }

    static var help: String {
        let all =
            options + [
                ToolOption("--help, -h", "Prints this text."), ToolOption("--version", "Prints the version."),
            ]
        let rows = all.map { ["  " + $0.name + ($0.value.map { " " + $0 } ?? ""), $0.help] }
        return """
            Usage: ashlar \(name) \(synopsis) [options]

            \(discussion)

            Options:
            \(aligned(rows).joined(separator: "\n"))
            """
    }
}

/// An option of a command.
struct ToolOption {
    let name: String
    /// The name of its value in the help text; nil for a switch.
    let value: String?
    let help: String

    init(_ name: String, value: String? = nil, _ help: String) {
        (self.name, self.value, self.help) = (name, value, help)
    }
}

/// The exit status of the tool.
enum ToolStatus: Int32 {
    case success = 0
    /// The files have errors, or the requested value doesn't exist.
    case problems = 1
    /// The command line is wrong.
    case misuse = 2
}

/// A mistake on the command line.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }

    /// Creates an error for an unknown name, with the most similar known name as a suggestion.
    init(_ message: String, _ name: String, among known: [String]) {
        if let nearest = NearestName.find(name, among: known) {
            self.message = message + "; did you mean '\(nearest)'?"
        } else if known.isEmpty || known.count > 12 {
            self.message = message
        } else {
            self.message = message + "; known: " + known.joined(separator: ", ")
        }
    }
}
