internal import AshlarBase
internal import CAshlarLogging

/// The files of the current run for their writer: folder, name, and the state file with its lock.
///
/// It is used under the lock of the file that owns it.
final class RunIdentity: @unchecked Sendable {  // used under that lock only
    let folder: String
    let name: RunName
    private var stateDescriptor: Int32
    private var stateIdentity: FileIdentity?
    private var state: RunState
    private var notesSignals = false
    /// The descriptor of the first segment, which is marked as in use until the run ends.
    ///
    /// Otherwise another process could list the folder, pause, and then find all listed segments unmarked.
    private var firstSegment: Int32 = -1
    private var firstSegmentIdentity: FileIdentity?

    /// The runs that this process has open, and those of them that it has ended.
    private static let open = Guarded<[RunName]>([])
    private static let ended = Guarded<[RunName]>([])

    static func isOpen(_ name: RunName) -> Bool { open.withLock { $0.contains(name) } }

    /// Whether this process has ended a run to which it may still append late lines.
    static func hasEnded(_ name: RunName) -> Bool { ended.withLock { $0.contains(name) } }

    private init(folder: String, name: RunName, descriptor: Int32, state: RunState) {
        self.folder = folder
        self.name = name
        self.state = state
        stateDescriptor = descriptor
        stateIdentity = FileIdentity(descriptor: descriptor)
        Self.open.withLock { $0.append(name) }
    }

    deinit {
        // The marks end with their descriptors.
        if SystemCalls.isSame(firstSegment, firstSegmentIdentity) { SystemCalls.close(firstSegment) }
        ashlar_log_release_signal_file(owner)
        ashlar_log_release_state_file(stateDescriptor)
        if isOwnFile { SystemCalls.close(stateDescriptor) }
        Self.open.withLock { $0.removeAll { $0 == name } }
        Self.ended.withLock { $0.removeAll { $0 == name } }
    }

    /// Retains a descriptor of the marked first segment.
    func retain(firstSegment descriptor: Int32) {
        firstSegment = SystemCalls.duplicate(descriptor)
        firstSegmentIdentity = FileIdentity(descriptor: firstSegment)
    }

    /// Identifies the run for signal handlers.
    private var owner: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Sends the lines of signal handlers to a segment, unless a run that began later receives them.
    ///
    /// A line that is appended to a mapped segment would follow its zeros, so signal handlers create their own file.
    func receiveSignals(in file: AppendedFile, isNew: Bool) {
        guard isNew || ashlar_log_owns_signal_file(owner) == 1 else { return }
        let own = file.isMapped ? path(.child(Int(ProcessIdentity.current))) : nil
        ashlar_log_set_signal_file(owner, file.isMapped ? -1 : file.descriptor, own)
    }

    /// Creates the folder and the state file of a new run.
    ///
    /// Runs are ordered by name, so the new name sorts after the newest one, even if the clock was set back. The state
    /// file contains the time of the clock.
    static func create(
        in folder: String, application: String, after newest: RunName? = nil, now: Int64 = SystemCalls.wallClock()
    ) throws(FileFailure) -> RunIdentity {
        guard !folder.isEmpty else { throw FileFailure(folder, .system(SystemCalls.missing)) }
        try FolderListing.create(folder, permissions: 0o700)
        let pid = ProcessIdentity.current
        let clock = min(max(0, now), RunName.latestStart)
        let next = newest.map { min($0.startedAt + 1, RunName.latestStart) } ?? 0
        for _ in 0..<16 {
            let name = RunName(startedAt: max(clock, next), processID: pid, tag: .random(in: 0...UInt16.max))
            let descriptor = SystemCalls.openForUpdating("\(folder)/\(name.stateFile)", creating: true)
            if descriptor == -SystemCalls.exists { continue }
            guard descriptor >= 0 else { throw FileFailure(folder, .system(-descriptor)) }
            let state = RunState(
                processID: pid, startedAt: clock, processStart: ProcessIdentity.start(of: pid) ?? 0,
                bootID: ProcessIdentity.boot.bytes, application: application)
            SystemCalls.markInUse(descriptor)
            // If the disk has no room for 128 bytes, the run is written anyway and its outcome is unclean.
            SystemCalls.overwrite(descriptor, state.bytes, offset: 0)
            return RunIdentity(folder: folder, name: name, descriptor: descriptor, state: state)
        }
        throw FileFailure(folder, .system(SystemCalls.exists))
    }

    func path(_ part: RunFile.Part) -> String { "\(folder)/\(RunFile(run: name, part: part).name)" }

    /// Returns the contents of the given segments and of the signal handlers' file.
    func contents(segments: [Int], limit: Int?) -> [UInt8] {
        let parts = segments.map { RunFile.Part.segment($0) } + [.child(Int(ProcessIdentity.current))]
        return RunReader.contents(of: parts.map(path), limit: limit)
    }

    /// Records the number of lost lines, in case the process is killed.
    func noteLost(_ lost: Int) {
        state.lost = UInt64(clamping: lost)
        write()
    }

    /// Records where the app is, in case the system ends it.
    func note(_ place: RunState.Place) {
        state.place = place
        write()
    }

    func end(_ ending: RunState.Ending, lines: UInt64) {
        state.ending = ending
        state.lines = lines
        state.endedAt = SystemCalls.wallClock()
        Self.ended.withLock { $0.append(name) }
        write()
        ashlar_log_end_state_file(stateDescriptor)
    }

    private func write() {
        guard isOwnFile || reopen() else { return }
        SystemCalls.overwrite(stateDescriptor, state.bytes, offset: 0)
    }

    /// Whether the descriptor still refers to the state file.
    ///
    /// The app may have closed it and reused its number.
    private var isOwnFile: Bool { SystemCalls.isSame(stateDescriptor, stateIdentity) }

    private func reopen() -> Bool {
        let descriptor = SystemCalls.openForUpdating(path(.state))
        guard descriptor >= 0 else { return false }
        stateDescriptor = descriptor
        stateIdentity = FileIdentity(descriptor: descriptor)
        SystemCalls.markInUse(descriptor)
        if notesSignals { ashlar_log_set_state_file(descriptor) }
        return true
    }

    /// Records fatal signals in the state file.
    func noteSignals() {
        _ = ashlar_log_install_signal_handlers()
        ashlar_log_prepare_thread()
        if !notesSignals { ashlar_log_set_state_file(stateDescriptor) }
        notesSignals = true
    }
}
