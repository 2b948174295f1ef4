#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// What tells a changed file from an unchanged one without reading it.
package struct FileSignature: Hashable, Sendable {
    var size: Int64
    var modified: Int64
    var modifiedNanoseconds: Int64
    var inode: UInt64
}

/// Reads files and folders through the C library alone.
package enum FileReading {
    /// Why a file could not be read.
    package struct Failure: Error {
        package var message: String
    }

    /// The signature of a file, or nil if there is none; also says whether it is a folder.
    package static func status(_ path: String) -> (signature: FileSignature, isFolder: Bool)? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        let signature = FileSignature(
            size: Int64(info.st_size), modified: Int64(time.tv_sec), modifiedNanoseconds: Int64(time.tv_nsec),
            inode: UInt64(info.st_ino))
        return (signature, info.st_mode & S_IFMT == S_IFDIR)
    }

    /// The names in a folder in the order of their bytes, or nil if it cannot be read.
    package static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The bytes of a regular file.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(message: reason()) }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw Failure(message: reason()) }
        guard info.st_mode & S_IFMT == S_IFREG else { throw Failure(message: "not a regular file") }
        guard Int(info.st_size) <= limit else {
            throw Failure(message: "the file has \(info.st_size) bytes, more than the limit of \(limit)")
        }
        var failed = false
        // Room for one at least: an array made for none writes its count into the empty array that all threads share.
        let bytes = [UInt8](unsafeUninitializedCapacity: max(Int(info.st_size), 1)) { buffer, count in
            while count < buffer.count {
                guard let base = buffer.baseAddress else { return }
                let got = read(descriptor, base + count, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failed = true }
                if got <= 0 { return }
                count += got
            }
        }
        if failed { throw Failure(message: reason()) }
        return bytes
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
