import AshlarCore
import AshlarTooling

extension Command {
    /// The command `config`.
    static let config: Command = Command(
        "config", "Lists, explains, checks, exports or compares the values of a configuration.",
        discussion: """
            The values are those of production with the same sources: --local-file, --env-file, the environment variables
            with --prefix, and the program's arguments after a final --, such as -- --http.timeout=5.
            """,
        commands: [show, explain, check, diff, export])

    private static let folder = Operand("FOLDER", .folder)

    private static let show = Command(
        "show", "Lists the values with their file and line.",
        discussion: "With the key of a value, prints the value; with the key of a section, lists the section.",
        operands: [folder, Operand("KEY", .text, isOptional: true)],
        options: ConfigSources.options + [
            Option("--value", help: "Prints the value at KEY alone, for scripts."), .json,
        ],
        examples: ["config show Resources -e debug", "config show Resources api.timeout --value"],
        takesProgramArguments: true
    ) { invocation, output in
        let listing = try ConfigListing(invocation, output)
        guard invocation.has("--value") else {
            return listing.show(invocation.operand(1), asJSON: invocation.has("--json"))
        }
        guard let key = invocation.operand(1) else { throw ToolError.misuse("--value needs the argument KEY") }
        return listing.value(key)
    }

    private static let explain = Command(
        "explain", "Prints the origin of a value or section, and the values that it overrides.",
        operands: [folder, Operand("KEY", .text)], options: ConfigSources.options + [.json],
        examples: ["config explain Resources http.timeout -e debug --prefix APP_ -- --http.timeout=5"],
        takesProgramArguments: true
    ) { invocation, output in
        let listing = try ConfigListing(invocation, output)
        return listing.explain(invocation.operands[1], asJSON: invocation.has("--json"))
    }

    private static let check = Command(
        "check", "Reports every problem of the files.",
        discussion: """
            Without --environment, checks the base files and each environment. The app checks its settings when it
            loads them, with ConfigPlan.require.
            """,
        operands: [folder], options: ConfigSources.options + [.json], examples: ["config check Resources"],
        takesProgramArguments: true
    ) { invocation, output in
        let check = ConfigCheck(try ConfigSources(invocation, output))
        return check.run(output, asJSON: invocation.has("--json"))
    }

    private static let export = Command(
        "export", "Prints the effective values as one file.",
        discussion: "Secret values are left out, and credentials inside texts are redacted.",
        operands: [folder],
        options: ConfigSources.options + [
            Option(
                "--format", "f", value: "FORMAT", kind: .choice(["json", "plist"]),
                help: "Exports json or plist; json if omitted."),
            Option("--include-secrets", help: "Exports secret values and credentials, too."),
        ],
        examples: ["config export Resources -e debug --format plist"],
        takesProgramArguments: true
    ) { invocation, output in
        let sources = try ConfigSources(invocation, output)
        guard let config = sources.load(sources.environments, output) else { return .problems }
        output.document(
            config.exported(
                as: invocation.value(of: "--format") == "plist" ? .propertyList : .json,
                includesSecrets: invocation.has("--include-secrets")))
        return .success
    }

    private static let diff = Command(
        "diff", "Prints the values that differ between two environments.",
        discussion: "Without --from or --to, that side has no environment.",
        operands: [folder],
        options: [
            Option(
                "--from", value: "NAME", kind: ConfigSources.environment,
                help: "Compares this environment; repeatable, the last wins."),
            Option(
                "--to", value: "NAME", kind: ConfigSources.environment,
                help: "Compares with this environment; repeatable, the last wins."),
            Option("--exit-code", help: "Exits with 1 if there are differences."),
        ] + ConfigSources.options.filter { $0.name != "--environment" } + [.json],
        examples: ["config diff Resources --from debug --to staging"],
        takesProgramArguments: true
    ) { invocation, output in
        let sources = try ConfigSources(invocation, output)
        guard let old = sources.load(invocation.values(of: "--from"), output),
            let new = sources.load(invocation.values(of: "--to"), output)
        else { return .problems }
        let diff = ConfigDiff(from: old, to: new)
        if invocation.has("--json") {
            output.document(diff.json)
        } else {
            var listing = Listing("path", "change", "oldLocation", "newLocation")
            for change in diff.changes {
                let places = [change.oldLocation, change.newLocation].map { $0.map { "\($0)" } ?? "" }
                listing.add(
                    [.string("\(change.path)"), .string("\(change.old ?? "nothing") → \(change.new ?? "nothing")")]
                        + places.map { .string($0) })
            }
            output.list(listing, asJSON: false)
        }
        return invocation.has("--exit-code") && !diff.isEmpty ? .problems : .success
    }
}

/// The sources of the configuration that a command reads.
struct ConfigSources {
    /// The environments of the first operand's folder, for completion.
    static let environment = WordKind.known { $0.first.map(environments) ?? [] }

    static let options = [
        Option(
            "--environment", "e", value: "NAME", kind: environment,
            help: "Applies the files of an environment; repeatable, the last wins."),
        Option("--bundle-id", value: "ID", help: "Applies the sections of a bundle identifier."),
        Option("--local-file", value: "FILE", kind: .file, help: "Applies the local file of a machine or developer."),
        Option(
            "--env-file", value: "FILE", kind: .file,
            help: "Reads variables from a .env file; repeatable, the last wins."),
        Option("--prefix", value: "PREFIX", help: "Applies the environment variables with a prefix, such as APP_."),
    ]

    let folder: String
    let environments: [String]
    private let invocation: Invocation

    init(_ invocation: Invocation, _ output: ToolOutput, folder: String? = nil) throws(ToolError) {
        self.invocation = invocation
        self.folder = folder ?? invocation.operands[0]
        environments = invocation.values(of: "--environment")
        try output.checkFolder(self.folder)
        for file in invocation.values(of: "--env-file") where FileStatus(file)?.kind != .regular {
            throw .problem("\(file): no such file")
        }
    }

    /// The names of the environments that have a file in a folder, sorted.
    static func environments(in folder: String) -> [String] {
        let names = (FolderListing.names(in: folder) ?? []).compactMap { name -> String? in
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "ApplicationConfig", ["plist", "json"].contains(parts[2]) else {
                return nil
            }
            return String(parts[1])
        }
        return Set(names).sorted()
    }

    /// Loads the configuration of some environments, whose files must exist; reports every error.
    func load(_ environments: [String], _ output: ToolOutput) -> ApplicationConfig? {
        let report = ApplicationConfig.loadReport(plan(environments))
        for error in report.errors { output.problems("error: \(error)") }
        return report.errors.isEmpty ? report.config : nil
    }

    /// The plan of a program in some environments, whose files must exist.
    func plan(_ environments: [String]) -> ConfigPlan {
        let known = Self.environments(in: folder)
        var plan = ConfigPlan(
            files: .directory(folder), environments: environments.map { ConfigEnvironment(known.matching($0) ?? $0) },
            bundleIdentifier: invocation.value(of: "--bundle-id"))
        plan.requiredLayers = [.base, .environment]
        plan.localFile = invocation.value(of: "--local-file")
        if plan.localFile != nil { plan.requiredLayers.insert(.local) }
        plan.variableFiles = invocation.values(of: "--env-file")
        plan.variablePrefix = invocation.value(of: "--prefix")
        plan.arguments = invocation.programArguments
        return plan
    }
}
