import AshlarAppConfig
import AshlarCustomization
import AshlarLogging
import AshlarNetworking
import Foundation

/// The settings of an app after its folder and flavor are known, each with its source.
struct AppSettings: Sendable {
    let resources: ResourceFolder
    let flavor: AppFlavor?
    let environments: [ConfigEnvironment]
    let bundleIdentifier: String?
    let brand: CustomizationBrand
    let hostDefault: HostDefault
    let logFolder: String?
    let storage: AppStorage
    /// The name of the application, for its folders.
    let application: String
    /// Whether the configuration can select the brand and the default hosts.
    let configSelects: (brand: Bool, host: Bool)
    private var sources: [(member: String, value: String, source: String)] = []

    init(
        _ configuration: AshlarApp.Configuration, arguments: [String] = CommandLine.arguments,
        variables: [String: String] = ProcessInfo.processInfo.environment, issues: inout [StartupIssue]
    ) {
        let resources = configuration.resources ?? ResourceFolder.find()
        self.resources = resources
        if !resources.isFound { issues.append(StartupIssue(.configuration, resources, isError: true)) }
        if !resources.equallyGood.isEmpty {
            let others = resources.equallyGood.map(\.path).joined(separator: ", ")
            issues.append(
                StartupIssue(.configuration, "\(resources) is used, but these folders are equally good: \(others)"))
        }

        let selected = AppFlavor.selected(
            configuration.flavor, arguments: Array(arguments.dropFirst()), variables: variables,
            infoPlist: Bundle.main.object(forInfoDictionaryKey: "AshlarFlavor") as? String, issues: &issues)
        var flavor: AppFlavor?
        if let selected {
            flavor = AppFlavor(selected.name, origin: selected.origin, folder: resources.path, issues: &issues)
        }
        self.flavor = flavor

        var sources: [(String, String, String)] = []
        func pick<T>(
            _ member: String, _ own: T?, flavored: T?, otherwise: String, text: (T) -> String
        ) -> T? {
            let source =
                own != nil ? "set by the app" : flavored != nil ? flavor?.places[member] ?? "the flavor" : otherwise
            let value = own ?? flavored
            sources.append((member, value.map(text) ?? "not set", source))
            return value
        }
        brand =
            pick(
                "brand", configuration.brand, flavored: flavor?.brand.map { .named($0) },
                otherwise: "app.brand of the configuration, or Info.plist", text: Self.text) ?? .fromInfoPlist
        bundleIdentifier = pick(
            "bundleIdentifier", configuration.bundleIdentifier, flavored: flavor?.bundleIdentifier,
            otherwise: "the main bundle's"
        ) { $0 }
        let environments =
            pick(
                "environments", configuration.environments, flavored: flavor?.environments,
                otherwise: "those of the build"
            ) {
                $0.isEmpty ? "none" : $0.map(\.name).joined(separator: ", ")
            } ?? ConfigEnvironment.current
        self.environments = environments
        hostDefault =
            pick(
                "host", configuration.hostDefault, flavored: flavor?.hostDefault,
                otherwise: "app.host of the configuration, or \(environments.isEmpty ? "release" : "prerelease")",
                text: \.name)
            ?? (environments.isEmpty ? .release : .prerelease)
        storage = configuration.storage
        application = configuration.log?.application ?? LogConfiguration().application
        let standard = storage.logFolder(application: application, flavor: flavor?.name)
        logFolder =
            pick(
                "logFolder", configuration.log?.folder, flavored: flavor?.logFolder,
                otherwise: standard.map { "\($0), from the storage" } ?? "the log is in memory"
            ) { $0 } ?? standard
        configSelects = (
            configuration.brand == nil && flavor?.brand == nil,
            configuration.hostDefault == nil && flavor?.hostDefault == nil
        )
        self.sources = sources
    }

    /// The scope of the user's selection of hosts: empty for a release build without a flavor.
    var scope: String { ((flavor.map { [$0.name] } ?? []) + environments.map(\.name)).joined(separator: "+") }

    /// The folder, and all folders that were examined, with their files.
    var resourcesExplanation: String {
        (["resources: \(resources)"] + resources.examined.map { "  \($0.description)" }).joined(separator: "\n")
    }

    /// The flavor and the source of each setting that it can select.
    var flavorExplanation: String {
        let head = flavor.map { "flavor: \($0.name) (\($0.origin))" } ?? "flavor: none"
        return ([head] + sources.map { "  \($0.member): \($0.value) (\($0.source))" }).joined(separator: "\n")
    }

    private static func text(_ brand: CustomizationBrand) -> String {
        switch brand {
        case .fromInfoPlist: "that of Info.plist"
        case .named(let name): name
        case .none: "none"
        }
    }
}
