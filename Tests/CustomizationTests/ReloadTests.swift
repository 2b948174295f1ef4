import AshlarBase
import AshlarCustomization
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct ReloadTests {
    @Test("A reload without changes gives no new snapshot")
    func unchanged() throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "a = b;"])
        #expect(Customization(path: tree.path, languages: ["en"]).reloaded() == nil)
        #expect(!CustomizationCenter(Customization(path: tree.path, languages: ["en"])).reload())
        #expect(Customization(layers: []).reloaded() == nil)
    }

    @Test("Two writes of the same size within one clock tick are both detected")
    func writesWithinATick() throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "a = 00;"])
        let url = URL(fileURLWithPath: tree.path + "/en.lproj/Localizable.strings")
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["en"]))
        for number in 10..<90 {
            try Data("a = \(number);".utf8).write(to: url)
            center.reload()
            #expect(center.current.string("a") == "\(number)")
        }
    }

    @Test("A changed, a new and a removed file are visible after a reload; old snapshots do not change")
    func changes() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = one;", "en.lproj/Gone.strings": "x = y;",
        ])
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["fr"]))
        let old = center.current
        try tree.write("a = two;", to: "en.lproj/Localizable.strings")
        try tree.write("n = new;", to: "en.lproj/New.strings")
        try tree.remove("en.lproj/Gone.strings")
        try tree.write("a = trois;", to: "fr.lproj/Localizable.strings")
        #expect(center.reload())
        #expect(center.current.string("a") == "trois")
        #expect(center.current.switching(language: "en").string("a") == "two")
        #expect(center.current.string("n", table: "New") == "new")
        #expect(center.current.tableNames == ["Localizable", "New"])
        #expect(old.string("a") == "one" && old.string("x", table: "Gone") == "y")
        #expect(!center.reload())
    }

    @Test(
        "A file with errors keeps its last good content and is reported; its fix is read",
        arguments: [
            "a = \"two;", "a = b; ;", "\u{0}", "a = (", "<plist><dict>",
        ])
    func lastGood(_ bad: String) throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = one;", "fr.lproj/Localizable.strings": "b = un;",
        ])
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["fr"]))
        try tree.write(bad, to: "en.lproj/Localizable.strings")
        try tree.write("b = deux;", to: "fr.lproj/Localizable.strings")
        #expect(center.reload())
        #expect(center.current.string("a") == "one", "the last good content")
        #expect(center.current.string("b") == "deux", "other files are not held back")
        #expect(
            center.current.diagnostics.contains {
                $0.code == .keptLastGood && $0.file == "en.lproj/Localizable.strings"
            })
        #expect(center.current.diagnostics.contains { $0.severity == .error })
        #expect(!center.reload(), "a bad file is not read again until it changes")
        try tree.write("a = three;", to: "en.lproj/Localizable.strings")
        #expect(center.reload())
        #expect(center.current.string("a") == "three")
        #expect(center.current.diagnostics.isEmpty)
    }

    @Test("A tree whose folder is removed is empty and reports the folder")
    func vanished() throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "a = one;"])
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["en"]))
        try FileManager.default.removeItem(atPath: tree.path)
        #expect(center.reload())
        #expect(center.current.string("a") == "a")
        #expect(center.current.diagnostics.contains { $0.code == .missingFolder && $0.severity == .error })
        try FileManager.default.createDirectory(atPath: tree.path, withIntermediateDirectories: true)
    }

    @Test("Info.plist's brand is read again only through a new tree; switching survives a reload")
    func selectionIsKept() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en;", "fr.lproj/Localizable.strings": "a = fr;",
            "acme.lproj/Localizable.strings": "b = acme;",
            "other.lproj/Localizable.strings": "b = other;", "Info.plist": infoPlist(brand: "acme"),
        ])
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["en"]))
        center.update { $0.switching(language: "fr").switching(brand: "other") }
        try tree.write("a = neuf;", to: "fr.lproj/Localizable.strings")
        #expect(center.reload())
        #expect(center.current.string("a") == "neuf" && center.current.string("b") == "other")
        #expect(center.current.overrideLanguage == "fr" && center.current.brand == "other")
    }

    @Test("Switching reads no file that was read before")
    func switchingReadsNothing() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en;", "fr.lproj/Localizable.strings": "a = fr;",
        ])
        let read = Customization(path: tree.path, languages: ["en"]).switching(language: "fr")
        try FileManager.default.removeItem(atPath: tree.path + "/en.lproj")
        try FileManager.default.removeItem(atPath: tree.path + "/fr.lproj")
        #expect(read.switching(language: nil).string("a") == "en")
        #expect(read.switching(language: nil).switching(language: "fr").string("a") == "fr")
    }

    @Test("A preloaded customization doesn't need its files")
    func preload() throws {
        let files = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en;", "fr.lproj/Localizable.strings": "a = fr;",
            "acme.lproj/fr.lproj/Localizable.strings": "b = acmefr;",
        ])
        let loaded = Customization(path: files.path, languages: ["en"], brand: .none)
        loaded.preload()
        try FileManager.default.removeItem(atPath: files.path)
        let read = loaded.switching(brand: "acme").switching(language: "fr")
        #expect(read.string("a") == "fr" && read.string("b") == "acmefr")
    }

    // MARK: The center

    @Test(
        "The stream of changes yields the current snapshot and each new one, or the newest to a slow reader",
        .timeLimit(.minutes(5)))
    func stream() async throws {
        let center = CustomizationCenter(Customization(layers: []))
        var changes = center.changes().makeAsyncIterator()
        #expect(await changes.next()?.int("n", default: 0) == 0)
        center.update { $0.applying(CustomizationLayer(overrides: ["n": .int(1)])) }
        #expect(await changes.next()?.int("n") == 1)
        for n in 2...5 { center.update { $0.applying(CustomizationLayer(overrides: ["n": .int(Int64(n))])) } }
        #expect(await changes.next()?.int("n") == 5)
        center.update { $0 }
        center.update { _ in Customization(layers: []) }
        #expect(await changes.next()?.int("n", default: -1) == -1, "an update that changes nothing yields nothing")
    }

    @Test("A snapshot that the reader has already is not a change", .timeLimit(.minutes(5)))
    func thereAndBack() async {
        let first = Customization(layers: [])
        let center = CustomizationCenter(first)
        let changes = center.changes()
        for await change in changes {
            #expect(change.isIdentical(to: first))
            break
        }
        center.update { $0.applying(CustomizationLayer(overrides: ["n": .int(1)])) }
        center.update { _ in first }
        let (seen, executor) = (Recorder<Int>(), StepExecutor())
        let reader = Task(executorPreference: executor) {
            for await change in changes {
                seen.note(change.int("n", default: -1))
                break
            }
        }
        executor.run()
        #expect(seen.items.isEmpty)
        center.update { $0.applying(CustomizationLayer(overrides: ["n": .int(2)])) }
        executor.run()
        #expect(seen.items == [2])
        await reader.value
    }

    @Test("A change of an old snapshot is repeated on the new one")
    func overtakenUpdate() {
        let center = CustomizationCenter(Customization(layers: []))
        var calls = 0
        center.update { old in
            calls += 1
            if calls == 1 {
                center.update { $0.applying(CustomizationLayer(overrides: ["inner": .int(1)], id: "inner")) }
            }
            return old.applying(CustomizationLayer(overrides: ["outer": .int(2)], id: "outer"))
        }
        #expect(calls == 2 && center.current.int("inner") == 1 && center.current.int("outer") == 2)
    }

    @Test("Problems of reads are stored once per key and kind, at most 256")
    func problemsAreBounded() {
        let texts = Dictionary(
            uniqueKeysWithValues: (0..<300).map { ("k\($0)", CustomizationValue.string("no number")) })
        let read = Customization(layers: [CustomizationLayer(overrides: texts)])
        for _ in 0..<2 { for n in 0..<100 { _ = read.int("k\(n)", default: 0) } }
        #expect(read.problems.count == 100)
        for n in 0..<300 { _ = read.int("k\(n)", default: 0) }
        #expect(read.problems.count == 256)
    }

    @Test("No update is lost when many threads update at once")
    func concurrentUpdates() async {
        let center = CustomizationCenter(Customization(layers: []))
        await withTaskGroup(of: Void.self) { group in
            for n in 0..<50 {
                group.addTask {
                    center.update { $0.applying(CustomizationLayer(overrides: ["k\(n)": .int(Int64(n))], id: "\(n)")) }
                }
            }
        }
        #expect(center.current.keys().count == 50)
    }

    @Test("Concurrent readers never see a mixture of two snapshots", .timeLimit(.minutes(5)))
    func concurrentReaders() async throws {
        var files: [String: String] = [:]
        for language in ["en", "fr", "de"] {
            files["\(language).lproj/Localizable.strings"] =
                (0..<50).map { "key\($0) = \"\(language)\"; n\($0) = \"\(language == "en" ? 1 : 2)\";" }.joined()
        }
        let tree = try TemporaryFolder(files)
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["en"]))
        let torn = Counter()
        let reads = StringsFoundationTests.soaks ? 200_000 : 2_000
        await withTaskGroup(of: Void.self) { group in
            for reader in 0..<8 {
                group.addTask {
                    for i in 0..<reads {
                        let read = center.current
                        let first = read.string("key\((i + reader) % 50)")
                        let number = read.int("n\(i % 50)")
                        if read.string("key\(i % 50)") != first || number != (first == "en" ? 1 : 2) {
                            torn.next()
                        }
                    }
                }
            }
            group.addTask {
                for i in 0..<(reads / 10) {
                    let language: LanguageTag? = [nil, "fr", "de"][i % 3]
                    center.update { $0.switching(language: language) }
                    if i % 20 == 0 { center.reload() }
                }
            }
        }
        #expect(torn.value == 0)
    }

    @Test("The error of a file that isn't read again remains")
    func keptError() async throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "a = one;", "en.lproj/O.strings": "o = one;"])
        let center = CustomizationCenter(Customization(path: tree.path, languages: ["en"]))
        let path = try tree.write("a = \"two;", to: "en.lproj/Localizable.strings")
        try await until { FileSignature(path)?.isFresh() == false }
        func errors() -> [CustomizationDiagnostic] { center.current.diagnostics.filter { $0.severity == .error } }
        center.reload()
        let first = errors()
        try tree.write("o = two;", to: "en.lproj/O.strings")
        #expect(center.reload())
        #expect(!first.isEmpty && errors() == first)
    }
}
