import AshlarTooling

extension Command {
    /// The command `hosts`.
    static let hosts: Command = Command(
        "hosts", "Lists and selects the host environments of a host map.",
        discussion: """
            An app stores its selection in a file of its own: --app names the app by its executable, --flavor its flavor
            if it has one, and --environment the environments of its build, such as debug for a debug build. The file
            Flavors.json is next to MAP. An app in a sandbox, or with a storage of its own, needs --store. Names of hosts
            and environments ignore case.
            """,
        commands: [listHosts, useHost, resetHosts, explainHost])

    private static let map = Operand("MAP", .file)
    private static let place = [
        Option("--app", "a", value: "NAME", help: "Uses the selection that an app stores."),
        Option("--store", "s", value: "FILE", kind: .file, help: "Uses the selection in a file instead."),
        Option("--flavor", value: "NAME", help: "Uses the selection of a flavor of the app."),
        Option(
            "--environment", "e", value: "NAME",
            kind: .known { ConfigSources.environments(in: folder(of: $0.first ?? "")) },
            help: "Uses the selection of a build with an environment; repeatable; that of the flavor if omitted."),
        .json,
    ]

    private static func host(isOptional: Bool) -> Operand {
        Operand(
            "HOST",
            .known { words in
                words.first.flatMap { try? HostMap(contentsOfFile: $0) }?.configurations.map(\.canonicalHost) ?? []
            }, isOptional: isOptional)
    }

    private static let listHosts = Command(
        "list", "Lists the environments of each canonical host, with a tick next to the selected ones.",
        operands: [map], options: place,
        examples: ["hosts list Resources/HostMap.json", "hosts list Resources/HostMap.json --app notes -e debug"]
    ) { invocation, output in
        try withHosts(invocation, output) { hosts in print(hosts, invocation, output) }
    }

    private static let useHost = Command(
        "use", "Selects an environment of a canonical host, and saves the selection.",
        discussion: """
            TEXT is the host of an environment whose host is typed. Without HOST and KEY, the command shows a menu: enter
            the number of an environment, for a typed host a space and the host, 0 to reset all, and nothing to end. The
            app reads the selection when it starts.
            """,
        operands: [
            map, host(isOptional: true),
            Operand(
                "KEY",
                .known { words in
                    let map = words.first.flatMap { try? HostMap(contentsOfFile: $0) }
                    return map?[words.count > 1 ? words[1] : ""]?.hosts.map(\.key) ?? []
                }, isOptional: true),
            Operand("TEXT", .text, isOptional: true),
        ],
        options: place + [
            Option("--release", help: "Selects the release environments that the map names."),
            Option("--prerelease", help: "Selects the prerelease environments that the map names."),
        ],
        examples: [
            "hosts use Resources/HostMap.json --app notes -e debug",
            "hosts use Resources/HostMap.json api.example.com QA --app notes --flavor acme",
        ]
    ) { invocation, output in
        let isRelease = invocation.has("--release")
        let isWhole = isRelease || invocation.has("--prerelease")
        let words = invocation.operands.dropFirst()
        if words.count == 1 { throw ToolError.misuse("missing argument KEY") }
        if isWhole, let word = words.first { throw ToolError.misuse("unexpected argument '\(word)'") }
        return try withHosts(invocation, output, saves: true) { hosts in
            let map = hosts.current.map
            if let host = invocation.operand(1), let key = invocation.operand(2) {
                let known = map[host]?.hosts.map(\.key).matching(key)
                try hosts.select(known ?? key, for: host, userHost: invocation.operand(3))
            } else if isWhole {
                for host in map.configurations {
                    if let key = isRelease ? host.releaseKey : host.prereleaseKey {
                        try hosts.select(key, for: host.canonicalHost)
                    } else {
                        hosts.reset(host.canonicalHost)
                    }
                }
            } else {
                try menu(hosts, output)
            }
            print(hosts, invocation, output)
        }
    }

    private static let resetHosts = Command(
        "reset", "Removes the selection of a canonical host, or all selections.",
        operands: [map, host(isOptional: true)], options: place,
        examples: ["hosts reset Resources/HostMap.json --app notes -e debug"]
    ) { invocation, output in
        try withHosts(invocation, output, saves: true) { hosts in
            if let host = invocation.operand(1) { try check(host, hosts) }
            hosts.reset(invocation.operand(1))
            print(hosts, invocation, output)
        }
    }

    private static let explainHost = Command(
        "explain", "Prints the selected environment of a canonical host and its origin.",
        operands: [map, host(isOptional: false)], options: place,
        examples: ["hosts explain Resources/HostMap.json api.example.com --app notes -e debug"]
    ) { invocation, output in
        try withHosts(invocation, output) { hosts in
            let host = invocation.operands[1]
            try check(host, hosts)
            let story = hosts.explain(host)
            guard invocation.has("--json") else { return output.lines(story) }
            let sections = hosts.rows.filter { $0.title.lowercased() == host.lowercased() }
            output.json(.array(sections.map { json($0, hosts, ["text": .string(story)]) }))
        }
    }

    /// Reads the map and the selection, and prints their warnings at the end.
    private static func withHosts(
        _ invocation: Invocation, _ output: ToolOutput, saves: Bool = false, _ body: (HostSwitch) throws -> Void
    ) throws -> ToolStatus {
        let map = try HostMap(contentsOfFile: invocation.operands[0])
        let (store, file) = try choices(invocation)
        if saves, file == nil {
            throw ToolError.misuse("missing option --app or --store, the place where the selection is saved")
        }
        let hosts = HostSwitch(map, store: store)
        let warnings = hosts.warnings
        try body(hosts)
        for warning in map.warnings + warnings { output.problem("warning: \(warning)") }
        // A reset that can't be stored is only a warning of the switch.
        let failures = hosts.warnings.dropFirst(warnings.count)
        for failure in failures { output.problem("error: \(failure)") }
        if saves, failures.isEmpty, !invocation.has("--json"), let file { output.line("Saved in \(file).") }
        return failures.isEmpty ? .success : .problems
    }

    /// The place of the selection; without a file, no place is given.
    private static func choices(_ invocation: Invocation) throws -> (store: HostChoiceStore, file: String?) {
        let (app, file) = (invocation.value(of: "--app"), invocation.value(of: "--store"))
        if app != nil, file != nil { throw ToolError.misuse("--app and --store exclude each other") }
        guard app != nil || file != nil else {
            if let lone = ["--flavor", "--environment"].first(where: invocation.has) {
                throw ToolError.misuse("\(lone) needs --app or --store")
            }
            return (.none, nil)
        }
        let folder = folder(of: invocation.operands[0])
        var log = LogConfiguration(sinks: [])
        if let app { log.application = app }
        var configuration = AshlarApp.Configuration(resources: folder, log: log)
        configuration.flavor = invocation.value(of: "--flavor")
        configuration.hostChoices = file.map { .file($0) }
        let environments = invocation.values(of: "--environment")
        if !environments.isEmpty {
            let known = ConfigSources.environments(in: folder)
            configuration.environments = environments.map { ConfigEnvironment(known.matching($0) ?? $0) }
        }
        let choices = try AshlarApp.hostChoices(configuration)
        guard let file = file ?? choices.file else { throw ToolError.problem("no home folder for the app's files") }
        return (choices.store, file)
    }

    /// The folder of a file, which contains the other files of the app.
    private static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    }

    private static func check(_ host: String, _ hosts: HostSwitch) throws(ToolError) {
        let known = hosts.rows.map(\.title)
        guard known.matching(host) != nil else {
            throw .problem("no canonical host '\(host)'" + ToolError.hint(host, among: known))
        }
    }

    /// Reads selections from the standard input until an empty line or its end.
    private static func menu(_ hosts: HostSwitch, _ output: ToolOutput) throws(ToolError) {
        guard output.isTerminal else { throw .misuse("missing argument HOST; the menu needs a terminal") }
        let menu = HostMenu(hosts)
        while true {
            output.lines(String(menu.text.dropLast()))
            output.prompt("Number: ")
            guard let line = readLine(), !line.isEmpty else { return }
            do throws(NetworkError) { try menu.enter(line) } catch {
                output.problem("error: \(ToolError(error).message)")
            }
        }
    }

    private static func print(_ hosts: HostSwitch, _ invocation: Invocation, _ output: ToolOutput) {
        if invocation.has("--json") { return output.json(.array(hosts.rows.map { json($0, hosts) })) }
        output.lines(String(HostMenu(hosts).text.dropLast()))
        for section in hosts.rows { output.line("\(section.title) → \(target(of: section, hosts))") }
    }

    private static func target(of section: HostSection, _ hosts: HostSwitch) -> String {
        hosts.resolve(section.title).map { "\($0)" } ?? section.title
    }

    private static func json(
        _ section: HostSection, _ hosts: HostSwitch, _ more: [String: ConfigValue] = [:]
    ) -> ConfigValue {
        let members: [String: ConfigValue] = [
            "host": .string(section.title), "target": .string(target(of: section, hosts)),
            "environments": .array(
                section.rows.map {
                    ["key": .string($0.key), "host": .string($0.title), "isSelected": .boolean($0.isSelected)]
                }),
        ]
        return .dictionary(members.merging(more) { $1 })
    }
}
