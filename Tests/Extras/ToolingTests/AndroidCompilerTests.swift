import AshlarTestSupport
import AshlarTooling
import Foundation
import Testing

/// The checks of Android's own compiler, from Debian's package `aapt`.
enum AndroidCompiler {
    static let path = ["/usr/bin/aapt2", "/usr/local/bin/aapt2"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs aapt2 in a folder.
    static func run(_ arguments: [String], in folder: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: path ?? "/usr/bin/aapt2")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        let output = folder + "/output.txt"
        try Data().write(to: URL(filePath: output))
        let handle = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        return (process.terminationStatus, try String(contentsOfFile: output, encoding: .utf8))
    }
}

@Suite(.enabled(if: AndroidCompiler.path != nil, "aapt2 is not installed (Debian package aapt)"))
struct AndroidCompilerTests {
    /// Writes the files below a folder, one resource folder per brand, and compiles each.
    private func compile(_ resources: AndroidResources, in tree: TemporaryFolder) throws {
        for file in resources.files { try tree.write(file.text, to: file.path) }
        let roots = Set(resources.files.map { $0.path.components(separatedBy: "/values")[0] })
        for (index, root) in roots.sorted().enumerated() {
            let result = try AndroidCompiler.run(["compile", "--dir", root, "-o", "out\(index).zip"], in: tree.path)
            #expect(result.status == 0, "\(result.output)")
        }
    }

    @Test("aapt2 accepts every export of random layers", .timeLimit(.minutes(5)))
    func randomLayers() throws {
        var random = RandomLayers(seed: 77)
        for typing in [AndroidTyping.declared, .colors, .all] {
            for _ in 0..<6 {
                let layers = random.layers()
                // A message without a form for `other` is an error in the diagnostics, but compiles.
                try compile(AndroidResources(layers, typing: typing), in: TemporaryFolder([:]))
            }
        }
    }

    @Test("aapt2 accepts the sample's resources", .timeLimit(.minutes(5)))
    func sampleResources() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Resources").path
        let layers = CustomizationTree(path: root).allLayers(base: "en")
        #expect(layers.contains { $0.role == .brand("acme") })
        let resources = AndroidResources(layers)
        #expect(!resources.diagnostics.contains { $0.severity == .error })
        try compile(resources, in: TemporaryFolder([:]))
        let back = resources.layers().layers
        for layer in layers {
            for (name, table) in layer.tables {
                let found = back.first { $0.id == layer.id }?.tables[name]
                #expect(RandomLayers.plain(found) == RandomLayers.plain(table))
            }
        }
    }

    @Test("aapt2 reads every string unchanged", .timeLimit(.minutes(5)))
    func texts() throws {
        let texts = [
            "plain", "", "It's \"it\"", "a\\b", "@home", "?ask", "me@home?", " edge", "edge ", "two  spaces", " ",
            "a < b & c > d",
            "é 日本 👍", "a\u{A0}b", "\u{1}\u{B}", " @x", "]]>", "50%", "100%%", "50% and 60% done", "%s", "a\\n",
            "\\u0041", "'", "\"\"",
        ]
        let entries = texts.enumerated().map { CustomizationEntry(key: "k\($0)", value: .string($1)) }
        let layer = CustomizationLayer(
            id: "en", role: .base("en"), tables: ["Localizable": StringsTable(entries: entries)])
        let tree = try TemporaryFolder([
            "AndroidManifest.xml": """
            <?xml version="1.0" encoding="utf-8"?>
            <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.example.app"/>
            """
        ])
        try compile(AndroidResources([layer]), in: tree)
        let link = try AndroidCompiler.run(
            ["link", "--manifest", "AndroidManifest.xml", "-o", "out.apk", "out0.zip"], in: tree.path)
        #expect(link.status == 0, "\(link.output)")
        let dump = try AndroidCompiler.run(["dump", "resources", "out.apk"], in: tree.path).output
        var found: [String: String] = [:]
        var name = ""
        for line in dump.components(separatedBy: "\n") {
            if let range = line.range(of: "string/") { name = String(line[range.upperBound...]) }
            if line.hasPrefix("      () \""), line.hasSuffix("\"") {
                found[name] = String(line.dropFirst(10).dropLast())
            }
        }
        for (index, text) in texts.enumerated() { #expect(found["k\(index)"] == text) }
    }
}
