#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Replaces files so that readers see either the old or the new content, even after a crash.
///
/// The content is written to a new file with an unpredictable name in the same folder, which then replaces the old one. A
/// killed process can leave this file and that of the lock; the next writer removes both.
package enum AtomicFile {
    /// Replaces the content of a file, or creates the file.
    ///
    /// Writers in several processes wait for each other, by a lock on a file (the path with `.lock` appended) that exists
    /// for the time of the call. If the path is a symbolic link, its target is replaced. The file's permissions are
    /// preserved; a new file gets `permissions`.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - permissions: The permissions of a new file.
    ///   - isOwn: Whether the file is one of the program with the user's data. Then a file that ``FileStatus/isOwn``
    ///     excludes isn't replaced, and a link of another user isn't followed.
    ///   - content: Makes the new content. No other writer replaces the file between this call and the end, so that the
    ///     content can depend on the old one.
    /// - Throws: `.foreign`, or the system's error; the old content is then unchanged.
    package static func replace(
        _ path: String, permissions: UInt16 = 0o600, isOwn: Bool = true, with content: () -> [UInt8]
    ) throws(FileFailure) {
        let path = try target(of: path, isOwn: isOwn)
        let lockPath = path + lockSuffix
        let lock = try openExclusively(lockPath)
        defer {
            unlink(lockPath)
            release(lock.descriptor)
        }
        if lock.isLeftOver { removeLeftOvers(of: path) }
        try write(content(), to: path, permissions: permissions, isDurable: true)
    }

    /// Writes a file with new content, or creates it.
    package static func replace(
        _ path: String, with bytes: [UInt8], permissions: UInt16 = 0o600, isOwn: Bool = true
    ) throws(FileFailure) {
        try replace(path, permissions: permissions, isOwn: isOwn) { bytes }
    }

    /// Writes a file of the program without waiting for other writers: the last one wins, and each content is complete.
    ///
    /// A power cut can lose or damage the content; a killed process can't, but it can leave a file that nobody removes.
    package static func replaceAtOnce(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        try write(bytes, to: try target(of: path, isOwn: true), permissions: 0o600, isDurable: false)
    }

    // MARK: Names

    private static let lockSuffix = ".lock"
    private static let temporarySuffix = ".tmp"

    /// Returns the name of the file whose writer made a temporary file, or nil for other names.
    private static func original(of name: String) -> String? {
        guard name.hasSuffix(temporarySuffix) else { return nil }
        let rest = name.dropLast(temporarySuffix.utf8.count)
        let random = rest.suffix(17)
        let isRandom =
            random.count == 17 && random.first == "." && random.dropFirst().utf8.allSatisfy { $0.hexValue != nil }
        // Earlier versions used no random part.
        return String(isRandom ? rest.dropLast(17) : rest)
    }

    /// Removes the files that killed writers left; the caller holds the lock.
    private static func removeLeftOvers(of path: String) {
        let (folder, name) = parts(of: path)
        for found in FolderListing.names(in: folder) ?? [] where original(of: found) == name {
            unlink(folder + "/" + found)
        }
    }

    private static func parts(of path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[slash...].dropFirst()))
    }

    // MARK: Files

    /// The path with all links resolved, or the path itself.
    static func target(of path: String, isOwn: Bool) throws(FileFailure) -> String {
        guard let status = FileStatus(path, followingLinks: false) else { return path }
        guard status.kind == .link else {
            try check(status, path, isOwn: isOwn)
            return path
        }
        // A link without a target is itself replaced.
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        let target = String(cString: real)
        if isOwn { try checkLinks(from: path) }
        if let status = FileStatus(target, followingLinks: false) { try check(status, path, isOwn: isOwn) }
        return target
    }

    /// Throws an error if a link of another user leads to the target of a link.
    private static func checkLinks(from path: String) throws(FileFailure) {
        var link = path
        // More links than any system follows.
        for _ in 0..<64 {
            guard let status = FileStatus(link, followingLinks: false), status.kind == .link else { return }
            guard status.owner == geteuid() || status.owner == 0 else { throw FileFailure(path, .foreign) }
            let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
                count = buffer.withMemoryRebound(to: CChar.self) { max(readlink(link, $0.baseAddress!, $0.count), 0) }
            }
            let next = String(decoding: bytes, as: UTF8.self)
            link = next.hasPrefix("/") ? next : parts(of: link).folder + "/" + next
        }
    }

    private static func check(_ status: FileStatus, _ path: String, isOwn: Bool) throws(FileFailure) {
        guard status.kind == .regular else { throw FileFailure(path, .notRegular) }
        guard !isOwn || status.isOwn else { throw FileFailure(path, .foreign) }
    }

    // MARK: The lock

    /// Opens the file of the lock and locks it.
    ///
    /// Another writer can remove the file while this one waits for the lock. Then this method opens it again. A file that
    /// existed before and is still there was left by a killed process.
    private static func openExclusively(_ path: String) throws(FileFailure) -> (descriptor: Int32, isLeftOver: Bool) {
        while true {
            let isLeftOver = FileStatus(path, followingLinks: false) != nil
            let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (isLeftOver ? 0 : O_CREAT | O_EXCL)
            let descriptor: Int32
            do throws(FileFailure) {
                descriptor = try openLocked(path, flags)
            } catch {
                if error.reason == .system(EEXIST) || (isLeftOver && error.isMissing) { continue }
                throw error
            }
            let opened = FileStatus(descriptor: descriptor)
            if let opened, opened.links > 0, !opened.isOwn {
                release(descriptor)
                throw FileFailure(path, .foreign)
            }
            let current = FileStatus(path, followingLinks: false)?.identity
            if let current, current == opened?.identity { return (descriptor, isLeftOver) }
            release(descriptor)
        }
    }

    /// Opens and locks a file, and returns its descriptor.
    private static func openLocked(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
        let descriptor = retrying { open(path, flags | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .last(path) }
        guard retrying({ flock(descriptor, LOCK_EX) }) == 0 else {
            let failure = FileFailure.last(path)
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Unlocks and closes a file.
    ///
    /// Closing it isn't enough: a child that was forked in the meantime shares the lock.
    private static func release(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    // MARK: Content

    /// Writes a new file and renames it.
    private static func write(
        _ bytes: [UInt8], to path: String, permissions: UInt16, isDurable: Bool
    ) throws(FileFailure) {
        let random = UInt64.random(in: 0 ... .max).digits(16, radix: 16)
        let temporary = "\(path).\(random)\(temporarySuffix)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = retrying { open(temporary, flags, mode_t(permissions) & 0o600) }
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        var old = stat()
        let mode = stat(path, &old) == 0 ? old.st_mode & 0o7777 : mode_t(permissions)
        do throws(FileFailure) {
            guard fchmod(descriptor, mode) == 0 else { throw .last(path) }
            var written = 0
            while written < bytes.count {
                let count = retrying {
                    bytes[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
                }
                guard count >= 0 else { throw .last(path) }
                written += count
            }
            guard !isDurable || fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw .last(path) }
        } catch {
            unlink(temporary)
            throw error
        }
        if isDurable { synchronize(parts(of: path).folder) }
    }

    /// Synchronizes a folder with the disk, so that a rename survives a power failure.
    ///
    /// Some file systems don't support this; the content of the file is complete in any case.
    private static func synchronize(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

// Outside of the type, where the name of the system's function is not hidden.
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, start, count)
}
