internal import AshlarCore
import Foundation

/// Stores records in the files of a folder, which several processes can share; the least recently used are removed
/// first.
///
/// Files are replaced atomically, so readers and a killed writer leave either the old record or the new one. A checksum
/// detects files that are damaged by a crash of the system.
final class DirectoryCacheStore: CacheStore {
    /// The number of writes after which the folder is measured again, because other processes also write.
    private static let writesBetweenMeasurements = 32

    private let folder: String
    private let limit: Int
    private let usage: Mutex<(bytes: Int, writes: Int)>

    /// Opens a folder and creates it if necessary.
    ///
    /// - Throws: `.fileFailed`.
    init(_ folder: String, limit: Int) throws(NetworkError) {
        (self.folder, self.limit) = (folder, max(0, limit))
        do {
            try FolderListing.create(folder, permissions: 0o700)
        } catch {
            throw NetworkError(error)
        }
        usage = Mutex((0, 0))
        usage.withLock { evict(&$0) }
    }

    var recordLimit: Int { limit / 4 }

    func record(_ key: CacheKey) -> CacheRecord? {
        let path = path(key)
        guard let bytes = try? WholeFile.read(path, limit: limit) else { return nil }
        guard let (storedKey, record) = CacheRecordCoding.decode(bytes), storedKey == key.text else {
            unlink(path)
            return nil
        }
        // The time of the last use.
        utimensat(AT_FDCWD, path, nil, 0)
        return record
    }

    func set(_ key: CacheKey, _ record: CacheRecord) {
        let path = path(key)
        let bytes = CacheRecordCoding.encode(key.text, record)
        usage.withLock { usage in
            guard !record.variants.isEmpty, bytes.count <= recordLimit,
                (try? AtomicFile.replace(path, with: bytes, isDurable: false)) != nil
            else {
                unlink(path)
                return
            }
            usage = (usage.bytes + bytes.count, usage.writes + 1)
            if usage.bytes > limit || usage.writes >= Self.writesBetweenMeasurements { evict(&usage) }
        }
    }

    func remove(_ url: HTTPURL) {
        let path = path(CacheKey(url))
        usage.withLock { _ in _ = unlink(path) }
    }

    func removeAll() {
        usage.withLock { usage in
            for name in names() { unlink(folder + "/" + name) }
            usage = (0, 0)
        }
    }

    private func path(_ key: CacheKey) -> String {
        folder + "/" + SHA256.hexadecimal(Array(key.text.utf8)) + Self.suffix
    }

    private static let suffix = ".response"

    /// The names of the cache's files, including those that a killed process left while writing.
    private func names() -> [String] {
        (FolderListing.names(in: folder) ?? []).filter {
            $0.hasSuffix(Self.suffix) || $0.hasSuffix(Self.suffix + ".tmp")
        }
    }

    /// Measures the folder and removes files if it is too large.
    private func evict(_ usage: inout (bytes: Int, writes: Int)) {
        let files = names().compactMap { name in
            FileStatus(folder + "/" + name, followingLinks: false).map { (name, $0.signature) }
        }
        var bytes = files.reduce(0) { $0 + Int(clamping: $1.1.size) }
        if bytes > limit {
            for (name, signature) in files.sorted(by: { $0.1.modified.isBefore($1.1.modified) }) {
                guard bytes > limit / 10 * 9 else { break }
                unlink(folder + "/" + name)
                bytes -= Int(clamping: signature.size)
            }
        }
        usage = (bytes, 0)
    }
}

extension FileSignature.Time {
    fileprivate func isBefore(_ other: Self) -> Bool {
        (seconds, nanoseconds) < (other.seconds, other.nanoseconds)
    }
}
