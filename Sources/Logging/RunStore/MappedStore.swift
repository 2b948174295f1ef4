internal import CAshlarLogging
import Synchronization

/// Mode `.mapped`: a line is in the page cache when its bytes are stored, without a system call.
///
/// The segment is the log file itself: blocks are reserved before the file is mapped, so a store cannot run out of
/// room, and the file is zero behind the last line. The first byte of a line is stored last, so the log ends at the
/// first zero byte, wherever the process is killed. The next segment is made ready by a thread of its own. When no
/// segment can be made, the store goes on as `.everyLine` does.
final class MappedStore: LineStore, @unchecked Sendable {  // all that changes is used under `lock`
    private struct Segment {
        let number: Int
        /// The file is closed as soon as it is mapped, and known again by this.
        let identity: SystemCalls.FileIdentity?
        let start: UnsafeMutableRawPointer
        let size: Int
    }

    private let lock = WaitingLock()
    private let run: RunIdentity
    private let rotation: LogRotation
    private let counters: Guarded<LogCounters>
    private let synchronizesAt: LogLevel?
    /// Makes the file that goes on in plain writes with the segment of this number.
    private let plainFile: @Sendable (_ number: Int) -> SegmentedFile

    private var segment: Segment
    private var segmentStart = SystemCalls.monotonicClock()
    private var used = 0
    private var prepared: Segment?
    private var isPreparing = false
    private var middle: [(number: Int, size: Int)] = []
    private var firstSize = 0
    private var plain: SegmentedFile?
    private var isClosed = false
    private var signalDescriptor: Int32 = -1
    private var signalIdentity: SystemCalls.FileIdentity?

    /// `nil` if the first segment cannot be mapped.
    init?(
        run: RunIdentity, rotation: LogRotation, counters: Guarded<LogCounters>, synchronizesAt: LogLevel?,
        plainFile: @escaping @Sendable (Int) -> SegmentedFile
    ) {
        guard ashlar_log_can_map_safely(run.folder) == 1,
            case .success(let first) = Self.makeSegment(0, run: run, rotation: rotation)
        else { return nil }
        (self.run, self.rotation, self.counters, self.plainFile) = (run, rotation, counters, plainFile)
        self.synchronizesAt = synchronizesAt
        segment = first
    }

    /// Opens a file for the lines of signal handlers, which cannot be appended to a segment that is full of zeros.
    func serveSignals() {
        signalDescriptor = SystemCalls.openForAppending(run.path(.child(Int(SystemCalls.processID))), exclusive: false)
        signalIdentity = SystemCalls.status(signalDescriptor)?.identity
        ashlar_log_set_signal_descriptor(signalDescriptor)
    }

    deinit {
        if signalDescriptor >= 0 {
            ashlar_log_set_signal_descriptor(-1)
            if SystemCalls.isSame(signalDescriptor, signalIdentity) { SystemCalls.close(signalDescriptor) }
        }
        if plain == nil { finishSegment() }
        discardPrepared()
    }

    private static func makeSegment(
        _ number: Int, run: RunIdentity, rotation: LogRotation
    ) -> Result<Segment, RunStoreError> {
        let page = 4096
        let wanted = number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes
        let size = (wanted + page - 1) / page * page
        let path = run.path(.segment(number))
        let descriptor = SystemCalls.createReserved(path, size: size)
        guard descriptor >= 0 else { return .failure(RunStoreError(error: -descriptor)) }
        defer { SystemCalls.close(descriptor) }
        guard let start = SystemCalls.map(descriptor, size: size) else {
            let error = SystemCalls.lastError
            _ = SystemCalls.remove(path)
            return .failure(RunStoreError(error: error))
        }
        // The first store into a page costs a fault: taken here, it is not taken by a line.
        for offset in stride(from: 0, to: size, by: page) {
            start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
        let identity = SystemCalls.status(descriptor)?.identity
        return .success(Segment(number: number, identity: identity, start: start, size: size))
    }

    func append(_ line: UnsafeRawBufferPointer, level: LogLevel) {
        lock.lock()
        if plain == nil, hasRoom(for: line.count) || rollOver(for: line.count) {
            store(line)
            if used > segment.size / 2, prepared == nil, !isPreparing { prepareNext() }
        } else {
            plain?.write(line)
        }
        lock.unlock()
        if let synchronizesAt, level <= synchronizesAt { _ = flush(sync: true) }
    }

    /// Stores a line, its first byte last.
    ///
    /// Under `lock`.
    @inline(__always)
    private func store(_ line: UnsafeRawBufferPointer) {
        let target = segment.start + used
        (target + 1).copyMemory(from: line.baseAddress! + 1, byteCount: line.count - 1)
        target.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.store(line[0], ordering: .releasing)
        used += line.count
    }

    @inline(__always)
    private func hasRoom(for count: Int) -> Bool {
        used + count <= segment.size && (used == 0 || !rotation.isDue(since: segmentStart))
    }

    /// Goes on in the next segment; `false` if there is none and the line has to be written plainly.
    ///
    /// Under `lock`.
    @inline(never)
    private func rollOver(for count: Int) -> Bool {
        // Rare: a segment was filled while the next one was still being made.
        while isPreparing { lock.wait() }
        // While this thread waited, another has perhaps gone on in the next segment, or ended the run.
        guard plain == nil else { return false }
        guard !hasRoom(for: count) else { return true }
        let next: Segment
        if let ready = prepared {
            next = ready
            prepared = nil
        } else if case .success(let made) = Self.makeSegment(segment.number + 1, run: run, rotation: rotation) {
            next = made
        } else {
            return goOnPlainly(at: segment.number + 1)
        }
        finishSegment()
        segment = next
        used = 0
        segmentStart = SystemCalls.monotonicClock()
        removeSurplus()
        return count <= next.size ? true : goOnPlainly(at: next.number + 1)
    }

    private func goOnPlainly(at number: Int) -> Bool {
        finishSegment()
        plain = plainFile(number)
        return false
    }

    /// Cuts the zeros off the segment and lets go of it.
    ///
    /// Under `lock`.
    private func finishSegment() {
        SystemCalls.unmap(segment.start, size: segment.size)
        let descriptor = SystemCalls.openForUpdating(run.path(.segment(segment.number)))
        if SystemCalls.isSame(descriptor, segment.identity) { _ = SystemCalls.truncate(descriptor, to: Int64(used)) }
        if descriptor >= 0 { SystemCalls.close(descriptor) }
        if segment.number == 0 { firstSize = used } else { middle.append((segment.number, used)) }
    }

    private func removeSurplus() {
        var total = firstSize + middle.reduce(0) { $0 + $1.size } + segment.size
        var removed = 0
        while total > rotation.runBytes, removed < middle.count {
            _ = SystemCalls.remove(run.path(.segment(middle[removed].number)))
            total -= middle[removed].size
            removed += 1
        }
        guard removed > 0 else { return }
        middle.removeFirst(removed)
        counters.withLock { $0.removedSegments += removed }
    }

    /// Has the next segment made on a thread of its own.
    ///
    /// Under `lock`.
    private func prepareNext() {
        isPreparing = true
        let (run, rotation, number) = (UncheckedRun(run), rotation, segment.number + 1)
        isPreparing = BackgroundThread.start { [self] in
            // A weak reference would make every later use of the store slower: the thread is done in a moment.
            let made = Self.makeSegment(number, run: run.value, rotation: rotation)
            self.lock.withLock {
                self.isPreparing = false
                self.lock.wakeAll()
                guard case .success(let next) = made else { return }
                if self.plain == nil, !self.isClosed, self.segment.number < number {
                    self.prepared = next
                } else {
                    Self.discard(next, run: run.value)
                }
            }
        }
    }

    /// Carries the run to the preparing thread, which reads only its folder and name, and those do not change.
    private struct UncheckedRun: @unchecked Sendable {
        let value: RunIdentity
        init(_ value: RunIdentity) { self.value = value }
    }

    private static func discard(_ segment: Segment, run: RunIdentity) {
        SystemCalls.unmap(segment.start, size: segment.size)
        _ = SystemCalls.remove(run.path(.segment(segment.number)))
    }

    private func discardPrepared() {
        if let prepared { Self.discard(prepared, run: run) }
        prepared = nil
    }

    func flush(sync: Bool) -> Bool {
        lock.withLock {
            if let plain {
                let written = plain.attemptRecovery(force: true)
                return sync ? plain.synchronize() && written : written
            }
            return sync ? SystemCalls.synchronize(segment.start, size: segment.size) : true
        }
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        _ = flush(sync: false)
        lock.withLock {
            isClosed = true
            // A segment that is being made would be left behind if the process ended meanwhile.
            while isPreparing { lock.wait() }
            discardPrepared()
            if plain == nil {
                // Lines that come late are appended to the same file.
                let number = segment.number
                finishSegment()
                plain = plainFile(number)
            }
            run.end(ending, lines: lines)
        }
    }

    func contents(limit: Int?) -> [UInt8] {
        lock.withLock {
            if let plain { return plain.contents(limit: limit) }
            let parts = RunFolder(path: run.folder).runs().first { $0.name == run.name }
            let all = RunReader.contents(of: parts?.paths ?? [], limit: limit)
            return limit.map { RunReader.wholeLines(all, limit: $0) } ?? all
        }
    }

    var forkLocks: [any ForkLock] { [lock] }

    func becomeForkedChild() {
        // The mapping and the segments are the parent's; the child writes a file of its own.
        prepared = nil
        isPreparing = false
        let file = plain ?? plainFile(segment.number)
        file.becomeForkedChild(ownFile: true)
        plain = file
    }
}
