import AshlarCore
import AshlarTestSupport
import CAshlarLogging
import Foundation
import Testing

@testable import AshlarLogging

/// Behavior of systems other than the one that runs the tests, through the seams around their calls.
@Suite struct PlatformTests {
    @Test("A boot is identified by its UUID, regardless of the boot time")
    func bootSession() {
        let boot = BootIdentity(session: "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0\n", time: 1)
        #expect(boot.bytes == [15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210, 225, 240])
        #expect(boot.matches(BootIdentity(session: "0f1e2d3c4b5a69788796a5b4c3d2e1f0", time: 9_000_000_000).bytes))
        #expect(!boot.matches(BootIdentity(session: "1f1e2d3c4b5a69788796a5b4c3d2e1f0", time: 1).bytes))
    }

    @Test(
        "A boot without a UUID is identified by its time, also after the clock was corrected",
        arguments: [
            (0, true), (59_999_999, true), (-60_000_000, true), (60_000_001, false), (-86_400_000_000, false),
            (Int64.max, false),
        ])
    func bootTime(correction: Int64, matches: Bool) {
        let time: Int64 = 1_795_180_952_000_000
        let boot = BootIdentity(session: nil, time: time)
        #expect(boot.matches(BootIdentity(session: nil, time: time &+ correction).bytes) == matches)
    }

    @Test("Boots without an identity, with a UUID and with a time are different")
    func bootWithoutIdentity() {
        let nothing = BootIdentity(session: nil, time: nil)
        let time = BootIdentity(session: "short", time: 0)
        let session = BootIdentity(session: "0f1e2d3c4b5a69788796a5b4c3d2e1f0", time: 0)
        #expect(nothing.bytes == [UInt8](repeating: 0, count: 16))
        #expect(!nothing.matches(time.bytes) && !time.matches(session.bytes) && !session.matches(nothing.bytes))
        #expect(!time.matches([]))
    }

    @Test("Each thread has numbers of its own, which no other thread sees")
    func threadNumbers() throws {
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<3 {
            let isStarted = HelperThread.start {
                let numbers: UnsafeMutablePointer<ashlar_log_thread> = ashlar_log_current_thread()
                #expect(
                    numbers.pointee.calls == 0 && numbers.pointee.sinks == 0 && numbers.pointee.indent == 0)
                #expect(numbers.pointee.identity != 0)
                numbers.pointee.indent = 3
                done.signal()
            }
            #expect(isStarted && done.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test(
        "Without a state file, a process that started before the run may be its writer",
        arguments: [
            (nil, false), (0, true), (1_795_180_952_000_000, true), (1_795_180_953_000_000, true),
            (1_795_180_953_000_001, false),
        ] as [(UInt64?, Bool)])
    func writerByName(start: UInt64?, mayOwn: Bool) {
        let name = RunName(startedAt: 1_795_180_952_000_000_000, processID: 7, tag: 0)
        #expect(ProcessIdentity.mayOwn(name, start: start) == mayOwn)
    }

    @Test("Empty input is read, written and stored without a trap")
    func emptyBuffers() throws {
        var queue = BoundedQueue<[UInt8]>(capacity: 0)
        #expect(queue.appendNewest([10]) == 1)
        #expect(queue.contents.isEmpty && queue.popFirst() == nil)
        let folder = TemporaryFolder()
        try folder.make()
        let descriptor = SystemCalls.openForAppending(folder.path + "/empty", exclusive: true)
        defer { SystemCalls.close(descriptor) }
        #expect(SystemCalls.read(descriptor, offset: 0, limit: 0).isEmpty)
        SystemCalls.overwrite(descriptor, [], offset: 0)
        #expect(RunReader.contents(of: [folder.path + "/empty"], limit: 10).isEmpty)
        RunReader.removeUnusedEnds(of: [folder.path + "/empty"])
        try folder.makeRun(startedAt: 5, pid: 1, ending: .clean, log: "")
        let retention = Retention(
            folder: RunFolder(path: folder.path), policy: LogRetention(runs: 1, bytes: 0, age: .zero),
            application: "test",
            own: RunName(startedAt: RunName.latestStart, processID: 1, tag: 0))
        retention.apply(to: RunFolder(path: folder.path).runs())
        #expect(folder.names == ["empty"])
    }

    @Test("Reading ends at the end of a file, also after a call that a signal has interrupted", .timeLimit(.minutes(5)))
    func endOfFile() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let descriptor = SystemCalls.openForAppending(folder.path + "/file", exclusive: true)
        defer { SystemCalls.close(descriptor) }
        #expect(SystemCalls.write(descriptor, [1, 2, 3]) == 3)
        let bytes = Mutex<[UInt8]>([])
        let done = DispatchSemaphore(value: 0)
        // On its own thread, because a call that misses the end never returns.
        Thread.detachNewThread {
            errno = EINTR
            let read = SystemCalls.read(descriptor, offset: 1, limit: 10)
            bytes.withLock { $0 = read }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(bytes.withLock { $0 } == [2, 3])
    }

    @Test(
        "A queue behaves like an array with a limit, in any order of calls", arguments: 1...10 as ClosedRange<UInt64>)
    func queueModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = BoundedQueue<Int>(capacity: 50)
        var model: [(element: Int, size: Int)] = []
        for element in 0..<3000 {
            let size = Int.random(in: 0...60, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                #expect(queue.popFirst() == model.first?.element, "seed \(seed)")
                if !model.isEmpty { model.removeFirst() }
            case 1 where element % 50 == 0:
                #expect(queue.takeAll() == model.map(\.element))
                model = []
            case 2 where queue.hasRoom(for: size):
                queue.append(element, size: size)
                model.append((element, size))
            default:
                var lost = size > 50 ? 1 : 0
                if lost == 0 {
                    while model.reduce(size, { $0 + $1.size }) > 50 {
                        model.removeFirst()
                        lost += 1
                    }
                    model.append((element, size))
                }
                #expect(queue.appendNewest(element, size: size) == lost)
            }
            #expect(queue.all == model.map(\.element) && queue.count == model.count, "seed \(seed)")
            #expect(
                queue.bytes == model.reduce(0) { $0 + $1.size } && queue.first == model.first?.element)
        }
    }
}
