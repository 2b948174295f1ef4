import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarBase
@testable import AshlarCore

/// The decisions of a watch, with invented files.
@Suite struct PathWatchStateTests {
    private static let changed = FileSignature.Time(seconds: 1_000, nanoseconds: 1)
    private static let soon = FileSignature.Time(seconds: 1_000, nanoseconds: 5_000_000)
    private static let later = FileSignature.Time(seconds: 2_000_000, nanoseconds: 0)

    /// The snapshot of one file with a version, or of none; a fresh file changed 5 ms ago.
    private func snapshot(_ version: UInt64?, isFresh: Bool = false) -> PathSnapshot {
        let signature = version.map {
            FileSignature(device: 1, inode: $0, size: 8, modified: Self.changed, changed: Self.changed)
        }
        return PathSnapshot([signature], at: isFresh ? Self.soon : Self.later)
    }

    /// The results of comparisons with files of some versions, after version 1.
    private func results(_ versions: [UInt64?], from first: PathSnapshot? = nil) -> [Bool] {
        var state = PathWatchState(first ?? snapshot(1))
        return versions.map { state.compare(snapshot($0)) }
    }

    @Test("A change is reported when the next comparison finds the same files")
    func settled() {
        #expect(results([1, 1]) == [false, false])
        #expect(results([2, 2, 2, 3, 3]) == [false, true, false, false, true])
        var state = PathWatchState(snapshot(1))
        #expect(!state.isSettling)
        _ = state.compare(snapshot(2))
        #expect(state.isSettling)
        _ = state.compare(snapshot(2))
        #expect(!state.isSettling)
    }

    @Test("Files that still change are reported after five pauses, and again when they are the same")
    func restless() {
        #expect(results([2, 3, 4, 5, 6, 7, 8, 8]) == [false, false, false, false, false, true, false, true])
    }

    @Test("A file that is missing in one comparison only isn't reported as missing, one that stays away is")
    func missing() {
        #expect(results([nil, 2, 2]) == [false, false, true])
        #expect(results([nil, 1, 1, 1]) == [false, false, false, false], "it came back unchanged")
        #expect(results([nil, nil, nil]) == [false, true, false])
        #expect(results([1, 1], from: PathSnapshot([nil], at: Self.later)) == [false, true], "it appeared")
    }

    @Test("Files with a fresh signature are compared until it isn't fresh")
    func fresh() {
        var state = PathWatchState(snapshot(1, isFresh: true))
        let results = [true, true, false, false].map { state.compare(snapshot(1, isFresh: $0)) }
        #expect(results == [false, false, true, false], "another write can have the same signature")
        #expect(!state.isSettling)
    }
}

/// Watching of files, whose pauses end when the test says so.
@Suite(.timeLimit(.minutes(2))) struct PathWatchTests {
    /// The pauses of one watch.
    private final class Pauses: Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)
        private let durations = Mutex<[Duration]>([])

        /// Called by the thread of the watch.
        func sleep(_ duration: Duration) {
            durations.withLock { $0.append(duration) }
            begun.signal()
            ended.wait()
        }

        /// Waits until the watch sleeps.
        func untilNext() { begun.wait() }

        /// Ends the current pause.
        func end() { ended.signal() }

        var last: Duration? { durations.withLock { $0.last } }
    }

    /// A watch of one path, and the number of changes that it has reported.
    private final class Watched {
        let pauses: Pauses
        private let changes: Counter
        private let watch: PathWatch

        init(_ path: String) {
            let (pauses, changes) = (Pauses(), Counter())
            watch = PathWatch.start(
                [path], every: .seconds(1), sleep: { pauses.sleep($0) }, onChange: { _ in changes.next() })
            self.pauses = pauses
            self.changes = changes
            pauses.untilNext()
        }

        deinit {
            watch.cancel()
            pauses.end()
        }

        /// Lets the watch make a comparison; returns whether it reported a change.
        func compares() -> Bool {
            let before = changes.value
            pauses.end()
            pauses.untilNext()
            return changes.value > before
        }

        /// Whether a change is reported by the next comparison and those that follow it soon.
        func reports() -> Bool {
            for _ in 0...PathWatchState.mostPauses where compares() { return true }
            return false
        }
    }

    enum Move: String, CaseIterable, CustomTestStringConvertible {
        case inPlace, sameSizeAndTime, otherFileOfSameSizeAndTime, atomicRename, deletion, deletionAndCreation
        case linkSwap, linkedFolderSwap, folderSwap, outerFolderSwap, folderRemoval
        var testDescription: String { rawValue }

        func make(_ root: String) throws {
            let files = FileManager.default
            let file = root + "/outer/inner/f"
            let stamp = try files.attributesOfItem(atPath: file)[.modificationDate] as Any
            func write(_ text: String, to path: String) throws {
                try files.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            }
            switch self {
            case .inPlace: try write("longer", to: file)
            case .sameSizeAndTime:
                try write("2", to: file)
                try files.setAttributes([.modificationDate: stamp], ofItemAtPath: file)
            case .otherFileOfSameSizeAndTime:
                try write("2", to: root + "/new")
                try files.setAttributes([.modificationDate: stamp], ofItemAtPath: root + "/new")
                #expect(rename(root + "/new", file) == 0)
            case .atomicRename: try Data("longer".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            case .deletion: try files.removeItem(atPath: file)
            case .deletionAndCreation:
                try files.removeItem(atPath: file)
                try write("longer", to: file)
            case .linkSwap:
                try write("longer", to: root + "/target")
                try files.createSymbolicLink(atPath: root + "/link", withDestinationPath: "../../target")
                #expect(rename(root + "/link", file) == 0)
            case .linkedFolderSwap:
                try write("longer", to: root + "/v2/f")
                #expect(rename(root + "/outer/inner", root + "/v1") == 0)
                try files.createSymbolicLink(atPath: root + "/outer/inner", withDestinationPath: root + "/v2")
            case .folderSwap, .outerFolderSwap:
                try write("2", to: root + "/new/inner/f")
                let (from, to) = self == .folderSwap ? ("/new/inner", "/outer/inner") : ("/new", "/outer")
                #expect(rename(root + to, root + "/old") == 0)
                #expect(rename(root + from, root + to) == 0)
            case .folderRemoval: try files.removeItem(atPath: root + "/outer")
            }
        }
    }

    @Test("Every way to change a file is detected by the next comparison", arguments: Move.allCases)
    func moves(move: Move) throws {
        let folder = try TemporaryFolder(["outer/inner/f": "1"])
        let watched = Watched(folder.path + "/outer/inner/f")
        #expect(watched.pauses.last == .seconds(1))
        try move.make(folder.path)
        #expect(watched.reports())
    }

    @Test("A file, a folder and a link's target that appear later are detected")
    func appears() throws {
        let folder = try TemporaryFolder([:])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: "a/b")
        for path in ["a/b/f", "link/f"] {
            let watched = Watched(folder.path + "/" + path)
            #expect(!watched.compares() && watched.pauses.last == .seconds(1))
            try folder.write("1", to: "a/b/f")
            #expect(watched.reports())
            try FileManager.default.removeItem(atPath: folder.path + "/a")
        }
    }

    @Test("A path that ends with a slash is a folder whose entries are detected")
    func entries() throws {
        let folder = try TemporaryFolder(["d/a": "1"])
        let watched = Watched(folder.path + "/d/")
        for move in ["create", "rename", "remove"] {
            switch move {
            case "create": try folder.write("1", to: "d/b")
            case "rename": #expect(rename(folder.path + "/d/b", folder.path + "/d/c") == 0)
            default: try folder.remove("d/c")
            }
            #expect(watched.reports(), "\(move)")
        }
    }

    @Test("After a change, the next comparison is soon")
    func settling() throws {
        let folder = try TemporaryFolder([:])
        let watched = Watched(folder.path + "/f")
        try folder.write("1", to: "f")
        #expect(!watched.compares() && watched.pauses.last == .milliseconds(200))
    }

    @Test("A watch that is cancelled or released reports nothing more, and its thread ends", arguments: [true, false])
    func ends(isCancelled: Bool) async throws {
        final class Token: Sendable {}
        let folder = try TemporaryFolder([:])
        let pauses = Pauses()
        let changes = Counter()
        weak var released: Token?
        var watch: PathWatch?
        do {
            let token = Token()
            released = token
            watch = .start(
                [folder.path + "/f"], every: .seconds(60), sleep: { pauses.sleep($0) },
                onChange: { _ in withExtendedLifetime(token) { _ = changes.next() } })
        }
        pauses.untilNext()
        #expect(pauses.last == .seconds(1), "a cancelled watch doesn't sleep for the whole minute")
        try folder.write("1", to: "f")
        if isCancelled { watch?.cancel() } else { watch = nil }
        pauses.end()
        try await until("the thread has ended") { released == nil }
        #expect(changes.value == 0)
        withExtendedLifetime(watch) {}
    }

    @Test("Without a clock of the test's own, the pauses are real")
    func realPauses() async throws {
        let folder = try TemporaryFolder(["f": "1"])
        let changes = Counter()
        let watch = PathWatch.start([folder.path + "/f"], every: .milliseconds(1)) { _ in changes.next() }
        try folder.write("longer", to: "f")
        try await until("the change is reported") { changes.value > 0 }
        watch.cancel()
    }
}
