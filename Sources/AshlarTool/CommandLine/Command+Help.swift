import AshlarCore

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
