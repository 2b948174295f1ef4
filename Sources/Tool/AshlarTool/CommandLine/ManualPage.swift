import AshlarCore

/// The manual page of the tool, in the macros of man(7).
enum ManualPage {
    /// Returns the source of the page.
    static func text(of root: Command, version: String) -> String {
        var page = """
            .TH ASHLAR 1 "" "ashlar \(version)" "User Commands"
            .SH NAME
            ashlar \\- \(escaped(root.summary.dropLast().lowercasedFirst))
            .SH SYNOPSIS
            .B ashlar
            .I COMMAND
            [arguments] [options]
            .SH DESCRIPTION
            \(escaped(root.discussion))
            .SH COMMANDS

            """
        for command in root.commands { add(command, root.name, to: &page) }
        page += ".SH OPTIONS OF EVERY COMMAND\n"
        for option in Option.common { add(option, to: &page) }
        page += """
            .SH EXIT STATUS
            .TP
            0
            Success.
            .TP
            1
            Problems in the files, or a value that does not exist.
            .TP
            2
            A mistake on the command line.
            .SH ENVIRONMENT
            .TP
            NO_COLOR
            Without a value, or empty: colors on a terminal. With a value: no colors.
            .TP
            COLUMNS
            The width of tables on a terminal, instead of the terminal's.

            """
        return page
    }

    private static func add(_ command: Command, _ parent: String, to page: inout String) {
        let name = parent + " " + command.name
        guard command.commands.isEmpty else {
            for command in command.commands { add(command, name, to: &page) }
            return
        }
        page += ".SS \(escaped(command.usage(name)))\n\(escaped(command.summary))\n"
        if !command.discussion.isEmpty { page += ".PP\n\(escaped(command.discussion))\n" }
        for option in command.options { add(option, to: &page) }
        let examples = command.examples.map { escaped("ashlar \($0)") + "\n" }.joined()
        page += ".PP\nExamples:\n.PP\n.nf\n.RS\n\(examples).RE\n.fi\n"
    }

    private static func add(_ option: Option, to page: inout String) {
        page += ".TP\n.B \(escaped(option.usage))\n\(escaped(option.help))\n"
    }

    /// Escapes text: each line is text, not a request, and hyphens are those of the keyboard.
    private static func escaped(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.isEmpty { return ".PP" }
            let text = line.map { ["\\": "\\e", "-": "\\-"][$0] ?? String($0) }.joined()
            return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
        }.joined(separator: "\n")
    }
}

extension Substring {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension Command {
    /// The command `manual`.
    static let manual: Command = Command(
        "manual", "Prints the manual page of the tool.",
        discussion: "Read it with 'ashlar manual | man -l -'; 'make install' of the package installs it.",
        examples: ["manual"]
    ) { _, output in
        output.raw(ManualPage.text(of: AshlarTool.table, version: AshlarTool.version))
        return .success
    }
}
