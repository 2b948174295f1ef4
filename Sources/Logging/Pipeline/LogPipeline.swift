internal import Synchronization

/// The path of a line: settings, record, format, run file, sinks.
final class LogPipeline: Sendable {
    static let shared = LogPipeline(counters: LogCounters.process, earlySinks: [StandardErrorSink()])

    let table = ThresholdTable()
    let counters: Guarded<LogCounters>
    private let sequence = Atomic<UInt64>(0)
    /// The number of running captures.
    private let captures = Atomic<Int>(0)
    private let latest: Guarded<PipelineSettings>
    /// The newest lines before the start, up to 64 KiB; nil when the run has begun.
    private let early = Guarded<RecentRecords?>(RecentRecords(capacity: 64 * 1024))
    let control = Guarded(RunControl())

    /// Creates a pipeline; `earlySinks` receive lines before the start.
    init(counters: Guarded<LogCounters> = Guarded(LogCounters()), earlySinks: [any LogSink] = []) {
        self.counters = counters
        latest = Guarded(
            PipelineSettings(
                store: nil, format: LogFormat.standard.compiled, sinks: earlySinks.map { SinkEntry($0) },
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
        get { LogFormat(settings.format) }
        set { replaceSettings { $0.with(format: newValue.compiled) } }
    }

    // MARK: A line

    /// Writes a line whose message has been evaluated, without the secrets in the message.
    func emit(_ content: LineContent, from core: LogCore, bound: LogFields, on thread: ThreadContext) {
        guard let text = LogSecrets.redacted(content.text) else {
            return emit(redacted: content, from: core, bound: bound, on: thread)
        }
        LogText.withBytes(text) {
            var redacted = content
            redacted.text = $0
            emit(redacted: redacted, from: core, bound: bound, on: thread)
        }
    }

    private func emit(
        redacted content: consuming LineContent, from core: LogCore, bound: LogFields, on thread: ThreadContext
    ) {
        let settings = settings
        var depth = LogIndent.depth(on: thread)
        var fields = bound
        if let scope = ScopeState.active {
            depth += scope.depth
            fields = fields.followed(by: scope.fields)
        }
        fields = settings.completed(fields.followed(by: content.fields), of: core.context)
        let isCapturing = captures.load(ordering: .relaxed) != 0
        let record = LineRecord(
            sequence: sequence.wrappingAdd(1, ordering: .relaxed).newValue, level: content.level,
            time: settings.needsTime || isCapturing ? .now : LogTime(nanoseconds: 0), depth: depth, fields: fields,
            line: content.line, threadID: thread.state.pointee.threadID, source: core.context,
            place: content.place, text: content.text, omitted: content.omitted)
        if isCapturing {
            for capture in LogCapture.active where record.level <= capture.threshold { capture.receive(record.record) }
        }
        if record.level.rawValue < core.regularLimit.load(ordering: .relaxed) {
            if record.level <= .error, let recorder = settings.recorder {
                deliver(recorder.take(), by: settings, on: thread)
            }
            deliver(record, by: settings, on: thread)
        } else if let recorder = settings.recorder, record.level <= recorder.level {
            recorder.append(record.record)
        }
    }

    private func deliver(_ records: [LogRecord], by settings: PipelineSettings, on thread: ThreadContext) {
        for record in records { record.withLine { deliver($0, by: settings, on: thread) } }
    }

    private func deliver(_ record: borrowing LineRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        if settings.store != nil {
            write(record, by: settings, on: thread)
        } else if !storeEarly(record) {
            // The run began after this line had read the settings.
            return record.record.withLine { deliver($0, by: self.settings, on: thread) }
        }
        if !settings.sinks.isEmpty { serveSinks(record.record, by: settings, on: thread) }
    }

    /// Formats the line and stores it.
    ///
    /// - Precondition: There is a store.
    private func write(_ record: borrowing LineRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        if settings.write(record, on: thread) { counters.withLock { $0.truncated += 1 } }
    }

    /// Passes the line to the sinks, without a lock.
    ///
    /// Lines that a sink logs go to the run file only.
    private func serveSinks(_ record: LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        guard thread.state.pointee.sinkNesting == 0 else { return }
        thread.state.pointee.sinkNesting += 1
        for entry in settings.sinks where entry.deliver(record, counters: counters) {
            report(failureOf: entry, by: settings, on: thread)
        }
        thread.state.pointee.sinkNesting -= 1
    }

    /// Writes a line about the first failure of a sink, also to the other sinks.
    private func report(failureOf failed: SinkEntry, by settings: PipelineSettings, on thread: ThreadContext) {
        let notice = LogRecord.notice(
            "\(type(of: failed.sink)) failed to receive a line; later failures are only counted",
            sequence: emittedLines)
        if settings.store != nil { notice.withLine { write($0, by: settings, on: thread) } }
        for entry in settings.sinks where entry !== failed && entry.deliver(notice, counters: counters) {
            report(failureOf: entry, by: settings, on: thread)
        }
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
    private func storeEarly(_ record: borrowing LineRecord) -> Bool {
        let record = record.record
        guard let dropped = early.withLock({ $0?.append(record) }) else { return false }
        if dropped > 0 { counters.withLock { $0.droppedEarly += dropped } }
        return true
    }

    /// Removes the early lines and writes them to the store; the sinks receive them later.
    func replayEarly(by settings: PipelineSettings, isLast: Bool) -> [LogRecord] {
        // The start may have added names of secrets.
        let records = early.withLock { early in
            defer { if isLast { early = nil } }
            return early?.take() ?? []
        }.map(\.redacted)
        guard settings.store != nil else { return records }
        for record in records { record.withLine { write($0, by: settings, on: .current) } }
        return records
    }

    /// Writes a line about the early lines that didn't fit into memory.
    func reportLostEarly(by settings: PipelineSettings) {
        let lost = counters.withLock { $0.droppedEarly }
        guard lost > 0, settings.store != nil, early.withLock({ $0 != nil }) else { return }
        let notice = LogRecord.notice("\(lost) lines lost: the memory for lines before the start was full")
        notice.withLine { write($0, by: settings, on: .current) }
    }

    /// Passes early lines to the sinks, except to those that print where these lines have been printed.
    func serveSinks(early records: [LogRecord]) {
        let settings = settings.with(sinks: settings.sinks.filter { !$0.sink.isStandardErrorPrinter })
        for record in records { serveSinks(record, by: settings, on: .current) }
    }

    // MARK: The log

    func liveBytes(limit: Int?) -> [UInt8] {
        if let store = settings.store { return store.contents(limit: limit) }
        let format = format
        let text = early.withLock { $0?.all ?? [] }.map { $0.formatted(as: format) + "\n" }.joined()
        return RunReader.wholeLines(Array(text.utf8), limit: limit)
    }

    func readCounters() -> LogCounters {
        var result = counters.withLock { $0 }
        result.emitted = Int(clamping: emittedLines)
        return result
    }

    var emittedLines: UInt64 { sequence.load(ordering: .relaxed) }
}

/// The parts of a line that its call provides.
struct LineContent {
    let level: LogLevel
    var text: LogText
    /// The number of bytes that were truncated because the line would be too long.
    var omitted = 0
    let fields: LogFields
    let place: LogPlace
    let line: UInt
}
