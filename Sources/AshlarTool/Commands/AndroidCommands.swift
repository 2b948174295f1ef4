import AshlarTooling

extension Command {
    /// The command `android`.
    static let android: Command = Command(
        "android", "Exports a tree as Android resources, or checks that a res folder can be imported.",
        commands: [exportAndroid, checkAndroid])

    private static let base = Option(
        "--base", value: "TAG", kind: .language, help: "The language of the folder res/values; en if omitted.")

    private static let exportAndroid = Command(
        "export", "Writes a tree of .lproj folders as resource files into a folder, such as app/src/main.",
        operands: [Operand("TREE", .folder), Operand("FOLDER", .folder)], options: [base]
    ) { invocation, output in
        try output.checkFolder(invocation.operands[0])
        let folder = invocation.operands[1]
        let tree = Customization(path: invocation.operands[0], base: invocation.languages(of: "--base").last ?? "en")
        let resources = output.working("Exporting \(invocation.operands[0])") { AndroidResources(tree) }
        try resources.write(toFolder: folder)
        for file in resources.files { output.line(folder + "/" + file.path) }
        return output.report(resources.diagnostics)
    }

    private static let checkAndroid = Command(
        "check", "Reports the data that an import of the resource files in a folder loses, with key, file and line.",
        operands: [Operand("FOLDER", .folder)], options: [base, .json]
    ) { invocation, output in
        try output.checkFolder(invocation.operands[0])
        let base = invocation.languages(of: "--base").last ?? "en"
        let resources = AndroidResources(folder: invocation.operands[0])
        let (layers, problems) = output.working("Reading \(invocation.operands[0])") { resources.layers(base: base) }
        var listing = Listing("layer", "role", "resources")
        for layer in layers {
            let count = layer.tables.values.reduce(0) { $0 + $1.count }
            listing.add(.string(layer.id), .string("\(layer.role)"), .integer(Int64(count)))
        }
        output.list(listing, asJSON: invocation.has("--json"))
        return output.report(resources.diagnostics + problems)
    }
}

extension ToolOutput {
    /// Prints problems without duplicates.
    func report(_ problems: [CustomizationDiagnostic]) -> ToolStatus {
        let problems = CustomizationReport(problems).diagnostics
        for found in problems { problem("\(found)") }
        return problems.contains { $0.severity == .error } ? .problems : .success
    }
}
