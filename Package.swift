// swift-tools-version: 6.2
import PackageDescription

/// A library of the package: its target and product are `Ashlar` + the folder's name.
struct Module {
    let folder: String
    /// C targets in `Sources/` that only this module uses.
    var helpers: [String] = []
    /// Programs in `Tests/` that only this module's tests start as child processes.
    var testPrograms: [String] = []
    /// Whether its tests read files of a folder `Fixtures`, which is not part of the program.
    var hasFixtures = false

    var name: String { "Ashlar" + folder }
}

let modules = [
    Module(folder: "Logging", helpers: ["CAshlarLogging"], testPrograms: ["AshlarLoggingTestChild"]),
    Module(folder: "Customization", hasFixtures: true),
    Module(folder: "AppConfig"),
    Module(folder: "Networking", helpers: ["CAshlarCurl"], hasFixtures: true),
    Module(folder: "EventBus", helpers: ["CAshlarEventBus"], hasFixtures: true),
]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

func testTarget(_ name: String, path: String, dependencies names: [String], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies(names), path: path, exclude: exclude, swiftSettings: settings)
}

func targets(of module: Module) -> [Target] {
    module.helpers.map { .target(name: $0, path: "Sources/\($0)") } + [
        .target(
            name: module.name, dependencies: dependencies(module.helpers), path: "Sources/\(module.folder)",
            swiftSettings: settings),
        testTarget(
            "\(module.name)Tests", path: "Tests/\(module.folder)Tests",
            dependencies: [module.name] + module.testPrograms, exclude: module.hasFixtures ? ["Fixtures"] : []),
    ]
        + module.testPrograms.map {
            .executableTarget(
                name: $0, dependencies: dependencies([module.name]), path: "Tests/\($0)", swiftSettings: settings)
        }
}

/// The levels up to which log lines can be compiled in; a package that depends on this one chooses by a trait, and the
/// fewest levels that anybody asks for are those of the whole program.
let compiledLevels = ["Error", "Warning", "Information", "Logging", "Debugging"]

let umbrella = ["Ashlar"] + modules.map(\.name)

let package = Package(
    name: "Ashlar",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
        .library(name: "Ashlar", targets: ["Ashlar"]),
        .executable(name: "ashlar", targets: ["AshlarTool"]),
    ],
    traits: Set(
        compiledLevels.map {
            .trait(name: "AshlarLogUpTo\($0)", description: "Compiles log lines out that are less severe than \($0)")
        }),
    targets: modules.flatMap(targets) + [
        .target(name: "Ashlar", dependencies: dependencies(modules.map(\.name)), swiftSettings: settings),
        // They name the modules as well: a build that goes on from an earlier one does not look behind what is re-exported,
        // and would keep the old layout of a changed type.
        .executableTarget(name: "AshlarTool", dependencies: dependencies(umbrella), swiftSettings: settings),
        testTarget("AshlarTests", path: "Tests/AshlarTests", dependencies: umbrella),
        testTarget("AshlarToolTests", path: "Tests/AshlarToolTests", dependencies: ["AshlarTool"] + umbrella),
    ]
)
