import Testing

@testable import AshlarBase
@testable import AshlarCore

/// The decisions of a watch, with times in milliseconds and invented files.
@Suite struct PathWatchStateTests {
    private static let old = FileSignature.Time(seconds: 1_000, nanoseconds: 0)
    private static let now = FileSignature.Time(seconds: 2_000_000, nanoseconds: 5_000_000)

    /// The snapshot of one file with a version, or of none; a fresh file changed 5 ms ago.
    private func snapshot(_ version: UInt64?, isFresh: Bool = false) -> PathSnapshot {
        let stamp = isFresh ? FileSignature.Time(seconds: 2_000_000, nanoseconds: 1) : Self.old
        let signature = version.map {
            FileSignature(device: 1, inode: $0, size: 8, modified: stamp, changed: stamp)
        }
        return PathSnapshot([signature], at: Self.now)
    }

    /// A state that `#expect` may change.
    private final class Watched {
        private var state: PathWatchState

        init(_ snapshot: PathSnapshot, compared comparison: PathWatchState.Comparison = .never) {
            state = PathWatchState(snapshot, at: 0, compared: comparison)
        }

        var deadline: Int64 { state.deadline }
        func noteChange(at now: Int64) { state.noteChange(at: now) }
        func noteWrite(at now: Int64) { state.noteWrite(at: now) }
        func compare(
            _ snapshot: PathSnapshot, at now: Int64, compared comparison: PathWatchState.Comparison = .never
        ) -> Bool { state.compare(snapshot, at: now, compared: comparison) }
    }

    private func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }

    @Test("Files in a network's file system are compared every five seconds without events, local ones never")
    func safetyNet() {
        let state = Watched(snapshot(1), compared: .regularly)
        #expect(state.deadline == milliseconds(5_000))
        #expect(!state.compare(snapshot(1), at: state.deadline, compared: .regularly))
        #expect(state.deadline == milliseconds(10_000))
        #expect(state.compare(snapshot(2), at: state.deadline))
        #expect(state.deadline == .max && Watched(snapshot(1)).deadline == .max)
    }

    @Test(
        "File systems that other machines change are known by their type",
        arguments: [
            (0xEF53, true), (0x9123_683E, true), (0x5846_5342, true), (0x0102_1994, true), (0x794C_7630, true),
            (0x6969, false), (0xFF53_4D42, false), (0xFE53_4D42, false), (0x6573_5546, false), (0x0102_1997, false),
        ])
    func fileSystems(type: UInt32, isLocal: Bool) {
        #expect(FileSystemKind.isLocal(type: type) == isLocal)
        #expect(FileSystemKind.isLocal("/") && FileSystemKind.isLocal("/absent"))
    }

    @Test("Events are gathered for 20 ms after the first")
    func debounce() {
        let state = Watched(snapshot(1))
        state.noteChange(at: milliseconds(100))
        state.noteChange(at: milliseconds(110))
        #expect(state.deadline == milliseconds(120))
        #expect(state.compare(snapshot(2), at: milliseconds(120)))
        #expect(!state.compare(snapshot(2), at: milliseconds(130)))
    }

    @Test("An open writer is waited for until it pauses, but not longer than a second")
    func openWriter() {
        let state = Watched(snapshot(1))
        state.noteWrite(at: milliseconds(100))
        #expect(state.deadline == milliseconds(200))
        state.noteWrite(at: milliseconds(150))
        #expect(state.deadline == milliseconds(250))
        for time in stride(from: Int64(200), through: 1_050, by: 50) { state.noteWrite(at: milliseconds(time)) }
        #expect(state.deadline == milliseconds(1_100))
        #expect(state.compare(snapshot(2), at: milliseconds(1_100)))
        state.noteWrite(at: milliseconds(1_200))
        #expect(state.deadline == milliseconds(1_300))
    }

    @Test("A writer that closes its file is not waited for, and a later write does not delay the comparison")
    func closedWriter() {
        let state = Watched(snapshot(1))
        state.noteWrite(at: milliseconds(100))
        state.noteChange(at: milliseconds(110))
        state.noteWrite(at: milliseconds(125))
        #expect(state.deadline == milliseconds(130))
    }

    @Test("A file that vanished has 200 ms to come back")
    func grace() {
        let state = Watched(snapshot(1))
        state.noteChange(at: milliseconds(100))
        #expect(!state.compare(snapshot(nil), at: milliseconds(120)))
        #expect(state.deadline == milliseconds(320))
        state.noteChange(at: milliseconds(150))
        #expect(state.deadline == milliseconds(170))
        #expect(!state.compare(snapshot(nil), at: milliseconds(170)))
        #expect(state.deadline == milliseconds(320))
        #expect(state.compare(snapshot(nil), at: milliseconds(320)))
        #expect(!state.compare(snapshot(nil), at: milliseconds(400)), "reported once")
    }

    @Test("A file that comes back unchanged within the grace period is no change")
    func graceWithoutChange() {
        let state = Watched(snapshot(1))
        state.noteChange(at: 0)
        #expect(!state.compare(snapshot(nil), at: milliseconds(20)))
        #expect(!state.compare(snapshot(1), at: milliseconds(60)))
        #expect(state.deadline == .max)
        #expect(!state.compare(snapshot(nil), at: milliseconds(6_000)), "the grace period starts again")
        #expect(state.compare(snapshot(nil), at: milliseconds(6_200)))
    }

    @Test("An event after a fresh signature is a change, although the signature is the same")
    func twoWritesWithinATick() {
        let state = Watched(snapshot(1, isFresh: true))
        #expect(!state.compare(snapshot(1, isFresh: true), at: milliseconds(10)), "nothing happened")
        state.noteWrite(at: milliseconds(11))
        #expect(state.compare(snapshot(1), at: milliseconds(111)))
        state.noteWrite(at: milliseconds(200))
        #expect(!state.compare(snapshot(1), at: milliseconds(300)), "the last signature was not fresh")
    }

    @Test("While the system refuses to watch a directory, the files are compared every second")
    func refused() {
        let state = Watched(snapshot(1))
        #expect(!state.compare(snapshot(1), at: 0, compared: .often))
        #expect(state.deadline == milliseconds(1_000))
    }
}
