#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The directory entries that determine the file at a path: one for each component of the path, and one for each
/// component of every symbolic link on the path.
enum PathChain {
    /// A name in a directory; the directory's path contains no symbolic links.
    struct Entry: Hashable {
        let directory: String
        let name: String

        var path: String { directory == "/" ? "/" + name : directory + "/" + name }
    }

    private static let maximumLinks = 40

    /// Visits the entries from the root to the file, up to the first missing entry.
    ///
    /// An entry is visited before it is read. If the visitor watches the entry's directory, no later change is lost.
    ///
    /// - Parameters:
    ///   - path: An absolute path, or one relative to the current directory. If it ends with a slash, any entry of the
    ///     directory can be the file: the last entry has an empty name.
    ///   - visit: Called with each entry, and with whether the entry can be the file itself.
    static func walk(_ path: String, visit: (Entry, _ isFile: Bool) -> Void) {
        var rest = components(FileSystem.absolutePath(path))[...]
        let isDirectory = path.hasSuffix("/") && path != "/"
        var directory = "/"
        var links = 0
        while let name = rest.popFirst() {
            if name == "." { continue }
            if name == ".." {
                directory = parent(directory)
                continue
            }
            let entry = Entry(directory: directory, name: name)
            visit(entry, rest.isEmpty && !isDirectory)
            guard let status = FileStatus(entry.path, followingLinks: false) else { return }
            guard status.kind == .link, links < maximumLinks, let target = destination(of: entry.path) else {
                directory = entry.path
                continue
            }
            links += 1
            if target.hasPrefix("/") { directory = "/" }
            rest = (components(target) + rest)[...]
        }
        if isDirectory { visit(Entry(directory: directory, name: ""), true) }
    }

    private static func components(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }

    private static func parent(_ directory: String) -> String {
        let end = directory.lastIndex(of: "/") ?? directory.startIndex
        return end == directory.startIndex ? "/" : String(directory[..<end])
    }

    private static func destination(of link: String) -> String? {
        let size = Int(PATH_MAX)
        var buffer = [CChar](repeating: 0, count: size)
        let count = readlink(link, &buffer, size)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
