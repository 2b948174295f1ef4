#if os(Linux)
    import CAshlarCore
#elseif canImport(Darwin)
    import Darwin
#endif

/// The kind of the file system of a directory.
enum FileSystemKind {
    /// Returns whether the system reports every change in a directory, which it can't if other machines change the files.
    ///
    /// A directory that can't be examined counts as local, because its parent is watched.
    static func isLocal(_ directory: String) -> Bool {
        #if os(Linux)
            isLocal(type: ashlar_core_file_system_type(directory))
        #elseif os(macOS)
            var status = statfs()
            guard statfs(directory, &status) == 0 else { return true }
            return status.f_flags & UInt32(MNT_LOCAL) != 0
        #else
            // Other systems mount no file systems of a network.
            return true
        #endif
    }

    /// Returns whether a type of Linux's `statfs(2)` is that of a local file system.
    static func isLocal(type: UInt32) -> Bool {
        switch type {
        // 9P, AFS (two kinds), Ceph, CIFS, Coda, FUSE, NCP, NFS, SMB, SMB2 and VirtualBox's shared folders.
        case 0x0102_1997, 0x5346_414F, 0x6B41_4653, 0x00C3_6400, 0xFF53_4D42, 0x7375_7245, 0x6573_5546, 0x564C, 0x6969,
            0x517B, 0xFE53_4D42, 0x786F_4256:
            false
        default: true
        }
    }
}
