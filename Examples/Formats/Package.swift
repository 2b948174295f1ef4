// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Whether a header is installed, so that a format whose library is missing is left out.
func isInstalled(_ header: String) -> Bool {
    ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
        FileManager.default.fileExists(atPath: "\($0)/\(header)")
    }
}

let ashlar = Target.Dependency.product(name: "AshlarAppConfig", package: "Ashlar")

/// A format over a library of the system, and its tests.
func format(_ name: String, over library: String) -> [Target] {
    [
        .target(name: name, dependencies: [ashlar, .byName(name: library)]),
        .testTarget(name: "\(name)Tests", dependencies: [.byName(name: name), ashlar]),
    ]
}

var targets: [Target] = []
if isInstalled("yaml.h") {
    targets.append(
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]))
    targets += format("YAMLConfig", over: "CYAML")
}
if isInstalled("toml++/toml.h") {
    // The library is a C++ header, so it needs a file with C functions.
    targets.append(.target(name: "CTOML"))
    targets += format("TOMLConfig", over: "CTOML")
}

let package = Package(
    name: "Formats",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ashlar", path: "../..")],
    targets: targets,
    cxxLanguageStandard: .cxx17
)
