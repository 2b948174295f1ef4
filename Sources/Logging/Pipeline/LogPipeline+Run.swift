internal import AshlarBase
internal import CAshlarLogging

/// The state of the run between calls of `start`.
final class RunControl {
    /// The configuration of the current run.
    var configuration: LogConfiguration?
    var report = LogStartReport(storage: .memory(0), mode: .writeThrough)
    var isShutDown = false
    /// The process of the run, which a forked child neither continues nor ends.
    var process: Int32 = 0
    var hasExitHook = false
    /// Whether errors in the environment variable have been reported.
    var hasReadEnvironment = false
    /// The sinks that other modules have attached, by their numbers.
    var attached: [(number: Int, sink: SinkEntry)] = []
    var lastAttached = 0
}

extension LogPipeline {
    /// Opens or continues the run, applies the settings and writes the early lines.
    func start(_ configuration: LogConfiguration) -> LogStartReport {
        var configuration = configuration
        configuration.folder = configuration.folder.map(FileSystem.absolutePath)
        var early: [LogRecord] = []
        let (report, replaced) = control.withLock { control in
            // Sinks and closures of an earlier start are released outside the lock, because they are user code.
            let replaced = (settings, control.configuration)
            var notices: [String] = []
            var thresholds = configuration.thresholds
            if configuration.readsEnvironment, let list = SystemCalls.environment("ASHLAR_LOG") {
                let (parsed, mistakes) = LogThresholds.parse(list, onto: thresholds)
                thresholds = parsed
                if !control.hasReadEnvironment { notices += mistakes.map { "ASHLAR_LOG: \($0)" } }
                control.hasReadEnvironment = true
            }
            LogPrivacy.revealsPrivateValues = configuration.revealsPrivateValues
            LogSecrets.addNames(configuration.additionalSecrets)
            let isForked = control.process != 0 && control.process != ProcessIdentity.current
            // The parent's files and threads aren't this process's, so nothing of them is ended or released.
            if isForked { _ = Unmanaged.passRetained(settings) }
            let old = isForked ? nil : settings.store
            var opened = OpenedRun(store: old, report: control.report)
            let running = control.isShutDown || old == nil ? nil : control.configuration
            if let running, running.folder == configuration.folder, !control.report.isFallback {
                opened.report.notices = notices + Self.differences(of: configuration, from: running)
                if configuration.notesSignals == true { control.configuration?.notesSignals = true }
            } else {
                ashlar_log_begin_process()
                opened = open(configuration)
                if control.report.isFallback, let store = opened.store { (old as? MemoryStore)?.move(to: store) }
                opened.report.notices = notices + opened.report.notices
                control.configuration = configuration
                control.isShutDown = false
                control.process = ProcessIdentity.current
            }
            if configuration.notesSignals == true, self === LogPipeline.shared {
                opened.store?.withRun { $0.noteSignals() }
            }
            early = publish(configuration, opened, attached: control.attached.map(\.sink))
            opened.report.earlyLines = early.count
            table.configure(
                isEnabled: configuration.isEnabled, thresholds: thresholds, recorded: configuration.recording)
            if let old, old !== opened.store { old.close(ending: .clean, lines: emittedLines) }
            hookExit(control)
            control.report = opened.report
            return (opened.report, replaced)
        }
        withExtendedLifetime(replaced) {}
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
        if old.notesSignals == true, new.notesSignals != true {
            notices.append("notesSignals: still on; handlers stay installed")
        }
        if new.synchronizesAt != old.synchronizesAt { notices.append("synchronizesAt: unchanged; \(reason)") }
        return notices
    }

    /// Makes the store and the settings current; returns the early lines.
    private func publish(
        _ configuration: LogConfiguration, _ opened: OpenedRun, attached: [SinkEntry]
    ) -> [LogRecord] {
        let sinks = configuration.sinks.map { SinkEntry($0) } + attached
        let settings = PipelineSettings(
            store: opened.store, format: configuration.format, sinks: sinks,
            maximumLineBytes: configuration.maximumLineBytes,
            recorder: configuration.recording.map { LineRecorder($0, capacity: configuration.recordedBytes) },
            fieldProvider: configuration.fieldProvider, fieldHook: configuration.fieldHook)
        reportLostEarly(by: settings)
        // Early lines come first, then lines that are logged concurrently.
        let hasNewSecrets = !configuration.additionalSecrets.isEmpty
        let copies = replayEarly(by: settings, hasNewSecrets: hasNewSecrets, isLast: false)
        replaceSettings { _ in settings }
        return copies + replayEarly(by: settings, hasNewSecrets: hasNewSecrets, isLast: true)
    }

    /// Adds a sink to those of this and later configurations; returns its number.
    func attach(_ sink: any LogSink) -> Int {
        let entry = SinkEntry(sink)
        return control.withLock { control in
            control.lastAttached += 1
            control.attached.append((control.lastAttached, entry))
            replaceSettings { $0.with(sinks: $0.sinks + [entry]) }
            return control.lastAttached
        }
    }

    /// Removes an attached sink.
    func detach(_ number: Int) {
        let removed = control.withLock { control -> SinkEntry? in
            guard let index = control.attached.firstIndex(where: { $0.number == number }) else { return nil }
            let entry = control.attached.remove(at: index).sink
            replaceSettings { $0.with(sinks: $0.sinks.filter { $0 !== entry }) }
            return entry
        }
        // The sink is released outside the lock, because it is user code.
        withExtendedLifetime(removed) {}
    }

    private func hookExit(_ control: RunControl) {
        guard !control.hasExitHook, self === LogPipeline.shared else { return }
        control.hasExitHook = true
        observeApp()
        SystemCalls.atExit { LogPipeline.shared.shutdown() }
    }

    private func reportOnStandardError(_ notices: [String]) {
        if !notices.isEmpty { SystemCalls.disableSIGPIPE(on: 2) }
        for notice in notices {
            var line = Array("AshlarLogging: ".utf8)
            // Notices quote the environment, which may contain any bytes.
            _ = Escaping.text.append(notice, to: &line, end: 4096)
            line.add(.newline)
            _ = SystemCalls.withoutWriteSignals { SystemCalls.write(2, line) }
        }
    }

    var report: LogStartReport { control.withLock { $0.report } }

    /// The time that a flush waits for each sink.
    static let longestFlush = Duration.seconds(5)

    func flush(sync: Bool) -> Bool {
        guard ashlar_log_is_forked() == 0 else { return true }
        let settings = settings
        var isWritten = settings.store?.flush(sync: sync) ?? true
        for entry in settings.sinks { isWritten = entry.sink.flush(within: Self.longestFlush) && isWritten }
        return isWritten
    }

    func shutdown() {
        let isFirst = control.withLock { control in
            guard control.process == ProcessIdentity.current else { return false }
            defer { control.isShutDown = true }
            return !control.isShutDown && settings.store != nil
        }
        guard isFirst else { return }
        _ = flush(sync: false)
        settings.store?.close(ending: .clean, lines: emittedLines)
        replaceSettings { $0.with(adding: ["late": true]) }
    }
}

/// A run that has begun, and its report.
struct OpenedRun {
    var store: (any LineStore)?
    var report: LogStartReport
}

/// The steps that begin a run: folder, prior run, state file, store.
extension LogPipeline {
    private func open(_ configuration: LogConfiguration) -> OpenedRun {
        guard let path = configuration.folder else { return inMemory(0, configuration) }
        do throws(FileFailure) {
            return try open(path, configuration)
        } catch {
            guard case .system(let code) = error.reason else { return inMemory(SystemCalls.inputOutput, configuration) }
            return inMemory(code, configuration)
        }
    }

    private func open(_ path: String, _ configuration: LogConfiguration) throws(FileFailure) -> OpenedRun {
        let application = RunState.shortened(configuration.application)
        let folder = RunFolder(path: path)
        let present = folder.runs(newest: Retention.mostRead + 1)
        let run = try RunIdentity.create(in: path, application: application, after: present.first?.name)
        let older = present.filter { $0.name < run.name }
        let ended = EndedRuns(Array(older.prefix(Retention.mostRead)))
        let prior = ended.reportPriorRun(of: application)
        if let prior, prior.outcome != .clean { prior.run.removeUnusedEnds() }
        let retention = Retention(
            folder: folder, policy: configuration.retention, application: application, own: run.name,
            prior: prior?.run.name)
        let (store, mode): (any LineStore, LogStorageMode)
        do throws(FileFailure) {
            (store, mode) = try makeStore(of: run, retention, configuration)
        } catch {
            FileSystem.remove(run.path(.state))
            throw error
        }
        var report = LogStartReport(
            storage: .file(run.path(.segment(0))), mode: mode, priorRun: prior, run: (folder, run.name, application))
        if isWritableByOthers(path) { report.notices.append("\(path): other users can write to this folder") }
        if mode != configuration.mode {
            report.notices.append("\(path): files can't be mapped safely; using write-through mode")
        }
        retention.apply(to: ended.runs)
        return OpenedRun(store: store, report: report)
    }

    /// Whether the folder belongs to another user and is writable by users other than its owner.
    private func isWritableByOthers(_ path: String) -> Bool {
        guard let status = FileStatus(path) else { return false }
        return status.isWritableByOthers && status.owner != SystemCalls.userID
    }

    private func makeStore(
        of run: RunIdentity, _ retention: Retention, _ configuration: LogConfiguration
    ) throws(FileFailure) -> (any LineStore, LogStorageMode) {
        let settings = StoreSettings(
            rotation: configuration.rotation.withinLimits, counters: counters,
            servesSignals: self === LogPipeline.shared,
            // The pipeline holds the store.
            notice: { [weak self] in self?.notice(lost: $0, reason: SystemCalls.message(of: $1)) ?? [] },
            makeRoom: { retention.makeRoom() })
        let (file, mode) = try RunSegments.create(run: run, settings, mode: configuration.mode)
        return (FileStore(file, run: run, synchronizesAt: configuration.synchronizesAt), mode)
    }

    private func inMemory(_ error: Int32, _ configuration: LogConfiguration) -> OpenedRun {
        var report = LogStartReport(storage: .memory(error), mode: configuration.mode)
        if error != 0, let folder = configuration.folder {
            report.notices = ["\(folder): \(SystemCalls.message(of: error)); the log is stored in memory only"]
        }
        return OpenedRun(store: MemoryStore(counters: counters), report: report)
    }

    /// Returns the line that reports lost lines, in the current format.
    func notice(lost: Int, reason: String) -> [UInt8] {
        let copy = LogRecord.notice("\(lost) lines lost: \(reason)", sequence: emittedLines)
        return format.compiled.line(of: copy).bytes
    }
}
