import AshlarAppConfig
import AshlarNetworking

/// A flavor of the app, as its file declares it; see ``AshlarApp/Configuration/flavor``.
struct AppFlavor: Sendable {
    let name: String
    /// The source of the name, such as `the argument --flavor`.
    let origin: String
    /// The brand, if the flavor selects one.
    private(set) var brand: String?
    /// The identifier whose configuration sections apply, if the flavor selects one.
    private(set) var bundleIdentifier: String?
    /// The environments, if the flavor selects them.
    private(set) var environments: [ConfigEnvironment]?
    /// The environment of hosts without a selection, if the flavor selects it.
    private(set) var hostDefault: HostDefault?
    /// The folder of the log, if the flavor selects one.
    private(set) var logFolder: String?
    /// The location of each member in the file, such as `Flavors.json:3`.
    private(set) var places: [String: String] = [:]

    private static let members = ["brand", "bundleIdentifier", "environments", "host", "logFolder"]

    /// Returns the name of the selected flavor and its source, or nil; reports an argument without a name.
    static func selected(
        _ name: String?, arguments: [String], variables: [String: String], infoPlist: String?,
        issues: inout [StartupIssue]
    ) -> (name: String, origin: String)? {
        if let name { return (name, "set by the app") }
        for (at, argument) in arguments.enumerated() {
            if argument == "--" { break }
            if argument.hasPrefix("--flavor=") { return (String(argument.dropFirst(9)), "the argument --flavor") }
            guard argument == "--flavor" else { continue }
            if at + 1 < arguments.count, arguments[at + 1] != "--" {
                return (arguments[at + 1], "the argument --flavor")
            }
            issues.append(StartupIssue(.configuration, "the argument --flavor has no name after it", isError: true))
            break
        }
        if let name = variables["ASHLAR_FLAVOR"], !name.isEmpty { return (name, "the variable ASHLAR_FLAVOR") }
        // A build setting without a value leaves an empty name.
        return infoPlist.flatMap { $0.isEmpty ? nil : ($0, "AshlarFlavor of Info.plist") }
    }

    /// Returns the arguments without those that select a flavor.
    static func others(of arguments: [String]) -> [String] {
        var rest = arguments.prefix { $0 != "--" }[...]
        var others: [String] = []
        while let argument = rest.popFirst() {
            if argument == "--flavor" {
                rest = rest.dropFirst()
            } else if !argument.hasPrefix("--flavor=") {
                others.append(argument)
            }
        }
        return others
    }

    /// Reads a flavor from the file in a folder; reports an unknown flavor, unknown members and malformed values.
    init(_ name: String, origin: String, folder: String, issues: inout [StartupIssue]) {
        self.name = name
        self.origin = origin
        var plan = ConfigPlan(files: .directory(folder), environments: [])
        plan.name = "Flavors"
        let store = ConfigStore(loadingBestEffort: plan)
        issues += store.errors.map { StartupIssue(.configuration, $0, isError: true) }
        let file = store.current
        let path = ConfigPath(components: [name])
        guard let members = file[path]?.dictionary else {
            let names = file.values.keys.sorted()
            let hint =
                names.isEmpty ? "there is no file Flavors.json with flavors" : "it has \(names.joined(separator: ", "))"
            issues.append(
                StartupIssue(
                    .configuration, "unknown flavor \"\(name)\" (\(origin)) in \(folder): \(hint)", isError: true))
            return
        }
        for member in members.keys.sorted() where !Self.members.contains(member) {
            let expected = Self.members.joined(separator: ", ")
            issues.append(
                StartupIssue(.configuration, "flavor \"\(name)\": unknown member \"\(member)\", expected \(expected)"))
        }
        func read<T: ConfigConvertible>(_ member: String, as type: T.Type) -> T? {
            let path = path.appending(member)
            guard file[path] != nil else { return nil }
            do throws(ConfigError) {
                let value = try file.get(path, as: type)
                places[member] = file.explain(path).winner.map { "\($0.location)" }
                return value
            } catch {
                issues.append(StartupIssue(.configuration, error, isError: true))
                return nil
            }
        }
        brand = read("brand", as: String.self)
        bundleIdentifier = read("bundleIdentifier", as: String.self)
        environments = read("environments", as: [String].self)?.map { ConfigEnvironment($0) }
        hostDefault = read("host", as: String.self).map { HostDefault(name: $0) }
        logFolder = read("logFolder", as: String.self)
    }
}

extension HostDefault {
    /// Creates a default from a name: `canonical`, `release`, `prerelease`, or the key of an environment.
    init(name: String) {
        switch name {
        case "canonical": self = .canonical
        case "release": self = .release
        case "prerelease": self = .prerelease
        default: self = .environment(name)
        }
    }

    /// The name that ``init(name:)`` reads.
    var name: String {
        switch self {
        case .canonical: "canonical"
        case .release: "release"
        case .prerelease: "prerelease"
        case .environment(let key): key
        }
    }
}
