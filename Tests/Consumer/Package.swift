// swift-tools-version: 6.2
import PackageDescription

/// One program for each product, which depends only on that product; log lines are compiled in up to `debug`.
let modules = [
    "Logging", "Customization", "AppConfig", "Networking", "EventBus", "Fleet", "Inspector", "Models", "Originals",
    "Remote", "Telemetry", "Testing", "WebSockets",
]

let nonsending = SwiftSetting.enableUpcomingFeature("NonisolatedNonsendingByDefault")
/// The settings of a new app of Xcode 26.
let onMain: [SwiftSetting] = [
    .defaultIsolation(MainActor.self), nonsending, .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "../..", traits: ["AshlarLogUpToDebugging"])],
    targets: modules.map { module in
        .executableTarget(
            name: "Use\(module)", dependencies: [.product(name: "Ashlar\(module)", package: "Ashlar")],
            path: "Sources/Use\(module)")
    }
        // The same programs and the app of the tutorial with the settings of a new app; their folders are links.
        + modules.map { module in
            .executableTarget(
                name: "Use\(module)OnMain", dependencies: [.product(name: "Ashlar\(module)", package: "Ashlar")],
                path: "Sources/Use\(module)OnMain", swiftSettings: onMain)
        } + [
            .executableTarget(
                name: "UseAshlarOnMain", dependencies: [.product(name: "Ashlar", package: "Ashlar")],
                path: "Sources/UseAshlarOnMain", resources: [.copy("Resources")], swiftSettings: onMain,
                plugins: [.plugin(name: "AshlarKeys", package: "Ashlar")]),
            // The usual patterns in both modes of new packages: the sources are one folder and a link to it.
            .executableTarget(
                name: "UseEventBusNonisolated", dependencies: [.product(name: "AshlarEventBus", package: "Ashlar")],
                path: "Sources/UseEventBusNonisolated"),
            // The adapters for swift-configuration, which the stand-in Configuration replaces.
            .target(name: "Configuration", path: "Sources/Configuration", swiftSettings: [nonsending]),
            .executableTarget(
                name: "UseSwiftConfiguration",
                dependencies: [.product(name: "AshlarAppConfig", package: "Ashlar"), "Configuration"],
                path: "Sources/UseSwiftConfiguration", swiftSettings: [nonsending]),
        ]
)
