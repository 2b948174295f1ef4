public import Foundation

/// The files of another user, which only tests that run as root can make.
public enum OtherUser {
    /// The ID of the user `nobody`.
    public static let id: uid_t = 65534

    /// Whether this process can make files of another user.
    public static var isAvailable: Bool { geteuid() == 0 }

    /// What another user can put at a path of a folder that they can write to, to receive or change a file of the program.
    public enum Plant: String, CaseIterable, Sendable {
        /// A file of theirs.
        case file
        /// A symbolic link of theirs to a file of the program.
        case link
        /// A symbolic link of the program to a file of theirs.
        case linkToTheirs
        /// A symbolic link of the program to a symbolic link of theirs, to a file of the program.
        case linkToTheirLink
        /// A second name for a file of the program.
        case hardLink
        /// A pipe.
        case pipe
    }

    /// Plants something at a path; returns the path of the file that a careless program would read or write.
    ///
    /// - Parameters:
    ///   - plant: What to plant.
    ///   - path: The path, at which there is nothing.
    ///   - content: The content of the file.
    /// - Returns: The path of the file.
    /// - Throws: The error of the file system.
    public static func plant(_ plant: Plant, at path: String, content: String) throws -> String {
        let other = path + "-victim"
        func write(_ file: String) throws { try Data(content.utf8).write(to: URL(fileURLWithPath: file)) }
        switch plant {
        case .file:
            try write(path)
            try own(path)
            return path
        case .link:
            try write(other)
            try succeed(symlink(other, path))
            try own(path)
        case .linkToTheirs:
            try write(other)
            try own(other)
            try succeed(symlink(other, path))
        case .linkToTheirLink:
            try write(other)
            try succeed(symlink(other, path + "-link"))
            try own(path + "-link")
            try succeed(symlink(path + "-link", path))
        case .hardLink:
            try write(other)
            try succeed(link(other, path))
        case .pipe:
            try write(other)
            try succeed(mkfifo(path, 0o666))
        }
        return other
    }

    private static func own(_ path: String) throws { try succeed(lchown(path, id, gid_t(id))) }

    private static func succeed(_ result: Int32) throws {
        if result != 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
