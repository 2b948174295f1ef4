import AshlarCore
import AshlarInspector
import AshlarKeyGenerator
import AshlarTesting
import AshlarTexts
import AshlarTooling

extension Command {
    /// The command `report`.
    static let report: Command = Command(
        "report", "Writes one page of HTML about a run folder.",
        discussion: """
            The page has the sections for which there are files: the runs of FOLDER or of its folder 'logs', and, if their
            options are omitted, these files of FOLDER: inspector.json (a document of AshlarInspector), ApplicationConfig
            files, .lproj folders, HostMap.json, Routes.txt and all .har files. Files with errors are reported, and the
            exit status is then 1. The page needs neither a server, a network nor other files. Secrets are hidden.
            """,
        operands: [Operand("FOLDER", .folder)],
        options: [
            Option("--output", "o", value: "FILE", kind: .file, help: "Writes this file; report.html if omitted."),
            Option("--title", value: "TEXT", help: "Uses another heading than FOLDER."),
            Option(
                "--lines", value: "COUNT", kind: .number,
                help: "Limits the lines of all logs; 200000 if omitted, of the newest runs."),
            Option("--config", value: "FOLDER", kind: .folder, help: "Shows the configuration of a folder."),
            Option("--strings", value: "TREE", kind: .folder, help: "Shows the coverage of a tree of .lproj folders."),
            Option("--hosts", value: "MAP", kind: .file, help: "Shows the environments of a host map."),
            Option("--routes", value: "FILE", kind: .file, help: "Shows the routes of a file."),
            Option("--har", value: "FILE", kind: .file, help: "Shows recorded requests; repeatable."),
        ] + ConfigSources.options,
        examples: ["report ~/.local/state/notes -o report.html --config Resources --hosts Resources/HostMap.json"]
    ) { invocation, output in
        let sources = ReportSources(invocation, output)
        let document = try sources.document()
        if document.isEmpty {
            throw ToolError.problem("\(invocation.operands[0]): the folder contains nothing that a report shows")
        }
        let file = invocation.value(of: "--output") ?? "report.html"
        try output.working("Writing \(file)") {
            let page = try document.pageBytes()
            try JSONFile.replace(file) { page }
        }
        output.line(file)
        return sources.status
    }
}

/// The files of a report.
private final class ReportSources {
    private let invocation: Invocation
    private let output: ToolOutput
    private let folder: String
    /// The names in the folder.
    private var names: Set<String> = []
    private(set) var status = ToolStatus.success

    init(_ invocation: Invocation, _ output: ToolOutput) {
        self.invocation = invocation
        self.output = output
        folder = invocation.operands[0]
    }

    /// Reads the files.
    func document() throws -> InspectorDocument {
        try output.checkFolder(folder)
        names = Set(FolderListing.names(in: folder) ?? [])
        var document = InspectorDocument(title: folder)
        if let file = standard("inspector.json") {
            document = try InspectorDocument(json: try ToolOutput.contents(file))
        }
        if let title = invocation.value(of: "--title") { document.title = title }
        output.working("Reading the logs") {
            let limit = invocation.number(of: "--lines") ?? 200_000
            let logs = [folder, folder + "/logs", folder + "/Logs"].first { !PriorRun.all(in: $0).isEmpty }
            if let logs { document.addRuns(in: logs, lineLimit: limit) }
        }
        try addFiles(to: &document)
        return document
    }

    private func addFiles(to document: inout InspectorDocument) throws {
        let hasConfig = names.contains { $0.hasPrefix("ApplicationConfig.") }
        if let config = invocation.value(of: "--config") ?? (hasConfig ? folder : nil) {
            let sources = try ConfigSources(invocation, output, folder: config)
            if let config = sources.load(sources.environments, output) {
                document.addConfiguration(config)
            } else {
                status = .problems
            }
        }
        let hasStrings = names.contains { $0.hasSuffix(".lproj") || $0.hasSuffix(".xcstrings") }
        if let tree = invocation.value(of: "--strings") ?? (hasStrings ? folder : nil) {
            try output.checkFolder(tree)
            let strings = Customization(path: tree)
            document.addStrings(strings)
            if output.report(strings.fileErrors) == .problems { status = .problems }
        }
        if let map = invocation.value(of: "--hosts") ?? standard("HostMap.json") {
            do throws(NetworkError) {
                document.addHosts(HostSwitch(try HostMap(contentsOfFile: map), store: .none))
            } catch {
                output.problem("error: \(ToolError(error).message)")
                status = .problems
            }
        }
        if let file = invocation.value(of: "--routes") ?? standard("Routes.txt") {
            let routes = try Routes(file)
            let names = routes.lines.map { ("\($0.pattern)", (name: $0.name, location: "\(file):\($0.number)")) }
            document.addRoutes(routes.table, names: Dictionary(names) { first, _ in first })
            if routes.reportProblems(output) == .problems { status = .problems }
        }
        let archives = invocation.values(of: "--har")
        let files =
            archives.isEmpty ? names.filter { $0.hasSuffix(".har") }.sorted().map { folder + "/" + $0 } : archives
        if !files.isEmpty {
            var archive = HARArchive()
            for file in files {
                let next = try HARArchive(contentsOfFile: file)
                for warning in next.warnings { output.problem("warning: \(warning)") }
                archive.entries += next.entries
            }
            try document.addRequests(archive)
        }
    }

    /// The path of a file in the folder; nil if it doesn't exist.
    private func standard(_ name: String) -> String? { names.contains(name) ? folder + "/" + name : nil }
}
