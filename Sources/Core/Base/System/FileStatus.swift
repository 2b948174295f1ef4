internal import CAshlarCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The type and signature of a file, read without opening it.
package struct FileStatus: Hashable, Sendable {
    /// The type of a file.
    package enum Kind: Hashable, Sendable {
        case regular
        case directory
        case link
        /// A device, a pipe or a socket.
        case special
    }

    package let kind: Kind
    package let signature: FileSignature
    /// The number of names; 0 for an open file that was removed.
    package let links: Int
    /// The ID of the user who owns the file.
    package let owner: UInt32
    package let isPipeOrSocket: Bool
    /// Whether users other than the owner can write to the file.
    package let isWritableByOthers: Bool

    /// Whether the file is a regular one of this user under one name only, so that nobody else wrote it, and nobody made
    /// this name for another file of the user by a hard link.
    package var isOwn: Bool { kind == .regular && links <= 1 && owner == geteuid() }

    /// Distinguishes the file from all other existing ones.
    package var identity: FileIdentity { FileIdentity(device: signature.device, inode: signature.inode) }
    package var size: Int64 { signature.size }

    /// Creates the status of the file at a path, or nil if there is no file or it can't be accessed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - followingLinks: Whether a symbolic link in the last component is followed.
    package init?(_ path: String, followingLinks: Bool = true) {
        var status = ashlar_core_status()
        guard ashlar_core_status_of_path(path, followingLinks, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Creates the status of an open file, or nil if the descriptor is invalid.
    package init?(descriptor: Int32) {
        var status = ashlar_core_status()
        guard ashlar_core_status_of_descriptor(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: ashlar_core_status) {
        kind = status.is_regular ? .regular : status.is_directory ? .directory : status.is_link ? .link : .special
        signature = FileSignature(
            device: status.device, inode: status.inode, size: status.size,
            modified: .init(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds),
            changed: .init(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds))
        links = Int(clamping: status.links)
        owner = status.owner
        isPipeOrSocket = status.is_pipe_or_socket
        isWritableByOthers = status.is_writable_by_others
    }
}

/// Identifies an existing file, whatever its name.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Creates the identity of an open file, or nil if the descriptor is invalid.
    package init?(descriptor: Int32) {
        guard let status = FileStatus(descriptor: descriptor) else { return nil }
        self = status.identity
    }
}
