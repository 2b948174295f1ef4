import AshlarAppConfig
import AshlarCore
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

/// Reloads, refreshes, and watching of one store, while a file, a folder, and a remote document change.
@Suite(.timeLimit(.minutes(5))) struct InterplayTests {
    @Test("Concurrent reloads and refreshes never mix versions of a source, and never return to an older one")
    func concurrentChanges() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"file\": 0}")
        try Self.swapFolder(scratch, 0)
        let served = Counter()
        let remote = RemoteConfigSource("remote", cache: scratch.file("cache")) { _ in
            let number = served.next() + 1
            return .document(Array("{\"remote\": [\(number), \(number)]}".utf8), version: "\(number)")
        }
        var plan = scratch.plan()
        plan.add(FolderConfigSource(scratch.file("secrets"), under: "folder"))
        plan.add(remote)
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        let last = rounds(60, soak: 3_000)
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Readers.
            for _ in 0..<2 {
                group.addTask {
                    var seen = [-1, -1, -1]
                    while !isOver.isSet {
                        let next = try Self.versions(of: store.current)
                        // Concurrent fetches can begin in another order than the server answers them.
                        #expect(zip(seen, next).prefix(2).allSatisfy { $0 <= $1 }, "\(seen) → \(next)")
                        seen = next
                        await Task.yield()
                    }
                }
            }
            let others: [@Sendable () async throws -> Void] = [
                { _ = try store.reload() }, { _ = try await store.refresh() }, { try await remote.refresh() },
            ]
            for other in others {
                group.addTask {
                    while !isOver.isSet {
                        try await other()
                        await Task.yield()
                    }
                }
            }
            for number in 1...last {
                try scratch.write("{\"file\": \(number)}", atomically: true)
                try Self.swapFolder(scratch, number)
                await Task.yield()
            }
            isOver.set()
            try await group.waitForAll()
        }
        watch.cancel()
        try await store.refresh()
        #expect(try Self.versions(of: store.current) == [last, last, served.value])
        #expect(store.errors.isEmpty && remote.status.error == nil)
        // The next process starts with the last document.
        let cached = RemoteConfigSource("remote", cache: scratch.file("cache")) { _ in .notModified }
        #expect(cached.status.version == remote.status.version)
    }

    /// The versions of the file, the folder, and the document.
    private static func versions(of config: ApplicationConfig) throws -> [Int] {
        let folder = try ["a", "b", "c"].map { try config.get(ConfigPath("folder.\($0)"), as: Int.self) }
        #expect(Set(folder).count == 1, "\(folder)")
        let remote = config["remote"] == nil ? [0, 0] : try config.get("remote", as: [Int].self)
        #expect(Set(remote).count == 1, "\(remote)")
        return [try config.get("file"), folder[0], try #require(remote.first)]
    }

    /// Replaces the files of a folder as Kubernetes does: the link `..data` changes its target.
    private static func swapFolder(_ scratch: TemporaryFolder, _ number: Int) throws {
        let files = FileManager.default
        let folder = scratch.file("secrets")
        try files.createDirectory(atPath: "\(folder)/..v\(number)", withIntermediateDirectories: true)
        for name in ["a", "b", "c"] {
            try scratch.write("\(number)\n", to: "secrets/..v\(number)/\(name)")
            if number == 0 {
                try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "..data/\(name)")
            }
        }
        try files.createSymbolicLink(atPath: "\(folder)/..next", withDestinationPath: "..v\(number)")
        #expect(rename("\(folder)/..next", "\(folder)/..data") == 0)
        if number > 0 { try files.removeItem(atPath: "\(folder)/..v\(number - 1)") }
    }
}
