internal import AshlarBase

/// A file that is open for appending.
///
/// The app may close the descriptor and reuse its number, and another program may remove the file, so the file is known
/// by its identity.
struct AppendedFile: Sendable {
    /// The descriptor; a negative `errno` if the file can't be opened, or -1 if none was opened.
    private(set) var descriptor: Int32 = -1
    private var identity: FileIdentity?
    /// The size, as far as this process knows it.
    var size: Int64 = 0
    /// The file size beyond which a write raises a fatal signal.
    let sizeLimit = SystemCalls.fileSizeLimit

    /// Creates a value without a file.
    init() {}

    /// Opens or creates a file and marks it as in use.
    init(_ path: String, exclusive: Bool) {
        descriptor = SystemCalls.openForAppending(path, exclusive: exclusive)
        SystemCalls.markInUse(descriptor)
        let status = FileStatus(descriptor: descriptor)
        identity = status?.identity
        size = status?.size ?? 0
    }

    /// The status of the file; nil if the descriptor doesn't refer to it, or the file has no name.
    var status: FileStatus? {
        guard descriptor >= 0, let status = FileStatus(descriptor: descriptor), status.identity == identity,
            status.links > 0
        else { return nil }
        return status
    }

    /// Whether a file is this one.
    func isSame(as other: FileStatus?) -> Bool { other != nil && other?.identity == identity }

    /// Closes the descriptor, unless the app has reused its number.
    mutating func close() {
        if SystemCalls.isSame(descriptor, identity) { SystemCalls.close(descriptor) }
        descriptor = -1
    }

    /// Appends bytes with one write(2); the result is the number of written bytes or `-errno`.
    mutating func append(_ bytes: ArraySlice<UInt8>) -> Int {
        let descriptor = descriptor
        let written =
            sizeLimit == nil
            ? SystemCalls.write(descriptor, bytes)
            : SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, bytes) }
        size += Int64(max(0, written))
        return written
    }
}
