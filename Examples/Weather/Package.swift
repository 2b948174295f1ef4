// swift-tools-version: 6.2
import PackageDescription

// The app of the tutorial. It is a package of its own because SwiftPM builds the plugins of all targets of a package first,
// whichever product is built.
let package = Package(
    name: "Weather", platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "../..")],
    targets: [
        .executableTarget(
            name: "weather", dependencies: [.product(name: "Ashlar", package: "Ashlar")],
            resources: [.copy("Resources")], plugins: [.plugin(name: "AshlarKeys", package: "Ashlar")]),
        .testTarget(name: "WeatherTests", dependencies: ["weather"]),
    ])
