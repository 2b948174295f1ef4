// swift-tools-version: 6.2
import PackageDescription

/// A program that fuzzes the parsers of one module; `make fuzz` builds and runs it.
func fuzzer(_ folder: String, with extras: [String] = []) -> Target {
    .executableTarget(
        name: "\(folder)Fuzz",
        dependencies: ["FuzzHarness"]
            + ([folder] + extras).map { .product(name: "Ashlar\($0)", package: "Ashlar") })
}

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "..")],
    targets: [
        .target(name: "FuzzHarness"),
        fuzzer("Logging", with: ["Telemetry", "Testing"]),
        fuzzer("Customization"),
        fuzzer("AppConfig", with: ["Remote", "Tooling"]),
        fuzzer("Networking", with: ["Testing", "WebSockets"]),
        fuzzer("EventBus"),
        fuzzer("Tooling"),
    ]
)
