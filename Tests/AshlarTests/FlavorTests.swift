import AshlarTestSupport
import Foundation
import Testing

@testable import Ashlar

@Suite(.timeLimit(.minutes(5))) struct FlavorTests {
    static let files = [
        "Flavors.json": """
        {"acme-staging": {"brand": "acme", "bundleIdentifier": "com.acme.app", "environments": ["debug", "staging"],
            "host": "DEV", "logFolder": "/tmp/acme"},
         "plain": {}, "odd": {"brand": ["x"], "colour": "red"}}
        """,
        "ApplicationConfig.json": #"{"title": "base", "com.acme.app": {"title": "acme"}}"#,
        "ApplicationConfig.staging.json": #"{"server": "staging"}"#,
        "en.lproj/Localizable.strings": #""name" = "App";"#,
        "acme.lproj/Localizable.strings": #""name" = "Acme";"#,
        "HostMap.json": TemporaryFolder.hostMap,
    ]

    @Test(
        "A flavor comes from the app, an argument, a variable or Info.plist, in this order",
        arguments: [
            ("own", ["--flavor", "a"], "v", "p", "own", "set by the app"),
            (nil, ["run", "--flavor", "a"], "v", "p", "a", "the argument --flavor"),
            (nil, ["--flavor=a=b"], "v", "p", "a=b", "the argument --flavor"),
            (nil, ["--", "--flavor=a"], "v", "p", "v", "the variable ASHLAR_FLAVOR"),
            (nil, ["--flavor"], "v", "p", "v", "the variable ASHLAR_FLAVOR"),
            (nil, ["--flavor", "--"], "v", "p", "v", "the variable ASHLAR_FLAVOR"),
            (nil, [], "", "p", "p", "AshlarFlavor of Info.plist"), (nil, [], "", nil, nil, nil),
            (nil, [], "", "", nil, nil),
        ] as [(String?, [String], String, String?, String?, String?)])
    func selection(
        own: String?, arguments: [String], variable: String, plist: String?, name: String?, origin: String?
    ) {
        var issues: [StartupIssue] = []
        let selected = AppFlavor.selected(
            own, arguments: arguments, variables: ["ASHLAR_FLAVOR": variable], infoPlist: plist, issues: &issues)
        let isNameless = arguments.first == "--flavor" && !arguments.contains("a")
        #expect(issues.map(\.message) == (isNameless ? ["the argument --flavor has no name after it"] : []))
        #expect(selected?.name == name)
        #expect(selected?.origin == origin)
    }

    @Test("An app adds variables and arguments to its configuration, with its environments and identifier")
    func variablesAndArguments() throws {
        let folder = try TemporaryFolder(Self.files)
        var configuration = AshlarApp.Configuration.inMemory(resources: folder.path)
        configuration.flavor = "acme-staging"
        var issues: [StartupIssue] = []
        let settings = AppSettings(configuration, arguments: [], variables: [:], issues: &issues)
        func load(_ arguments: [String]) throws -> ApplicationConfig {
            var plan = settings.plan(configuration, arguments: arguments)
            plan.variables = ["APP_SERVER": "v", "APP_NEW__KEY": "n", "OTHER_SERVER": "o"]
            return try ApplicationConfig.load(plan)
        }
        let arguments = ["--flavor", "acme-staging", "--flavor=x", "--title=t", "--", "--server=x"]
        #expect(try load(arguments).values["server"] == "staging" && load(arguments).values["title"] == "acme")
        configuration.variables = "APP"
        #expect(try load(arguments).values["server"] == "v" && load(arguments).values["title"] == "acme")
        configuration.arguments = true
        let config = try load(arguments)
        #expect(config.values["server"] == "v" && config["new.key"] == "n" && config.values["title"] == "t")
        #expect(!config.diagnostics.contains { $0.description.contains("argument") }, "\(config.diagnostics)")
        configuration.variables = "OTHER_"
        configuration.config = ConfigPlan(files: .directory(folder.path), environments: [], bundleIdentifier: "none")
        #expect(try load(["--title=own"]).values["server"] == "o" && load(["--title=own"]).values["title"] == "own")
        // The arguments of the process are read.
        #expect(
            settings.plan(configuration).arguments == AppFlavor.others(of: Array(CommandLine.arguments.dropFirst())))
    }

    @Test(
        "One word selects brand, sections, environments, hosts and log folder; the app's own settings take precedence")
    func settings() throws {
        let folder = try TemporaryFolder(Self.files)
        var configuration = AshlarApp.Configuration.inMemory(resources: folder.path)
        configuration.flavor = "acme-staging"
        var issues: [StartupIssue] = []
        var settings = AppSettings(configuration, arguments: [], variables: [:], issues: &issues)
        #expect(issues.map(\.description) == [])
        #expect(settings.brand == "acme" && settings.bundleIdentifier == "com.acme.app")
        #expect(settings.environments == [.debug, "staging"] && settings.hostDefault == .environment("DEV"))
        #expect(settings.logFolder == "/tmp/acme" && settings.scope == "acme-staging+debug+staging")

        configuration.brand = CustomizationBrand.none
        configuration.environments = []
        configuration.hostDefault = .canonical
        configuration.log?.folder = "/tmp/own"
        settings = AppSettings(configuration, arguments: [], variables: [:], issues: &issues)
        #expect(settings.brand == .none && settings.environments.isEmpty && settings.hostDefault == .canonical)
        #expect(settings.logFolder == "/tmp/own" && settings.bundleIdentifier == "com.acme.app")
        let explanation = settings.flavorExplanation.replacingOccurrences(of: folder.path + "/", with: "")
        #expect(
            explanation == """
                flavor: acme-staging (set by the app)
                  brand: none (set by the app)
                  bundleIdentifier: com.acme.app (Flavors.json:1)
                  environments: none (set by the app)
                  host: canonical (set by the app)
                  logFolder: /tmp/own (set by the app)
                """)
    }

    @Test("An unknown flavor, an unknown member and a value of another type are issues")
    func faults() throws {
        let folder = try TemporaryFolder(Self.files)
        func issues(_ name: String, in folder: String) -> [StartupIssue] {
            var configuration = AshlarApp.Configuration.inMemory(resources: folder)
            configuration.flavor = name
            var issues: [StartupIssue] = []
            _ = AppSettings(configuration, arguments: [], variables: [:], issues: &issues)
            return issues
        }
        #expect(issues("plain", in: folder.path).isEmpty)
        let unknown = issues("acme", in: folder.path)
        #expect(unknown.count == 1 && unknown[0].isError)
        #expect(
            unknown[0].message.contains("unknown flavor \"acme\"")
                && unknown[0].message.contains("acme-staging, odd, plain"))
        let odd = issues("odd", in: folder.path).map(\.message)
        #expect(odd.contains { $0.contains("unknown member \"colour\"") })
        #expect(odd.contains { $0.contains("Flavors.json:3") })
        let empty = try TemporaryFolder([:])
        #expect(issues("acme", in: empty.path).contains { $0.message.contains("no file Flavors.json") })
    }

    #if os(Linux) || os(macOS)
        @Test("An app started with a flavor has its brand, sections, files and hosts")
        func app() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder(FlavorTests.files)
                var configuration = AshlarApp.Configuration.inMemory(resources: folder.path, log: nil)
                configuration.flavor = "acme-staging"
                configuration.languages = ["en"]
                let app = AshlarApp(configuration)
                #expect(app.issues.map(\.description) == [])
                #expect(app.flavor == "acme-staging")
                #expect(app.config.current.string(forKey: "title") == "acme")
                #expect(app.config.current.string(forKey: "server") == "staging")
                #expect(app.customization.current.string("name") == "Acme")
                #expect(app.hosts.resolve("api.example")?.host == "dev.example")
                #expect(app.explain("api.example").contains("dev.example"))
            }
        }
    #endif
}
