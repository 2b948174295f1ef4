import AshlarTooling

/// Shows the host environments of a map as a settings screen would, and changes the remembered choice.
struct HostsCommand: ToolCommand {
    static let name = "hosts"
    static let usage = """
        ashlar hosts FILE [HOST KEY [TEXT]] [--store FILE] [--release] [--prerelease] [--clear]
            The environments of a host map, the chosen ones ticked. HOST KEY chooses an environment for a canonical
            host, with TEXT for one that is typed. With --store the choice is remembered in a file.
        """

    private let file: String
    private let choice: (host: String, key: String, text: String?)?
    private let store: any HostChoiceStore
    private let release: Bool
    private let prerelease: Bool
    private let clear: Bool

    init(_ arguments: inout ToolArguments) throws(UsageError) {
        (release, prerelease) = (arguments.has("--release"), arguments.has("--prerelease"))
        clear = arguments.has("--clear")
        store = try arguments.value(of: "--store").map { .file($0) } ?? .none
        file = try arguments.word("the host map")
        if let host = arguments.word() {
            choice = (host, try arguments.word("the environment's key"), arguments.word())
        } else {
            choice = nil
        }
        try arguments.finish()
    }

    func run(_ write: (String) -> Void) -> Int32 {
        do throws(NetworkError) {
            let map = try HostMap(contentsOfFile: file)
            let hosts = HostSwitch(map, store: store)
            if clear { hosts.clear() }
            if release { hosts.chooseRelease() }
            if prerelease { hosts.choosePrerelease() }
            if let choice { try hosts.choose(choice.key, for: choice.host, userHost: choice.text) }
            write(HostMenu(hosts).text)
            for section in hosts.rows {
                write("\(section.title) is now \(hosts.resolve(section.title).map { "\($0)" } ?? section.title)")
            }
            for warning in map.warnings + hosts.warnings { write("warning: \(warning)") }
            return 0
        } catch {
            write("error: \(error)")
            return 1
        }
    }
}
