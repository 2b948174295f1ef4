#if os(Linux)
    import AshlarTestSupport
    import Foundation
    import Testing

    @testable import AshlarCore

    /// Watching through a hub of the test's own, whose system calls can be counted and refused.
    @Suite(.timeLimit(.minutes(5)), .serialized) struct InotifyHubTests {
        /// The system's call to watch a directory; after `refuse` there are no watches left.
        final class Calls: Sendable {
            private let state = Mutex((count: 0, isRefused: false))
            private let directory: String

            /// Counts the calls for one directory, of which each comparison makes one.
            init(of directory: String) { self.directory = directory }

            var count: Int { state.withLock { $0.count } }
            func refuse(_ isRefused: Bool) { state.withLock { $0.isRefused = isRefused } }

            func add(_ descriptor: Int32, _ directory: String, _ mask: UInt32) -> Int32 {
                let isRefused = state.withLock { state in
                    if directory == self.directory { state.count += 1 }
                    return state.isRefused
                }
                if !isRefused { return inotify_add_watch(descriptor, directory, mask) }
                errno = ENOSPC
                return -1
            }

            /// Waits for the next comparison.
            func next() {
                let before = count
                while count == before { usleep(500) }
            }
        }

        /// The contents of the watched file after each change; nil for a missing file.
        typealias Contents = AsyncStream<String?>

        private func watch(_ path: String, _ calls: Calls) throws -> (PathWatch, Contents.AsyncIterator) {
            let hub = InotifyHub(addWatch: { calls.add($0, $1, $2) })
            let (stream, continuation) = Contents.makeStream()
            let watch = try #require(
                hub.watch([path]) { _ in
                    continuation.yield((try? WholeFile.read(path)).map { String(decoding: $0, as: UTF8.self) })
                })
            return (watch, stream.makeAsyncIterator())
        }

        @Test("A hub that gets no watches reports that")
        func noWatches() throws {
            let folder = try TemporaryFolder([:])
            let hub = InotifyHub(addWatch: { _, _, _ in
                errno = ENOSPC
                return -1
            })
            #expect(hub.watch([folder.path + "/f"]) { _ in } == nil)
        }

        @Test("A file that is away for a moment is not reported as missing, one that is gone is")
        func grace() async throws {
            try await withQuickMachine { try await graceAttempt() }
        }

        private func graceAttempt() async throws -> Bool {
            let folder = try TemporaryFolder([:])
            let file = try folder.write("1", to: "f", atomically: false)
            let calls = Calls(of: try #require(realpath(folder.path, nil).map { String(cString: $0) }))
            var (watch, contents) = try watch(file, calls)
            defer { watch.cancel() }
            let start = ContinuousClock.now
            try FileManager.default.removeItem(atPath: file)
            calls.next()
            try folder.write("2", to: "f", atomically: false)
            if ContinuousClock.now - start > .milliseconds(150) { return false }
            var seen = await contents.next()
            while seen == "" { seen = await contents.next() }
            #expect(seen == "2")
            try FileManager.default.removeItem(atPath: file)
            while seen == "2" { seen = await contents.next() }
            #expect(seen == .some(nil))
            return true
        }

        @Test("When the watches run out later, the files are compared every second until there are some again")
        func laterNoWatches() async throws {
            let folder = try TemporaryFolder([:])
            let root = try #require(realpath(folder.path, nil).map { String(cString: $0) })
            let files = FileManager.default
            try files.createDirectory(atPath: root + "/live", withIntermediateDirectories: false)
            let file = try folder.write("1", to: "live/f", atomically: false)
            let calls = Calls(of: root)
            var (watch, contents) = try watch(file, calls)
            defer { watch.cancel() }
            calls.refuse(true)
            try files.createDirectory(atPath: root + "/new", withIntermediateDirectories: false)
            try folder.write("22", to: "new/f", atomically: false)
            #expect(rename(root + "/live", root + "/old") == 0)
            #expect(rename(root + "/new", root + "/live") == 0)
            var seen = await contents.next()
            while seen != "22" { seen = await contents.next() }
            // The new directory is not watched, so no event reports these.
            for content in ["333", "4444"] {
                try Data(content.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
                while seen != content { seen = await contents.next() }
            }
            calls.refuse(false)
            calls.next()
            try Data("55555".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            while seen != "55555" { seen = await contents.next() }
            #expect(seen == "55555")
        }
    }
#endif
