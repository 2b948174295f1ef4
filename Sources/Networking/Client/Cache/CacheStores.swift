internal import AshlarCore
import Foundation

/// A storage for the records of a cache.
///
/// Changes and reads happen one after the other, in the order of the calls.
protocol CacheStore: Sendable {
    /// The maximum number of bytes of one record.
    var recordLimit: Int { get }
    /// Returns the record of a key and marks it as used.
    nonisolated(nonsending) func record(_ key: CacheKey) async -> CacheRecord?
    /// Returns the record of a key, and blocks the thread meanwhile.
    func recordNow(_ key: CacheKey) -> CacheRecord?
    /// Replaces the record of a key by the result of `change`, unless that is nil; a record that has no variants or is too
    /// large is removed.
    nonisolated(nonsending) func update(
        _ key: CacheKey, _ change: @escaping @Sendable (CacheRecord?) -> CacheRecord?) async
    /// Removes the record of a URL.
    nonisolated(nonsending) func remove(_ url: HTTPURL) async
    /// Removes the records of some URLs, or all of them for nil, and blocks the thread meanwhile.
    func removeNow(_ urls: [HTTPURL]?)
}

/// Stores records in memory; the least recently used are removed first.
final class MemoryCacheStore: CacheStore {
    private struct Stored {
        var record: CacheRecord
        let cost: Int
        var lastUse: UInt64
    }

    private struct State {
        var records: [CacheKey: Stored] = [:]
        var cost = 0
        var uses: UInt64 = 0

        mutating func remove(_ key: CacheKey) {
            if let old = records.removeValue(forKey: key) { cost -= old.cost }
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(0, limit) }

    var recordLimit: Int { limit / 4 }

    nonisolated(nonsending) func record(_ key: CacheKey) async -> CacheRecord? { recordNow(key) }

    func recordNow(_ key: CacheKey) -> CacheRecord? {
        state.withLock { state in
            state.uses += 1
            state.records[key]?.lastUse = state.uses
            return state.records[key]?.record
        }
    }

    nonisolated(nonsending) func update(
        _ key: CacheKey, _ change: @escaping @Sendable (CacheRecord?) -> CacheRecord?
    ) async {
        state.withLock { state in
            guard let record = change(state.records[key]?.record) else { return }
            let cost = record.cost + key.cost
            state.remove(key)
            guard !record.variants.isEmpty, cost <= recordLimit else { return }
            state.uses += 1
            state.records[key] = Stored(record: record, cost: cost, lastUse: state.uses)
            state.cost += cost
            if state.cost > limit { evict(&state) }
        }
    }

    nonisolated(nonsending) func remove(_ url: HTTPURL) async { removeNow([url]) }

    func removeNow(_ urls: [HTTPURL]?) {
        state.withLock { state in
            guard let urls else {
                state = State()
                return
            }
            if !state.records.isEmpty { for url in urls { state.remove(CacheKey(url)) } }
        }
    }

    /// Removes a tenth more than necessary, so that not every new record causes a sort.
    private func evict(_ state: inout State) {
        for (key, _) in state.records.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard state.cost > limit / 10 * 9 else { return }
            state.remove(key)
        }
    }
}

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
    /// Performs everything below in order, so that no thread of a task waits for the disk.
    private let queue = DispatchQueue(label: "Ashlar cache")
    /// Only used on the queue.
    private let usage = Mutex((bytes: 0, writes: 0))

    /// Opens a folder and creates it if necessary.
    ///
    /// - Throws: `.fileFailed`.
    init(_ folder: String, limit: Int) throws(NetworkError) {
        self.folder = folder
        self.limit = max(0, limit)
        do {
            try FolderListing.create(folder, permissions: 0o700)
            DataProtection.excludeFromBackup(folder)
        } catch {
            throw NetworkError(error)
        }
        queue.async { [self] in usage.withLock { evict(&$0) } }
    }

    var recordLimit: Int { limit / 4 }

    nonisolated(nonsending) func record(_ key: CacheKey) async -> CacheRecord? { await perform { $0.read(key) } }

    func recordNow(_ key: CacheKey) -> CacheRecord? { queue.sync { read(key) } }

    nonisolated(nonsending) func update(
        _ key: CacheKey, _ change: @escaping @Sendable (CacheRecord?) -> CacheRecord?
    ) async {
        await perform { if let record = change($0.read(key)) { $0.write(key, record) } }
    }

    nonisolated(nonsending) func remove(_ url: HTTPURL) async { await perform { _ = unlink($0.path(CacheKey(url))) } }

    func removeNow(_ urls: [HTTPURL]?) {
        queue.sync {
            for url in urls ?? [] { unlink(path(CacheKey(url))) }
            guard urls == nil else { return }
            for name in names() { unlink(folder + "/" + name) }
            usage.withLock { $0 = (0, 0) }
        }
    }

    private nonisolated(nonsending) func perform<Result: Sendable>(
        _ job: @escaping @Sendable (DirectoryCacheStore) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: job(self)) }
        }
    }

    // MARK: On the queue

    private func read(_ key: CacheKey) -> CacheRecord? {
        let path = path(key)
        guard let bytes = try? WholeFile.readOwn(path, limit: limit) else { return nil }
        guard let (storedKey, record) = CacheRecordCoding.decode(bytes), storedKey == key.hash else {
            unlink(path)
            return nil
        }
        // The time of the last use.
        utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
        return record
    }

    /// Replaces a file without waiting for another writer: the last one wins, and each file is complete.
    ///
    /// A lock would let a process that is stopped while it writes stop all others.
    private func write(_ key: CacheKey, _ record: CacheRecord) {
        let path = path(key)
        guard !record.variants.isEmpty, let bytes = try? CacheRecordCoding.encode(key.hash, record),
            bytes.count <= recordLimit, (try? AtomicFile.replaceAtOnce(path, with: bytes)) != nil
        else {
            unlink(path)
            return
        }
        usage.withLock { usage in
            usage = (usage.bytes + bytes.count, usage.writes + 1)
            if usage.bytes > limit || usage.writes >= Self.writesBetweenMeasurements { evict(&usage) }
        }
    }

    private func path(_ key: CacheKey) -> String { folder + "/" + key.hash + Self.suffix }

    private static let suffix = ".response"

    /// The names of the cache's files, including those that a killed process left while writing.
    private func names() -> [String] {
        (FolderListing.names(in: folder) ?? []).filter {
            $0.hasSuffix(Self.suffix) || $0.hasSuffix(".tmp") && $0.contains(Self.suffix + ".")
        }
    }

    /// Measures the folder and removes files if it is too large.
    private func evict(_ usage: inout (bytes: Int, writes: Int)) {
        let abandoned = Int64(time(nil)) - 3600
        let files = names().compactMap { name -> (String, FileSignature)? in
            guard let status = FileStatus(folder + "/" + name, followingLinks: false) else { return nil }
            guard name.hasSuffix(".tmp"), status.signature.modified.seconds < abandoned else {
                return (name, status.signature)
            }
            unlink(folder + "/" + name)
            return nil
        }
        var bytes = files.reduce(0) { $0 + Int(clamping: $1.1.size) }
        if bytes > limit {
            func time(_ file: (String, FileSignature)) -> (Int64, Int32) {
                (file.1.modified.seconds, file.1.modified.nanoseconds)
            }
            for (name, signature) in files.sorted(by: { time($0) < time($1) }) {
                guard bytes > limit / 10 * 9 else { break }
                unlink(folder + "/" + name)
                bytes -= Int(clamping: signature.size)
            }
        }
        usage = (bytes, 0)
    }
}

/// A record as the bytes of a checksummed file: a JSON text on a line of its own, and the bodies.
enum CacheRecordCoding {
    private struct Content: Codable {
        var key: String
        var responses: [Response]
    }

    private struct Response: Codable {
        var status: Int
        var requested: Int64
        var received: Int64
        var varying: [Field]
        var fields: [Field]
        var length: Int
    }

    private struct Field: Codable {
        var name: String
        var value: String?
        var isSensitive: Bool?
    }

    private static let mark = "ASHLAR cache 4"

    static func encode(_ key: String, _ record: CacheRecord) throws(NetworkError) -> [UInt8] {
        let responses = record.variants.map { entry in
            Response(
                status: entry.status, requested: entry.requested, received: entry.received,
                varying: entry.varying.map { Field(name: $0.name, value: $0.value) },
                fields: entry.headers.map { Field(name: $0.name, value: $0.value, isSensitive: $0.isSensitive) },
                length: entry.body.count)
        }
        let description = try JSONFormat().encode(Content(key: key, responses: responses))
        return ChecksummedFile.encode(description + Array("\n".utf8) + record.variants.flatMap(\.body), mark: mark)
    }

    /// Returns the key and the record, or nil for damaged bytes.
    static func decode(_ bytes: [UInt8]) -> (key: String, record: CacheRecord)? {
        guard let payload = ChecksummedFile.decode(bytes, mark: mark),
            let end = payload.firstIndex(of: UInt8(ascii: "\n")),
            let content = try? JSONEntity(parsing: payload[..<end]).decode(Content.self)
        else { return nil }
        var bodies = payload[(end + 1)...]
        var record = CacheRecord(variants: [])
        for response in content.responses {
            guard (0...bodies.count).contains(response.length) else { return nil }
            let fields = response.fields.map { HTTPField($0.name, $0.value ?? "", isSensitive: $0.isSensitive == true) }
            record.variants.append(
                CacheEntry(
                    status: response.status, headers: HTTPHeaders(fields), body: Array(bodies.prefix(response.length)),
                    varying: response.varying.map { .init(name: $0.name, value: $0.value) },
                    requested: response.requested, received: response.received))
            bodies = bodies.dropFirst(response.length)
        }
        return bodies.isEmpty ? (content.key, record) : nil
    }
}
