internal import AshlarCore
internal import AshlarNetworking
import Foundation

/// The files of an ``OfflineSync``: one for each record and for each list.
///
/// Files are replaced atomically, so that a killed process leaves the old or the new content. Other files in the folder
/// are ignored.
struct OfflineFolder: Sendable {
    /// The content of the folder.
    struct Content {
        var records: [OfflineRecord] = []
        /// The names of the records of each list.
        var lists: [OfflinePlace: [String]] = [:]
        /// The files of records that can't be read.
        var unreadable: [String] = []
    }

    private static let recordSuffix = ".record"
    private static let listSuffix = ".list"

    private let path: String
    private let cipher: OfflineCipher?
    private let claim: FolderClaim

    /// Opens a folder, and creates it if necessary.
    init(
        _ path: String, cipher: OfflineCipher? = nil, holdsLock: Bool = FolderClaim.holdsLock
    ) throws(NetworkError) {
        self.path = path
        self.cipher = cipher
        do throws(FileFailure) {
            if path.isEmpty { throw FileFailure(path, .system(ENOENT)) }
            try FolderListing.create(path, permissions: 0o700)
            claim = try FolderClaim(path, holdsLock: holdsLock)
        } catch {
            // The path that the caller knows, not that of a file within.
            var failure = Self.failure(error, path)
            failure.file = path
            throw failure
        }
    }

    private static func failure(_ error: FileFailure, _ path: String) -> NetworkError {
        var failure = NetworkError(error)
        if error.reason == .system(EBUSY) { failure.message = "another sync uses the folder" }
        if failure.file == nil || error.reason == .system(EBUSY) { failure.file = path }
        return failure
    }

    /// Runs an operation on the files while the folder belongs to this sync.
    private func operate<Result>(_ body: () throws(FileFailure) -> Result) throws(NetworkError) -> Result {
        do throws(FileFailure) { return try claim.use(body) } catch { throw Self.failure(error, path) }
    }

    func load() throws(NetworkError) -> Content {
        var content = Content()
        for (name, bytes) in try operate({ readAll() }) {
            let json = bytes.flatMap { OfflineCoding.decode($0, name, cipher) }
            if name.hasSuffix(Self.recordSuffix) {
                let recordName = String(name.dropLast(Self.recordSuffix.count))
                if let record = json.flatMap({ OfflineRecord(name: recordName, $0) }) {
                    content.records.append(record)
                } else {
                    content.unreadable.append(path + "/" + name)
                }
            } else if let json, let path = json["path"].string() {
                let place = OfflinePlace(OfflineCoding.host(json["host"]), path)
                content.lists[place] = json["records"].compactMap { $0.string() }
            }
        }
        return content
    }

    /// Returns the files of records and lists, with nil for one that can't be read.
    private func readAll() -> [(name: String, bytes: [UInt8]?)] {
        var files: [(name: String, bytes: [UInt8]?)] = []
        for name in FolderListing.names(in: path) ?? [] {
            if Self.isOwn(name) {
                files.append((name, try? WholeFile.readOwn(path + "/" + name, limit: JSONLimits.largest)))
            } else if let original = AtomicFile.original(of: name), Self.isOwn(original) {
                // A killed process left the file. Nobody writes it now, because the folder is locked.
                unlink(path + "/" + name)
            }
        }
        return files
    }

    private static func isOwn(_ name: String) -> Bool { name.hasSuffix(recordSuffix) || name.hasSuffix(listSuffix) }

    /// A file to write, or to remove if it has no content; the cipher has already run.
    struct File: Sendable {
        fileprivate let name: String
        fileprivate let bytes: [UInt8]?
    }

    /// Returns the file of a record; that of an empty record is removed.
    func file(of record: OfflineRecord) throws(NetworkError) -> File {
        let name = record.name + Self.recordSuffix
        if record.isEmpty { return File(name: name, bytes: nil) }
        let json = record.json
        if json.isImpossible { throw NetworkError(.encodingFailed, "the attributes are nested too deeply") }
        return File(name: name, bytes: try OfflineCoding.encode(json, name, cipher))
    }

    /// Returns the file of a list.
    func file(of place: OfflinePlace, _ names: [String]) throws(NetworkError) -> File {
        let host = OfflineCoding.host(place.host)
        let name = SHA256.hexadecimal(Array((host.text() + place.path).utf8)) + Self.listSuffix
        let json = JSONEntity(object: [
            ("host", host), ("path", JSONEntity(place.path)),
            ("records", JSONEntity(array: names.map { JSONEntity($0) })),
        ])
        return File(name: name, bytes: try OfflineCoding.encode(json, name, cipher))
    }

    /// Writes or removes a file, which survives a power cut if `isDurable` is true; a copy of the server's record needn't.
    func write(_ file: File, isDurable: Bool) throws(NetworkError) {
        try operate { () throws(FileFailure) in
            guard let bytes = file.bytes else { return try unlinkFile(file.name) }
            try AtomicFile.replace(path + "/" + file.name, with: bytes, isDurable: isDurable)
        }
    }

    /// Removes all records and lists, also unreadable ones.
    ///
    /// - Throws: The failure of the first file that can't be removed, after removing the others.
    func removeAll() throws(NetworkError) {
        try operate { () throws(FileFailure) in
            var failure: FileFailure?
            for name in FolderListing.names(in: path) ?? [] where Self.isOwn(name) {
                do throws(FileFailure) { try unlinkFile(name) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    private func unlinkFile(_ name: String) throws(FileFailure) {
        let file = path + "/" + name
        guard unlink(file) != 0, errno != ENOENT else { return }
        throw FileFailure(file, .system(errno))
    }
}

/// The right of one sync to use a folder.
///
/// Where apps aren't suspended, the sync holds a lock, so that a second one can't open the folder. Other systems end an
/// app that holds a lock while it is suspended. There, the lock is held during operations only, and a file names the sync
/// that opened the folder last; the operations of an earlier one fail.
final class FolderClaim: Sendable {
    #if os(Linux) || os(macOS)
        static let holdsLock = true
    #else
        static let holdsLock = false
    #endif

    private let path: String
    private let lock: FileLock?
    private let owner = Array(LocalID.randomName().utf8)

    init(_ path: String, holdsLock: Bool) throws(FileFailure) {
        self.path = path
        lock = holdsLock ? try FileLock.attempt(path + "/lock") : nil
        if holdsLock, lock == nil { throw FileFailure(path, .system(EBUSY)) }
        guard !holdsLock else { return }
        try locked { () throws(FileFailure) in
            try AtomicFile.replace(path + "/owner", with: owner, isDurable: false)
        }
    }

    /// Runs an operation while no other sync uses the folder.
    ///
    /// - Throws: `EBUSY` if another sync has opened the folder, and the errors of the operation.
    func use<Result>(_ body: () throws(FileFailure) -> Result) throws(FileFailure) -> Result {
        if lock != nil { return try body() }
        return try locked { () throws(FileFailure) in
            guard (try? WholeFile.read(path + "/owner", limit: 1000)) == owner else {
                throw FileFailure(path, .system(EBUSY))
            }
            return try body()
        }
    }

    private func locked<Result>(_ body: () throws(FileFailure) -> Result) throws(FileFailure) -> Result {
        let result = try FileLock.withLock(on: path + "/lock") {
            do throws(FileFailure) { return Swift.Result<Result, FileFailure>.success(try body()) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// The content of files: a line with the format and a checksum, and JSON, which can be encrypted.
///
/// The checksum detects files that a crash of the system or a person has damaged.
enum OfflineCoding {
    private static let mark = "ashlar-offline 1 "

    static func encode(_ json: JSONEntity, _ name: String, _ cipher: OfflineCipher?) throws(NetworkError) -> [UInt8] {
        var bytes = json.bytes()
        do {
            if let cipher { bytes = try cipher.seal(bytes, name) }
        } catch {
            throw NetworkError(wrapping: error, as: .encodingFailed, phase: .prepare)
        }
        return Array((mark + SHA256.hexadecimal(bytes) + "\n").utf8) + bytes
    }

    /// Returns the JSON, or nil for damaged bytes and those that the cipher doesn't open.
    static func decode(_ bytes: [UInt8], _ name: String, _ cipher: OfflineCipher?) -> JSONEntity? {
        guard bytes.starts(with: Array(mark.utf8)), let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        var content = Array(bytes[(end + 1)...])
        guard bytes[mark.utf8.count..<end].elementsEqual(SHA256.hexadecimal(content).utf8) else { return nil }
        if let cipher {
            guard let opened = try? cipher.open(content, name) else { return nil }
            content = opened
        }
        return try? JSONEntity(parsing: content, limits: JSONLimits(depth: JSONLimits.deepest))
    }

    fileprivate static func json(_ text: String?) -> JSONEntity { text.map { JSONEntity($0) } ?? .missing }
    fileprivate static func json(_ texts: [String]) -> JSONEntity {
        texts.isEmpty ? .missing : JSONEntity(array: texts.map { JSONEntity($0) })
    }
    fileprivate static func strings(_ json: JSONEntity) -> [String] { json.compactMap { $0.string() } }

    static func host(_ host: EndpointHost?) -> JSONEntity {
        guard let host else { return .missing }
        if let url = host.urlText { return JSONEntity(object: [("url", JSONEntity(url))]) }
        return JSONEntity(object: [
            ("name", json(host.canonical?.name)), ("scheme", json(host.canonical?.scheme?.rawValue)),
        ])
    }

    static func host(_ json: JSONEntity) -> EndpointHost? {
        if let url = json["url"].string() { return .url(url) }
        return json["name"].string().map { name in
            .canonical(name, scheme: json["scheme"].string().flatMap(HTTPURL.Scheme.init(rawValue:)))
        }
    }
}

extension OfflineRecord {
    var json: JSONEntity {
        JSONEntity(object: [
            ("host", OfflineCoding.host(host)), ("path", JSONEntity(path)),
            ("formerPaths", OfflineCoding.json(formerPaths)), ("collection", OfflineCoding.json(collection)),
            ("creation", JSONEntity(creation)), ("localID", OfflineCoding.json(localID)), ("serverID", serverID),
            ("base", base),
            ("version", OfflineCoding.json(version)), ("ownVersions", OfflineCoding.json(ownVersions)),
            ("changes", changes.isEmpty ? .missing : JSONEntity(array: changes.map(\.json))),
        ])
    }

    init?(name: String, _ json: JSONEntity) {
        guard let path = json["path"].string() else { return nil }
        self.init(name: name, host: OfflineCoding.host(json["host"]), path: path)
        formerPaths = OfflineCoding.strings(json["formerPaths"])
        collection = json["collection"].string()
        localID = json["localID"].string()
        creation = json["creation"].int(0)
        serverID = json["serverID"].orMissing
        base = json["base"].orMissing
        version = json["version"].string()
        ownVersions = OfflineCoding.strings(json["ownVersions"])
        for element in json["changes"] {
            guard let change = Change(element) else { return nil }
            changes.append(change)
        }
    }
}

extension OfflineRecord.Change {
    fileprivate var json: JSONEntity {
        JSONEntity(object: [
            ("key", JSONEntity(key)), ("verb", JSONEntity(verb.rawValue)), ("path", JSONEntity(path)), ("body", body),
            ("order", JSONEntity(order)), ("version", OfflineCoding.json(version)), ("isSent", JSONEntity(isSent)),
            ("refusal", refusal?.json ?? .missing),
        ])
    }

    fileprivate init?(_ json: JSONEntity) {
        guard let key = json["key"].string(), let verb = json["verb"].string().flatMap(ModelSyncVerb.init),
            let path = json["path"].string(), let order = json["order"].int(), let isSent = json["isSent"].bool()
        else { return nil }
        self.init(key: key, verb: verb, path: path, body: json["body"].orMissing, order: order)
        version = json["version"].string()
        self.isSent = isSent
        if json["refusal"].isObject { refusal = OfflineRecord.Refusal(json["refusal"]) }
    }
}

extension OfflineRecord.Refusal {
    fileprivate var json: JSONEntity {
        JSONEntity(object: [
            ("code", JSONEntity(code.rawValue)), ("message", JSONEntity(message)),
            ("status", status.map { JSONEntity($0) } ?? .missing), ("messages", OfflineCoding.json(messages)),
            ("theirs", theirs), ("version", OfflineCoding.json(version)),
        ])
    }

    fileprivate init(_ json: JSONEntity) {
        let name = json["code"].string("")
        // The file doesn't contain the code's sentence for users.
        code = name == NetworkError.Code.conflict.rawValue ? .conflict : NetworkError.Code(rawValue: name)
        message = json["message"].string("")
        status = json["status"].int()
        messages = OfflineCoding.strings(json["messages"])
        theirs = json["theirs"].orMissing
        version = json["version"].string()
    }

    init(_ error: NetworkError, theirs: JSONEntity, version: String?) {
        code = error.code
        message = error.message
        status = error.status
        messages = error.messages
        self.theirs = theirs
        self.version = version
    }

    /// The error as far as it is stored.
    var error: NetworkError {
        var error = NetworkError(code, message)
        error.status = status
        error.messages = messages
        return error
    }
}

extension JSONEntity {
    /// The value as its own document, or a missing value without a location.
    fileprivate var orMissing: JSONEntity { isValid ? detached() : .missing }
}
