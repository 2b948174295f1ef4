internal import CAshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The few calls of the C library that the module makes, in one place.
///
/// A failed call returns the `errno` in a `Result`-like way (negative numbers), never traps, and is repeated after
/// `EINTR`.
enum SystemCalls {
    static var lastError: Int32 { errno }

    static func message(of error: Int32) -> String {
        guard let text = strerror(error) else { return "error \(error)" }
        return String(cString: text)
    }

    static let fileTooLarge = EFBIG
    static let badDescriptor = EBADF
    static let noSpace = ENOSPC
    static let noEntry = ENOENT
    static let exists = EEXIST
    static let inputOutput = EIO

    /// Where a byte first stands in a stretch of memory.
    static func offset(of byte: UInt8, in start: UnsafeRawPointer, _ count: Int) -> Int? {
        guard count > 0, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    // MARK: Time

    /// Nanoseconds since 1970-01-01 UTC.
    static func wallClock() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }

    /// Nanoseconds since an arbitrary moment; never goes back.
    static func monotonicClock() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }

    static func sleep(nanoseconds: Int64) {
        var pause = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        nanosleep(&pause, nil)
    }

    // MARK: Files

    /// Opens a file for appending, owner only, without following a symbolic link; a negative result is `-errno`.
    static func openForAppending(_ path: String, exclusive: Bool) -> Int32 {
        var flags = O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC | O_NOFOLLOW
        if exclusive { flags |= O_EXCL }
        return outOfTheWay(retrying { open(path, flags, 0o600) })
    }

    /// Opens a file for reading and writing in place; a negative result is `-errno`.
    static func openForUpdating(_ path: String, creating: Bool = false) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT | O_EXCL : 0)
        return outOfTheWay(retrying { open(path, flags, 0o600) })
    }

    static func openForReading(_ path: String) -> Int32 {
        aboveStandardStreams(retrying { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
    }

    /// Moves a descriptor that stays open to a number that the host's files will not get.
    ///
    /// New files get the lowest free number. A host that closes what it did not open, as daemons do, would otherwise have
    /// log lines written into the next file it opens.
    static func outOfTheWay(_ descriptor: Int32) -> Int32 {
        disableSIGPIPE(on: descriptor)
        guard descriptor >= 0, descriptor < highNumber else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, highNumber)
        guard moved >= 0 else { return aboveStandardStreams(descriptor) }
        _ = Self.close(descriptor)
        return moved
    }

    /// Makes writes to a broken pipe fail with EPIPE only.
    ///
    /// Darwin sends SIGPIPE to the process, so a thread that blocks it prevents nothing. On other systems,
    /// ``withoutWriteSignals(_:)`` does.
    static func disableSIGPIPE(on descriptor: Int32) {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        #endif
    }

    /// High, but below 64, for which a process has room from the beginning: while Linux makes more, a process of several
    /// threads waits about 10 ms.
    private static let highNumber = Int32(min(48, (resourceLimit(RLIMIT_NOFILE) ?? 1024) / 2))

    /// Moves a descriptor away from 0, 1 and 2, which a host that closed them would use for something else.
    private static func aboveStandardStreams(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, descriptor <= 2 else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let error = errno
        _ = Self.close(descriptor)
        return moved >= 0 ? moved : -error
    }

    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #elseif canImport(Musl)
            Musl.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }

    /// Writes once; the result is the number of bytes written or `-errno`.
    static func write(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
        while true {
            #if canImport(Darwin)
                let written = Darwin.write(descriptor, start, count)
            #elseif canImport(Musl)
                let written = Musl.write(descriptor, start, count)
            #else
                let written = Glibc.write(descriptor, start, count)
            #endif
            if written >= 0 { return written }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Appends once to a file opened for appending that is `size` long; the result is the number of bytes written or
    /// `-errno`.
    @inline(__always)
    static func append(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int, size: Int64) -> Int {
        while true {
            let written = ashlar_log_append(descriptor, start, count, size)
            if written != -Int(EINTR) { return written }
        }
    }

    /// Reads up to `limit` bytes from `offset` on.
    static func read(_ descriptor: Int32, offset: Int64, limit: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let got = pread(descriptor, buffer.baseAddress! + count, limit - count, off_t(offset) + off_t(count))
                if got > 0 {
                    count += got
                } else if got == 0 || errno != EINTR {
                    return
                }
            }
        }
    }

    /// Writes in place; a disk without room keeps what was there.
    static func overwrite(_ descriptor: Int32, _ bytes: [UInt8], offset: Int64) {
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress!, $0.count, off_t(offset)) }
    }

    static func truncate(_ descriptor: Int32, to size: Int64) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

    static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            fcntl(descriptor, F_BARRIERFSYNC) == 0 || fsync(descriptor) == 0
        #else
            fdatasync(descriptor) == 0
        #endif
    }

    /// Makes a new file of zeros whose blocks are on the disk already, for mapping; a negative result is `-errno`.
    static func createReserved(_ path: String, size: Int) -> Int32 {
        let descriptor = openForUpdating(path, creating: true)
        guard descriptor >= 0 else { return descriptor }
        let error = reserve(descriptor, size: size)
        guard error != 0 else { return descriptor }
        close(descriptor)
        unlink(path)
        return -error
    }

    private static func reserve(_ descriptor: Int32, size: Int) -> Int32 {
        #if canImport(Darwin)
            var wanted = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(size),
                fst_bytesalloc: 0)
            guard fcntl(descriptor, F_PREALLOCATE, &wanted) == 0 else { return errno }
            let zeros = [UInt8](repeating: 0, count: size)
            let written = zeros.withUnsafeBytes { write(descriptor, $0.baseAddress!, size) }
            return written == size ? 0 : written < 0 ? Int32(-written) : ENOSPC
        #else
            posix_fallocate(descriptor, 0, off_t(size))
        #endif
    }

    /// Waits until what was stored into a mapping is on the disk.
    static func synchronize(_ start: UnsafeMutableRawPointer, size: Int) -> Bool { msync(start, size, MS_SYNC) == 0 }

    static func map(_ descriptor: Int32, size: Int) -> UnsafeMutableRawPointer? {
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        return start == MAP_FAILED ? nil : start
    }

    static func unmap(_ start: UnsafeMutableRawPointer, size: Int) { munmap(start, size) }

    static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    static func rename(_ path: String, to other: String) -> Bool {
        #if canImport(Darwin)
            Darwin.rename(path, other) == 0
        #elseif canImport(Musl)
            Musl.rename(path, other) == 0
        #else
            Glibc.rename(path, other) == 0
        #endif
    }

    struct FileIdentity: Equatable {
        var device: UInt64
        var number: UInt64
    }

    struct FileStatus {
        var identity: FileIdentity
        var size: Int64
        /// When the contents changed last, in seconds since 1970.
        var changedAt: Int64
        var links: Int
        var isDirectory: Bool
        var isRegular: Bool
        var isPipeOrSocket: Bool
    }

    private static func status(of raw: stat) -> FileStatus {
        let kind = raw.st_mode & S_IFMT
        #if canImport(Darwin)
            let changedAt = Int64(raw.st_mtimespec.tv_sec)
        #else
            let changedAt = Int64(raw.st_mtim.tv_sec)
        #endif
        return FileStatus(
            identity: FileIdentity(device: UInt64(truncatingIfNeeded: raw.st_dev), number: UInt64(raw.st_ino)),
            size: Int64(raw.st_size), changedAt: changedAt, links: Int(raw.st_nlink), isDirectory: kind == S_IFDIR,
            isRegular: kind == S_IFREG, isPipeOrSocket: kind == S_IFIFO || kind == S_IFSOCK)
    }

    static func status(_ descriptor: Int32) -> FileStatus? {
        var raw = stat()
        return fstat(descriptor, &raw) == 0 ? status(of: raw) : nil
    }

    /// Whether a descriptor still is the file that it was: a host may have closed it, and its number be another file's.
    static func isSame(_ descriptor: Int32, _ identity: FileIdentity?) -> Bool {
        descriptor >= 0 && identity != nil && status(descriptor)?.identity == identity
    }

    static func status(path: String) -> FileStatus? {
        var raw = stat()
        return lstat(path, &raw) == 0 ? status(of: raw) : nil
    }

    /// Creates the folder and those above it, owner only; returns 0 or an `errno`.
    static func createFolder(_ path: String) -> Int32 {
        if mkdir(path, 0o700) == 0 { return 0 }
        switch errno {
        case EEXIST:
            var raw = stat()
            guard stat(path, &raw) == 0 else { return errno }
            return raw.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return ENOENT }
            let failed = createFolder(String(path[..<slash]))
            guard failed == 0 else { return failed }
            return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
        case let error:
            return error
        }
    }

    static func isWritableFolder(_ path: String) -> Int32 { access(path, W_OK | X_OK) == 0 ? 0 : errno }

    /// Runs `body` with each name in a folder, in no order, as bytes that are valid during the call.
    static func forEachName(in folder: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) {
                let name = UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self)
                body(
                    UnsafeBufferPointer(
                        start: name, count: strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))))
            }
        }
    }

    /// Takes an exclusive lock that the kernel drops with the last descriptor; `false` if another holds it.
    static func tryLock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    // MARK: The process

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    static var processID: Int32 { getpid() }

    static func isProcessAlive(_ pid: Int32) -> Bool { kill(pid, 0) == 0 || errno == EPERM }

    static func atExit(_ action: @escaping @convention(c) () -> Void) { atexit(action) }

    /// The size at which a write would end the process with `SIGXFSZ`, if there is one.
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

    /// Runs `body` so that neither a broken pipe nor the file-size limit ends the process.
    ///
    /// Both signals go to the thread that writes: they are blocked, and consumed if the write raised one. Darwin sends
    /// SIGPIPE to the process instead, so descriptors there need ``disableSIGPIPE(on:)`` too.
    @inline(never)
    static func withoutWriteSignals(_ body: () -> Int) -> Int {
        var wanted = sigset_t()
        var before = sigset_t()
        sigemptyset(&wanted)
        sigaddset(&wanted, SIGPIPE)
        sigaddset(&wanted, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &wanted, &before)
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

    private static func retrying(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { return -errno }
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, or the nearest that can be told.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}
