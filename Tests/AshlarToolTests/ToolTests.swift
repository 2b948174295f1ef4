import Ashlar
import Foundation
import Testing

@testable import AshlarTool

/// What the tool prints and its exit status.
private func tool(_ arguments: String...) -> (output: String, status: Int32) {
    var lines: [String] = []
    let status = AshlarTool.run(arguments) { lines.append($0) }
    return (lines.joined(separator: "\n"), status)
}

private let resources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Resources").standardizedFileURL.path

/// A fresh folder, removed after use.
private func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

@Suite struct ToolTests {
    @Test("Help names every command and is not an error", arguments: [[], ["help"], ["--help"]])
    func help(arguments: [String]) {
        var output = ""
        #expect(AshlarTool.run(arguments) { output += $0 } == 0)
        for name in ["ashlar config", "ashlar strings", "ashlar hosts", "ashlar logs"] {
            #expect(output.contains(name))
        }
    }

    @Test(
        "A mistake on the command line is named, and the command's usage is shown",
        arguments: [
            (["nope"], "no command nope"), (["config"], "the folder is missing"),
            (["config", "x", "y", "z"], "z is not understood"),
            (["hosts", "f", "h"], "the environment's key is missing"),
            (["strings", "x", "--language"], "--language needs a value"),
            (["strings", "x", "--language", "!"], "! is no language tag"),
            (["logs", "x", "--show", "0"], "--show needs a number from 1 on"),
        ])
    func mistakes(arguments: [String], message: String) {
        var output = ""
        #expect(AshlarTool.run(arguments) { output += $0 } == 2)
        #expect(output.contains(message))
    }
}

@Suite struct ConfigCommandTests {
    @Test("Values come with file and line, and environments apply in order")
    func values() {
        let (output, status) = tool("config", resources, "--environment", "debug", "--environment", "simulator")
        #expect(status == 0)
        let line = output.split(separator: "\n").first { $0.hasPrefix("log.threshold") }
        #expect(line?.contains("\"verbose\"") == true && line?.contains("ApplicationConfig.simulator.plist:13") == true)
    }

    @Test("A key's story names the winner and what it shadows; an unknown key exits with 1")
    func story() {
        let (output, status) = tool("config", resources, "api.timeout", "--environment", "debug")
        #expect(status == 0)
        #expect(output.contains("from ApplicationConfig.debug.plist:8") && output.contains("over 24.0"))
        #expect(tool("config", resources, "api.absent").status == 1)
    }

    @Test("A file with faults is told and exits with 1")
    func faults() throws {
        try withFolder { folder in
            try "<plist><dict><key>".write(
                toFile: folder + "/ApplicationConfig.plist", atomically: true, encoding: .utf8)
            let (output, status) = tool("config", folder)
            #expect(status == 1 && output.contains("ApplicationConfig.plist:1"))
        }
    }
}

@Suite struct StringsCommandTests {
    @Test("A key's story goes through the languages to the winner")
    func story() {
        let (output, status) = tool("strings", resources, "note.share", "--language", "fr-CA", "--brand", "borealis")
        #expect(status == 0)
        #expect(output.hasPrefix("note.share = \"Transmettre\""))
        #expect(output.contains("fr.lproj/Localizable.strings:8:1") && output.contains("en.lproj"))
        #expect(tool("strings", resources, "no.such.key").status == 1)
    }

    @Test("All strings are listed as a person of that language and brand sees them")
    func list() {
        let output = tool("strings", resources, "--language", "de", "--brand", "borealis").output
        #expect(output.contains("Borealis Log") && output.contains("Abbrechen") && output.contains("Share"))
    }
}

@Suite struct HostsCommandTests {
    @Test("A choice is marked, resolved and remembered in the store")
    func remembers() throws {
        try withFolder { folder in
            let (map, store) = (resources + "/HostMap.json", folder + "/choices.json")
            #expect(!tool("hosts", map, "--store", store).output.contains("✓"))
            let chosen = tool("hosts", map, "api.fieldnotes.example", "USER", "box:8080", "--store", store)
            #expect(chosen.status == 0 && chosen.output.contains("✓ USER"))
            let later = tool("hosts", map, "--store", store).output
            #expect(later.contains("api.fieldnotes.example is now https://box:8080"))
            #expect(!tool("hosts", map, "--store", store, "--clear").output.contains("✓"))
        }
    }

    @Test("Release and prerelease choose the keys that the map names")
    func presets() {
        let map = resources + "/HostMap.json"
        #expect(tool("hosts", map, "--prerelease").output.contains("✓ QA"))
        #expect(tool("hosts", map, "--release").output.contains("✓ PROD"))
    }

    @Test(
        "An unknown environment, host or file is an error with a reason",
        arguments: [
            (["api.fieldnotes.example", "STAGE"], "STAGE"), (["other.example", "QA"], "other.example"),
            (["api.fieldnotes.example", "USER", "a b"], "a b"),
        ])
    func unknown(choice: [String], reason: String) {
        var output = ""
        #expect(AshlarTool.run(["hosts", resources + "/HostMap.json"] + choice) { output += $0 } == 1)
        #expect(output.contains("error: ") && output.contains(reason))
        #expect(tool("hosts", "/no/such/map.json").output.contains("/no/such/map.json"))
    }
}

@Suite struct LogsCommandTests {
    @Test("A folder without runs, and a number beyond the last, are errors")
    func empty() throws {
        try withFolder { folder in
            let (output, status) = tool("logs", folder)
            #expect(status == 1 && output.contains("holds no run"))
        }
    }

    @Test("Runs are listed with their outcome, and one is shown")
    func shows() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for text in ["first", "second"] {
            await #expect(processExitsWith: .success) { [folder = folder as String, text = text as String] in
                LogSystem.start(LogConfiguration(folder: folder, sinks: []))
                Log("Tool").info(text)
            }
        }
        let list = tool("logs", folder).output.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.allSatisfy { $0.hasSuffix("clean") })
        #expect(tool("logs", folder, "--show", "1").output == "[INFO] Tool - second")
        #expect(tool("logs", folder, "--show", "2").output == "[INFO] Tool - first")
        #expect(tool("logs", folder, "--show", "3").status == 1)
    }
}
