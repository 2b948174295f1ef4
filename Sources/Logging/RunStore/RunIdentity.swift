internal import CAshlarLogging

/// The files of this run as their writer holds them: names, folder, and the state file with its lock.
///
/// Used under the lock of the store that owns it.
final class RunIdentity {
    let folder: String
    let name: RunName
    private(set) var stateDescriptor: Int32
    private var stateIdentity: SystemCalls.FileIdentity?
    private var state: RunState
    private var notesSignals = false

    private init(folder: String, name: RunName, descriptor: Int32, state: RunState) {
        (self.folder, self.name, stateDescriptor, self.state) = (folder, name, descriptor, state)
        stateIdentity = SystemCalls.status(descriptor)?.identity
    }

    deinit { releaseDescriptor() }

    /// Makes the folder and the state file of a new run.
    ///
    /// Names tell the order of runs, so that of a new one sorts behind the newest there is, also if the clock has been
    /// set back since. What the clock says now is in the state file. Returns an `errno` if a run is not possible.
    static func create(
        in folder: String, application: String, after newest: RunName? = nil, now: Int64 = SystemCalls.wallClock()
    ) -> Result<RunIdentity, RunStoreError> {
        let failed = SystemCalls.createFolder(folder)
        guard failed == 0 else { return .failure(RunStoreError(error: failed)) }
        let notWritable = SystemCalls.isWritableFolder(folder)
        guard notWritable == 0 else { return .failure(RunStoreError(error: notWritable)) }
        let pid = SystemCalls.processID
        let clock = max(0, now)
        let next = newest.map { $0.startedAt == .max ? .max : $0.startedAt + 1 } ?? 0
        var last: Int32 = 0
        for _ in 0..<16 {
            let name = RunName(startedAt: max(clock, next), processID: pid, tag: .random(in: 0...UInt16.max))
            let descriptor = SystemCalls.openForUpdating("\(folder)/\(name.stateFile)", creating: true)
            if descriptor == -SystemCalls.exists { continue }
            guard descriptor >= 0 else {
                last = -descriptor
                break
            }
            let state = RunState(
                processID: pid, startedAt: clock, processStart: ProcessIdentity.start(of: pid) ?? 0,
                bootID: ProcessIdentity.boot.bytes, application: application)
            lock(descriptor)
            // A disk without room for 128 bytes: the run is written all the same and will read as unclean.
            SystemCalls.overwrite(descriptor, state.bytes, offset: 0)
            return .success(RunIdentity(folder: folder, name: name, descriptor: descriptor, state: state))
        }
        return .failure(RunStoreError(error: last == 0 ? SystemCalls.exists : last))
    }

    func path(_ part: RunFile.Part) -> String { "\(folder)/\(RunFile(run: name, part: part).name)" }

    /// Notes how many lines were lost so far, so that the next run can tell even if this one is killed.
    func noteLost(_ lost: Int) {
        state.lost = UInt64(clamping: lost)
        write()
    }

    func end(_ ending: RunState.Ending, lines: UInt64) {
        state.ending = ending
        state.lines = lines
        write()
    }

    private func write() {
        guard stateDescriptor >= 0, isOurFile || reopen() else { return }
        SystemCalls.overwrite(stateDescriptor, state.tail, offset: RunState.endOffset)
    }

    /// Whether the descriptor still is the state file: the host may have closed it and its number be another file's.
    private var isOurFile: Bool { SystemCalls.isSame(stateDescriptor, stateIdentity) }

    private func reopen() -> Bool {
        let descriptor = SystemCalls.openForUpdating(path(.state))
        guard descriptor >= 0 else { return false }
        stateDescriptor = descriptor
        stateIdentity = SystemCalls.status(descriptor)?.identity
        Self.lock(descriptor)
        if notesSignals { ashlar_log_set_state_descriptor(descriptor, RunState.endOffset) }
        return true
    }

    /// Shows other processes that the run is alive; Apple's systems kill suspended processes that hold a lock.
    private static func lock(_ descriptor: Int32) {
        #if !canImport(Darwin)
            _ = SystemCalls.tryLock(descriptor)
        #endif
    }

    /// Has fatal signals noted in the state file.
    func noteSignals() {
        ashlar_log_set_state_descriptor(stateDescriptor, RunState.endOffset)
        _ = ashlar_log_install_signal_handlers()
        notesSignals = true
    }

    /// Closes the state file, and with it the lock; in a forked child the parent's own descriptor still holds it.
    func releaseDescriptor() {
        guard stateDescriptor >= 0 else { return }
        if notesSignals { ashlar_log_set_state_descriptor(-1, 0) }
        if isOurFile { SystemCalls.close(stateDescriptor) }
        stateDescriptor = -1
    }
}

/// Why a run store could not be opened.
struct RunStoreError: Error {
    let error: Int32
}
