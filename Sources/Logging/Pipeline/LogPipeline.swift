internal import CAshlarLogging
internal import Synchronization

/// The path of a line: settings, record, format, run file, sinks.
final class LogPipeline: Sendable {
    static let shared = LogPipeline(counters: LogCounters.process, earlySinks: [StandardErrorSink()])

    let table = ThresholdTable()
    let counters: Guarded<LogCounters>
    private let sequence = Atomic<UInt64>(0)
    /// The number of lines below the thresholds, which were only recorded or captured.
    private let below = Atomic<UInt64>(0)
    /// The number of running captures.
    private let captures = Atomic<Int>(0)
    private let latest: Guarded<PipelineSettings>
    /// The newest lines before the start, up to 64 KiB; nil when the run has begun.
    private let early = Guarded<BoundedQueue<LogRecord>?>(BoundedQueue(capacity: 64 * 1024))
    let control = Guarded(RunControl())

    /// Creates a pipeline; `earlySinks` receive lines before the start.
    init(counters: Guarded<LogCounters> = Guarded(LogCounters()), earlySinks: [any LogSink] = []) {
        self.counters = counters
        latest = Guarded(
            PipelineSettings(
                store: nil, format: LogFormat.standard, sinks: earlySinks.map { SinkEntry($0) },
                maximumLineBytes: 65536))
    }

    // MARK: Settings

    /// Replaces the settings.
    func replaceSettings(_ make: (_ old: PipelineSettings) -> PipelineSettings) {
        // The old settings, and possibly a sink, are freed outside the lock.
        let old = latest.withLock { settings in
            let old = settings
            settings = make(old)
            return old
        }
        withExtendedLifetime(old) {}
    }

    var settings: PipelineSettings { latest.withLock { $0 } }

    var format: LogFormat {
        get { settings.format }
        set { replaceSettings { $0.with(format: newValue) } }
    }

    // MARK: A line

    /// Writes a line whose message has been evaluated, without the secrets in the message.
    func emit(
        _ level: LogLevel, _ message: String, _ own: LogFields, from core: LogCore, bound: LogFields, file: String,
        function: String, line: UInt
    ) {
        guard ashlar_log_is_forked() == 0 else { return }
        ashlar_log_prepare_thread()
        let settings = settings
        var depth = LogIndent.depth
        var fields = bound
        if let scope = ScopeState.active {
            depth += scope.depth
            fields = fields.followed(by: scope.fields)
        }
        let record = LogRecord(
            sequence: sequence.wrappingAdd(1, ordering: .relaxed).newValue, level: level, time: .now, depth: depth,
            context: core.context, message: LogSecrets.redacted(message) ?? message,
            fields: settings.completed(fields.followed(by: own), of: core.context), file: file, function: function,
            line: line, threadID: ashlar_log_current_thread().pointee.identity)
        if captures.load(ordering: .relaxed) != 0 {
            for capture in LogCapture.active where level <= capture.threshold { capture.receive(record) }
        }
        if level.rawValue < core.regularLimit.load(ordering: .relaxed) {
            if level <= .error, let recorder = settings.recorder {
                for record in recorder.take() { deliver(record, by: settings) }
            }
            deliver(record, by: settings)
        } else {
            below.add(1, ordering: .relaxed)
            if let recorder = settings.recorder, level <= recorder.level { recorder.append(record) }
        }
    }

    /// Passes the line to the run file and the sinks, without a lock.
    ///
    /// Lines that a sink logs go to the run file only.
    private func deliver(_ record: LogRecord, by settings: PipelineSettings) {
        // Without a store, the run may have begun after the line had read the settings.
        if settings.store == nil, !storeEarly(record) { return deliver(record, by: self.settings) }
        let thread: UnsafeMutablePointer<ashlar_log_thread> = ashlar_log_current_thread()
        let groups = thread.pointee.sinks == 0 ? settings.groups : settings.storeOnly
        thread.pointee.sinks += 1
        deliver(record, to: groups, by: settings)
        thread.pointee.sinks -= 1
    }

    private func deliver(_ record: LogRecord, to groups: [PipelineSettings.Group], by settings: PipelineSettings) {
        for group in groups {
            var line: [UInt8]?
            for entry in group.sinks where record.level <= entry.threshold {
                if line == nil, let (bytes, isCut) = group.line(of: record, limit: settings.maximumLineBytes) {
                    if isCut { counters.withLock { $0.truncated += 1 } }
                    line = bytes
                }
                if entry.deliver(record, line: line, counters: counters) { report(failureOf: entry, by: settings) }
            }
        }
    }

    /// Writes a line about the first failure of a sink, also to the other sinks.
    private func report(failureOf failed: SinkEntry, by settings: PipelineSettings) {
        let notice = LogRecord.notice(
            "\(type(of: failed.sink)) failed to receive a line; later failures are only counted",
            sequence: emittedLines)
        deliver(
            notice,
            to: settings.groups.map {
                .init(format: $0.format, sinks: $0.sinks.filter { $0 !== failed })
            }, by: settings)
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

    /// Stores a line until the start; returns `false` if the run has begun.
    private func storeEarly(_ record: LogRecord) -> Bool {
        guard let dropped = early.withLock({ $0?.appendNewest(record) }) else { return false }
        if dropped > 0 { counters.withLock { $0.droppedEarly += dropped } }
        return true
    }

    /// Removes the early lines and writes them to the store; the sinks receive them later.
    ///
    /// `hasNewSecrets` is whether the start adds names of secrets. They also hide values that were marked as public.
    func replayEarly(by settings: PipelineSettings, hasNewSecrets: Bool, isLast: Bool) -> [LogRecord] {
        let records = early.withLock { early in
            defer { if isLast { early = nil } }
            return early?.takeAll() ?? []
        }.map { hasNewSecrets ? $0.redacted : $0 }
        for record in records { deliver(record, to: settings.storeOnly, by: settings) }
        return records
    }

    /// Writes a line about the early lines that didn't fit into memory.
    func reportLostEarly(by settings: PipelineSettings) {
        let lost = counters.withLock { $0.droppedEarly }
        guard lost > 0, early.withLock({ $0 != nil }) else { return }
        let notice = LogRecord.notice("\(lost) lines lost: the memory for lines before the start was full")
        deliver(notice, to: settings.storeOnly, by: settings)
    }

    /// Passes early lines to the sinks, except to those that print where these lines have been printed.
    func serveSinks(early records: [LogRecord]) {
        let settings = settings.with(sinks: settings.sinks.filter { !$0.sink.isStandardErrorPrinter })
        let thread: UnsafeMutablePointer<ashlar_log_thread> = ashlar_log_current_thread()
        guard thread.pointee.sinks == 0 else { return }
        thread.pointee.sinks += 1
        let groups = settings.groups.map { group in
            PipelineSettings.Group(
                format: group.format, sinks: group.sinks.filter { !($0.sink is any LineStore) })
        }
        for record in records { deliver(record, to: groups, by: settings) }
        thread.pointee.sinks -= 1
    }

    // MARK: The log

    func liveBytes(limit: Int?) -> [UInt8] {
        if let store = settings.store { return store.contents(limit: limit) }
        let format = format
        let lines = early.withLock { $0?.all ?? [] }.map { format.compiled.line(of: $0).bytes }
        return RunReader.wholeLines(Array(lines.joined()), limit: limit)
    }

    func readCounters() -> LogCounters {
        var result = counters.withLock { $0 }
        let below = below.load(ordering: .relaxed)
        result.emitted = max(0, Int(clamping: Int64(bitPattern: emittedLines &- below)))
        return result
    }

    var emittedLines: UInt64 { sequence.load(ordering: .relaxed) }
}
