#if os(Linux)
    @testable import AshlarAppConfig
    import Foundation
    import Testing

    /// Watching through a hub of the test's own, whose looks at the files can be counted and refused.
    @Suite(.timeLimit(.minutes(5)), .serialized) struct WatchHubTests {
        /// The system's call to watch a directory, made at each look; after `refuse` there are no watches left.
        final class Calls: Sendable {
            private let state = Locked((count: 0, isRefused: false))
            private let directory: String

            /// Counts the calls for one directory, of which each look makes one.
            init(of directory: String) { self.directory = directory }

            var count: Int { state.read { $0.count } }
            func refuse(_ isRefused: Bool) { state.write { $0.isRefused = isRefused } }

            func add(_ descriptor: Int32, _ directory: String, _ mask: UInt32) -> Int32 {
                let isRefused = state.write { state in
                    if directory == self.directory { state.count += 1 }
                    return state.isRefused
                }
                if !isRefused { return inotify_add_watch(descriptor, directory, mask) }
                errno = ENOSPC
                return -1
            }

            /// Waits for the next look.
            func next() {
                let before = count
                while count == before { usleep(500) }
            }
        }

        private func watched(_ scratch: Scratch, _ calls: Calls, in directory: String? = nil) throws -> (
            ConfigStore, ConfigWatch
        ) {
            let store = try ConfigStore(loading: .directory(directory ?? scratch.path, environments: []))
            let hub = InotifyHub(addWatch: { calls.add($0, $1, $2) })
            return (store, store.watch(try #require(store.plan).filePaths, by: hub))
        }

        @Test("A file that is touched or away for a moment wakes nobody, and one that is gone does")
        func quietChanges() async throws {
            // On a busy machine the moment may be too long; then it is tried once more.
            for _ in 0..<20 where try await quietAttempt() { return }
            Issue.record("the machine was never quick enough")
        }

        /// Whether the file was away for so short a time that nobody may have been woken.
        private func quietAttempt() async throws -> Bool {
            let scratch = try Scratch()
            try scratch.write("{\"n\": 1}")
            let calls = Calls(of: scratch.path)
            let (store, watch) = try watched(scratch, calls)
            defer { watch.cancel() }
            var events = store.events().makeAsyncIterator()
            // New times, and the event of a file that was open for writing.
            #expect(utimes(scratch.file(), nil) == 0)
            close(open(scratch.file(), O_WRONLY))
            calls.next()
            let start = ContinuousClock.now
            try FileManager.default.removeItem(atPath: scratch.file())
            calls.next()
            try scratch.write("{\"n\": 1}")
            if ContinuousClock.now - start > .milliseconds(150) { return false }
            try scratch.write("{\"n\": 2}", atomically: true)
            // The first event is that of the only change of a value.
            guard case .reloaded(let change)? = await events.next() else {
                Issue.record("no reload was published")
                return true
            }
            #expect(change.description == "n: 1 → 2")
            try FileManager.default.removeItem(atPath: scratch.file())
            guard case .reloaded(let removal)? = await events.next() else {
                Issue.record("no removal was published")
                return true
            }
            #expect(removal.description == "n: 2 → nothing")
            return true
        }

        @Test("Where there are no watches left, files are polled, with a remark")
        func noWatches() async throws {
            let scratch = try Scratch()
            try scratch.write("{\"n\": 1}")
            let calls = Calls(of: scratch.path)
            calls.refuse(true)
            let (store, watch) = try watched(scratch, calls)
            defer { watch.cancel() }
            #expect(watch.isPolling)
            #expect(store.current.diagnostics.map(\.kind) == [.watchingByPolling])
            var changes = store.changes(of: ConfigKey("n", default: 0)).makeAsyncIterator()
            #expect(await changes.next() == 1)
            try scratch.write("{\"n\": 22}", atomically: true)
            #expect(await changes.next() == 22)
        }

        @Test("Where the watches run out later, what cannot be watched any more is looked at, until it can")
        func laterNoWatches() async throws {
            let scratch = try Scratch()
            let files = FileManager.default
            func directory(_ name: String, _ number: Int) throws {
                try files.createDirectory(atPath: scratch.file(name), withIntermediateDirectories: false)
                try scratch.write("{\"n\": \(number)}", to: "\(name)/ApplicationConfig.json")
            }
            try directory("live", 1)
            let calls = Calls(of: scratch.path)
            let (store, watch) = try watched(scratch, calls, in: scratch.file("live"))
            defer { watch.cancel() }
            #expect(!watch.isPolling)
            var changes = store.changes(of: ConfigKey("n", default: 0)).makeAsyncIterator()
            #expect(await changes.next() == 1)
            calls.refuse(true)
            try directory("new", 22)
            #expect(rename(scratch.file("live"), scratch.file("old")) == 0)
            #expect(rename(scratch.file("new"), scratch.file("live")) == 0)
            var seen = await changes.next()
            while seen == 0 { seen = await changes.next() }
            #expect(seen == 22)
            // Nothing watches the new directory, so no event tells of this.
            for number in [333, 4444] {
                try scratch.write("{\"n\": \(number)}", to: "live/ApplicationConfig.json", atomically: true)
                #expect(await changes.next() == number)
            }
            calls.refuse(false)
            calls.next()
            try scratch.write("{\"n\": 55555}", to: "live/ApplicationConfig.json", atomically: true)
            #expect(await changes.next() == 55555)
        }
    }

    /// A value that threads share.
    private final class Locked<Value>: @unchecked Sendable {
        private let lock = NSLock()
        private var value: Value

        init(_ value: Value) { self.value = value }
        func read<R>(_ body: (Value) -> R) -> R { lock.withLock { body(value) } }
        func write<R>(_ body: (inout Value) -> R) -> R { lock.withLock { body(&value) } }
    }
#endif
