internal import Synchronization

/// The path of a line: settings, record, format, run file, sinks.
final class LogPipeline: Sendable {
    static let shared = LogPipeline(counters: LogCounters.process)

    let table = ThresholdTable()
    let counters: Guarded<LogCounters>
    private let sequence = Atomic<UInt64>(0)
    /// The number of running captures.
    private let captures = Atomic<Int>(0)
    /// The generation of the current settings; unique in the process, so that a thread can compare it with its own.
    private let generation: Atomic<UInt64>
    private static let lastGeneration = Atomic<UInt64>(0)
    private let latest: Guarded<PipelineSettings>
    /// The lines before the start.
    private let early = Guarded(EarlyLines())
    let control = Guarded(RunControl())

    init(counters: Guarded<LogCounters> = Guarded(LogCounters())) {
        self.counters = counters
        let first = Self.nextGeneration()
        generation = Atomic(first)
        latest = Guarded(
            PipelineSettings(
                generation: first, store: nil, format: LogFormat.standard.compiled, sinks: [], maximumLineBytes: 65536))
    }

    private static func nextGeneration() -> UInt64 { lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Settings

    /// The current settings.
    ///
    /// A thread caches them until they change, so lines don't take a lock for them.
    @inline(__always)
    private func settings(of thread: ThreadContext) -> Unmanaged<PipelineSettings> {
        if thread.state.pointee.generation != generation.load(ordering: .acquiring) { refresh(thread) }
        return .fromOpaque(thread.state.pointee.settings.unsafelyUnwrapped.toOpaque())
    }

    @inline(never)
    private func refresh(_ thread: ThreadContext) {
        let settings = settings
        let old = thread.state.pointee.settings
        thread.state.pointee.settings = .passRetained(settings)
        thread.state.pointee.generation = settings.generation
        thread.state.pointee.messageLimit = settings.maximumLineBytes + 64
        // This may free the old settings and a sink, whose code may log.
        old?.release()
    }

    /// Replaces the settings; `make` receives the current settings and the generation of the new ones.
    func replaceSettings(_ make: (_ old: PipelineSettings, _ generation: UInt64) -> PipelineSettings) {
        // The old settings, and possibly a sink, are freed outside the lock.
        let old = latest.withLock { settings in
            let old = settings
            settings = make(old, Self.nextGeneration())
            generation.store(settings.generation, ordering: .releasing)
            return old
        }
        withExtendedLifetime(old) {}
    }

    var settings: PipelineSettings { latest.withLock { $0 } }

    var format: LogFormat {
        get { LogFormat(settings.format) }
        set { replaceSettings { old, generation in old.with(format: newValue.compiled, generation: generation) } }
    }

    // MARK: A line

    /// Writes a line whose message has been evaluated.
    func emit(
        from gate: LevelGate, _ level: LogLevel, _ text: LogText, omitted: Int, _ bound: BoundFields?,
        _ given: consuming LogFields, _ place: LogPlace, _ line: UInt, on thread: ThreadContext
    ) {
        var fieldText: LogText?
        var fields = consume given
        if let bound {
            // The text of bound fields serves lines without other ones.
            fieldText = fields.isEmpty ? bound.text : nil
            fields = bound.fields.followed(by: fields)
        }
        var depth = LogIndent.depth(on: thread)
        if let scope = ScopeState.active {
            depth += scope.depth
            if !scope.fields.isEmpty {
                fields = scope.fields.inserted(into: fields, after: bound?.fields.count ?? 0)
                fieldText = nil
            }
        }
        // The thread releases these settings only in `refresh`, which only sinks call among the code below.
        let cached = settings(of: thread)
        let isCapturing = captures.load(ordering: .relaxed) != 0
        let needsTime = cached._withUnsafeGuaranteedRef { $0.needsTime } || isCapturing
        let record = LogRecord(
            sequence: sequence.wrappingAdd(1, ordering: .relaxed).newValue, level: level,
            time: needsTime ? .now : LogTime(nanoseconds: 0), depth: depth, fields: fields, line: line,
            threadID: thread.state.pointee.threadID, source: gate.context, place: place, text: text,
            fieldText: fieldText, omitted: omitted)
        cached._withUnsafeGuaranteedRef { settings in
            if settings.isUnusual || isCapturing {
                // A sink can replace the settings, so they are retained here.
                emitUnusual(record, from: gate, by: cached, isCapturing: isCapturing, on: thread)
            } else {
                write(record, by: settings, on: thread)
            }
        }
    }

    /// Handles a line that isn't only written to the store.
    @inline(never)
    private func emitUnusual(
        _ record: borrowing LogRecord, from gate: LevelGate, by cached: Unmanaged<PipelineSettings>,
        isCapturing: Bool, on thread: ThreadContext
    ) {
        let retained = cached.retain()
        defer { retained.release() }
        let settings = retained.takeUnretainedValue()
        if isCapturing {
            for capture in CapturingSink.active where record.level <= capture.threshold {
                _ = capture.sink.receive(record)
            }
        }
        if record.level.rawValue < gate.regularLimit.load(ordering: .relaxed) {
            deliverFiltered(record, by: settings, on: thread)
        } else if let recorder = settings.noise.recorder, record.level <= recorder.level {
            recorder.append(record.copy())
        }
    }

    /// Adds fields, and delivers the line and all lines before it, unless a filter suppresses it.
    private func deliverFiltered(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext)
    {
        let noise = settings.noise
        guard !noise.isEmpty || !settings.extraFields.isEmpty else { return deliver(record, by: settings, on: thread) }
        var more = noise.provider?() ?? [:]
        if let limiter = noise.limiter {
            switch limiter.admit(record.level, record.source, record.place, record.line) {
            case .held: return counters.withLock { $0.suppressed += 1 }
            case .admitted(let suppressed): if suppressed > 0 { more.append("suppressed", suppressed) }
            }
        }
        if let repeats = noise.repeats {
            switch repeats.admit(record.level, record.source, record.text, record.fields) {
            case .held: return counters.withLock { $0.suppressed += 1 }
            case .admitted(let notice): deliver(notice.map { [$0] } ?? [], by: settings, on: thread)
            }
        }
        if record.level <= .error, let recorder = noise.recorder { deliver(recorder.take(), by: settings, on: thread) }
        more.append(contentsOf: settings.extraFields)
        guard !more.isEmpty else { return deliver(record, by: settings, on: thread) }
        let extended = LogRecord(
            sequence: record.sequence, level: record.level, time: record.time, depth: record.depth,
            fields: record.fields.followed(by: more), line: record.line, threadID: record.threadID,
            source: record.source, place: record.place, text: record.text, omitted: record.omitted)
        deliver(extended, by: settings, on: thread)
    }

    private func deliver(_ copies: [LogRecord.Copy], by settings: PipelineSettings, on thread: ThreadContext) {
        for copy in copies { copy.withRecord { deliver($0, by: settings, on: thread) } }
    }

    private func deliver(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        guard settings.store != nil else { return storeEarly(record) }
        write(record, by: settings, on: thread)
        if !settings.sinks.isEmpty { serveSinks(record, by: settings, on: thread) }
    }

    /// Formats the line and stores it.
    ///
    /// - Precondition: There is a store.
    @inline(__always)
    private func write(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        if settings.write(record, on: thread) { counters.withLock { $0.truncated += 1 } }
    }

    /// Passes the line to the sinks, without a lock.
    ///
    /// Lines that a sink logs go to the run file only.
    private func serveSinks(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        guard thread.state.pointee.sinkNesting == 0 else { return }
        thread.state.pointee.sinkNesting += 1
        for slot in settings.sinks { slot.deliver(record, counters: counters) }
        thread.state.pointee.sinkNesting -= 1
    }

    /// Writes the notice about repeated lines, before a flush.
    func reportRepeats() {
        let settings = settings
        if let notice = settings.noise.repeats?.takeNotice() { deliver([notice], by: settings, on: .current) }
    }

    // MARK: Captures

    func beginCapture(_ level: LogLevel) {
        captures.add(1, ordering: .relaxed)
        table.beginCapture(level)
    }

    func endCapture(_ level: LogLevel) {
        table.endCapture(level)
        captures.subtract(1, ordering: .relaxed)
    }

    // MARK: Before the start

    private func storeEarly(_ record: borrowing LogRecord) {
        let copy = record.copy()
        switch early.withLock({ $0.append(copy) }) {
        case .stored(let dropped):
            if dropped > 0 { counters.withLock { $0.droppedEarly += dropped } }
        case .tooLate:
            // The run began after this line had read the settings.
            deliver([copy], by: settings, on: .current)
        }
    }

    /// Removes the early lines and writes them to the store; the sinks receive them later.
    func replayEarly(by settings: PipelineSettings, isLast: Bool) -> [LogRecord.Copy] {
        let copies = early.withLock { isLast ? $0.close() : $0.take() }
        guard settings.store != nil else { return copies }
        for copy in copies { copy.withRecord { write($0, by: settings, on: .current) } }
        return copies
    }

    /// Passes early lines to the sinks.
    func serveSinks(early copies: [LogRecord.Copy]) {
        let settings = settings
        for copy in copies { copy.withRecord { serveSinks($0, by: settings, on: .current) } }
    }

    // MARK: The log

    func liveBytes(limit: Int?) -> [UInt8] {
        if let store = settings.store { return store.contents(limit: limit) }
        let format = format
        let text = early.withLock { $0.copies }.map { $0.formatted(as: format) + "\n" }.joined()
        let bytes = Array(text.utf8)
        return limit.map { RunReader.wholeLines(bytes, limit: $0) } ?? bytes
    }

    func readCounters() -> LogCounters {
        var result = counters.withLock { $0 }
        result.emitted = Int(clamping: emittedLines)
        return result
    }

    var emittedLines: UInt64 { sequence.load(ordering: .relaxed) }

    /// The locks that are acquired while others are held, in order.
    var innerLocks: [any ForkLock] { [early.lock, latest.lock, counters.lock] }

    /// Adds the process ID to each line in a forked child.
    func becomeForkedChild() {
        let pid = SystemCalls.processID
        replaceSettings { old, generation in old.with(adding: ["pid": pid], generation: generation) }
    }
}
