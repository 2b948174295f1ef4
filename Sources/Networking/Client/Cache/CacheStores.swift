internal import AshlarCore
import Foundation

/// A storage for the records of a cache.
///
/// Changes and reads happen one after the other, in the order of the calls.
protocol CacheStore: Sendable {
    /// The maximum number of bytes of one record.
    var recordLimit: Int { get }
    /// The number of bytes of all records, at the last measurement.
    var size: Int { get }
    /// Returns the record of a key and marks it as used; nil if it can't be read in time.
    nonisolated(nonsending) func record(_ key: CacheKey) async -> CacheRecord?
    /// Returns the record of a key, and blocks the thread meanwhile.
    func recordNow(_ key: CacheKey) -> CacheRecord?
    /// Replaces the record of a key by the result of `change`, unless that is nil; a record that has no variants or is too
    /// large is removed.
    ///
    /// The change may happen later if the disk is slow, or not at all.
    nonisolated(nonsending) func update(
        _ key: CacheKey, _ change: @escaping @Sendable (CacheRecord?) -> CacheRecord?) async
    /// Removes the record of a URL, later if the disk is slow.
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
    var size: Int { state.withLock { $0.cost } }

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
    /// Performs everything below, so that neither a slow disk nor a large folder delays requests.
    let disk = CacheDisk()
    /// Only used on the disk's thread.
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
        disk.add { [self] in usage.withLock { evict(&$0) } }
    }

    var recordLimit: Int { limit / 4 }
    var size: Int { usage.withLock { $0.bytes } }

    nonisolated(nonsending) func record(_ key: CacheKey) async -> CacheRecord? {
        await disk.result { [self] in read(key) } ?? nil
    }

    func recordNow(_ key: CacheKey) -> CacheRecord? {
        disk.wait(CacheDisk.patience) { [self] in read(key) } ?? nil
    }

    nonisolated(nonsending) func update(
        _ key: CacheKey, _ change: @escaping @Sendable (CacheRecord?) -> CacheRecord?
    ) async {
        await disk.result(isOptional: true) { [self] in
            if let record = change(read(key)) { write(key, record) }
        }
    }

    nonisolated(nonsending) func remove(_ url: HTTPURL) async {
        await disk.result { [self] in _ = unlink(path(CacheKey(url))) }
    }

    func removeNow(_ urls: [HTTPURL]?) {
        disk.wait { [self] in
            for url in urls ?? [] { unlink(path(CacheKey(url))) }
            guard urls == nil else { return }
            for name in names() { unlink(folder + "/" + name) }
            usage.withLock { $0 = (0, 0) }
        }
    }

    // MARK: On the disk's thread

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

    private func write(_ key: CacheKey, _ record: CacheRecord) {
        let path = path(key)
        let bytes = CacheRecordCoding.encode(key.hash, record)
        guard !record.variants.isEmpty, bytes.count <= recordLimit, write(bytes, to: path) else {
            unlink(path)
            return
        }
        usage.withLock { usage in
            usage = (usage.bytes + bytes.count, usage.writes + 1)
            if usage.bytes > limit || usage.writes >= Self.writesBetweenMeasurements { evict(&usage) }
        }
    }

    /// Replaces a file without waiting for another writer: the last one wins, and each file is complete.
    ///
    /// A lock would let a process that is stopped while it writes stop all others.
    private func write(_ bytes: [UInt8], to path: String) -> Bool {
        (try? AtomicFile.replaceAtOnce(path, with: bytes)) != nil
    }

    private func path(_ key: CacheKey) -> String {
        folder + "/" + key.hash + Self.suffix
    }

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

/// A record as the bytes of a file.
///
/// Numbers have the byte order of the machine, because a cache isn't moved to another one.
enum CacheRecordCoding {
    private static let magic = Array("ASHLAR cache 3\n".utf8)
    private static let seed: UInt64 = 0x5EED

    static func encode(_ key: String, _ record: CacheRecord) -> [UInt8] {
        var writer = Writer(bytes: magic)
        writer.text(key)
        writer.number(Int64(record.variants.count))
        for entry in record.variants {
            writer.number(Int64(entry.status))
            writer.number(entry.requested)
            writer.number(entry.received)
            writer.number(Int64(entry.varying.count))
            for field in entry.varying {
                writer.text(field.name)
                writer.number(field.value == nil ? 0 : 1)
                writer.text(field.value ?? "")
            }
            writer.number(Int64(entry.headers.count))
            for field in entry.headers {
                writer.text(field.name)
                writer.text(field.value)
                writer.number(field.isSensitive ? 1 : 0)
            }
            writer.block(entry.body)
        }
        writer.number(Int64(bitPattern: checksum(writer.bytes[...])))
        return writer.bytes
    }

    /// Returns the key and the record, or nil for damaged bytes.
    static func decode(_ bytes: [UInt8]) -> (key: String, record: CacheRecord)? {
        guard bytes.count >= magic.count + 8, bytes.starts(with: magic) else { return nil }
        var end = Reader(bytes: bytes[(bytes.count - 8)...])
        let content = bytes[..<(bytes.count - 8)]
        guard end.number() == Int64(bitPattern: checksum(content)) else { return nil }
        var reader = Reader(bytes: content.dropFirst(magic.count))
        guard let key = reader.text(), let count = reader.count() else { return nil }
        var record = CacheRecord(variants: [])
        for _ in 0..<count {
            guard let entry = entry(&reader) else { return nil }
            record.variants.append(entry)
        }
        return reader.bytes.isEmpty ? (key, record) : nil
    }

    private static func entry(_ reader: inout Reader) -> CacheEntry? {
        guard let status = reader.number().flatMap({ Int(exactly: $0) }), let requested = reader.number(),
            let received = reader.number(), let varyingCount = reader.count()
        else { return nil }
        var varying: [CacheEntry.Varying] = []
        for _ in 0..<varyingCount {
            guard let name = reader.text(), let hasValue = reader.number(), let value = reader.text() else {
                return nil
            }
            varying.append(.init(name: name, value: hasValue == 1 ? value : nil))
        }
        guard let fieldCount = reader.count() else { return nil }
        var headers = HTTPHeaders()
        for _ in 0..<fieldCount {
            guard let name = reader.text(), let value = reader.text(), let mark = reader.number() else { return nil }
            headers.append(name, value, isSensitive: mark == 1)
        }
        guard let body = reader.block() else { return nil }
        return CacheEntry(
            status: status, headers: headers, body: Array(body), varying: varying, requested: requested,
            received: received)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { ByteHash.hash($0, seed: seed) }
    }

    private struct Writer {
        var bytes: [UInt8]

        mutating func number(_ number: Int64) {
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
            }
        }

        mutating func block(_ block: some Collection<UInt8>) {
            number(Int64(block.count))
            bytes += block
        }

        mutating func text(_ text: String) { block(text.utf8) }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func number() -> Int64? {
            guard bytes.count >= 8 else { return nil }
            let value = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            bytes = bytes.dropFirst(8)
            return Int64(bitPattern: value)
        }

        /// Reads a number of parts, each of which has at least one byte.
        mutating func count() -> Int? {
            guard let number = number(), let count = Int(exactly: number), (0...bytes.count).contains(count) else {
                return nil
            }
            return count
        }

        mutating func block() -> ArraySlice<UInt8>? {
            guard let count = count() else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func text() -> String? { block().flatMap { String(validating: $0, as: UTF8.self) } }
    }
}
