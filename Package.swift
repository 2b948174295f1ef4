// swift-tools-version: 6.2
import PackageDescription

/// The targets in `Sources/Core`; each uses the ones before it.
let core = ["AshlarBase", "AshlarCore", "AshlarTrees"]

/// One of the five libraries; its target and product are named `Ashlar` + `folder`.
struct Module {
    let folder: String
    /// The internal targets that it depends on.
    var core = ["AshlarBase", "AshlarCore", "AshlarTrees"]
    /// C targets in `Sources/C` that only this module uses.
    var helpers: [String] = []
    /// Targets with helpers of this module's tests.
    var testHelpers: [String] = []
    /// Programs in `Tests/Programs` that this module's tests start as child processes.
    var testPrograms: [String] = []
    /// Whether its tests read data files from a folder `Fixtures`.
    var hasFixtures = false

    var name: String { "Ashlar" + folder }
}

let modules = [
    Module(
        folder: "Logging", core: ["AshlarBase"], helpers: ["CAshlarLogging"],
        testPrograms: ["AshlarLoggingTestChild"]),
    Module(folder: "Customization", testHelpers: ["AshlarTexts"], hasFixtures: true),
    Module(folder: "AppConfig"),
    Module(
        folder: "Networking", helpers: ["CAshlarCurl"], testHelpers: ["AshlarNetworkingTestSupport"], hasFixtures: true),
    Module(folder: "EventBus", core: ["AshlarBase", "AshlarCore"], helpers: ["CAshlarEventBus"]),
]

/// An opt-in library in `Sources/Extras`; its target and product are named `Ashlar` + `folder`.
struct Extra {
    let folder: String
    /// The libraries that it depends on.
    let dependencies: [String]
    /// C targets in `Sources/C` that only this library uses.
    var helpers: [String] = []
    /// Programs in `Tests/Programs` that its tests start as child processes.
    var testPrograms: [String] = []
    /// Whether its tests read data files from a folder `Fixtures`.
    var hasFixtures = false

    var name: String { "Ashlar" + folder }
}

/// The five modules and the umbrella, which a program that uses the umbrella's re-exports names too: an incremental build
/// doesn't look behind re-exports, and would otherwise keep the old layout of a changed type.
let umbrella = ["Ashlar"] + modules.map(\.name) + ["AshlarModels"]

let extras = [
    Extra(folder: "Models", dependencies: ["AshlarNetworking"]),
    Extra(folder: "WebSockets", dependencies: ["AshlarNetworking"]),
    Extra(folder: "Remote", dependencies: umbrella),
    Extra(folder: "Telemetry", dependencies: ["AshlarLogging", "AshlarNetworking"]),
    Extra(
        folder: "Testing", dependencies: ["AshlarLogging", "AshlarAppConfig", "AshlarNetworking"],
        helpers: ["CAshlarTesting"]),
    Extra(folder: "Originals", dependencies: umbrella),
    Extra(
        folder: "Fleet", dependencies: umbrella, helpers: ["CAshlarNats"],
        testPrograms: ["AshlarFleetTestChild"]),
    Extra(
        folder: "Inspector", dependencies: umbrella + ["AshlarTelemetry", "AshlarTesting", "AshlarTexts"],
        testPrograms: ["AshlarInspectorTestChild"]),
    Extra(folder: "Tooling", dependencies: umbrella + ["AshlarTexts"]),
]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The privacy manifest of all products.
///
/// It is a resource on macOS hosts only, because a resource bundle links Foundation.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
    let baseResources: [Resource] = [.process(privacyManifest)]
    let baseExclusions: [String] = []
#else
    let baseResources: [Resource] = []
    let baseExclusions = [privacyManifest]
#endif

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

func cTarget(_ name: String) -> Target { .target(name: name, path: "Sources/C/\(name)") }

func testTarget(_ name: String, path: String, dependencies names: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(names + ["AshlarTestSupport"]), path: path, exclude: exclude,
        swiftSettings: settings)
}

func targets(of module: Module) -> [Target] {
    module.helpers.map(cTarget) + [
        .target(
            name: module.name,
            dependencies: dependencies(module.core + module.helpers),
            path: "Sources/\(module.folder)",
            swiftSettings: settings),
        testTarget(
            "\(module.name)Tests", path: "Tests/\(module.folder)Tests",
            dependencies: [module.name] + core + module.testHelpers + module.testPrograms,
            exclude: module.hasFixtures ? ["Fixtures"] : []),
    ]
        + module.testPrograms.map {
            .executableTarget(
                name: $0, dependencies: dependencies([module.name]), path: "Tests/Programs/\($0)",
                swiftSettings: settings)
        }
}

func targets(of extra: Extra) -> [Target] {
    extra.helpers.map(cTarget) + [
        .target(
            name: extra.name,
            dependencies: dependencies(core + extra.dependencies + extra.helpers),
            path: "Sources/Extras/\(extra.folder)", swiftSettings: settings),
        testTarget(
            "\(extra.name)Tests", path: "Tests/Extras/\(extra.folder)Tests",
            dependencies: [extra.name, "AshlarNetworkingTestSupport"] + core + extra.dependencies + extra.testPrograms,
            exclude: extra.hasFixtures ? ["Fixtures"] : []),
    ]
        + extra.testPrograms.map {
            .executableTarget(
                name: $0, dependencies: dependencies(["AshlarBase", "AshlarCore", extra.name] + extra.dependencies),
                path: "Tests/Programs/\($0)", swiftSettings: settings)
        }
}

/// The least severe level that is compiled in.
///
/// A dependent package chooses it by a trait. SwiftPM unites the traits of all packages in a program, so the strictest
/// choice applies.
let compiledLevels = ["Error", "Warning", "Information", "Logging", "Debugging"]

let package = Package(
    name: "Ashlar",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
        .library(name: "Ashlar", targets: ["Ashlar"])
    ] + extras.map { .library(name: $0.name, targets: [$0.name]) } + [
        .executable(name: "ashlar", targets: ["AshlarTool"]),
        .plugin(name: "AshlarKeys", targets: ["AshlarKeys"]),
    ],
    traits: Set(
        compiledLevels.map {
            .trait(name: "AshlarLogUpTo\($0)", description: "Compiles log lines out that are less severe than \($0)")
        }),
    targets: [
        cTarget("CAshlarCore"),
        // What several modules need and none owns. These have no product: their declarations are visible in this package
        // only. A program that only logs links the first, and one that only uses events doesn't link the parsers.
        .target(
            name: "AshlarBase", dependencies: ["CAshlarCore"], path: "Sources/Core/Base",
            exclude: baseExclusions, resources: baseResources, swiftSettings: settings),
        .target(
            name: "AshlarCore", dependencies: ["AshlarBase", "CAshlarCore"], path: "Sources/Core",
            exclude: ["Base", "Trees"], swiftSettings: settings),
        .target(
            name: "AshlarTrees", dependencies: ["AshlarBase", "AshlarCore"], path: "Sources/Core/Trees",
            swiftSettings: settings),
        // What the tests of several modules need.
        .target(
            name: "AshlarTestSupport", dependencies: ["AshlarBase", "AshlarCore"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "AshlarNetworkingTestSupport",
            dependencies: ["AshlarNetworking", "AshlarTesting", "AshlarTestSupport"],
            path: "Tests/NetworkingTestSupport", swiftSettings: settings),
        testTarget("AshlarCoreTests", path: "Tests/CoreTests", dependencies: core),
    ] + modules.flatMap(targets(of:)) + [
        .target(
            name: "Ashlar",
            dependencies: dependencies(core + ["AshlarModels"] + modules.map(\.name)),
            swiftSettings: settings)
    ] + extras.flatMap(targets(of:)) + [
        // What tools know of the texts of a tree, and apps don't need: errors, coverage and arguments.
        .target(
            name: "AshlarTexts", dependencies: ["AshlarCustomization"], path: "Sources/Tool/AshlarTexts",
            swiftSettings: settings),
        // The generator of typed keys has few dependencies, because each app that uses the plugin builds it first.
        .target(
            name: "AshlarKeyGenerator",
            dependencies: dependencies(
                core + ["AshlarCustomization", "AshlarTexts", "AshlarAppConfig"]),
            path: "Sources/Tool/AshlarKeyGenerator", swiftSettings: settings),
        .executableTarget(
            name: "AshlarKeysTool", dependencies: dependencies(core + ["AshlarKeyGenerator", "AshlarCustomization"]),
            path: "Sources/Tool/AshlarKeysTool", swiftSettings: settings),
        .plugin(name: "AshlarKeys", capability: .buildTool(), dependencies: ["AshlarKeysTool"]),
        .executableTarget(
            name: "AshlarTool",
            dependencies: dependencies(
                core + ["AshlarTooling", "AshlarTexts", "AshlarTelemetry", "AshlarTesting"]
                    + ["AshlarInspector", "AshlarKeyGenerator"] + umbrella),
            path: "Sources/Tool/AshlarTool", swiftSettings: settings),
        // Reads hostile documents; the tests limit its time.
        .executableTarget(
            name: "AshlarCostTestChild",
            dependencies: dependencies(["AshlarTesting"] + core + umbrella),
            path: "Tests/Programs/AshlarCostTestChild", swiftSettings: settings),
        testTarget(
            "AshlarTests", path: "Tests/AshlarTests", dependencies: ["AshlarCostTestChild"] + umbrella),
        testTarget(
            "AshlarToolTests", path: "Tests/ToolTests",
            dependencies: ["AshlarTool", "AshlarTesting"] + umbrella,
            exclude: ["Fixtures"]),
    ]
)

// `ASHLAR_TESTS="Logging Core" swift build --build-tests` builds what the tests of these modules need, and nothing else.
if let modules = Context.environment["ASHLAR_TESTS"], !modules.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var names = modules.split(separator: " ").map { "Ashlar\($0)Tests" }
    while let name = names.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        for case .byNameItem(let dependency, _) in target.dependencies { names.append(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
