import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct FolderSourceTests {
    private func load(_ scratch: TemporaryFolder, under section: ConfigPath = .root) throws -> ApplicationConfig {
        var plan = plan(["ApplicationConfig.json": #"{"db": {"user": "app", "password": "none"}}"#])
        plan.add(FolderConfigSource(scratch.path, under: section))
        return try ApplicationConfig.load(plan)
    }

    @Test("Each file of a folder is a key, and its text without the final newline is the value")
    func files() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("hunter2\n", to: "password", atomically: false)
        try scratch.write("15\r\n", to: "http.timeout", atomically: false)
        try scratch.write("a\nb\n\n", to: "lines", atomically: false)
        try scratch.write("${password}", to: "literal", atomically: false)
        try scratch.write("", to: "empty", atomically: false)
        try scratch.write("x", to: ".hidden", atomically: false)
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: scratch.file("bytes")))
        try FileManager.default.createDirectory(atPath: scratch.file("folder"), withIntermediateDirectories: false)
        let config = try load(scratch, under: "db")
        #expect(
            config["db"] == [
                "user": "app", "password": "hunter2", "http": ["timeout": "15"], "lines": "a\nb\n",
                "literal": "${password}", "empty": "", "bytes": .data(Data([0xFF, 0xFE, 0x00])),
            ])
        #expect(config.explain("db.http.timeout").winner?.location.file == scratch.file("http.timeout"))
        #expect(config.explain("db.password").text == "<redacted>")
    }

    @Test("A file and a section of the same name are an error")
    func clashes() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("1", to: "http", atomically: false)
        try scratch.write("2", to: "http.timeout", atomically: false)
        let error = #expect(throws: ConfigError.self) { try load(scratch) }
        #expect(error?.key == "http.timeout")
        let twins = try TemporaryFolder([:])
        for name in ["a.b", "a::b"] { try twins.write("1", to: name, atomically: false) }
        #expect(throws: ConfigError.self) { try load(twins) }
    }

    @Test("Files are elements, whatever their names' order")
    func elements() throws {
        let scratch = try TemporaryFolder([:])
        for index in 0..<12 { try scratch.write("\(index)", to: "list[\(index)]", atomically: false) }
        #expect(try load(scratch)["list"] == .array((0..<12).map { .string("\($0)") }))
    }

    @Test("A folder can have as many files as a source can have values beside the dictionary around them")
    func limit() throws {
        let scratch = try TemporaryFolder([:])
        for name in ["a", "b"] { try scratch.write("1", to: name, atomically: false) }
        var plan = plan([:])
        plan.add(FolderConfigSource(scratch.path))
        plan.limits.values = 3
        #expect(try ApplicationConfig.load(plan).allKeys == ["a", "b"])
        for name in ["c", "d"] { try scratch.write("1", to: name, atomically: false) }
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan) }
        #expect(error?.code == .limitExceeded && error?.expected == "at most 3 files")
    }

    #if os(Linux) || os(macOS)
        @Test("A source over other sources or over written values is a mistake of the program")
        func kinds() async {
            await #expect(processExitsWith: .failure) {
                var plan = ConfigPlan(files: .memory([:]), environments: [])
                plan.add(FolderConfigSource("/none"), over: .source)
            }
            await #expect(processExitsWith: .failure) {
                var plan = ConfigPlan(files: .memory([:]), environments: [])
                plan.add(FolderConfigSource("/none"), over: .runtime)
            }
        }
    #endif

    @Test("A folder that is missing is a missing source")
    func missing() throws {
        var plan = plan([:])
        plan.add(FolderConfigSource("/no/such/folder"), isRequired: true)
        #expect(ApplicationConfig.loadReport(plan).errors.map(\.code) == [.missingSource])
    }

    @Test("Swaps of the link ..data never mix the values of two versions", .timeLimit(.minutes(5)))
    func swaps() async throws {
        let scratch = try TemporaryFolder([:])
        let count = rounds(60, soak: 1_000)
        func publish(_ version: Int) throws {
            let folder = "..v\(version)"
            try FileManager.default.createDirectory(atPath: scratch.file(folder), withIntermediateDirectories: false)
            for key in ["a", "b", "c", "d"] {
                try scratch.write("\(version)", to: "\(folder)/\(key)", atomically: false)
                let link = scratch.file(key)
                if version == 0 {
                    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "..data/\(key)")
                }
            }
            try FileManager.default.createSymbolicLink(atPath: scratch.file("..data_tmp"), withDestinationPath: folder)
            #expect(rename(scratch.file("..data_tmp"), scratch.file("..data")) == 0)
            if version > 0 { try FileManager.default.removeItem(atPath: scratch.file("..v\(version - 1)")) }
        }
        try publish(0)
        var plan = plan([:])
        plan.add(FolderConfigSource(scratch.path), isRequired: true)
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        let reader = Task.detached { () -> [String] in
            var torn: [String] = []
            while !Task.isCancelled {
                let values = Set(store.current.values.values.map { "\($0)" })
                if values.count != 1 { torn.append("\(values)") }
                await Task.yield()
            }
            return torn
        }
        for version in 1...count {
            try publish(version)
            await store.wait { $0.int(forKey: "a") == version }
        }
        reader.cancel()
        #expect(await reader.value == [])
        watch.cancel()
    }

    @Test("The folder itself is watched, so that a new file is noticed")
    func watchesFolder() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("1", to: "a", atomically: false)
        let paths = FolderConfigSource(scratch.path + "/").watchedPaths
        #expect(paths == ["\(scratch.path)/", scratch.file("..data"), scratch.file("a")])
    }

    @Test("A file that is removed from a plain folder is missing", .timeLimit(.minutes(5)))
    func removedFiles() async throws {
        let scratch = try TemporaryFolder([:])
        for name in ["a", "b", "c"] { try scratch.write("1", to: name, atomically: false) }
        var plan = plan([:])
        plan.add(FolderConfigSource(scratch.path))
        plan.localFile = "/no/such/local.json"
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        try FileManager.default.removeItem(atPath: scratch.file("a"))
        await store.wait { $0.allKeys == ["b", "c"] }
        #expect(store.current.allKeys == ["b", "c"])
        watch.cancel()
    }

    /// A source that reads a file which it names only after a first file appeared, and that a writer changes directly
    /// after it was read.
    private final class GrowingSource: ConfigSource, Sendable {
        let name = "growing"
        let scratch: TemporaryFolder
        let change: @Sendable () -> Void

        init(_ scratch: TemporaryFolder, change: @escaping @Sendable () -> Void) {
            self.scratch = scratch
            self.change = change
        }

        private var isGrown: Bool { FileManager.default.fileExists(atPath: scratch.file("grown")) }
        var watchedPaths: [String] { [scratch.file("grown")] + (isGrown ? [scratch.file("other/value")] : []) }

        func content() throws -> ConfigSourceContent {
            guard isGrown else { return .missing }
            let text = try String(contentsOfFile: scratch.file("other/value"), encoding: .utf8)
            if text == "1" { change() }
            return .document(ConfigDocument(["n": .string(text)]))
        }
    }

    @Test("A change between a load and the watch of a new list of files isn't lost", .timeLimit(.minutes(2)))
    func newList() async throws {
        let scratch = try TemporaryFolder([:])
        try FileManager.default.createDirectory(atPath: scratch.file("other"), withIntermediateDirectories: false)
        try scratch.write("1", to: "other/value", atomically: false)
        var plan = plan([:])
        let path = scratch.file("other/value")
        plan.add(GrowingSource(scratch) { try? Data("2".utf8).write(to: URL(fileURLWithPath: path)) })
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        // One change: a second one would load the file again.
        try scratch.write("", to: "grown", atomically: true)
        await store.wait { $0.int(forKey: "n") == 2 }
        #expect(store.current.int(forKey: "n") == 2)
        watch.cancel()
    }

    @Test("A file that is added to a plain folder is then watched", .timeLimit(.minutes(5)))
    func newFiles() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("1", to: "a", atomically: false)
        var plan = plan([:])
        plan.add(FolderConfigSource(scratch.path))
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        try scratch.write("1", to: "b", atomically: false)
        await store.wait { $0.int(forKey: "b") == 1 }
        for version in 2...5 {
            try scratch.write("\(version)", to: "b", atomically: false)
            await store.wait { $0.int(forKey: "b") == version }
        }
        watch.cancel()
    }

    @Test("A file that a source names after a change is watched", .timeLimit(.minutes(2)))
    func lateFile() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write(#"{"n": 1}"#)
        let source = LateFile(scratch.file())
        var plan = plan([:])
        plan.add(source)
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        source.isNamed.set()
        source.change.yield()
        await store.wait { $0.int(forKey: "n") == 1 }
        try scratch.write(#"{"n": 22}"#)
        await store.wait { $0.int(forKey: "n") == 22 }
        watch.cancel()
    }
}

/// A source that names its file only after a change.
private final class LateFile: ConfigSource, Sendable {
    let name = "late"
    let path: String
    let isNamed = Flag()
    let (stream, change) = AsyncStream.makeStream(of: Void.self)

    init(_ path: String) { self.path = path }

    var watchedPaths: [String] { isNamed.isSet ? [path] : [] }

    func changes() -> AsyncStream<Void>? { stream }

    func content() throws -> ConfigSourceContent {
        isNamed.isSet ? try FileConfigSource(path).content() : .missing
    }
}
