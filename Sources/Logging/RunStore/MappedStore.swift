internal import AshlarCore
internal import CAshlarLogging

/// The mode `.mapped`: a line is in the page cache when its bytes are stored, without a system call.
///
/// The lines are stored into the mapped log file itself. Its blocks are allocated before it is mapped, so a store can't
/// run out of disk space, and the file contains zeros after the last line. A helper thread prepares the next segment.
/// If a segment can't be created, the store continues like `.writeThrough`.
final class MappedStore: LineStore {
    private struct Segment {
        let number: Int
        let identity: SystemCalls.FileIdentity?
        /// The descriptor, which remains open because it marks the segment as in use.
        let descriptor: Int32
        let memory: MappedMemory
    }

    private struct State {
        let run: RunIdentity
        var segment: Segment
        var segmentStart = SystemCalls.monotonicClock()
        var used = 0
        var prepared: Segment?
        var isPreparing = false
        var ledger = SegmentLedger()
        /// The file of lines that can't be mapped.
        var plain: SegmentedFile?
        var isClosed = false
    }

    private let monitor: Monitor<State>
    private let settings: StoreSettings

    /// Creates the first segment; returns nil if it can't be mapped.
    init?(run: RunIdentity, settings: StoreSettings) {
        guard ashlar_log_can_map_safely(run.folder) == 1,
            let first = Self.makeSegment(0, at: run.path(.segment(0)), settings.rotation)
        else { return nil }
        self.settings = settings
        run.retain(firstSegment: first.descriptor)
        monitor = Monitor(State(run: run, segment: first))
        // A line that is appended to a segment would follow its zeros, so signal handlers create their own file.
        if settings.servesSignals {
            ashlar_log_set_signal_file(-1, run.path(.child(Int(SystemCalls.processID))))
        }
    }

    deinit {
        if settings.servesSignals { ashlar_log_set_signal_file(-1, nil) }
        monitor.withLock {
            if $0.plain == nil { finishSegment(&$0) }
            discardPrepared(&$0)
        }
    }

    private static func makeSegment(_ number: Int, at path: String, _ rotation: LogRotation) -> Segment? {
        let size = number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes
        guard case .success(let (memory, descriptor)) = MappedMemory.create(path, size: size) else { return nil }
        return Segment(
            number: number, identity: SystemCalls.status(descriptor)?.identity, descriptor: descriptor, memory: memory)
    }

    func append(_ line: LogText, level: LogLevel) {
        monitor.lock.lock()
        if monitor.held.plain == nil, hasRoom(monitor.held, line.count) || rollOver(for: line.count) {
            monitor.held.segment.memory.store(line, at: monitor.held.used)
            monitor.held.used += line.count
            if monitor.held.used > monitor.held.segment.memory.size / 2, monitor.held.prepared == nil,
                !monitor.held.isPreparing
            {
                prepareNext(&monitor.held)
            }
        } else {
            monitor.held.plain?.write(line)
        }
        monitor.lock.unlock()
        if let least = settings.synchronizesAt, level <= least { _ = flush(sync: true) }
    }

    @inline(__always)
    private func hasRoom(_ state: State, _ count: Int) -> Bool {
        state.used + count <= state.segment.memory.size
            && (state.used == 0 || !settings.rotation.isDue(since: state.segmentStart))
    }

    /// Continues in the next segment; returns `false` if there is none and the line must be written without mapping.
    ///
    /// The caller holds the lock.
    @inline(never)
    private func rollOver(for count: Int) -> Bool {
        // Rare: a segment is full before the next one is ready.
        while monitor.held.isPreparing { monitor.lock.wait() }
        // Another thread may have continued in the next segment or ended the run in the meantime.
        guard monitor.held.plain == nil else { return false }
        guard !hasRoom(monitor.held, count) else { return true }
        let number = monitor.held.segment.number + 1
        guard
            let next = monitor.held.prepared
                ?? Self.makeSegment(number, at: monitor.held.run.path(.segment(number)), settings.rotation)
        else { return continuePlainly(at: number) }
        finishSegment(&monitor.held)
        monitor.held.prepared = nil
        (monitor.held.segment, monitor.held.used) = (next, 0)
        monitor.held.segmentStart = SystemCalls.monotonicClock()
        let removed = monitor.held.ledger.removeSurplus(of: monitor.held.run, settings.rotation)
        if removed > 0 { settings.counters.withLock { $0.removedSegments += removed } }
        return count <= next.memory.size ? true : continuePlainly(at: number + 1)
    }

    private func continuePlainly(at number: Int) -> Bool {
        finishSegment(&monitor.held)
        monitor.held.plain = SegmentedFile(
            continuing: monitor.held.run, at: number, after: monitor.held.ledger, settings)
        return false
    }

    /// Truncates the zeros at the end of the segment and unmaps it.
    private func finishSegment(_ state: inout State) {
        state.segment.memory.unmap()
        let path = state.run.path(.segment(state.segment.number))
        let descriptor = SystemCalls.openForUpdating(path)
        if SystemCalls.isSame(descriptor, state.segment.identity) {
            _ = SystemCalls.truncate(descriptor, to: Int64(state.used))
        }
        if descriptor >= 0 { SystemCalls.close(descriptor) }
        closeDescriptor(of: state.segment)
        state.ledger.finish(state.segment.number, size: Int64(state.used))
    }

    private func closeDescriptor(of segment: Segment) {
        if SystemCalls.isSame(segment.descriptor, segment.identity) { SystemCalls.close(segment.descriptor) }
    }

    /// Prepares the next segment on a helper thread.
    private func prepareNext(_ state: inout State) {
        let number = state.segment.number + 1
        let path = state.run.path(.segment(number))
        // The thread retains the store only briefly; a weak reference would slow down every use of it.
        state.isPreparing = HelperThread.start { [self] in
            let made = Self.makeSegment(number, at: path, settings.rotation)
            monitor.withLock {
                $0.isPreparing = false
                monitor.lock.wakeAll()
                $0.prepared = made
                if $0.plain != nil || $0.isClosed || $0.segment.number >= number { discardPrepared(&$0) }
            }
        }
    }

    private func discardPrepared(_ state: inout State) {
        guard let prepared = state.prepared else { return }
        state.prepared = nil
        prepared.memory.unmap()
        closeDescriptor(of: prepared)
        SystemCalls.remove(state.run.path(.segment(prepared.number)))
    }

    func flush(sync: Bool) -> Bool {
        monitor.withLock {
            if let plain = $0.plain { return plain.flush(sync: sync) }
            return sync ? $0.segment.memory.synchronize() : true
        }
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        _ = flush(sync: false)
        monitor.lock.lock()
        defer { monitor.lock.unlock() }
        monitor.held.isClosed = true
        // A segment in preparation would remain if the process ended now.
        while monitor.held.isPreparing { monitor.lock.wait() }
        discardPrepared(&monitor.held)
        // Later lines are appended to the same file.
        if monitor.held.plain == nil { _ = continuePlainly(at: monitor.held.segment.number) }
        monitor.held.run.end(ending, lines: lines)
    }

    func contents(limit: Int?) -> [UInt8] {
        monitor.withLock {
            if let plain = $0.plain { return plain.contents(limit: limit) }
            return $0.run.contents(segments: $0.ledger.numbers + [$0.segment.number], limit: limit)
        }
    }

    func noteSignals() -> Bool {
        monitor.withLock { $0.run.noteSignals() }
        return true
    }

    var forkLocks: [any ForkLock] { [monitor.lock] }

    func becomeForkedChild() {
        // The mapping belongs to the parent; the child writes its own file.
        monitor.held.prepared = nil
        monitor.held.isPreparing = false
        closeDescriptor(of: monitor.held.segment)
        let file =
            monitor.held.plain ?? SegmentedFile(continuing: monitor.held.run, at: nil, after: SegmentLedger(), settings)
        file.becomeForkedChild(ownFile: true)
        monitor.held.plain = file
    }
}
