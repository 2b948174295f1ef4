import AshlarTooling

extension Command {
    /// The command `hosts`.
    static let hosts: Command = Command(
        "hosts", "Lists and selects the host environments of a host map.",
        commands: [listHosts, useHost, resetHosts, explainHost])

    private static let map = Operand("MAP", .file)
    private static let store = Option(
        "--store", "s", value: "FILE", kind: .file, help: "Reads the selection from a file and saves it there.")

    private static let listHosts = Command(
        "list", "Lists the environments of each canonical host, with a tick next to the selected ones.",
        operands: [map], options: [store, .json]
    ) { invocation, output in
        try withHosts(invocation, output) { hosts in
            invocation.has("--json") ? output.json(json(hosts)) : print(hosts, output)
        }
    }

    private static let useHost = Command(
        "use", "Selects an environment of a canonical host.",
        discussion: """
            TEXT is the host of an environment whose host is typed. Without HOST and KEY, the command shows a menu: enter
            the number of an environment, for a typed host a space and the host, 0 to reset all, and nothing to end.
            """,
        operands: [
            map, Operand("HOST", .text, isOptional: true), Operand("KEY", .text, isOptional: true),
            Operand("TEXT", .text, isOptional: true),
        ],
        options: [
            store, Option("--release", help: "Selects the release environments that the map names."),
            Option("--prerelease", help: "Selects the prerelease environments that the map names."),
        ]
    ) { invocation, output in
        let isWhole = invocation.has("--release") || invocation.has("--prerelease")
        let words = invocation.operands.dropFirst()
        if words.count == 1 { throw ToolError.misuse("missing argument KEY") }
        if isWhole, let word = words.first { throw ToolError.misuse("unexpected argument '\(word)'") }
        return try withHosts(invocation, output) { hosts in
            if invocation.has("--release") { hosts.selectRelease() }
            if invocation.has("--prerelease") { hosts.selectPrerelease() }
            if let host = invocation.operand(1), let key = invocation.operand(2) {
                try hosts.select(key, for: host, userHost: invocation.operand(3))
            } else if !isWhole {
                try menu(hosts, output)
            }
            print(hosts, output)
        }
    }

    private static let resetHosts = Command(
        "reset", "Removes the selection of a canonical host, or all selections.",
        operands: [map, Operand("HOST", .text, isOptional: true)], options: [store]
    ) { invocation, output in
        try withHosts(invocation, output) { hosts in
            if let host = invocation.operand(1) { try check(host, hosts) }
            hosts.reset(invocation.operand(1))
            print(hosts, output)
        }
    }

    private static let explainHost = Command(
        "explain", "Prints the selected environment of a canonical host and its origin.",
        operands: [map, Operand("HOST", .text)], options: [store]
    ) { invocation, output in
        try withHosts(invocation, output) { hosts in
            try check(invocation.operands[1], hosts)
            output.lines(hosts.explain(invocation.operands[1]))
        }
    }

    /// Reads the map and the selection, and prints their warnings at the end.
    private static func withHosts(
        _ invocation: Invocation, _ output: ToolOutput, _ body: (HostSwitch) throws -> Void
    ) throws -> ToolStatus {
        let map = try HostMap(contentsOfFile: invocation.operands[0])
        let store: HostChoiceStore = invocation.value(of: "--store").map { .file($0) } ?? .none
        let hosts = HostSwitch(map, store: store)
        try body(hosts)
        for warning in map.warnings + hosts.warnings { output.problem("warning: \(warning)") }
        return .success
    }

    private static func check(_ host: String, _ hosts: HostSwitch) throws(ToolError) {
        let known = hosts.rows.map(\.title)
        guard known.contains(where: { $0.lowercased() == host.lowercased() }) else {
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
            do throws(NetworkError) { try menu.enter(line) } catch { output.problem("error: \(error)") }
        }
    }

    private static func print(_ hosts: HostSwitch, _ output: ToolOutput) {
        output.lines(String(HostMenu(hosts).text.dropLast()))
        for section in hosts.rows { output.line("\(section.title) → \(target(of: section, hosts))") }
    }

    private static func target(of section: HostSection, _ hosts: HostSwitch) -> String {
        hosts.resolve(section.title).map { "\($0)" } ?? section.title
    }

    private static func json(_ hosts: HostSwitch) -> ConfigValue {
        .array(
            hosts.rows.map { section in
                [
                    "host": .string(section.title), "target": .string(target(of: section, hosts)),
                    "environments": .array(
                        section.rows.map {
                            ["key": .string($0.key), "host": .string($0.title), "isSelected": .boolean($0.isSelected)]
                        }),
                ]
            })
    }
}
