import Foundation
import Testing

/// Damage to a file of Resources/.
enum Damage: String, CaseIterable, Sendable {
    case empty, halved, truncated, garbage, removed

    func apply(to file: URL) throws {
        let bytes = try Data(contentsOf: file)
        switch self {
        case .empty: try Data().write(to: file)
        case .halved: try bytes.prefix(bytes.count / 2).write(to: file)
        case .truncated: try bytes.dropLast(7).write(to: file)
        case .garbage:
            try Data((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13 ^ ($0 >> 3)) }).write(to: file)
        case .removed: try FileManager.default.removeItem(at: file)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct BadFilesTests {
    /// The relative path of every file in Resources/.
    static let files: [String] = {
        let folder = SampleProgram.root.appendingPathComponent("Resources")
        let walk = FileManager.default.enumerator(atPath: folder.path)
        return (walk?.allObjects as? [String] ?? []).filter { path in
            var isFolder: ObjCBool = false
            let file = folder.appendingPathComponent(path).path
            return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }()

    @Test("Resources/ contains the files to damage")
    func fileList() {
        #expect(Self.files.count >= 16)
        #expect(Self.files.contains("acme.lproj/fr.lproj/Localizable.strings"))
    }

    @Test(
        "A damaged file is reported and doesn't stop the sample", arguments: files, Damage.allCases)
    func damaged(file: String, damage: Damage) throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try damage.apply(to: sample.resources.appendingPathComponent(file))
        let outcome = try sample.run(["--language", "fr-CA", "--brand", "acme", "--environment", "simulator"])
        #expect(!outcome.wasSignalled, "\(outcome.output)")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("[INFO] FieldNotes - ends"))
        // Images aren't decoded, and files of other languages and brands aren't read.
        let isRead = !file.hasSuffix(".png") && file != "de.lproj/Localizable.strings" && !file.hasPrefix("borealis")
        if isRead, damage == .truncated || damage == .garbage {
            let name = try #require(file.split(separator: "/").last)
            #expect(outcome.problems.contains { $0.contains(name) }, "\(file) is missing in\n\(outcome.output)")
        }
    }

    @Test(
        "A truncated file is reported with its line",
        arguments: [
            ("ApplicationConfig.plist", "ApplicationConfig.plist:"), ("HostMap.json", "HostMap.json"),
            ("Themes.json", "Themes.json:"), ("en.lproj/Localizable.strings", "en.lproj/Localizable.strings:"),
            ("notes.har", "notes.har"),
        ])
    func place(file: String, place: String) throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try Damage.truncated.apply(to: sample.resources.appendingPathComponent(file))
        let problems = try sample.run().problems
        let problem = try #require(problems.first { $0.contains(place) })
        #expect(["expected", "unterminated", "never ends"].contains { problem.contains($0) }, "\(problem)")
        #expect(problem.contains(/:\d+|line \d+/), "\(problem)")
    }

    @Test("The sample exits with 1 only if no file is usable")
    func nothingLeft() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        for file in Self.files { try Damage.garbage.apply(to: sample.resources.appendingPathComponent(file)) }
        let garbage = try sample.run()
        #expect(garbage.status == 1 && !garbage.wasSignalled, "\(garbage.output)")
        try FileManager.default.removeItem(at: sample.resources)
        let absent = try sample.run()
        #expect(absent.status == 1 && !absent.wasSignalled, "\(absent.output)")
        #expect(absent.output.contains("contains nothing this app can show"))
    }
}
