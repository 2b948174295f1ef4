#if os(Linux)
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// All inotify watches of the process, which share one descriptor and one thread.
    ///
    /// The hub watches directories, not files, so that a file can be replaced, or deleted and created again.
    final class InotifyHub: Sendable {
        static let shared = InotifyHub()

        private struct Watcher {
            let paths: [String]
            let onChange: PathWatch.Handler
            /// The directory entries on the path to the files, and whether an entry can be a file itself.
            var entries: [PathChain.Entry: Bool] = [:]
            var state: PathWatchState
        }

        private struct State {
            var descriptor: Int32 = -1
            /// A pipe whose end for writing wakes the thread.
            var pipe: [Int32] = [-1, -1]
            var watchers: [Int: Watcher] = [:]
            /// The watch descriptor of each directory; several paths of one directory have the same.
            var numbers: [String: Int32] = [:]
            var nextNumber = 0
        }

        private static let entryEvents =
            UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
            | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
        // Used only for directories that contain watched files, because others, such as /tmp, can have many writers.
        private static let fileEvents = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)
        private static let openWriteEvents = UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)

        private let state = Mutex(State())
        private let addWatch: @Sendable (Int32, String, UInt32) -> Int32

        /// Creates a hub.
        ///
        /// - Parameter addWatch: The system call that watches a directory; tests pass one that fails.
        init(addWatch: @escaping @Sendable (Int32, String, UInt32) -> Int32 = { inotify_add_watch($0, $1, $2) }) {
            self.addWatch = addWatch
        }

        /// Starts watching files; returns nil if the system has no more descriptors, threads or watches.
        func watch(_ paths: [String], _ onChange: @escaping PathWatch.Handler) -> PathWatch? {
            let number: Int? = state.withLock { state in
                guard start(&state) else { return nil }
                state.nextNumber += 1
                let number = state.nextNumber
                let unread = PathWatchState(PathSnapshot(of: []), at: Monotonic.now, compared: .never)
                state.watchers[number] = Watcher(paths: paths, onChange: onChange, state: unread)
                let comparison = watchDirectories(of: number, &state)
                guard comparison < .often else {
                    state.watchers[number] = nil
                    removeUnused(&state)
                    return nil
                }
                // The snapshot is taken after the directories are watched, so that no change in between is lost.
                state.watchers[number]?.state = PathWatchState(
                    PathSnapshot(of: paths), at: Monotonic.now, compared: comparison)
                if comparison > .never { _ = write(state.pipe[1], [1], 1) }
                return number
            }
            return number.map { number in PathWatch(isPolling: false) { self.remove(number) } }
        }

        /// Opens the descriptor and starts the thread on the first call.
        private func start(_ state: inout State) -> Bool {
            if state.descriptor >= 0 { return true }
            let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard descriptor >= 0 else { return false }
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                close(descriptor)
                return false
            }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            guard HelperThread.start({ self.run() }) else {
                for descriptor in [descriptor] + ends { close(descriptor) }
                return false
            }
            state.descriptor = descriptor
            state.pipe = ends
            return true
        }

        private func remove(_ number: Int) {
            // The closure is released outside the lock.
            _ = state.withLock { state in
                let removed = state.watchers.removeValue(forKey: number)
                removeUnused(&state)
                return removed
            }
        }

        /// Finds a watcher's entries and watches their directories; returns how often the files must be compared.
        private func watchDirectories(of number: Int, _ state: inout State) -> PathWatchState.Comparison {
            guard let paths = state.watchers[number]?.paths else { return .never }
            var entries: [PathChain.Entry: Bool] = [:]
            var watched: [String: Bool] = [:]
            var comparison = PathWatchState.Comparison.never
            for path in paths {
                PathChain.walk(path) { entry, isFile in
                    entries[entry] = entries[entry] == true || isFile
                    guard comparison < .often, watched[entry.directory] != true, watched[entry.directory] != isFile
                    else {
                        return
                    }
                    watched[entry.directory] = isFile
                    comparison = max(comparison, watch(entry.directory, forFiles: isFile, &state))
                }
            }
            state.watchers[number]?.entries = entries
            return comparison
        }

        /// Watches a directory; each call requests the watch again, because another directory may now have this path.
        private func watch(
            _ directory: String, forFiles: Bool, _ state: inout State
        ) -> PathWatchState.Comparison {
            let mask = forFiles ? Self.entryEvents | Self.fileEvents : Self.entryEvents
            let number = addWatch(state.descriptor, directory, mask)
            if number < 0 {
                switch errno {
                // The entry in the parent directory is watched.
                case ENOENT, ENOTDIR: return .never
                case EACCES: return .regularly
                default: return .often
                }
            }
            if let old = state.numbers[directory], old != number { drop(directory, &state) }
            state.numbers[directory] = number
            return forFiles && !FileSystemKind.isLocal(directory) ? .regularly : .never
        }

        /// Ends the watches of directories that no watched path uses.
        private func removeUnused(_ state: inout State) {
            let needed = Set(state.watchers.values.flatMap { $0.entries.keys.map(\.directory) })
            for directory in state.numbers.keys where !needed.contains(directory) { drop(directory, &state) }
        }

        private func drop(_ directory: String, _ state: inout State) {
            guard let number = state.numbers.removeValue(forKey: directory) else { return }
            if !state.numbers.values.contains(number) { inotify_rm_watch(state.descriptor, number) }
        }

        // MARK: The thread

        private func run() {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let (descriptor, pipe, deadline) = state.withLock { state in
                    (state.descriptor, state.pipe[0], state.watchers.values.map(\.state.deadline).min() ?? .max)
                }
                var requests = [descriptor, pipe].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                // Without a deadline the thread sleeps until an event.
                let wait = deadline == .max ? -1 : max(0, (deadline - Monotonic.now + 999_999) / 1_000_000)
                if poll(&requests, 2, Int32(clamping: wait)) > 0 {
                    _ = read(pipe, &buffer, buffer.count)
                    let count = read(descriptor, &buffer, buffer.count)
                    if count > 0 { note(buffer[..<count]) }
                }
                for handler in changes() { handler() }
            }
        }

        /// Passes events to the watchers of their directory entries.
        private func note(_ bytes: ArraySlice<UInt8>) {
            let now = Monotonic.now
            state.withLock { state in
                bytes.withUnsafeBytes { bytes in
                    var at = 0
                    while at + 16 <= bytes.count {
                        let watch = bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)
                        let mask = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                        let end = at + 16 + Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                        guard end <= bytes.count else { return }
                        let name = String(decoding: bytes[(at + 16)..<end].prefix { $0 != 0 }, as: UTF8.self)
                        note(mask, of: watch, name: name, at: now, &state)
                        at = end
                    }
                }
            }
        }

        /// Passes the event of a directory, or of the entry with a name in it, to its watchers.
        private func note(_ mask: UInt32, of watch: Int32, name: String, at now: Int64, _ state: inout State) {
            let directories = state.numbers.filter { $0.value == watch }.keys
            if mask & UInt32(IN_IGNORED) != 0 {
                for directory in directories { state.numbers[directory] = nil }
            }
            let hasLostEvents = mask & UInt32(IN_Q_OVERFLOW) != 0
            for (number, watcher) in state.watchers {
                let isConcerned = directories.contains { directory in
                    name.isEmpty
                        ? watcher.entries.keys.contains { $0.directory == directory }
                        : watcher.entries[.init(directory: directory, name: name)] != nil
                            || watcher.entries[.init(directory: directory, name: "")] != nil
                }
                guard isConcerned || hasLostEvents else { continue }
                if mask & ~Self.openWriteEvents == 0 {
                    state.watchers[number]?.state.noteWrite(at: now)
                } else {
                    state.watchers[number]?.state.noteChange(at: now)
                }
            }
        }

        /// The handlers of the watchers whose comparison is due and whose files have changed.
        private func changes() -> [@Sendable () -> Void] {
            state.withLock { state in
                let now = Monotonic.now
                guard state.watchers.values.contains(where: { $0.state.deadline <= now }) else { return [] }
                var handlers: [@Sendable () -> Void] = []
                for (number, watcher) in state.watchers where watcher.state.deadline <= now {
                    // The directories are watched before the files are compared, so that no change in between is lost.
                    let comparison = watchDirectories(of: number, &state)
                    let snapshot = PathSnapshot(of: watcher.paths)
                    if state.watchers[number]?.state.compare(snapshot, at: now, compared: comparison) == true {
                        handlers.append { watcher.onChange(snapshot) }
                    }
                }
                removeUnused(&state)
                return handlers
            }
        }
    }
#endif
