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
///
/// It is used under the lock of its file.
struct MappedMemory: @unchecked Sendable {  // `start` is the address of the mapping, which only this value unmaps
    private let start: UnsafeMutableRawPointer
    private let size: Int
    /// The number of stored bytes.
    private(set) var used = 0

    private static let page = 4096

    /// Creates a file of zeros whose blocks are allocated, marks it as in use, and maps it.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - wanted: The size, which is rounded up to whole pages.
    /// - Returns: The mapping and the descriptor of the file; nil if that isn't possible.
    static func create(_ path: String, size wanted: Int) -> (MappedMemory, Int32)? {
        let size = (wanted + page - 1) / page * page
        // Beyond the limit, the reservation itself would raise SIGXFSZ.
        if let limit = SystemCalls.fileSizeLimit, Int64(size) > limit { return nil }
        let descriptor = SystemCalls.openForUpdating(path, creating: true)
        guard descriptor >= 0 else { return nil }
        // Before the slow work, so that other processes see the mark.
        SystemCalls.markInUse(descriptor)
        if DataProtection.protection(of: descriptor)?.allowsMapping != false, reserve(descriptor, size: size),
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        {
            let memory = MappedMemory(start: address, size: size)
            memory.touch()
            return (memory, descriptor)
        }
        SystemCalls.close(descriptor)
        FileSystem.remove(path)
        return nil
    }

    private static func reserve(_ descriptor: Int32, size: Int) -> Bool {
        #if canImport(Darwin)
            var wanted = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(size),
                fst_bytesalloc: 0)
            guard fcntl(descriptor, F_PREALLOCATE, &wanted) == 0 else { return false }
            return SystemCalls.write(descriptor, [UInt8](repeating: 0, count: size)) == size
        #else
            return posix_fallocate(descriptor, 0, off_t(size)) == 0
        #endif
    }

    /// Stores into each page, because the first store causes a page fault, which would delay a line.
    private func touch() {
        for offset in stride(from: 0, to: size, by: Self.page) {
            start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Stores lines after those before, with their first byte last; returns `false` if they don't fit.
    ///
    /// If the process is killed in between, the first byte is zero, which ends the log.
    mutating func append(_ lines: ArraySlice<UInt8>) -> Bool {
        guard let first = lines.first else { return true }
        guard used + lines.count <= size else { return false }
        let target = start + used
        lines.withUnsafeBytes {
            (target + 1).copyMemory(from: $0.baseAddress! + 1, byteCount: lines.count - 1)
        }
        target.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.store(first, ordering: .releasing)
        used += lines.count
        return true
    }

    /// Waits until the stored bytes are on the disk.
    func synchronize() -> Bool { msync(start, size, MS_SYNC) == 0 }

    func unmap() { munmap(start, size) }
}
