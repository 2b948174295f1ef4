// swift-tools-version: 6.2
import PackageDescription

/// One of the five libraries; its target and product are named `Ashlar` + `folder`.
struct Module {
    let folder: String
    /// C targets in `Sources/` that only this module uses.
    var helpers: [String] = []
    /// Programs in `Tests/` that this module's tests start as child processes.
    var testPrograms: [String] = []
    /// Whether its tests read data files from a folder `Fixtures`.
    var hasFixtures = false

    var name: String { "Ashlar" + folder }
}

let modules = [
    Module(folder: "Logging", helpers: ["CAshlarLogging"], testPrograms: ["AshlarLoggingTestChild"]),
    Module(folder: "Customization", hasFixtures: true),
    Module(folder: "AppConfig"),
    Module(folder: "Networking", helpers: ["CAshlarCurl"], hasFixtures: true),
    Module(folder: "EventBus", helpers: ["CAshlarEventBus"]),
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
    let coreResources: [Resource] = [.process(privacyManifest)]
    let coreExclusions: [String] = []
#else
    let coreResources: [Resource] = []
    let coreExclusions = [privacyManifest]
#endif

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

func testTarget(_ name: String, path: String, dependencies names: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(names + ["AshlarTestSupport"]), path: path, exclude: exclude,
        swiftSettings: settings)
}

func targets(of module: Module) -> [Target] {
    module.helpers.map { .target(name: $0, path: "Sources/\($0)") } + [
        .target(
            name: module.name, dependencies: dependencies(["AshlarCore"] + module.helpers),
            path: "Sources/\(module.folder)",
            swiftSettings: settings),
        testTarget(
            "\(module.name)Tests", path: "Tests/\(module.folder)Tests",
            dependencies: [module.name, "AshlarCore"] + module.testPrograms,
            exclude: module.hasFixtures ? ["Fixtures"] : []),
    ]
        + module.testPrograms.map {
            .executableTarget(
                name: $0, dependencies: dependencies([module.name]), path: "Tests/\($0)", swiftSettings: settings)
        }
}

/// The least severe level that is compiled in.
///
/// A dependent package chooses it by a trait. SwiftPM unites the traits of all packages in a program, so the strictest
/// choice applies.
let compiledLevels = ["Error", "Warning", "Information", "Logging", "Debugging"]

let umbrella = ["Ashlar"] + modules.map(\.name)

let package = Package(
    name: "Ashlar",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
        .library(name: "Ashlar", targets: ["Ashlar"]),
        .library(name: "AshlarTooling", targets: ["AshlarTooling"]),
        .executable(name: "ashlar", targets: ["AshlarTool"]),
    ],
    traits: Set(
        compiledLevels.map {
            .trait(name: "AshlarLogUpTo\($0)", description: "Compiles log lines out that are less severe than \($0)")
        }),
    targets: [
        .target(name: "CAshlarCore"),
        // What several modules need and none owns. It has no product: its declarations are visible in this package only.
        .target(
            name: "AshlarCore", dependencies: ["CAshlarCore"], path: "Sources/Core", exclude: coreExclusions,
            resources: coreResources, swiftSettings: settings),
        // What the tests of several modules need.
        .target(name: "AshlarTestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        testTarget("AshlarCoreTests", path: "Tests/CoreTests", dependencies: ["AshlarCore"]),
    ] + modules.flatMap(targets) + [
        .target(
            name: "Ashlar", dependencies: dependencies(["AshlarCore"] + modules.map(\.name)), swiftSettings: settings),
        .target(
            name: "AshlarTooling", dependencies: dependencies(["AshlarCore"] + umbrella), path: "Sources/Tooling",
            swiftSettings: settings),
        // These targets name the modules too: an incremental build doesn't look behind re-exports, and would otherwise
        // keep the old layout of a changed type.
        .executableTarget(
            name: "AshlarTool", dependencies: dependencies(["AshlarCore", "AshlarTooling"] + umbrella),
            swiftSettings: settings),
        testTarget("AshlarTests", path: "Tests/AshlarTests", dependencies: ["AshlarTooling"] + umbrella),
        testTarget(
            "AshlarToolingTests", path: "Tests/ToolingTests", dependencies: ["AshlarTooling", "AshlarCore"] + umbrella,
            exclude: ["Fixtures"]),
        testTarget(
            "AshlarToolTests", path: "Tests/AshlarToolTests", dependencies: ["AshlarTool"] + umbrella,
            exclude: ["Fixtures"]),
    ]
)
