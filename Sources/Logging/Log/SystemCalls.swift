internal import AshlarCore
internal import CAshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Opening, reading and writing files.
extension SystemCalls {
    /// Opens or creates a file for appending, accessible to its owner only.
    ///
    /// Symbolic links aren't followed, and pipes and devices are refused without waiting. A negative result is
    /// `-errno`.
    static func openForAppending(_ path: String, exclusive: Bool) -> Int32 {
        var flags = O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        if exclusive { flags |= O_EXCL }
        return outOfTheWay(regular(retrying { open(path, flags, 0o600) }))
    }

    /// Opens a regular file for reading and writing in place; a negative result is `-errno`.
    static func openForUpdating(_ path: String, creating: Bool = false) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT | O_EXCL : 0)
        return outOfTheWay(regular(retrying { open(path, flags, 0o600) }))
    }

    /// Opens a regular file for reading; a negative result is `-errno`.
    static func openForReading(_ path: String) -> Int32 {
        aboveStandardStreams(regular(retrying { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }))
    }

    /// A path that stays valid when the process changes its working directory.
    static func absolutePath(_ path: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    private static func regular(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, status(descriptor)?.isRegular != true else { return descriptor }
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
        guard moved >= 0 else { return aboveStandardStreams(descriptor) }
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

    /// Moves a descriptor away from 0, 1 and 2, which an app that closed them may reuse.
    private static func aboveStandardStreams(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, descriptor <= 2 else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let error = errno
        close(descriptor)
        return moved >= 0 ? moved : -error
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #elseif canImport(Musl)
            Musl.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }

    /// Writes once; the result is the number of bytes written or `-errno`.
    @inline(__always)
    static func write(_ descriptor: Int32, _ bytes: LogText) -> Int {
        while true {
            #if canImport(Darwin)
                let written = Darwin.write(descriptor, bytes.start, bytes.count)
            #elseif canImport(Musl)
                let written = Musl.write(descriptor, bytes.start, bytes.count)
            #else
                let written = Glibc.write(descriptor, bytes.start, bytes.count)
            #endif
            if written >= 0 { return written }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Reads up to `limit` bytes at an offset; fewer at the end of the file or after an error.
    static func read(_ descriptor: Int32, offset: Int64, limit: Int) -> [UInt8] {
        guard limit > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = read(descriptor, offset: offset, into: buffer.baseAddress!, limit: limit)
        }
    }

    /// Reads the start of a file into a buffer; returns the number of bytes.
    static func read(_ path: String, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let descriptor = openForReading(path)
        guard descriptor >= 0, let start = buffer.baseAddress else { return 0 }
        defer { close(descriptor) }
        return read(descriptor, offset: 0, into: start, limit: buffer.count)
    }

    private static func read(
        _ descriptor: Int32, offset: Int64, into start: UnsafeMutablePointer<UInt8>, limit: Int
    ) -> Int {
        var count = 0
        while count < limit {
            let got = pread(descriptor, start + count, limit - count, off_t(offset) + off_t(count))
            if got > 0 {
                count += got
            } else if got == 0 || errno != EINTR {
                break
            }
        }
        return count
    }

    /// Writes in place.
    ///
    /// If the disk is full, the old content remains.
    static func overwrite(_ descriptor: Int32, _ bytes: [UInt8], offset: Int64) {
        guard !bytes.isEmpty else { return }
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

    @discardableResult
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
        /// The time of the last change of content, in seconds since 1970.
        var changedAt: Int64
        var links: Int
        var owner: UInt32
        var isRegular: Bool
        var isPipeOrSocket: Bool
        var isWritableByOthers: Bool
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
            size: Int64(raw.st_size), changedAt: changedAt, links: Int(raw.st_nlink), owner: raw.st_uid,
            isRegular: kind == S_IFREG, isPipeOrSocket: kind == S_IFIFO || kind == S_IFSOCK,
            isWritableByOthers: raw.st_mode & (S_IWGRP | S_IWOTH) != 0)
    }

    static func status(_ descriptor: Int32) -> FileStatus? {
        var raw = stat()
        return fstat(descriptor, &raw) == 0 ? status(of: raw) : nil
    }

    /// The status of a file; a symbolic link is not followed.
    static func status(path: String) -> FileStatus? {
        var raw = stat()
        return lstat(path, &raw) == 0 ? status(of: raw) : nil
    }

    /// Whether a descriptor still refers to a file.
    ///
    /// The app may have closed it and reused its number.
    static func isSame(_ descriptor: Int32, _ identity: FileIdentity?) -> Bool {
        descriptor >= 0 && identity != nil && status(descriptor)?.identity == identity
    }

    /// Creates a folder and its parents for the owner only; returns 0 or an `errno`.
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

    /// Runs `body` unless another sink or process does this for a file of the same folder; returns nil in that case.
    ///
    /// A file system without locks doesn't prevent this, and Apple systems end a suspended app that holds a lock.
    static func withFolderLocked<Result>(of path: String, _ body: () -> Result) -> Result? {
        #if canImport(Darwin)
            return body()
        #else
            do {
                let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
                guard let lock = try FileLock.attempt(folder, .folder) else { return nil }
                return withExtendedLifetime(lock, body)
            } catch {
                return body()
            }
        #endif
    }

    static func isWritableFolder(_ path: String) -> Int32 { access(path, W_OK | X_OK) == 0 ? 0 : errno }

    /// Runs `body` with each name in a folder, unsorted.
    static func forEachName(in folder: String, _ body: (LogText) -> Void) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) {
                let name = UnsafeRawPointer($0)
                body(
                    LogText(
                        start: name.assumingMemoryBound(to: UInt8.self),
                        count: strlen(name.assumingMemoryBound(to: CChar.self))))
            }
        }
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
