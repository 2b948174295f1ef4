import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarCustomization

@Suite(.timeLimit(.minutes(2))) struct WatchTests {
    /// A watched tree; each edit waits for the snapshot that shows it.
    private final class Watched {
        let tree: TemporaryFolder
        let center: CustomizationCenter
        private var changes: AsyncStream<Customization>.AsyncIterator
        private let watcher: Task<Void, Never>

        init(_ files: [String: String], languages: [LanguageTag] = ["en"]) throws {
            tree = try TemporaryFolder(files)
            let center = CustomizationCenter(Customization(path: tree.path, languages: languages))
            self.center = center
            changes = center.changes().makeAsyncIterator()
            watcher = Task { await center.watch(every: .milliseconds(5)) }
        }

        /// The first text other than the given one.
        func next(_ key: String, after old: String, table: String? = nil) async -> String? {
            while let change = await changes.next() {
                let text = change.string(key, table: table)
                if text != old { return text }
            }
            return nil
        }

        func end() async {
            watcher.cancel()
            await watcher.value
        }
    }

    @Test("A file that is written in place, replaced, removed or created is detected")
    func edits() async throws {
        let watched = try Watched(["en.lproj/Localizable.strings": "a = one;"])
        try watched.tree.write("a = two;", to: "en.lproj/Localizable.strings")
        #expect(await watched.next("a", after: "one") == "two")
        let path = watched.tree.path + "/en.lproj/"
        try Data("a = three;".utf8).write(to: URL(fileURLWithPath: path + "Localizable.strings"), options: .atomic)
        #expect(await watched.next("a", after: "two") == "three")
        try watched.tree.write("n = new;", to: "en.lproj/New.strings")
        #expect(await watched.next("n", after: "n", table: "New") == "new")
        try watched.tree.write("n = newer;", to: "en.lproj/New.strings")
        #expect(await watched.next("n", after: "new", table: "New") == "newer", "a file that is new is watched, too")
        try watched.tree.remove("en.lproj/Localizable.strings")
        #expect(await watched.next("a", after: "three") == "a")
        await watched.end()
    }

    @Test("A language's folder that appears later is detected")
    func newFolder() async throws {
        let watched = try Watched(["en.lproj/Localizable.strings": "a = one;"], languages: ["fr"])
        try watched.tree.write("a = un;", to: "fr.lproj/Localizable.strings")
        #expect(await watched.next("a", after: "one") == "un")
        try watched.tree.write("a = deux;", to: "fr.lproj/Localizable.strings")
        #expect(await watched.next("a", after: "un") == "deux")
        await watched.end()
    }

    @Test("The files of a language that is selected later are watched")
    func switchedLanguage() async throws {
        let watched = try Watched([
            "en.lproj/Localizable.strings": "a = one;", "fr.lproj/Localizable.strings": "a = un;",
        ])
        watched.center.update { $0.switching(language: "fr") }
        #expect(await watched.next("a", after: "one") == "un")
        try watched.tree.write("a = deux;", to: "fr.lproj/Localizable.strings")
        #expect(await watched.next("a", after: "un") == "deux")
        await watched.end()
    }

    @Test("The last valid content of a file with errors is used until it is corrected")
    func badFile() async throws {
        let watched = try Watched(["en.lproj/Localizable.strings": "a = one;", "en.lproj/Other.strings": "o = one;"])
        try watched.tree.write("a = \"two;", to: "en.lproj/Localizable.strings")
        try watched.tree.write("o = two;", to: "en.lproj/Other.strings")
        #expect(await watched.next("o", after: "one", table: "Other") == "two")
        #expect(watched.center.current.string("a") == "one")
        try watched.tree.write("a = three;", to: "en.lproj/Localizable.strings")
        #expect(await watched.next("a", after: "one") == "three")
        await watched.end()
    }

    #if os(Linux) || os(macOS)
        /// The test runs in a separate process, because other tests can occupy the threads of this one.
        @Test("Two watches of one center detect changes")
        func twoWatches() async {
            await #expect(processExitsWith: .success) {
                let watched = try Watched(["en.lproj/Localizable.strings": "a = 0;"])
                let center = watched.center
                let second = Task { await center.watch(every: .milliseconds(5)) }
                for number in 1...12 {
                    try watched.tree.write("a = \(number);", to: "en.lproj/Localizable.strings")
                    #expect(await watched.next("a", after: "\(number - 1)") == "\(number)")
                }
                second.cancel()
                await second.value
                await watched.end()
            }
        }
    #endif

    @Test("A center without a tree waits until its task is cancelled, also before it begins")
    func withoutTree() async {
        let center = CustomizationCenter(Customization(layers: []))
        let (ended, executor) = (Recorder<Int>(), StepExecutor())
        func start() -> Task<Void, Never> {
            Task(executorPreference: executor) {
                await center.watch()
                ended.note(1)
            }
        }
        let waiting = start()
        executor.run()
        #expect(ended.items.isEmpty)
        waiting.cancel()
        start().cancel()
        executor.run()
        #expect(ended.items.count == 2)
    }

    @Test("A file that can't be read at first is watched, too")
    func unreadable() throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "a = \"a long text\";"])
        let read = Customization(
            path: tree.path, languages: ["en"], policy: CustomizationPolicy(maximumFileSize: 8))
        #expect(read.tree?.watchedPaths.contains(tree.path + "/en.lproj/Localizable.strings") == true)
    }
}
