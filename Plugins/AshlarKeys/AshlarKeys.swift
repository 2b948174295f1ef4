import Foundation
import PackagePlugin

/// Generates typed keys from the files of a target before it is compiled.
///
/// The files are those in the target's folder and its folder `Resources`, or in the folders that a file `AshlarKeys.json`
/// in the target's folder names: `{"folders": ["../../Resources"], "base": "en"}`. The paths are relative to it.
@main
struct AshlarKeys: BuildToolPlugin {
    /// The contents of `AshlarKeys.json`.
    private struct Settings: Decodable {
        var folders: [String]?
        var base: String?
    }

    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let root = target.directoryURL
        let file = root.appending(path: "AshlarKeys.json")
        var settings = Settings()
        if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
            settings = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: file))
        }
        let folders = (settings.folders ?? [".", "Resources"])
            .map { root.appending(path: $0).standardizedFileURL }
            .filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
        if folders.isEmpty {
            Diagnostics.error("AshlarKeys: \(target.name) has no folder with the files of its keys")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "AshlarKeys.swift")
        return [
            .buildCommand(
                displayName: "Generating the keys of \(target.name)",
                executable: try context.tool(named: "AshlarKeysTool").url,
                arguments: [
                    output.path(percentEncoded: false), settings.base ?? "en", usesUmbrella(target) ? "Ashlar" : "-",
                ]
                    + folders.map { $0.path(percentEncoded: false) },
                inputFiles: folders.flatMap(inputs)
                    + [file].filter {
                        FileManager.default.fileExists(atPath: $0.path(percentEncoded: false))
                    },
                outputFiles: [output])
        ]
    }

    /// Whether a target depends on the product `Ashlar`, whose modules it imports as one.
    private func usesUmbrella(_ target: any SourceModuleTarget) -> Bool {
        target.dependencies.contains { dependency in
            if case .product(let product) = dependency { return product.name == "Ashlar" }
            return false
        }
    }

    /// The files that can have keys; a change of one generates the keys again.
    private func inputs(_ folder: URL) -> [URL] {
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let types: Set = [
            "strings", "stringsdict", "xcstrings", "plist", "json", "txt", "png", "jpg", "jpeg", "heic", "webp", "gif",
            "pdf", "svg",
        ]
        return (names?.compactMap { $0 as? URL } ?? []).filter { types.contains($0.pathExtension.lowercased()) }
            .sorted { $0.path < $1.path }
    }
}
