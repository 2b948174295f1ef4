internal import AshlarBase
internal import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mapped file with a fixed size; stored bytes survive the process.
struct MappedMemory {
    private let start: UnsafeMutableRawPointer
    let size: Int

    private static let page = 4096

    /// Creates a file of zeros whose blocks are allocated, marks it as in use, and maps it.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - wanted: The size, which is rounded up to whole pages.
    /// - Returns: The mapping and the descriptor of the file, or an `errno`.
    static func create(_ path: String, size wanted: Int) -> Result<(MappedMemory, Int32), RunStoreError> {
        let size = (wanted + page - 1) / page * page
        // Beyond the limit, the reservation itself would raise SIGXFSZ.
        if let limit = SystemCalls.fileSizeLimit, Int64(size) > limit {
            return .failure(RunStoreError(error: SystemCalls.fileTooLarge))
        }
        let descriptor = SystemCalls.openForUpdating(path, creating: true)
        guard descriptor >= 0 else { return .failure(RunStoreError(error: -descriptor)) }
        // Before the slow work, so that other processes see the mark.
        SystemCalls.markInUse(descriptor)
        var error = DataProtection.protection(of: descriptor)?.allowsMapping == false ? EACCES : 0
        if error == 0 { error = reserve(descriptor, size: size) }
        if error == 0 {
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            if let address, address != MAP_FAILED {
                let memory = MappedMemory(start: address, size: size)
                memory.touch()
                return .success((memory, descriptor))
            }
            error = errno
        }
        SystemCalls.close(descriptor)
        FileSystem.remove(path)
        return .failure(RunStoreError(error: error))
    }

    private static func reserve(_ descriptor: Int32, size: Int) -> Int32 {
        #if canImport(Darwin)
            var wanted = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(size),
                fst_bytesalloc: 0)
            guard fcntl(descriptor, F_PREALLOCATE, &wanted) == 0 else { return errno }
            let written = LogText.withBytes([UInt8](repeating: 0, count: size)) { SystemCalls.write(descriptor, $0) }
            return written == size ? 0 : written < 0 ? Int32(-written) : ENOSPC
        #else
            return posix_fallocate(descriptor, 0, off_t(size))
        #endif
    }

    /// Stores into each page, because the first store causes a page fault, which would delay a line.
    private func touch() {
        for offset in stride(from: 0, to: size, by: Self.page) {
            start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Stores a line at an offset, with its first byte last.
    ///
    /// If the process is killed in between, the first byte is zero, which ends the log.
    @inline(__always)
    func store(_ line: LogText, at offset: Int) {
        let target = start + offset
        (target + 1).copyMemory(from: line.start + 1, byteCount: line.count - 1)
        target.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.store(line[0], ordering: .releasing)
    }

    /// Waits until the stored bytes are on the disk.
    func synchronize() -> Bool { msync(start, size, MS_SYNC) == 0 }

    func unmap() { munmap(start, size) }
}

/// The reason why a run store can't be opened.
struct RunStoreError: Error {
    let error: Int32
}
