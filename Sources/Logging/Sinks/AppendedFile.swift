internal import AshlarBase

/// A file that is open for appending, with write(2) or by stores into a mapping.
///
/// The app may close the descriptor and reuse its number, and another program may remove the file, so the file is known
/// by its identity.
struct AppendedFile: Sendable {
    let path: String
    /// The descriptor; a negative `errno` if the file can't be opened, or -1 if none was opened.
    private(set) var descriptor: Int32 = -1
    private var identity: FileIdentity?
    /// The mapping of a mapped file, which contains zeros after its last line.
    private var memory: MappedMemory?
    /// The file size beyond which a write raises a fatal signal.
    let sizeLimit = SystemCalls.fileSizeLimit

    /// Creates a value without a file.
    init() { path = "" }

    /// Opens or creates a file and marks it as in use.
    init(_ path: String, exclusive: Bool) {
        self.path = path
        descriptor = SystemCalls.openForAppending(path, exclusive: exclusive)
        SystemCalls.markInUse(descriptor)
        identity = FileIdentity(descriptor: descriptor)
    }

    /// Creates a mapped file of a fixed size; returns nil if that isn't possible.
    init?(mapped path: String, size: Int) {
        guard let (memory, descriptor) = MappedMemory.create(path, size: size) else { return nil }
        self.path = path
        self.descriptor = descriptor
        self.memory = memory
        identity = FileIdentity(descriptor: descriptor)
    }

    var isMapped: Bool { memory != nil }

    /// The status of the file; nil if the descriptor doesn't refer to it, or the file has no name.
    var status: FileStatus? {
        guard descriptor >= 0, let status = FileStatus(descriptor: descriptor), status.identity == identity,
            status.links > 0
        else { return nil }
        return status
    }

    /// The size of the lines in the file.
    var currentSize: Int64 { memory.map { Int64($0.used) } ?? status?.size ?? 0 }

    /// Whether a file is this one.
    func isSame(as other: FileStatus?) -> Bool { other != nil && other?.identity == identity }

    /// Closes the descriptor, unless the app has reused its number; truncates the zeros at the end of a mapped file.
    mutating func close() {
        if let memory {
            memory.unmap()
            let named = SystemCalls.openForUpdating(path)
            if SystemCalls.isSame(named, identity) { _ = SystemCalls.truncate(named, to: Int64(memory.used)) }
            if named >= 0 { SystemCalls.close(named) }
        }
        memory = nil
        if SystemCalls.isSame(descriptor, identity) { SystemCalls.close(descriptor) }
        descriptor = -1
    }

    /// Appends bytes with one write(2) or one store.
    mutating func append(_ bytes: ArraySlice<UInt8>) -> SegmentPlan.Outcome {
        if memory != nil {
            return memory?.append(bytes) == true
                ? .appended(bytes.count) : .failed(SystemCalls.fileTooLarge)
        }
        let descriptor = descriptor
        let written =
            sizeLimit == nil
            ? SystemCalls.write(descriptor, bytes)
            : SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, bytes) }
        return written >= 0 ? .appended(written) : .failed(Int32(-written))
    }

    /// Waits until the lines are on the disk.
    func synchronize() -> Bool {
        guard let memory else { return SystemCalls.synchronize(descriptor) }
        #if canImport(Darwin)
            // msync(2) doesn't empty the cache of the drive.
            return memory.synchronize() && SystemCalls.synchronize(descriptor)
        #else
            return memory.synchronize()
        #endif
    }
}
