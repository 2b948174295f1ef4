internal import AshlarBase
internal import CAshlarLogging

/// The mode `.mapped`: a line is in the page cache when its bytes are stored, without a system call.
///
/// The lines are stored into the mapped log file itself. Its blocks are allocated before it is mapped, so a store can't
/// run out of disk space, and the file contains zeros after the last line. If a segment can't be created, the store
/// continues like `.writeThrough`.
final class MappedStore: LineStore {
    private struct Segment {
        let number: Int
        let identity: FileIdentity?
        /// The descriptor, which remains open because it marks the segment as in use.
        let descriptor: Int32
        let memory: MappedMemory
        let start = SystemCalls.monotonicClock()
        var used = 0
    }

    private struct State {
        let run: RunIdentity
        var segment: Segment
        var ledger = SegmentLedger()
        /// The file of lines that can't be mapped.
        var plain: SegmentedFile?
    }

    private let state: Guarded<State>
    private let settings: StoreSettings

    /// Creates the first segment; returns nil if it can't be mapped.
    init?(run: RunIdentity, settings: StoreSettings) {
        guard ashlar_log_can_map_safely(run.folder) == 1,
            let first = Self.makeSegment(0, of: run, settings.rotation)
        else { return nil }
        self.settings = settings
        run.retain(firstSegment: first.descriptor)
        state = Guarded(State(run: run, segment: first))
        // A line that is appended to a segment would follow its zeros, so signal handlers create their own file.
        if settings.servesSignals {
            ashlar_log_set_signal_file(owner, -1, run.path(.child(Int(ProcessIdentity.current))))
        }
    }

    /// Identifies the store for signal handlers.
    private var owner: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    deinit {
        ashlar_log_release_signal_file(owner)
        state.withLock { if $0.plain == nil { finishSegment(&$0) } }
    }

    private static func makeSegment(_ number: Int, of run: RunIdentity, _ rotation: LogRotation) -> Segment? {
        let size = number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes
        return MappedMemory.create(run.path(.segment(number)), size: size).map { memory, descriptor in
            Segment(
                number: number, identity: FileIdentity(descriptor: descriptor), descriptor: descriptor, memory: memory)
        }
    }

    func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        state.withLock {
            if $0.plain == nil, !hasRoom($0.segment, line.count) { rollOver(&$0, for: line.count) }
            if let plain = $0.plain {
                plain.write(line[...])
            } else {
                $0.segment.memory.store(line, at: $0.segment.used)
                $0.segment.used += line.count
            }
            if settings.synchronizes(record.level) { _ = flush($0, sync: true) }
        }
        return true
    }

    private func hasRoom(_ segment: Segment, _ count: Int) -> Bool {
        segment.used + count <= segment.memory.size
            && (segment.used == 0 || !settings.rotation.isDue(since: segment.start))
    }

    /// Continues in the next segment, or without mapping if there is none or the line is longer.
    private func rollOver(_ state: inout State, for count: Int) {
        let number = state.segment.number + 1
        finishSegment(&state)
        guard let next = Self.makeSegment(number, of: state.run, settings.rotation) else {
            return continuePlainly(&state, at: number)
        }
        state.segment = next
        let removed = state.ledger.removeSurplus(of: state.run, settings.rotation)
        if removed > 0 { settings.counters.withLock { $0.removedSegments += removed } }
        if count > next.memory.size {
            finishSegment(&state)
            continuePlainly(&state, at: number + 1)
        }
    }

    private func continuePlainly(_ state: inout State, at number: Int) {
        state.plain = SegmentedFile(
            continuing: state.run, at: number, after: state.ledger, settings, predecessor: owner)
    }

    /// Truncates the zeros at the end of the segment and unmaps it.
    private func finishSegment(_ state: inout State) {
        let segment = state.segment
        segment.memory.unmap()
        let descriptor = SystemCalls.openForUpdating(state.run.path(.segment(segment.number)))
        if SystemCalls.isSame(descriptor, segment.identity) {
            _ = SystemCalls.truncate(descriptor, to: Int64(segment.used))
        }
        if descriptor >= 0 { SystemCalls.close(descriptor) }
        if SystemCalls.isSame(segment.descriptor, segment.identity) { SystemCalls.close(segment.descriptor) }
        state.ledger.finish(segment.number, size: Int64(segment.used))
    }

    func flush(sync: Bool) -> Bool { state.withLock { flush($0, sync: sync) } }

    private func flush(_ state: State, sync: Bool) -> Bool {
        if let plain = state.plain { return plain.flush(sync: sync) }
        guard sync else { return true }
        #if canImport(Darwin)
            // msync(2) doesn't empty the cache of the drive.
            return state.segment.memory.synchronize() && SystemCalls.synchronize(state.segment.descriptor)
        #else
            return state.segment.memory.synchronize()
        #endif
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        state.withLock {
            _ = flush($0, sync: false)
            // Later lines are appended to the same file.
            if $0.plain == nil {
                finishSegment(&$0)
                continuePlainly(&$0, at: $0.segment.number)
            }
            $0.run.end(ending, lines: lines)
        }
    }

    func contents(limit: Int?) -> [UInt8] {
        state.withLock {
            if let plain = $0.plain { return plain.contents(limit: limit) }
            return $0.run.contents(segments: $0.ledger.numbers + [$0.segment.number], limit: limit)
        }
    }

    func withRun(_ body: (RunIdentity) -> Void) { state.withLock { body($0.run) } }
}
