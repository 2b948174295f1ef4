internal import CAshlarLogging

/// The state of the run between calls of `start`.
struct RunControl {
    /// The configuration of the current run.
    var configuration: LogConfiguration?
    var report = LogStartReport(storage: .memory(0), mode: .writeThrough)
    var isShutDown = false
    var hasExitHook = false
    /// Whether errors in the environment variable have been reported.
    var hasReadEnvironment = false
}

extension LogPipeline {
    /// Opens or continues the run, applies the settings and writes the early lines.
    func start(_ configuration: LogConfiguration) -> LogStartReport {
        reportRepeats()
        var configuration = configuration
        configuration.folder = configuration.folder.map(SystemCalls.absolutePath)
        return start(resolved: configuration)
    }

    private func start(resolved configuration: LogConfiguration) -> LogStartReport {
        var early: [LogRecord.Copy] = []
        let report = control.withLock { control in
            var notices: [String] = []
            var thresholds = configuration.thresholds
            if configuration.readsEnvironment, let list = SystemCalls.environment("ASHLAR_LOG") {
                let (parsed, mistakes) = LogThresholds.parse(list, onto: thresholds)
                thresholds = parsed
                if !control.hasReadEnvironment { notices += mistakes.map { "ASHLAR_LOG: \($0)" } }
                control.hasReadEnvironment = true
            }
            LogPrivacy.revealsPrivateValues = configuration.revealsPrivateValues
            let old = settings.store
            var opened = RunOpening.Opened(store: old, report: control.report)
            let running = control.isShutDown || old == nil ? nil : control.configuration
            if let running, running.folder == configuration.folder, !control.report.isFallback {
                opened.report.notices = notices + Self.differences(of: configuration, from: running)
                if configuration.notesSignals { control.configuration?.notesSignals = true }
            } else {
                opened = RunOpening(pipeline: self, configuration: configuration).open()
                if control.report.isFallback { Self.move(old, to: opened) }
                opened.report.notices = notices + opened.report.notices
                control.configuration = configuration
                control.isShutDown = false
            }
            if configuration.notesSignals, self === LogPipeline.shared { _ = opened.store?.noteSignals() }
            early = publish(configuration, opened)
            opened.report.earlyLines = early.count
            table.configure(
                isEnabled: configuration.isEnabled, thresholds: thresholds, recorded: configuration.recording?.level)
            if let old, old !== opened.store { old.close(ending: .clean, lines: emittedLines) }
            hookExit(&control)
            control.report = opened.report
            return opened.report
        }
        // Sinks are user code, so they are called outside the lock.
        serveSinks(early: early)
        reportOnStandardError(report.notices)
        return report
    }

    /// The settings of a run that a second start can't change.
    private static func differences(of new: LogConfiguration, from old: LogConfiguration) -> [String] {
        let reason = "it is set by the first start of a run"
        var notices: [String] = []
        if new.application != old.application { notices.append("application: still \"\(old.application)\"; \(reason)") }
        if new.mode != old.mode { notices.append("mode: still \(old.mode); \(reason)") }
        if new.rotation.withinLimits != old.rotation.withinLimits { notices.append("rotation: unchanged; \(reason)") }
        if new.retention != old.retention { notices.append("retention: unchanged; \(reason)") }
        if old.notesSignals, !new.notesSignals { notices.append("notesSignals: still on; handlers stay installed") }
        if new.synchronizesAt != old.synchronizesAt { notices.append("synchronizesAt: unchanged; \(reason)") }
        return notices
    }

    /// Writes the lines that wait in memory into the file of a run.
    private static func move(_ memory: (any LineStore)?, to opened: RunOpening.Opened) {
        guard let memory, let store = opened.store else { return }
        for line in memory.contents(limit: nil).split(separator: 10) {
            LogText.withBytes(line + [10]) { store.append($0, level: .verbose) }
        }
    }

    /// Makes the store and the settings current; returns the early lines.
    private func publish(_ configuration: LogConfiguration, _ opened: RunOpening.Opened) -> [LogRecord.Copy] {
        let sinks = configuration.sinks.map { SinkSlot($0) }
        var noise = PipelineSettings.Noise()
        if configuration.rateLimit != nil || !configuration.contextRateLimits.isEmpty {
            noise.limiter = RateLimiter(configuration.rateLimit, contexts: configuration.contextRateLimits)
        }
        if configuration.collapsesRepeats { noise.repeats = RepeatFilter() }
        noise.recorder = configuration.recording.map { LineRecorder($0) }
        noise.provider = configuration.fieldProvider
        func settings(_ generation: UInt64) -> PipelineSettings {
            PipelineSettings(
                generation: generation, store: opened.store, format: configuration.format.compiled, sinks: sinks,
                maximumLineBytes: configuration.maximumLineBytes, noise: noise)
        }
        // Early lines come first, then lines that are logged concurrently.
        let first = settings(0)
        let copies = replayEarly(by: first, isLast: false)
        replaceSettings { _, generation in settings(generation) }
        return copies + replayEarly(by: first, isLast: true)
    }

    private func hookExit(_ control: inout RunControl) {
        guard !control.hasExitHook, self === LogPipeline.shared else { return }
        control.hasExitHook = true
        SystemCalls.atExit { LogPipeline.shared.shutdown() }
        _ = ForkHooks.install()
    }

    private func reportOnStandardError(_ notices: [String]) {
        if !notices.isEmpty { SystemCalls.disableSIGPIPE(on: 2) }
        for notice in notices {
            ByteBuffer.temporary { line in
                line.append("AshlarLogging: " as StaticString)
                // Notices quote the environment, which may contain any bytes.
                LogText.withBytes(notice) { _ = Escaping.text.append($0, to: line, end: 4096) }
                line.append(byte: 10)
                _ = SystemCalls.withoutWriteSignals { SystemCalls.write(2, line.text) }
            }
        }
    }

    var report: LogStartReport { control.withLock { $0.report } }

    func flush(sync: Bool) -> Bool {
        reportRepeats()
        let settings = settings
        let isWritten = settings.store?.flush(sync: sync) ?? true
        for slot in settings.sinks { slot.sink.flush() }
        return isWritten
    }

    func shutdown() {
        let isFirst = control.withLock { control in
            defer { control.isShutDown = true }
            return !control.isShutDown && settings.store != nil
        }
        guard isFirst else { return }
        _ = flush(sync: false)
        settings.store?.close(ending: .clean, lines: emittedLines)
        replaceSettings { old, generation in old.with(adding: ["late": true], generation: generation) }
    }
}
