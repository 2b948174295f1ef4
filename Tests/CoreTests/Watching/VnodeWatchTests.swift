import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarCore

/// The logic behind Apple's file events, run with events and a clock that the test controls.
@Suite struct VnodeWatchTests {
    /// Vnode events without Dispatch: files are really looked at, but events and time come from the test.
    final class FakeEvents: Sendable {
        struct State {
            var now: Int64 = 0
            var timers: [(time: Int64, body: @Sendable () -> Void)] = []
            var sources: [Int: (path: String, onEvent: @Sendable (Bool) -> Void)] = [:]
            var nextNumber = 0
            /// Runs right before the given path is opened for the first time.
            var interruption: (path: String, body: @Sendable () -> Void)?
            /// The number of sources that can be open.
            var limit = Int.max
        }
        let state = Mutex(State())

        var now: Int64 { state.withLock { $0.now } }
        var openPaths: [String] { state.withLock { $0.sources.values.map(\.path).sorted() } }

        var calls: VnodeEvents {
            VnodeEvents(
                now: { self.now }, after: { self.after($0, $1) }, open: { self.open($0, onEvent: $1) })
        }

        func after(_ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) {
            state.withLock { $0.timers.append(($0.now + nanoseconds, body)) }
        }

        func open(_ path: String, onEvent: @escaping @Sendable (_ isWrite: Bool) -> Void) -> VnodeEvents.Opened {
            let interruption = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.interruption?.path == path else { return nil }
                defer { state.interruption = nil }
                return state.interruption?.body
            }
            interruption?()
            guard let signature = FileStatus(path)?.signature else { return .absent }
            let number = state.withLock { state -> Int? in
                guard state.sources.count < state.limit else { return nil }
                state.nextNumber += 1
                state.sources[state.nextNumber] = (path, onEvent)
                return state.nextNumber
            }
            guard let number else { return .refused }
            let source = VnodeEvents.Source(device: signature.device, inode: signature.inode) {
                _ = self.state.withLock { $0.sources.removeValue(forKey: number) }
            }
            return .source(source)
        }

        /// Reports an event of a path, as the kernel would.
        func send(_ path: String, isWrite: Bool = false) {
            let handlers = state.withLock { $0.sources.values.filter { $0.path == path }.map(\.onEvent) }
            for handler in handlers { handler(isWrite) }
        }

        /// Lets time pass and runs the timers that become due.
        func advance(milliseconds: Int64) {
            let end = now + milliseconds * 1_000_000
            while let next = state.withLock({ state -> (@Sendable () -> Void)? in
                guard let at = state.timers.indices.min(by: { state.timers[$0].time < state.timers[$1].time }),
                    state.timers[at].time <= end
                else { return nil }
                state.now = max(state.now, state.timers[at].time)
                return state.timers.remove(at: at).body
            }) { next() }
            state.withLock { $0.now = end }
        }
    }

    let folder: TemporaryFolder
    let root: String
    let file: String
    let events = FakeEvents()
    let changes = Counter()

    init() throws {
        folder = try TemporaryFolder([:])
        root = try #require(realpath(folder.path, nil).map { String(cString: $0) })
        try FileManager.default.createDirectory(atPath: root + "/a/b", withIntermediateDirectories: true)
        file = root + "/a/b/f"
        try folder.write("1", to: "a/b/f", atomically: false)
        age()
    }

    /// Makes the file so old that its signature is not fresh; the change time follows in `start`.
    private func age() { usleep(20_000) }

    private func start(_ paths: [String]? = nil) throws -> PathWatch {
        let started = VnodeWatch.start(paths ?? [file], events.calls) { [changes] _ in _ = changes.next() }
        let watch = try #require(started)
        events.advance(milliseconds: 30)
        return watch
    }

    @Test("The file and every directory on the way are open, and nothing after the end")
    func sources() throws {
        let watch = try start()
        #expect(Set(events.openPaths).isSuperset(of: ["/", root, root + "/a", root + "/a/b", file]))
        #expect(changes.value == 0)
        watch.cancel()
        #expect(events.openPaths.isEmpty)
        do { _ = try start() }
        #expect(events.openPaths.isEmpty, "a released watch has ended")
    }

    @Test("A change between the first look and the opening of the file is noticed")
    func changeWhileArming() throws {
        let file = file
        events.state.withLock { $0.interruption = (root, { try? AtomicFile.replace(file, with: [50, 50]) }) }
        let watch = try start()
        #expect(changes.value == 1)
        watch.cancel()
    }

    @Test("A write is reported after a pause of 100 ms")
    func write() throws {
        let watch = try start()
        try folder.write("22", to: "a/b/f", atomically: false)
        events.send(file, isWrite: true)
        events.advance(milliseconds: 90)
        #expect(changes.value == 0)
        events.advance(milliseconds: 20)
        #expect(changes.value == 1)
        watch.cancel()
    }

    @Test("A file that is away for less than 200 ms is not reported as missing")
    func grace() throws {
        let watch = try start()
        try FileManager.default.removeItem(atPath: file)
        events.send(root + "/a/b")
        events.advance(milliseconds: 100)
        #expect(changes.value == 0)
        try folder.write("22", to: "a/b/f", atomically: false)
        events.send(root + "/a/b")
        events.advance(milliseconds: 30)
        #expect(changes.value == 1)
        try FileManager.default.removeItem(atPath: file)
        events.send(root + "/a/b")
        events.advance(milliseconds: 190)
        #expect(changes.value == 1)
        events.advance(milliseconds: 40)
        #expect(changes.value == 2)
        watch.cancel()
    }

    @Test("A replaced directory is opened again, and later events of it are followed")
    func replacedDirectory() throws {
        let watch = try start()
        let files = FileManager.default
        try files.createDirectory(atPath: root + "/new/b", withIntermediateDirectories: true)
        try folder.write("333", to: "new/b/f", atomically: false)
        try files.moveItem(atPath: root + "/a", toPath: root + "/old")
        try files.moveItem(atPath: root + "/new", toPath: root + "/a")
        events.send(root)
        events.advance(milliseconds: 30)
        #expect(changes.value == 1)
        let paths = events.openPaths
        #expect(paths.count == Set(paths).count, "the old sources are closed")
        try folder.write("4444", to: "a/b/f", atomically: false)
        events.send(file, isWrite: true)
        events.advance(milliseconds: 110)
        #expect(changes.value == 2)
        watch.cancel()
    }

    @Test("Nothing runs while nothing changes")
    func idle() throws {
        let watch = try start()
        #expect(events.state.withLock { $0.timers.isEmpty }, "no timer wakes the process")
        try folder.write("22", to: "a/b/f", atomically: false)
        events.send(file, isWrite: true)
        events.advance(milliseconds: 110)
        #expect(changes.value == 1 && events.state.withLock { $0.timers.isEmpty })
        watch.cancel()
        events.send(file, isWrite: true)
        events.advance(milliseconds: 60_000)
        #expect(changes.value == 1)
    }

    @Test("Many files of a folder need one source")
    func manyFiles() throws {
        let names = (0..<500).map { "a/b/file\($0)" }
        for name in names { try folder.write("1", to: name, atomically: false) }
        age()
        let watch = try start(names.map { root + "/" + $0 })
        #expect(events.openPaths.allSatisfy { !$0.contains("file") } && events.openPaths.contains(root + "/a/b"))
        try AtomicFile.replace(root + "/a/b/file77", with: [50, 50])
        events.send(root + "/a/b")
        events.advance(milliseconds: 30)
        #expect(changes.value == 1)
        watch.cancel()
    }

    @Test(
        "A watch without descriptors isn't started; when they run out later, files are compared every second until there are some"
    )
    func descriptors() throws {
        events.state.withLock { $0.limit = 2 }
        let refused = VnodeWatch.start([file], events.calls) { _ in }
        #expect(refused == nil)
        #expect(events.openPaths.isEmpty)
        events.state.withLock { $0.limit = .max }
        let watch = try start()
        events.state.withLock { $0.limit = 0 }
        try AtomicFile.replace(file, with: [50, 50])
        events.send(root + "/a/b")
        events.advance(milliseconds: 30)
        #expect(changes.value == 1)
        // The new file has no source, so a write causes no event.
        try folder.write("4444", to: "a/b/f", atomically: false)
        events.advance(milliseconds: 1_010)
        #expect(changes.value == 2)
        events.state.withLock { $0.limit = .max }
        events.advance(milliseconds: 1_010)
        #expect(events.openPaths.contains(file) && events.state.withLock { $0.timers.isEmpty })
        watch.cancel()
    }
}
