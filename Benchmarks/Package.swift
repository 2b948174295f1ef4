// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// A native peer: a C or C++ target in `Sources/` that is built only if its Debian package is installed.
struct NativePeer {
    let target: String
    let header: String
    let condition: String
    var library: String?

    var isInstalled: Bool { FileManager.default.fileExists(atPath: "/usr/include/" + header) }
    var hasSources: Bool {
        FileManager.default.fileExists(
            atPath: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Sources/\(target)").path)
    }
    var isUsed: Bool { isInstalled && hasSources }
}

let spdlog = NativePeer(target: "CxxSpdlogPeer", header: "spdlog/spdlog.h", condition: "SPDLOG", library: "fmt")
let curl = NativePeer(target: "CCurlPeer", header: "x86_64-linux-gnu/curl/curl.h", condition: "CURL", library: "curl")
let nats = NativePeer(target: "CNatsPeer", header: "nats/nats.h", condition: "NATS", library: "nats")

/// The benchmarks of one module; `swift run -c release LoggingBenchmarks` runs them.
struct ModuleBenchmarks {
    let folder: String
    var product: String { folder == "Ashlar" ? folder : "Ashlar\(folder)" }
    /// Further products that the benchmarks use.
    var extras: [String] = []
    var peers: [NativePeer] = []
    var usedPeers: [NativePeer] { peers.filter(\.isUsed) }
}

let modules = [
    ModuleBenchmarks(folder: "Logging", extras: ["AshlarTelemetry"], peers: [spdlog]),
    ModuleBenchmarks(folder: "Customization"),
    ModuleBenchmarks(folder: "AppConfig"),
    ModuleBenchmarks(folder: "Networking", peers: [curl]),
    ModuleBenchmarks(folder: "EventBus"),
    ModuleBenchmarks(folder: "Ashlar"),
    ModuleBenchmarks(folder: "Fleet", extras: ["Ashlar"], peers: [nats]),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "..")],
    targets: [
        .target(name: "CBenchmarkAllocations"),
        .target(name: "BenchmarkHarness", dependencies: ["CBenchmarkAllocations"]),
    ]
        + modules.map { module in
            .executableTarget(
                name: "\(module.folder)Benchmarks",
                dependencies: ["BenchmarkHarness"]
                    + ([module.product] + module.extras).map { .product(name: $0, package: "Ashlar") }
                    + module.usedPeers.map { .byName(name: $0.target) },
                swiftSettings: module.usedPeers.map { .define($0.condition) })
        }
        + modules.flatMap(\.usedPeers).map { peer in
            .target(
                name: peer.target,
                linkerSettings: peer.library.map { [.linkedLibrary($0)] } ?? [])
        },
    cxxLanguageStandard: .cxx17
)
