#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The directory entries that decide what a path leads to: the file's own, that of its directory, and of every symbolic
/// link on the way.
enum FileChain {
    struct Entry: Hashable {
        let directory: String
        let name: String
    }

    private static let maximumLinks = 40

    /// The entries to watch; where the path ends early, the entry that is missing is the last.
    static func entries(of path: String) -> Set<Entry> {
        var entries: Set<Entry> = []
        var rest = components(absolute(path))[...]
        var at = ""
        var links = 0
        while let name = rest.popFirst() {
            if name == "." { continue }
            if name == ".." {
                at = parent(at)
                continue
            }
            let directory = at.isEmpty ? "/" : at
            let entry = Entry(directory: directory, name: name)
            let next = at + "/" + name
            if let target = link(next), links < maximumLinks {
                links += 1
                entries.insert(entry)
                if target.hasPrefix("/") { at = "" }
                rest = (components(target) + rest)[...]
                continue
            }
            // The last two steps are watched, so that a directory may be replaced under its file.
            if rest.count <= 1 { entries.insert(entry) }
            if !exists(next) {
                entries.insert(entry)
                break
            }
            at = next
        }
        return entries
    }

    private static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let current = getcwd(nil, 0) else { return "/" + path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    private static func components(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }

    private static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func link(_ path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        let size = Int(PATH_MAX)
        var buffer = [CChar](repeating: 0, count: size)
        let count = readlink(path, &buffer, size)
        return count > 0 ? String(decoding: buffer[0..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// What tells one state of a file from the next without reading it.
struct FileSignature: Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Whether the file was written so recently that another write might leave the same signature: the system's stamps
    /// are up to a hundredth of a second coarse.
    var isFresh: Bool {
        // As two words, for the reason below.
        let now = withUnsafeTemporaryAllocation(of: Int.self, capacity: 2) { words in
            words.initialize(repeating: 0)
            if let base = words.baseAddress {
                clock_gettime(CLOCK_REALTIME, UnsafeMutableRawPointer(base).assumingMemoryBound(to: timespec.self))
            }
            return (seconds: words[0], nanoseconds: words[1])
        }
        let age = (now.seconds - seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return !age.overflow && age.partialValue + now.nanoseconds - nanoseconds < 15_000_000
    }

    /// The signature of the file that a path leads to; nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        // Read as the two words they are: by name the compiler finds them in one module or another, depending on the build.
        (seconds, nanoseconds) = withUnsafeBytes(of: time) { words in
            (
                words.loadUnaligned(as: Int.self),
                words.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int.self)
            )
        }
    }
}
