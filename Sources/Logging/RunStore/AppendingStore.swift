internal import CAshlarLogging
import Synchronization

/// Mode `.everyLine`: a line is written when the call returns, and threads that log at once share a write.
///
/// A thread that finds the file free writes its line. One that finds it taken leaves the line in the queue; whoever of
/// those that wait gets the file next writes the whole queue with one write (group commit), and each goes on when its
/// line is done. As long as threads meet, the one that writes first waits a moment for the lines of as many as met the
/// last time, because a write takes much longer than another thread needs to make its next line.
final class AppendingStore: LineStore, @unchecked Sendable {  // each field names the lock it is used under
    private let writer = BriefLock()
    private let queueLock = ForkSafeLock()
    /// Under `writer`.
    let file: SegmentedFile
    /// Under `writer`.
    private var batch = ByteBuffer(capacity: 1024)
    /// Under `queueLock`.
    private var queue = ByteBuffer(capacity: 1024)
    /// How many lines were ever queued; changed under `queueLock`.
    private let queued = Atomic<UInt64>(0)
    /// How many of them are written; changed under `writer`.
    private let done = Atomic<UInt64>(0)
    /// How many threads met the last time; changed under `writer`.
    private let meeting = Atomic<Int>(1)
    let synchronizesAt: LogLevel?

    /// How often a thread looks whether others come before it writes.
    private static let looksForOthers = 20

    init(file: SegmentedFile, synchronizesAt: LogLevel?) {
        (self.file, self.synchronizesAt) = (file, synchronizesAt)
    }

    deinit {
        batch.deallocate()
        queue.deallocate()
    }

    /// Takes one line whatever its level is: without a look whether it asks for the disk.
    @inline(__always)
    func append(_ line: UnsafeRawBufferPointer) {
        if meeting.load(ordering: .relaxed) == 1, writer.tryLock() {
            file.write(line)
            writer.unlock()
        } else {
            appendQueued(line)
        }
    }

    func append(_ line: UnsafeRawBufferPointer, level: LogLevel) {
        append(line)
        if let synchronizesAt, level <= synchronizesAt { _ = flush(sync: true) }
    }

    @inline(never)
    private func appendQueued(_ line: UnsafeRawBufferPointer) {
        queueLock.lock()
        queue.append(line.baseAddress!.assumingMemoryBound(to: UInt8.self), line.count)
        let ticket = queued.wrappingAdd(1, ordering: .releasing).newValue
        queueLock.unlock()
        whenQueued?()
        var looks = 0
        while done.load(ordering: .acquiring) < ticket {
            guard writer.tryLock() else {
                BriefLock.wait(&looks)
                continue
            }
            // Whoever had the file before may have written the line.
            if done.load(ordering: .relaxed) < ticket { writeTogether() }
            writer.unlock()
        }
    }

    /// Writes the queue, with the lines of those that are expected to come in a moment.
    ///
    /// Under `writer`.
    private func writeTogether() {
        let before = done.load(ordering: .relaxed)
        // Who had the file before is likely to come again in a moment.
        let expected = UInt64(max(2, meeting.load(ordering: .relaxed)))
        var looks = 0
        while queued.load(ordering: .relaxed) &- before < expected, looks < Self.looksForOthers {
            looks += 1
            ashlar_log_pause()
        }
        writeQueue()
        meeting.store(Int(done.load(ordering: .relaxed) &- before), ordering: .relaxed)
    }

    /// Writes what is queued.
    ///
    /// Under `writer`.
    private func writeQueue() {
        guard done.load(ordering: .relaxed) != queued.load(ordering: .acquiring) else { return }
        queueLock.lock()
        swap(&queue, &batch)
        let last = queued.load(ordering: .relaxed)
        queueLock.unlock()
        if batch.count > 0 { file.write(batch.bytes) }
        batch.reset()
        batch.shrink()
        done.store(last, ordering: .releasing)
    }

    /// Called when a line has been queued, without a lock; set while no thread logs.
    var whenQueued: (@Sendable () -> Void)?

    /// How many lines are queued and not written.
    var waitingLines: Int { Int(queued.load(ordering: .acquiring) &- done.load(ordering: .acquiring)) }

    func flush(sync: Bool) -> Bool {
        writer.withLock {
            writeQueue()
            let written = file.attemptRecovery(force: true)
            return sync ? file.synchronize() && written : written
        }
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        _ = flush(sync: false)
        writer.withLock { file.run.end(ending, lines: lines) }
    }

    func contents(limit: Int?) -> [UInt8] {
        writer.withLock {
            writeQueue()
            return file.contents(limit: limit)
        }
    }

    var forkLocks: [any ForkLock] { [writer, queueLock] }

    func becomeForkedChild() {
        // What other threads had queued is theirs, and they are not here.
        queue.reset()
        done.store(queued.load(ordering: .relaxed), ordering: .relaxed)
        file.becomeForkedChild(ownFile: false)
    }
}

extension SegmentedFile {
    /// The log so far: the segments and what waits in memory for the disk.
    func contents(limit: Int?) -> [UInt8] {
        let parts = RunFolder(path: run.folder).runs().first { $0.name == run.name }
        let all = RunReader.contents(of: parts?.paths ?? [], limit: limit) + backlog
        return limit.map { RunReader.wholeLines(all, limit: $0) } ?? all
    }
}
