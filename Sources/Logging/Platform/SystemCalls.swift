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
    static var lastError: Int32 { errno }

    static func message(of error: Int32) -> String {
        guard let text = strerror(error) else { return "error \(error)" }
        return String(cString: text)
    }

    static let fileTooLarge = EFBIG
    static let badDescriptor = EBADF
    static let noSpace = ENOSPC
    static let exists = EEXIST
    static let inputOutput = EIO
    static let notRegular = EINVAL

    /// Returns the offset of the first occurrence of a byte.
    @inline(__always)
    static func offset(of byte: UInt8, in start: UnsafeRawPointer, _ count: Int) -> Int? {
        guard count > 0, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

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

    @inline(__always)
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

    /// Signals to the processor that the thread polls memory.
    @inline(__always)
    static func pause() { ashlar_log_pause() }

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

extension Duration {
    /// The duration in nanoseconds, clamped to the range of `Int64`.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}
