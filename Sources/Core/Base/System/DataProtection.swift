#if canImport(Darwin)
    import Darwin
#endif

/// The protection of files on devices that encrypt them, and the exclusion of folders from backups.
///
/// A file inherits the class of its folder when it is created, and keeps it when it is renamed. On other systems, nothing
/// has a class.
package enum DataProtection {
    /// The classes of Apple's systems, by their numbers in `fcntl`.
    package enum Class: Int32, Sendable {
        /// Readable while the device is unlocked.
        case complete = 1
        /// Open files remain readable when the device is locked.
        case unlessOpen = 2
        /// Readable after the first unlock since the device started.
        case untilFirstUnlock = 3
        case none = 4

        /// Whether the pages of a mapped file remain readable while the device is locked.
        ///
        /// Otherwise, an access to a page that isn't in memory ends the process (SIGBUS).
        package var allowsMapping: Bool { self == .untilFirstUnlock || self == .none }
    }

    /// Makes the files that are created in a folder readable after the first unlock.
    static func apply(to folder: String) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if descriptor >= 0 {
                apply(to: descriptor)
                close(descriptor)
            }
        #endif
    }

    /// Makes an open file readable after the first unlock.
    package static func apply(to descriptor: Int32) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            // Without a passcode or in a simulator, there are no classes.
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETPROTECTIONCLASS, Class.untilFirstUnlock.rawValue) }
        #endif
    }

    /// Returns the class of an open file; nil where files have none.
    package static func protection(of descriptor: Int32) -> Class? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            Class(rawValue: fcntl(descriptor, F_GETPROTECTIONCLASS))
        #else
            nil
        #endif
    }

    private static let backupAttribute = "com.apple.metadata:com_apple_backup_excludeItem"

    /// Excludes a folder and its contents from backups, as `URLResourceValues.isExcludedFromBackup` does.
    package static func excludeFromBackup(_ folder: String) {
        #if canImport(Darwin)
            _ = setxattr(folder, backupAttribute, backupMark, backupMark.count, 0, 0)
        #endif
    }

    /// Excludes an open file from backups.
    package static func excludeFromBackup(_ descriptor: Int32) {
        #if canImport(Darwin)
            if descriptor >= 0 { _ = fsetxattr(descriptor, backupAttribute, backupMark, backupMark.count, 0, 0) }
        #endif
    }

    /// The string `com.apple.backupd` as a binary property list: a header, the string, its offset, and the trailer.
    package static let backupMark: [UInt8] = {
        let text = "com.apple.backupd"
        let header = Array("bplist00".utf8)
        let string = [0x5F, 0x10, UInt8(text.utf8.count)] + text.utf8
        func number(_ value: Int) -> [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let trailer = [0, 0, 0, 0, 0, 0, 1, 1] + number(1) + number(0) + number(header.count + string.count)
        return header + string + [UInt8(header.count)] + trailer
    }()
}
