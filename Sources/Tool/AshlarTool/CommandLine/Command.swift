import AshlarCore
import AshlarKeyGenerator
import AshlarTooling

/// A command of the tool, or a group of commands.
///
/// The table of commands is the only description of the command line: parsing, help, completion and the manual page
/// read it.
struct Command: Sendable {
    typealias Body = @Sendable (Invocation, ToolOutput) async throws -> ToolStatus

    let name: String
    /// One sentence for lists of commands.
    let summary: String
    /// More sentences for the command's own help.
    let discussion: String
    let operands: [Operand]
    let options: [Option]
    /// Command lines without the tool's name, for the help and the manual page.
    let examples: [String]
    /// Whether the words after `--` are the arguments of a program that the command imitates.
    let takesProgramArguments: Bool
    /// The commands of a group.
    let commands: [Command]
    /// Runs the command; nil for a group.
    let body: Body?

    /// Creates a command.
    init(
        _ name: String, _ summary: String, discussion: String = "", operands: [Operand] = [], options: [Option] = [],
        examples: [String], takesProgramArguments: Bool = false, body: @escaping Body
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples
        self.takesProgramArguments = takesProgramArguments
        self.commands = []
        self.body = body
    }

    /// Creates a group of commands.
    init(_ name: String, _ summary: String, discussion: String = "", commands: [Command]) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = []
        self.options = []
        self.examples = []
        self.takesProgramArguments = false
        self.commands = commands
        self.body = nil
    }

    /// The options of the command and those of every command.
    var allOptions: [Option] { options + Option.common }

    /// Returns the command that the first words name, and the number of these words.
    ///
    /// Words after the last known name are the command's own; options before a name aren't skipped.
    func command(at words: [String]) -> (path: [Command], count: Int) {
        var path = [self]
        for word in words {
            guard let next = path[path.count - 1].commands.first(where: { $0.name == word }) else { break }
            path.append(next)
        }
        return (path, path.count - 1)
    }
}

extension Command {
    /// The help of the last command of a path.
    static func help(_ path: [Command]) -> String {
        let command = path[path.count - 1]
        let name = path.map(\.name).joined(separator: " ")
        var paragraphs = ["Usage: \(command.usage(name))", command.summary]
        if !command.discussion.isEmpty { paragraphs.append(command.discussion) }
        if !command.commands.isEmpty {
            paragraphs.append(list("Commands", command.commands.map { [$0.name, $0.summary] }))
            paragraphs.append("Run '\(name) COMMAND --help' for a command's arguments and options.")
        }
        paragraphs.append(list("Options", command.allOptions.map { [$0.usage, $0.help] }))
        if !command.examples.isEmpty {
            paragraphs.append("Examples:\n" + command.examples.map { "  ashlar \($0)" }.joined(separator: "\n"))
        }
        if path.count == 1 { paragraphs.append(statuses) }
        return paragraphs.joined(separator: "\n\n")
    }

    private static func list(_ title: String, _ rows: [[String]]) -> String {
        "\(title):\n" + TextTable.aligned(rows).map { "  " + $0 }.joined(separator: "\n")
    }

    /// A line of usage.
    func usage(_ name: String) -> String {
        if body == nil { return name + " COMMAND" }
        let words = [name] + operands.map(\.usage) + (options.isEmpty ? [] : ["[options]"])
        return (words + (takesProgramArguments ? ["[-- ARGUMENT...]"] : [])).joined(separator: " ")
    }

    static let statuses = """
        Exit status: 0 for success, 1 for problems in the files or a value that doesn't exist, 2 for a mistake on the
        command line.
        """
}

/// The kind of a word on the command line, which completion and checks use.
enum WordKind: Sendable {
    case text
    /// A word that completion finds in the files that the operands before it name.
    case known(@Sendable (_ operands: [String]) -> [String])
    /// A whole number above 0.
    case number
    case file
    case folder
    /// A language tag; completion offers the languages of the first operand's tree.
    case language
    case choice([String])
}

/// A word of a command that isn't an option.
struct Operand: Sendable {
    let name: String
    let kind: WordKind
    let isOptional: Bool
    let isRepeatable: Bool

    init(_ name: String, _ kind: WordKind, isOptional: Bool = false, isRepeatable: Bool = false) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.isRepeatable = isRepeatable
    }

    /// The operand in a line of usage.
    var usage: String {
        let name = isRepeatable ? name + "..." : name
        return isOptional ? "[\(name)]" : name
    }
}

/// An option of a command.
struct Option: Sendable {
    /// The name with its two hyphens.
    let name: String
    /// The letter of the short form.
    let letter: Character?
    /// The name of the value in the help text; nil for a switch.
    let value: String?
    let kind: WordKind
    let help: String

    init(_ name: String, _ letter: Character? = nil, value: String? = nil, kind: WordKind = .text, help: String) {
        self.name = name
        self.letter = letter
        self.value = value
        self.kind = kind
        self.help = help
    }

    /// The option in a list of options, such as `-o, --output FILE`.
    var usage: String { (letter.map { "-\($0), " } ?? "") + name + (value.map { " " + $0 } ?? "") }

    static let help = Option("--help", "h", help: "Prints this text.")
    static let version = Option("--version", help: "Prints the version.")
    static let color = Option(
        "--color", value: "MODE", kind: .choice(["auto", "always", "never"]),
        help: "Colors the output: auto, always or never; auto if omitted.")
    static let json = Option("--json", help: "Prints JSON.")
    static let base = Option("--base", value: "TAG", kind: .language, help: "The base language; en if omitted.")

    /// The options of every command.
    static let common = [color, help, version]
}

/// The exit status of the tool.
enum ToolStatus: Int32 {
    case success = 0
    /// The files have errors, or the requested value doesn't exist.
    case problems = 1
    /// The command line is wrong.
    case misuse = 2
}

/// The reason why a command ends early.
struct ToolError: Error {
    let status: ToolStatus
    let message: String

    private init(status: ToolStatus, message: String) {
        self.status = status
        self.message = message
    }

    /// A problem that has been printed.
    static let reported = ToolError(status: .problems, message: "")

    /// A problem of a file, a server or a value.
    static func problem(_ message: String) -> ToolError { ToolError(status: .problems, message: message) }

    /// A mistake on the command line.
    static func misuse(_ message: String) -> ToolError { ToolError(status: .misuse, message: message) }

    /// An error of a library: file and line first, without the name of its code.
    init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as EventBusError: self = .problem(error.plainText)
        case let error as NetworkError:
            let place = [error.file, error.line.map { "\($0)" }, error.column.map { "\($0)" }]
                .compactMap { $0.map { $0 + ":" } }.joined()
            let parts = [place, error.path.map { $0 + ":" } ?? "", error.message].filter { !$0.isEmpty }
            self = .problem(error.message.isEmpty ? "\(error)" : parts.joined(separator: " "))
        default: self = .problem("\(error)")
        }
    }

    /// A mistake in a name, with the most similar known name as a suggestion.
    static func unknown(_ what: String, _ name: String, among known: [String]) -> ToolError {
        misuse("unknown \(what) '\(name)'" + hint(name, among: known))
    }

    /// The end of an error about a name: the most similar known name, or a short list of all.
    static func hint(_ name: String, among known: [String]) -> String {
        if let nearest = NearestName.find(name, among: known) { return "; did you mean '\(nearest)'?" }
        return known.isEmpty || known.count > 12 ? "" : "; known: " + known.joined(separator: ", ")
    }
}

extension [String] {
    /// The name in the list; one that differs only in case if the name itself isn't in it.
    func matching(_ name: String) -> String? {
        contains(name) ? name : first { $0.lowercased() == name.lowercased() }
    }
}
