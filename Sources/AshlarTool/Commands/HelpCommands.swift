import AshlarCore

extension Command {
    /// The command `completion`.
    static let completion: Command = Command(
        "completion", "Prints the completion script of a shell.",
        discussion: "'make install' of the package installs the scripts of all three shells.",
        operands: [Operand("SHELL", .choice(Completion.shells))]
    ) { invocation, output in
        output.raw(Completion.script(invocation.operands[0]) ?? "")
        return .success
    }

    /// The command `manual`.
    static let manual: Command = Command(
        "manual", "Prints the manual page of the tool.",
        discussion: "Read it with 'ashlar manual | man -l -'; 'make install' of the package installs it."
    ) { _, output in
        output.raw(ManualPage.text(of: AshlarTool.table, version: AshlarTool.version))
        return .success
    }
}
