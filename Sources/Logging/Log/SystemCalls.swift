internal import AshlarBase
internal import CAshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The C library functions that the module calls.
///
/// A failed call returns `-errno` or nil and never traps. Interrupted calls are repeated.
enum SystemCalls {
    static func message(of error: Int32) -> String {
        guard let text = strerror(error) else { return "error \(error)" }
        return String(cString: text)
    }

    static let fileTooLarge = EFBIG
    static let badDescriptor = EBADF
    static let noSpace = ENOSPC
    static let exists = EEXIST
    static let missing = ENOENT
    static let inputOutput = EIO
    static let notRegular = EINVAL

    static func retrying(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { return -errno }
        }
    }

    // MARK: Time

    /// Nanoseconds since 1970-01-01 UTC.
    static func wallClock() -> Int64 { clock(CLOCK_REALTIME) }

    /// Nanoseconds of a clock that never goes backwards, from an arbitrary start.
    static func monotonicClock() -> Int64 { clock(CLOCK_MONOTONIC) }

    private static func clock(_ clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }

    /// Returns the offset of local time from UTC at a point in time, in seconds.
    static func localOffset(at second: Int64) -> Int {
        var moment = time_t(clamping: second)
        var parts = tm()
        return localtime_r(&moment, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    // MARK: The process

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    static var processID: Int32 { getpid() }

    static var userID: UInt32 { geteuid() }

    static func atExit(_ action: @escaping @convention(c) () -> Void) {
        atexit(action)
        #if !canImport(Darwin)
            at_quick_exit(action)
        #endif
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The number of columns of a terminal; nil if it is unknown.
    static func terminalWidth(_ descriptor: Int32) -> Int? {
        let width = ashlar_log_terminal_width(descriptor)
        return width > 0 ? Int(width) : nil
    }

    /// The file size beyond which a write raises `SIGXFSZ`, if there is a limit.
    static var fileSizeLimit: Int64? { resourceLimit(RLIMIT_FSIZE) }

    #if canImport(Glibc)
        private typealias Resource = __rlimit_resource
    #else
        private typealias Resource = Int32
    #endif

    private static func resourceLimit(_ resource: Resource) -> Int64? {
        var limit = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        #else
            let result = getrlimit(resource, &limit)
        #endif
        return result == 0 ? Int64(exactly: limit.rlim_cur) : nil
    }

    /// The lowest number for descriptors that remain open.
    ///
    /// It is below 64, the initial size of the descriptor table: growing the table delays a process with several
    /// threads by about 10 ms on Linux.
    static let highNumber = Int32(min(48, (resourceLimit(RLIMIT_NOFILE) ?? 1024) / 2))

    /// Runs a write without raising `SIGPIPE` or `SIGXFSZ`.
    ///
    /// Both signals are sent to the writing thread. They are blocked, and consumed if the write raised them. Darwin
    /// sends SIGPIPE to the process, so descriptors also need ``disableSIGPIPE(on:)`` there.
    @inline(never)
    static func withoutWriteSignals(_ body: () -> Int) -> Int {
        var blocked = sigset_t()
        var before = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGPIPE)
        sigaddset(&blocked, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        let result = body()
        for (signal, error) in [(SIGPIPE, EPIPE), (SIGXFSZ, EFBIG)]
        where result == -Int(error) && sigismember(&before, signal) == 0 {
            var one = sigset_t()
            sigemptyset(&one)
            sigaddset(&one, signal)
            #if canImport(Darwin)
                var pending = sigset_t()
                sigpending(&pending)
                var taken: Int32 = 0
                if sigismember(&pending, signal) == 1 { sigwait(&one, &taken) }
            #else
                var none = timespec()
                _ = sigtimedwait(&one, nil, &none)
            #endif
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}

/// Opening, reading and writing files.
extension SystemCalls {
    /// Opens or creates a file for appending, accessible to its owner only.
    ///
    /// Symbolic links aren't followed, and pipes and devices are refused without waiting. A negative result is
    /// `-errno`.
    static func openForAppending(_ path: String, exclusive: Bool) -> Int32 {
        var flags = O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        if exclusive { flags |= O_EXCL }
        return marked(outOfTheWay(regular(retrying { open(path, flags, 0o600) })))
    }

    /// Marks a file of the log: readable after the first unlock of the device, and not in backups.
    private static func marked(_ descriptor: Int32) -> Int32 {
        DataProtection.apply(to: descriptor)
        DataProtection.excludeFromBackup(descriptor)
        return descriptor
    }

    /// Opens a regular file for reading and writing in place; a negative result is `-errno`.
    static func openForUpdating(_ path: String, creating: Bool = false) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT | O_EXCL : 0)
        let descriptor = outOfTheWay(regular(retrying { open(path, flags, 0o600) }))
        return creating ? marked(descriptor) : descriptor
    }

    /// Opens a regular file for reading; a negative result is `-errno`.
    static func openForReading(_ path: String) -> Int32 {
        regular(retrying { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) })
    }

    private static func regular(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, FileStatus(descriptor: descriptor)?.kind != .regular else { return descriptor }
        close(descriptor)
        return -notRegular
    }

    /// Moves a descriptor that remains open to a high number that new files of the app don't get.
    ///
    /// New files get the lowest free number. An app that closes descriptors it didn't open, such as a daemon, would
    /// otherwise get log lines into its next file.
    static func outOfTheWay(_ descriptor: Int32) -> Int32 {
        disableSIGPIPE(on: descriptor)
        guard descriptor >= 0, descriptor < highNumber else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, highNumber)
        guard moved >= 0 else { return descriptor }
        close(descriptor)
        return moved
    }

    /// Duplicates a descriptor, also with a high number; a negative result is `-errno`.
    static func duplicate(_ descriptor: Int32) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, highNumber)
        return copy >= 0 ? copy : -errno
    }

    /// Makes writes to a broken pipe fail with EPIPE only, without a signal.
    ///
    /// Darwin sends SIGPIPE to the process, so blocking the signal in a thread has no effect. On other systems,
    /// ``withoutWriteSignals(_:)`` blocks it.
    static func disableSIGPIPE(on descriptor: Int32) {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        #endif
    }

    static func close(_ descriptor: Int32) { systemClose(descriptor) }

    /// Writes once; the result is the number of bytes written or `-errno`.
    static func write(_ descriptor: Int32, _ bytes: some Collection<UInt8>) -> Int {
        let written = bytes.withContiguousStorageIfAvailable { bytes in
            while true {
                let written = systemWrite(descriptor, bytes)
                if written >= 0 { return written }
                if errno != EINTR { return -Int(errno) }
            }
        }
        return written ?? write(descriptor, Array(bytes))
    }

    /// Reads up to `limit` bytes at an offset; fewer at the end of the file or after an error.
    static func read(_ descriptor: Int32, offset: Int64, limit: Int) -> [UInt8] {
        guard limit > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let got = pread(descriptor, buffer.baseAddress! + count, limit - count, off_t(offset) + off_t(count))
                if got > 0 {
                    count += got
                } else if got == 0 || errno != EINTR {
                    break
                }
            }
        }
    }

    /// Reads the first 4 KiB of a file of the system, whose size is unknown; nothing if it can't be read.
    static func read(systemFile path: String) -> [UInt8] {
        let descriptor = openForReading(path)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return read(descriptor, offset: 0, limit: 4096)
    }

    /// Writes in place.
    ///
    /// If the disk is full, the old content remains.
    static func overwrite(_ descriptor: Int32, _ bytes: [UInt8], offset: Int64) {
        guard !bytes.isEmpty else { return }
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress!, $0.count, off_t(offset)) }
    }

    static func truncate(_ descriptor: Int32, to size: Int64) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

    /// Sets the time of the last write.
    static func setModified(_ descriptor: Int32, _ time: FileSignature.Time) {
        let time = timespec(tv_sec: time_t(time.seconds), tv_nsec: Int(time.nanoseconds))
        _ = [time, time].withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
    }

    /// Waits until a file's bytes would survive a power failure.
    static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // Only this empties the cache of the drive; file systems without it have fsync(2) only.
            fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
        #else
            fdatasync(descriptor) == 0
        #endif
    }

    /// Whether a descriptor still refers to a file.
    ///
    /// The app may have closed it and reused its number.
    static func isSame(_ descriptor: Int32, _ identity: FileIdentity?) -> Bool {
        descriptor >= 0 && identity != nil && FileIdentity(descriptor: descriptor) == identity
    }

    /// Marks an open file as in use, until its last descriptor is closed.
    ///
    /// The mark is a shared lock. Apple systems end a suspended app that holds a lock, so there is no mark on these.
    static func markInUse(_ descriptor: Int32) { ashlar_log_mark_in_use(descriptor) }

    /// Whether a process has marked a file as in use.
    static func isInUse(_ path: String) -> Bool {
        let descriptor = openForReading(path)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return ashlar_log_is_in_use(descriptor) == 1
    }
}

// Outside of the type, where the names of the system's functions are not hidden.
private func systemClose(_ descriptor: Int32) { close(descriptor) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of `Int64`.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}
