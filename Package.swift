// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// A library of the package: its target and product are `Ashlar` + the folder's name.
struct Module {
    let folder: String
    /// C targets in `Sources/` that only this module uses.
    var helpers: [String] = []
    /// Programs in `Tests/` that only this module's tests start as child processes.
    var testPrograms: [String] = []

    var name: String { "Ashlar" + folder }
}

let modules = [
    Module(folder: "Logging", helpers: ["CAshlarLogging"], testPrograms: ["AshlarLoggingTestChild"]),
    Module(folder: "Customization"),
    Module(folder: "AppConfig"),
    Module(folder: "Networking", helpers: ["CAshlarCurl"]),
    Module(folder: "EventBus", helpers: ["CAshlarEventBus"]),
]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

/// The folder with the files that tests read, where a test target has one; they are not part of the program.
func fixtures(in path: String) -> [String] {
    let folder = "\(Context.packageDirectory)/\(path)/Fixtures"
    return FileManager.default.fileExists(atPath: folder) ? ["Fixtures"] : []
}

func testTarget(_ name: String, path: String, dependencies names: [String]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(names), path: path, exclude: fixtures(in: path), swiftSettings: settings)
}

func targets(of module: Module) -> [Target] {
    module.helpers.map { .target(name: $0, path: "Sources/\($0)") } + [
        .target(
            name: module.name, dependencies: dependencies(module.helpers), path: "Sources/\(module.folder)",
            swiftSettings: settings),
        testTarget(
            "\(module.name)Tests", path: "Tests/\(module.folder)Tests",
            dependencies: [module.name] + module.testPrograms),
    ]
        + module.testPrograms.map {
            .executableTarget(
                name: $0, dependencies: dependencies([module.name]), path: "Tests/\($0)", swiftSettings: settings)
        }
}

let package = Package(
    name: "Ashlar",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
        .library(name: "Ashlar", targets: ["Ashlar"]),
        .executable(name: "ashlar", targets: ["AshlarTool"]),
    ],
    targets: modules.flatMap(targets) + [
        .target(name: "Ashlar", dependencies: dependencies(modules.map(\.name)), swiftSettings: settings),
        .executableTarget(name: "AshlarTool", dependencies: ["Ashlar"], swiftSettings: settings),
        testTarget("AshlarTests", path: "Tests/AshlarTests", dependencies: ["Ashlar"]),
        testTarget("AshlarToolTests", path: "Tests/AshlarToolTests", dependencies: ["AshlarTool", "Ashlar"]),
    ]
)
