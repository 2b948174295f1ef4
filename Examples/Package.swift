// swift-tools-version: 6.2
import PackageDescription

/// A program of at most 40 lines that uses one product.
func tiny(_ name: String, _ module: String) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "Ashlar\(module)", package: "Ashlar")], path: "Sources/\(name)")
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "..")],
    targets: [
        .executableTarget(
            name: "field-notes",
            dependencies: [
                .product(name: "Ashlar", package: "Ashlar"), .product(name: "AshlarTesting", package: "Ashlar"),
            ],
            path: "Sources/FieldNotes"),
        tiny("logging-example", "Logging"),
        tiny("customization-example", "Customization"),
        tiny("appconfig-example", "AppConfig"),
        tiny("networking-example", "Networking"),
        tiny("eventbus-example", "EventBus"),
        .executableTarget(
            name: "fleet", dependencies: [.product(name: "AshlarFleet", package: "Ashlar")], path: "Sources/fleet"),
        // swift-log can't be a dependency here, so its public declarations are written down in a module with its name.
        .target(name: "Logging", path: "Sources/SwiftLogStandIn"),
        .executableTarget(
            name: "swift-log-example",
            dependencies: ["Logging", .product(name: "AshlarLogging", package: "Ashlar")],
            path: "Sources/swift-log-example"),
        .testTarget(name: "FieldNotesTests", dependencies: ["field-notes"], path: "Tests/FieldNotesTests"),
    ]
)
