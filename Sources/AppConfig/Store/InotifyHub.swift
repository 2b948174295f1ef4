#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif
    import Synchronization

    /// All file watching of the process: one inotify descriptor and one thread, which sleeps while nothing happens.
    ///
    /// Directories are watched, not files, so that a file may be replaced, deleted and created again. Events that touch
    /// a watched entry are gathered for 20 ms; then the entries are found anew and the files' signatures are compared. A
    /// file that has vanished is waited for, as it may be about to be written anew.
    final class InotifyHub: Sendable {
        static let shared = InotifyHub()

        private struct Watcher {
            let files: [String]
            let onChange: @Sendable ([FileSignature?]) -> Void
            var entries: Set<FileChain.Entry> = []
            var signatures: [FileSignature?] = []
            /// A file was so new when its signature was taken that the next event counts even if the signature is the same.
            var isFresh = false
            var deadline: Int?
            /// Until when a file that has vanished may come back.
            var graceEnd: Int?
        }

        private struct State {
            var descriptor: Int32 = -1
            var watchers: [Int: Watcher] = [:]
            /// The watch descriptor of each directory, and the directories' paths behind each of them.
            var numbers: [String: Int32] = [:]
            var paths: [Int32: Set<String>] = [:]
            var next = 0
        }

        private static let debounce = 20_000_000
        private static let grace = 200_000_000
        private static let look = 1_000_000_000
        private static let mask =
            UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE)
            | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

        private let state = Mutex(State())
        private let addWatch: @Sendable (Int32, String, UInt32) -> Int32

        /// Creates a hub; tests give it a call that refuses in place of the system's.
        init(addWatch: @escaping @Sendable (Int32, String, UInt32) -> Int32 = { inotify_add_watch($0, $1, $2) }) {
            self.addWatch = addWatch
        }

        /// Begins to watch files; nil if the system has no more descriptors or watches to give.
        func add(_ files: [String], _ onChange: @escaping @Sendable ([FileSignature?]) -> Void) -> Int? {
            state.withLock { state in
                if state.descriptor < 0 {
                    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
                    if descriptor < 0 { return nil }
                    state.descriptor = descriptor
                    PollingThread.start { self.run() }
                }
                state.next += 1
                let number = state.next
                state.watchers[number] = Watcher(files: files, onChange: onChange)
                guard refresh(number, &state) else {
                    state.watchers[number] = nil
                    prune(&state)
                    return nil
                }
                let signatures = files.map { FileSignature($0) }
                state.watchers[number]?.signatures = signatures
                state.watchers[number]?.isFresh = signatures.contains { $0?.isFresh == true }
                return number
            }
        }

        func remove(_ number: Int) {
            // The closure is freed after the lock.
            let removed = state.withLock { state in
                let removed = state.watchers.removeValue(forKey: number)
                prune(&state)
                return removed
            }
            _ = removed
        }

        /// Finds a watcher's entries anew and watches their directories; false if the system refuses.
        private func refresh(_ number: Int, _ state: inout State) -> Bool {
            guard let files = state.watchers[number]?.files else { return true }
            let entries = files.reduce(into: Set<FileChain.Entry>()) { $0.formUnion(FileChain.entries(of: $1)) }
            for directory in Set(entries.map(\.directory)) {
                // Asked for each time, as another directory may have taken the path.
                let watch = addWatch(state.descriptor, directory, Self.mask)
                if watch < 0 {
                    if errno == ENOENT || errno == ENOTDIR || errno == EACCES { continue }
                    return false
                }
                if let old = state.numbers[directory], old != watch { drop(directory, &state) }
                state.numbers[directory] = watch
                state.paths[watch, default: []].insert(directory)
            }
            state.watchers[number]?.entries = entries
            return true
        }

        /// Ends the watches of directories that nobody needs any more.
        private func prune(_ state: inout State) {
            let needed = Set(state.watchers.values.flatMap { $0.entries.map(\.directory) })
            for directory in state.numbers.keys where !needed.contains(directory) { drop(directory, &state) }
        }

        private func drop(_ directory: String, _ state: inout State) {
            guard let watch = state.numbers.removeValue(forKey: directory) else { return }
            state.paths[watch]?.remove(directory)
            if state.paths[watch]?.isEmpty == true {
                state.paths[watch] = nil
                inotify_rm_watch(state.descriptor, watch)
            }
        }

        // MARK: The thread

        private func run() {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let (descriptor, deadline) = state.withLock { state in
                    (state.descriptor, state.watchers.values.compactMap(\.deadline).min())
                }
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let wait = deadline.map { max(0, ($0 - Self.now() + 999_999) / 1_000_000) }
                let ready = poll(&request, 1, wait.map { Int32($0) } ?? -1)
                if ready > 0 {
                    let count = read(descriptor, &buffer, buffer.count)
                    if count > 0 { note(buffer[0..<count]) }
                }
                for handler in due() { handler() }
            }
        }

        private static let start = ContinuousClock.now

        /// Nanoseconds since the first call.
        private static func now() -> Int {
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        }

        /// Sets the deadlines of the watchers that a run of events concerns.
        private func note(_ bytes: ArraySlice<UInt8>) {
            let deadline = Self.now() + Self.debounce
            state.withLock { state in
                bytes.withUnsafeBytes { bytes in
                    var at = 0
                    while at + 16 <= bytes.count {
                        let watch = bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)
                        let mask = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                        let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                        guard at + 16 + length <= bytes.count else { return }
                        let name = bytes[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }
                        note(watch, mask, String(decoding: name, as: UTF8.self), deadline, &state)
                        at += 16 + length
                    }
                }
            }
        }

        private func note(_ watch: Int32, _ mask: UInt32, _ name: String, _ deadline: Int, _ state: inout State) {
            let isOverflow = mask & UInt32(IN_Q_OVERFLOW) != 0
            let directories = state.paths[watch] ?? []
            if mask & UInt32(IN_IGNORED) != 0 {
                state.paths[watch] = nil
                for directory in directories where state.numbers[directory] == watch { state.numbers[directory] = nil }
            }
            for (number, watcher) in state.watchers where watcher.deadline.map({ $0 > deadline }) ?? true {
                let isConcerned =
                    isOverflow
                    || directories.contains { directory in
                        name.isEmpty
                            ? state.watchers[number]?.entries.contains { $0.directory == directory } == true
                            : state.watchers[number]?.entries.contains(.init(directory: directory, name: name)) == true
                    }
                if isConcerned { state.watchers[number]?.deadline = deadline }
            }
        }

        /// The handlers of the watchers whose time has come and whose files are other ones than before.
        private func due() -> [@Sendable () -> Void] {
            state.withLock { state in
                let now = Self.now()
                var handlers: [@Sendable () -> Void] = []
                for (number, watcher) in state.watchers {
                    guard let deadline = watcher.deadline, deadline <= now else { continue }
                    state.watchers[number]?.deadline = nil
                    // Watched first and looked at second, so that nothing falls between.
                    // What can no longer be watched is looked at every second until it can.
                    if !refresh(number, &state) { state.watchers[number]?.deadline = now + Self.look }
                    let signatures = watcher.files.map { FileSignature($0) }
                    if zip(watcher.signatures, signatures).contains(where: { $0 != nil && $1 == nil }) {
                        let end = watcher.graceEnd ?? now + Self.grace
                        state.watchers[number]?.graceEnd = end
                        if now < end {
                            state.watchers[number]?.deadline = end
                            continue
                        }
                    }
                    state.watchers[number]?.graceEnd = nil
                    if signatures != watcher.signatures || watcher.isFresh {
                        state.watchers[number]?.signatures = signatures
                        state.watchers[number]?.isFresh = signatures.contains { $0?.isFresh == true }
                        handlers.append { watcher.onChange(signatures) }
                    }
                }
                if !handlers.isEmpty { prune(&state) }
                return handlers
            }
        }
    }
#endif
