import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30)), .serialized) struct WatchTests {
    enum Move: String, CaseIterable, CustomTestStringConvertible {
        case inPlace, atomicRename, deleteAndCreate, symlinkSwap, configMapSwap, directoryReplaced
        var testDescription: String { rawValue }
    }

    /// Makes a file available at `<directory>/ApplicationConfig.json` as required by a move.
    static func prepare(_ move: Move, _ scratch: TemporaryFolder) throws -> String {
        let files = FileManager.default
        switch move {
        case .symlinkSwap:
            try scratch.write("{\"n\": 0}", to: "real0.json", atomically: false)
            try files.createSymbolicLink(atPath: scratch.file(), withDestinationPath: "real0.json")
            return scratch.path
        case .configMapSwap:
            try files.createDirectory(atPath: scratch.file("..v0"), withIntermediateDirectories: false)
            try scratch.write("{\"n\": 0}", to: "..v0/ApplicationConfig.json", atomically: false)
            try files.createSymbolicLink(atPath: scratch.file("..data"), withDestinationPath: "..v0")
            try files.createSymbolicLink(
                atPath: scratch.file(), withDestinationPath: "..data/ApplicationConfig.json")
            return scratch.path
        case .directoryReplaced:
            try files.createDirectory(atPath: scratch.file("live"), withIntermediateDirectories: false)
            try scratch.write("{\"n\": 0}", to: "live/ApplicationConfig.json", atomically: false)
            return scratch.file("live")
        default:
            try scratch.write("{\"n\": 0}")
            return scratch.path
        }
    }

    static func make(_ move: Move, _ scratch: TemporaryFolder, _ generation: Int) throws {
        let files = FileManager.default
        let text = "{\"n\": \(generation)}"
        switch move {
        case .inPlace: try scratch.write(text)
        case .atomicRename: try scratch.write(text, atomically: true)
        case .deleteAndCreate:
            try files.removeItem(atPath: scratch.file())
            try scratch.write(text)
        case .symlinkSwap:
            try scratch.write(text, to: "real\(generation).json", atomically: false)
            try files.createSymbolicLink(
                atPath: scratch.file("next"), withDestinationPath: "real\(generation).json")
            #expect(rename(scratch.file("next"), scratch.file()) == 0)
        case .configMapSwap:
            let version = "..v\(generation)"
            try files.createDirectory(atPath: scratch.file(version), withIntermediateDirectories: false)
            try scratch.write(text, to: "\(version)/ApplicationConfig.json", atomically: false)
            try files.createSymbolicLink(atPath: scratch.file("..tmp"), withDestinationPath: version)
            #expect(rename(scratch.file("..tmp"), scratch.file("..data")) == 0)
            try files.removeItem(atPath: scratch.file("..v\(generation - 1)"))
        case .directoryReplaced:
            try files.createDirectory(atPath: scratch.file("new"), withIntermediateDirectories: false)
            try scratch.write(text, to: "new/ApplicationConfig.json", atomically: false)
            #expect(rename(scratch.file("live"), scratch.file("old")) == 0)
            #expect(rename(scratch.file("new"), scratch.file("live")) == 0)
            try files.removeItem(atPath: scratch.file("old"))
        }
    }

    @Test("Every way to change a file is detected", arguments: Move.allCases)
    func moves(move: Move) async throws {
        let scratch = try TemporaryFolder([:])
        let directory = try Self.prepare(move, scratch)
        let store = try ConfigStore(loading: ConfigPlan(files: .directory(directory), environments: []))
        let watch = store.watch(every: .milliseconds(5))
        var changes = store.changes(of: ConfigKey("n", default: -1)).makeAsyncIterator()
        #expect(await changes.next() == 0)
        for generation in 1...rounds(5, soak: 1_000) {
            try Self.make(move, scratch, generation)
            // A briefly missing file isn't an error; the next check has its new values.
            var seen = await changes.next()
            while seen == -1 { seen = await changes.next() }
            #expect(seen == generation)
        }
        watch.cancel()
    }

    /// Creates `<root>/1/2/…/6` with a configuration file in the innermost directory; returns that directory.
    private static func nest(_ scratch: TemporaryFolder, in root: String, _ generation: Int) throws -> String {
        let names = (1...6).map(String.init).joined(separator: "/")
        try FileManager.default.createDirectory(
            atPath: scratch.file("\(root)/\(names)"), withIntermediateDirectories: true)
        try scratch.write("{\"n\": \(generation)}", to: "\(root)/\(names)/ApplicationConfig.json", atomically: false)
        return "\(root)/\(names)"
    }

    private func follow(_ store: ConfigStore, _ make: (Int) throws -> Void) async throws {
        var changes = store.changes(of: ConfigKey("n", default: -1)).makeAsyncIterator()
        #expect(await changes.next() == 0)
        for generation in 1...rounds(3, soak: 1_000) {
            try make(generation)
            var seen = await changes.next()
            while seen == -1 { seen = await changes.next() }
            #expect(seen == generation)
        }
    }

    @Test("A replaced directory above a file and later writes are detected", arguments: [1, 6])
    func ancestorSwap(level: Int) async throws {
        let scratch = try TemporaryFolder([:])
        let directory = try Self.nest(scratch, in: "live", 0)
        let store = try ConfigStore(loading: ConfigPlan(files: .directory(scratch.file(directory)), environments: []))
        let watch = store.watch(every: .milliseconds(5))
        // The innermost directory is at level 1.
        let swapped = (1...(7 - level)).map(String.init).joined(separator: "/")
        try await follow(store) { generation in
            if generation.isMultiple(of: 2) {
                try scratch.write(
                    "{\"n\": \(generation)}", to: "\(directory)/ApplicationConfig.json", atomically: false)
                return
            }
            _ = try Self.nest(scratch, in: "new", generation)
            // The old directory stays, so that its removal reports nothing.
            #expect(rename(scratch.file("live/\(swapped)"), scratch.file("old\(generation)")) == 0)
            #expect(rename(scratch.file("new/\(swapped)"), scratch.file("live/\(swapped)")) == 0)
            if swapped.contains("/") { try FileManager.default.removeItem(atPath: scratch.file("new")) }
        }
        watch.cancel()
    }

    @Test("A replaced symbolic link above a file and later writes are detected", arguments: [1, 6])
    func ancestorLinkSwap(level: Int) async throws {
        let scratch = try TemporaryFolder([:])
        let files = FileManager.default
        let directory = try Self.nest(scratch, in: "live", 0)
        let link = scratch.file("live/" + (1...(7 - level)).map(String.init).joined(separator: "/"))
        try files.moveItem(atPath: link, toPath: scratch.file("v0"))
        try files.createSymbolicLink(atPath: link, withDestinationPath: scratch.file("v0"))
        let store = try ConfigStore(loading: ConfigPlan(files: .directory(scratch.file(directory)), environments: []))
        let watch = store.watch(every: .milliseconds(5))
        try await follow(store) { generation in
            if generation.isMultiple(of: 2) {
                try scratch.write(
                    "{\"n\": \(generation)}", to: "\(directory)/ApplicationConfig.json", atomically: false)
                return
            }
            let version = scratch.file("v\(generation)")
            try files.copyItem(atPath: scratch.file("v\(max(0, generation - 2))"), toPath: version)
            let inner = (1...6).dropFirst(7 - level).map { "\($0)/" }.joined()
            try scratch.write(
                "{\"n\": \(generation)}", to: "v\(generation)/\(inner)ApplicationConfig.json", atomically: false)
            try files.createSymbolicLink(atPath: scratch.file("next"), withDestinationPath: version)
            #expect(rename(scratch.file("next"), link) == 0)
            try files.removeItem(atPath: scratch.file("v\(max(0, generation - 2))"))
        }
        watch.cancel()
    }

    @Test("A write to a file that remains open is detected")
    func openWriter() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 0}   ")
        let store = try ConfigStore(loading: scratch.plan())
        let watch = store.watch(every: .milliseconds(5))
        let descriptor = open(scratch.file(), O_WRONLY)
        defer { close(descriptor) }
        try await follow(store) { generation in
            let text = Array("{\"n\": \(generation)}".utf8)
            #expect(pwrite(descriptor, text, text.count, 0) == text.count)
        }
        watch.cancel()
    }

    @Test("A write with equal size and a restored modification time is detected")
    func restoredTime() async throws {
        let scratch = try TemporaryFolder([:])
        let stamp = Date(timeIntervalSince1970: 1_700_000_000)
        func write(_ number: Int) throws {
            try scratch.write("{\"n\": \(number % 10)}")
            try FileManager.default.setAttributes([.modificationDate: stamp], ofItemAtPath: scratch.file())
        }
        try write(0)
        let store = try ConfigStore(loading: scratch.plan())
        // At a later tick of the file system's clock, so that the change time differs.
        func tick() throws -> Date? {
            try Data().write(to: URL(fileURLWithPath: scratch.file("tick")))
            return try FileManager.default.attributesOfItem(atPath: scratch.file("tick"))[.modificationDate] as? Date
        }
        let start = try tick()
        try await until("the file system's clock advances") { try tick() != start }
        let watch = store.watch(every: .milliseconds(5))
        var changes = store.changes(of: ConfigKey("n", default: -1)).makeAsyncIterator()
        #expect(await changes.next() == 0)
        for generation in 1...rounds(5, soak: 1_000) {
            try write(generation)
            #expect(await changes.next() == generation % 10)
        }
        watch.cancel()
    }

    @Test("A second write within a clock tick is detected, although size and time are equal")
    func sameStamp() async throws {
        let scratch = try TemporaryFolder([:])
        // To simulate a coarse clock, both writes get the same time.
        let stamp = Date(timeIntervalSinceNow: 60)
        func write(_ number: Int) throws {
            try scratch.write("{\"n\": \(number)}")
            try FileManager.default.setAttributes([.modificationDate: stamp], ofItemAtPath: scratch.file())
        }
        try write(1)
        let store = try ConfigStore(loading: ConfigPlan(files: .directory(scratch.path), environments: []))
        let watch = store.watch(every: .milliseconds(5))
        var changes = store.changes(of: ConfigKey("n", default: -1)).makeAsyncIterator()
        #expect(await changes.next() == 1)
        for number in 2...4 {
            try write(number)
            #expect(await changes.next() == number)
        }
        watch.cancel()
    }

    @Test("Invalid writes are reported, and watching continues")
    func badWrite() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 0}")
        let store = try ConfigStore(loading: scratch.plan())
        var events = store.events().makeAsyncIterator()
        let watch = store.watch(every: .milliseconds(5))
        try scratch.write("{\"n\": ", atomically: true)
        guard case .failure? = await events.next() else {
            Issue.record("no failure was published")
            return
        }
        #expect(store.current.int(forKey: "n") == 0)
        try scratch.write("{\"n\": 1}", atomically: true)
        guard case .success(let diff)? = await events.next() else {
            Issue.record("no reload was published")
            return
        }
        #expect(diff.description == "n: 0 → 1")
        watch.cancel()
    }

    @Test("A new file is detected")
    func appears() async throws {
        let scratch = try TemporaryFolder([:])
        let store = try ConfigStore(loading: scratch.plan())
        let watch = store.watch(every: .milliseconds(5))
        var changes = store.changes(of: "n").makeAsyncIterator()
        #expect(await changes.next() == .some(nil))
        try scratch.write("{\"n\": 1}", atomically: true)
        var seen = await changes.next()
        while seen == .some(nil) { seen = await changes.next() }
        #expect(seen == .some(1))
        watch.cancel()
    }

    @Test("A change between loading and watching is detected at once")
    func changedBefore() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 1}")
        let store = try ConfigStore(loading: scratch.plan())
        try scratch.write("{\"n\": 22}", atomically: true)
        let watch = store.watch(every: .seconds(60))
        #expect(store.current.int(forKey: "n") == 22)
        watch.cancel()
    }

    #if os(Linux)
        @Test("A folder that is mounted over the watched one is detected", .enabled(if: Mount.isPermitted))
        func bindMount() async throws {
            let scratch = try TemporaryFolder([
                "live/ApplicationConfig.json": "{\"n\": 0}", "over/ApplicationConfig.json": "{\"n\": 1}",
            ])
            let store = try ConfigStore(loading: ConfigPlan(files: .directory(scratch.file("live")), environments: []))
            let watch = store.watch(every: .milliseconds(5))
            var changes = store.changes(of: ConfigKey("n", default: -1)).makeAsyncIterator()
            #expect(await changes.next() == 0)
            let mount = try Mount(scratch.file("over"), over: scratch.file("live"))
            #expect(await changes.next() == 1)
            try mount.end()
            #expect(await changes.next() == 0)
            watch.cancel()
        }
    #endif
}

#if os(Linux)
    /// A folder that is mounted over another one.
    private struct Mount {
        private let folder: String

        /// Whether the process may mount folders.
        static let isPermitted: Bool = {
            guard let scratch = try? TemporaryFolder(["a/x": "", "b/x": ""]),
                let mount = try? Mount(scratch.file("a"), over: scratch.file("b"))
            else { return false }
            return (try? mount.end()) != nil
        }()

        init(_ other: String, over folder: String) throws {
            self.folder = folder
            try Self.run("mount", ["--bind", other, folder])
        }

        func end() throws { try Self.run("umount", [folder]) }

        private static func run(_ command: String, _ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [command] + arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
        }
    }
#endif
