// swift-tools-version: 6.2
import PackageDescription

/// A program that fuzzes the parsers of one module; `make fuzz` builds and runs it.
func fuzzer(_ folder: String) -> Target {
    .executableTarget(
        name: "\(folder)Fuzz",
        dependencies: ["FuzzHarness", .product(name: "Ashlar\(folder)", package: "Ashlar")])
}

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "..")],
    targets: [
        .target(name: "FuzzHarness"),
        fuzzer("Logging"),
        fuzzer("Customization"),
        fuzzer("AppConfig"),
        fuzzer("Networking"),
        fuzzer("EventBus"),
        fuzzer("Tooling"),
    ]
)
