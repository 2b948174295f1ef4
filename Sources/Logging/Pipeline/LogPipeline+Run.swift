internal import CAshlarLogging

/// What is known about the run between calls of `start`.
struct RunControl {
    var folder: String??
    var mode = LogStorageMode.everyLine
    var report = StartReport(storage: .memory(0), mode: .everyLine, priorRun: nil, earlyLines: 0, notices: [])
    var isShutDown = false
    var hasExitHook = false
    /// Whether what is wrong with the environment variable has been told.
    var hasReadEnvironment = false
}

extension LogPipeline {
    /// Opens or keeps the run, applies the settings, writes the early lines.
    func start(_ configuration: LogConfiguration) -> StartReport {
        var early: [LogRecord.Copy] = []
        let report = control.withLock { control in
            var notices: [String] = []
            var thresholds = configuration.thresholds
            if configuration.readsEnvironment, let list = SystemCalls.environment("ASHLAR_LOG") {
                let (read, mistakes) = LogThresholds.read(list, onto: thresholds)
                thresholds = read
                if !control.hasReadEnvironment { notices += mistakes.map { "ASHLAR_LOG: \($0)" } }
                control.hasReadEnvironment = true
            }
            Self.revealsPrivateValues = configuration.revealsPrivateValues
            let old = settings.store
            let isNew = old == nil || control.folder != .some(configuration.folder) || control.isShutDown
            var opened = RunOpening.Opened(store: old, report: control.report)
            if isNew {
                opened = RunOpening(pipeline: self, configuration: configuration).open()
                control.folder = .some(configuration.folder)
                control.isShutDown = false
            }
            opened.report.notices = notices + (isNew ? opened.report.notices : [])
            early = publish(configuration, opened)
            opened.report.earlyLines = early.count
            table.configure(isEnabled: configuration.isEnabled, thresholds: thresholds)
            if isNew { old?.close(ending: .clean, lines: emittedLines) }
            hookExit(&control)
            control.report = opened.report
            return opened.report
        }
        // Sinks are the user's code: they are served without the lock.
        serveSinks(early: early)
        reportOnStandardError(report.notices)
        return report
    }

    /// Makes the store and the settings those of all lines from now on; returns the lines from before.
    private func publish(_ configuration: LogConfiguration, _ opened: RunOpening.Opened) -> [LogRecord.Copy] {
        let sinks = configuration.sinks.map { SinkSlot($0) }
        let limiter = configuration.rateLimit.map { RateLimiter($0) }
        func settings(_ generation: UInt64) -> PipelineSettings {
            PipelineSettings(
                generation: generation, store: opened.store, format: configuration.format.compiled, sinks: sinks,
                maximumLineBytes: configuration.maximumLineBytes, extraFields: [:], limiter: limiter)
        }
        // Early lines go first; those that come meanwhile, just behind.
        let first = settings(0)
        let copies = replayEarly(by: first, isLast: false)
        replaceSettings { _, generation in settings(generation) }
        return copies + replayEarly(by: first, isLast: true)
    }

    var priorRun: PriorRun? { control.withLock { $0.report.priorRun } }

    private func hookExit(_ control: inout RunControl) {
        guard !control.hasExitHook, self === LogPipeline.shared else { return }
        control.hasExitHook = true
        SystemCalls.atExit { LogPipeline.shared.shutdown() }
        _ = ForkHooks.install()
    }

    private func reportOnStandardError(_ notices: [String]) {
        if !notices.isEmpty { SystemCalls.disableSIGPIPE(on: 2) }
        for notice in notices {
            // The environment is the host's, and what it holds is nobody's promise.
            let line = ByteBuffer()
            defer { line.deallocate() }
            line.append("AshlarLogging: " as StaticString)
            LogText.withBytes(notice) { _ = Escaping.text.append($0.start, $0.count, to: line, end: 4096) }
            line.append(byte: 10)
            _ = SystemCalls.withoutWriteSignals {
                SystemCalls.write(2, line.bytes.baseAddress!, line.count)
            }
        }
    }

    func flush(sync: Bool) -> Bool {
        let settings = settings
        let written = settings.store?.flush(sync: sync) ?? true
        for slot in settings.sinks { slot.sink.flush() }
        return written
    }

    func shutdown() {
        let isFirst = control.withLock { control in
            defer { control.isShutDown = true }
            return !control.isShutDown && settings.store != nil
        }
        guard isFirst else { return }
        _ = flush(sync: false)
        settings.store?.close(ending: .clean, lines: emittedLines)
        replaceSettings { old, generation in
            old.adding(["late": true], generation: generation)
        }
    }
}
