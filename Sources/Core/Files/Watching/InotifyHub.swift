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
                let unread = PathWatchState(PathSnapshot(of: []), at: Monotonic.now)
                state.watchers[number] = Watcher(paths: paths, onChange: onChange, state: unread)
                guard watchDirectories(of: number, &state) else {
                    state.watchers[number] = nil
                    removeUnused(&state)
                    return nil
                }
                // The snapshot is taken after the directories are watched, so that no change in between is lost.
                state.watchers[number]?.state = PathWatchState(PathSnapshot(of: paths), at: Monotonic.now)
                return number
            }
            return number.map { number in PathWatch(isPolling: false) { self.remove(number) } }
        }

        /// Opens the descriptor and starts the thread on the first call.
        private func start(_ state: inout State) -> Bool {
            if state.descriptor >= 0 { return true }
            let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard descriptor >= 0 else { return false }
            guard HelperThread.start({ self.run() }) else {
                close(descriptor)
                return false
            }
            state.descriptor = descriptor
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

        /// Finds a watcher's entries and watches their directories; returns `false` if the system refuses a watch.
        private func watchDirectories(of number: Int, _ state: inout State) -> Bool {
            guard let paths = state.watchers[number]?.paths else { return true }
            var entries: [PathChain.Entry: Bool] = [:]
            var watched: [String: Bool] = [:]
            var isComplete = true
            for path in paths {
                PathChain.walk(path) { entry, isFile in
                    entries[entry] = entries[entry] == true || isFile
                    guard isComplete, watched[entry.directory] != true, watched[entry.directory] != isFile else {
                        return
                    }
                    watched[entry.directory] = isFile
                    isComplete = watch(entry.directory, forFiles: isFile, &state)
                }
            }
            state.watchers[number]?.entries = entries
            return isComplete
        }

        /// Watches a directory; each call requests the watch again, because another directory may now have this path.
        private func watch(_ directory: String, forFiles: Bool, _ state: inout State) -> Bool {
            let mask = forFiles ? Self.entryEvents | Self.fileEvents : Self.entryEvents
            let number = addWatch(state.descriptor, directory, mask)
            if number < 0 { return errno == ENOENT || errno == ENOTDIR || errno == EACCES }
            if let old = state.numbers[directory], old != number { drop(directory, &state) }
            state.numbers[directory] = number
            return true
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
                let (descriptor, deadline) = state.withLock { state in
                    (state.descriptor, state.watchers.values.map(\.state.deadline).min())
                }
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                // A new watch doesn't wake the thread, so the thread sleeps at most until the next regular comparison.
                let wait = deadline.map { max(0, ($0 - Monotonic.now + 999_999) / 1_000_000) } ?? 5_000
                if poll(&request, 1, Int32(clamping: wait)) > 0 {
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
                    let isWatched = watchDirectories(of: number, &state)
                    let snapshot = PathSnapshot(of: watcher.paths)
                    if state.watchers[number]?.state.compare(snapshot, at: now, isWatched: isWatched) == true {
                        handlers.append { watcher.onChange(snapshot) }
                    }
                }
                removeUnused(&state)
                return handlers
            }
        }
    }
#endif
