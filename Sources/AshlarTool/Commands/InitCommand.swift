import AshlarCore
import AshlarTooling

extension Command {
    /// The command `init`.
    static let initialize: Command = Command(
        "init", "Creates a package with a small app that uses every part of Ashlar.",
        discussion: """
            The app has two brands, two languages, two environments, a host map, a route, a service and a test. NAME is the
            name of the folder, the package and the program. The package depends on Ashlar in the folder of --path, or on
            a version in the repository of --url.
            """,
        operands: [Operand("NAME", .text)],
        options: [
            Option("--path", "p", value: "FOLDER", kind: .folder, help: "Depends on Ashlar in a folder."),
            Option("--url", value: "URL", help: "Depends on Ashlar in a repository."),
            Option(
                "--from", value: "VERSION", help: "The version in the repository; \(AshlarTool.version) if omitted."),
        ]
    ) { invocation, output in
        let name = invocation.operands[0]
        guard name.first?.isLetter == true, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw ToolError.misuse("NAME needs letters and digits, and a letter at its start")
        }
        let dependency: String
        if let url = invocation.value(of: "--url") {
            let version = invocation.value(of: "--from") ?? AshlarTool.version
            dependency = "url: \"\(url)\", .upToNextMinor(from: \"\(version)\")"
        } else if let path = invocation.value(of: "--path") {
            // The path is relative to the package's folder.
            dependency = "name: \"Ashlar\", path: \"\(path.hasPrefix("/") ? path : "../" + path)\""
        } else {
            throw ToolError.misuse("missing option --path or --url")
        }
        if FileStatus(name) != nil { throw ToolError.problem("\(name): the folder exists") }
        do throws(FileFailure) {
            for (file, text) in AppTemplate.files {
                let path = name + "/" + AppTemplate.filled(file, name: name, dependency: dependency)
                try FolderListing.create(path.split(separator: "/").dropLast().joined(separator: "/"))
                let bytes = Array(AppTemplate.filled(text, name: name, dependency: dependency).utf8)
                try AtomicFile.replace(path, with: bytes, permissions: 0o644, isOwn: false)
                output.line(path)
            }
        } catch {
            throw ToolError.problem("\(error.path): \(error)")
        }
        output.line("Run 'swift run --package-path \(name) \(name) \(name.lowercased())://note/1'.")
        return .success
    }
}
