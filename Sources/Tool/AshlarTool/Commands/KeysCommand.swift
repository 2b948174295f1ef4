import AshlarCore
import AshlarKeyGenerator
import AshlarTooling

extension Command {
    /// The command `keys`.
    static let keys: Command = Command(
        "keys", "Generates typed keys in Swift from the files of an app.",
        discussion: """
            Reads the trees, configuration files, host maps, themes, images and routes in the folders. The build plugin
            AshlarKeys does the same before each build. Missing translations are warnings. Files with errors, and keys
            whose names or arguments contradict each other, are errors.
            """,
        operands: [Operand("FOLDER", .folder, isRepeatable: true)],
        options: [
            Option("--output", "o", value: "FILE", kind: .file, help: "Writes the source to a file."),
            .base,
            Option(
                "--module", "m", value: "NAME", help: "Imports one module, such as Ashlar, instead of the single ones."),
        ],
        examples: ["keys Resources -o Keys.swift -m Ashlar"]
    ) { invocation, output in
        for folder in invocation.operands { try output.checkFolder(folder) }
        let generator = output.working("Reading files") {
            KeyGenerator(
                folders: invocation.operands, base: invocation.languages(of: "--base").last ?? "en",
                module: invocation.value(of: "--module"))
        }
        for problem in generator.problems { output.problem("\(problem)") }
        if let file = invocation.value(of: "--output") {
            do throws(FileFailure) {
                let bytes = Array(generator.source.utf8)
                try AtomicFile.replace(file, with: bytes, permissions: 0o644, isOwn: false)
            } catch { throw ToolError.problem("\(error.path): \(error)") }
        } else {
            output.document(generator.source)
        }
        return generator.problems.contains { $0.severity == "error" } ? .problems : .success
    }
}
