import Synchronization

/// Mode `.everyLine`: a line is written when the call returns, and threads that log at once share a write.
///
/// A thread that finds the file free writes its line. One that finds it taken leaves the line in the queue; whoever
/// holds the file writes the whole queue with one write before letting go (group commit), and the waiting thread goes
/// on when its line is done.
final class AppendingStore: LineStore, @unchecked Sendable {  // each field names the lock it is used under
    private let writer = ForkSafeLock()
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
    private let synchronizesAt: LogLevel?

    init(file: SegmentedFile, synchronizesAt: LogLevel?) {
        (self.file, self.synchronizesAt) = (file, synchronizesAt)
    }

    deinit {
        batch.deallocate()
        queue.deallocate()
    }

    func append(_ line: UnsafeRawBufferPointer, level: LogLevel) {
        if writer.tryLock() {
            file.write(line)
            drain()
            writer.unlock()
        } else {
            appendQueued(line)
        }
        if let synchronizesAt, level <= synchronizesAt { _ = flush(sync: true) }
    }

    @inline(never)
    private func appendQueued(_ line: UnsafeRawBufferPointer) {
        queueLock.lock()
        queue.append(line.baseAddress!.assumingMemoryBound(to: UInt8.self), line.count)
        let ticket = queued.wrappingAdd(1, ordering: .releasing).newValue
        queueLock.unlock()
        // A write takes less time than going to sleep and being woken.
        var spins = 0
        while done.load(ordering: .acquiring) < ticket {
            spins += 1
            if spins < 200 {
                guard writer.tryLock() else { continue }
            } else {
                writer.lock()
            }
            drain()
            writer.unlock()
        }
    }

    /// Writes what other threads have queued.
    ///
    /// Under `writer`.
    @inline(__always)
    private func drain() {
        while done.load(ordering: .relaxed) != queued.load(ordering: .acquiring) { writeQueue() }
    }

    @inline(never)
    private func writeQueue() {
        queueLock.lock()
        swap(&queue, &batch)
        let last = queued.load(ordering: .relaxed)
        queueLock.unlock()
        if batch.count > 0 { file.write(batch.bytes) }
        batch.reset()
        batch.shrink()
        done.store(last, ordering: .releasing)
    }

    func flush(sync: Bool) -> Bool {
        writer.withLock {
            drain()
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
            drain()
            return file.contents(limit: limit)
        }
    }

    var forkLocks: [ForkSafeLock] { [writer, queueLock] }

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
