internal import AshlarCore
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
    private static let temporarySuffix = ".tmp"

    private let path: String
    private let lock: FileLock

    /// Opens a folder, and creates it if necessary.
    init(_ path: String) throws(NetworkError) {
        self.path = path
        do throws(FileFailure) {
            if path.isEmpty { throw FileFailure(path, .system(ENOENT)) }
            try FolderListing.create(path, permissions: 0o700)
            guard let lock = try FileLock.attempt(path + "/lock") else {
                throw FileFailure(path, .system(EBUSY))
            }
            self.lock = lock
        } catch {
            var failure = NetworkError(error)
            failure.file = path
            if error.reason == .system(EBUSY) { failure.message = "another sync uses the folder" }
            throw failure
        }
    }

    func load() -> Content {
        var content = Content()
        for name in FolderListing.names(in: path) ?? [] {
            let file = path + "/" + name
            if name.hasSuffix(Self.recordSuffix) {
                if let json = Self.read(file),
                    let record = OfflineRecord(name: String(name.dropLast(Self.recordSuffix.count)), json)
                {
                    content.records.append(record)
                } else {
                    content.unreadable.append(file)
                }
            } else if name.hasSuffix(Self.listSuffix), let json = Self.read(file), let path = json["path"].string() {
                let place = OfflinePlace(OfflineCoding.host(json["host"]), path)
                content.lists[place] = json["records"].compactMap { $0.string() }
            } else if name.hasSuffix(Self.recordSuffix + Self.temporarySuffix)
                || name.hasSuffix(Self.listSuffix + Self.temporarySuffix)
            {
                // A killed process left the file. Nobody writes it now, because the folder is locked.
                unlink(file)
            }
        }
        return content
    }

    private static func read(_ file: String) -> JSONEntity? {
        (try? WholeFile.read(file, limit: JSONLimits.largest)).flatMap(OfflineCoding.decode)
    }

    /// Writes a record, which survives a power cut if `isDurable` is true; a copy of the server's record needn't.
    func save(_ record: OfflineRecord, isDurable: Bool) throws(NetworkError) {
        let json = record.json
        if json.isImpossible { throw NetworkError(.encodingFailed, "the attributes are nested too deeply") }
        try write(record.name + Self.recordSuffix, json, isDurable)
    }

    func remove(_ name: String) throws(NetworkError) { try remove(file: name + Self.recordSuffix) }

    func save(_ place: OfflinePlace, _ names: [String]) throws(NetworkError) {
        let host = OfflineCoding.host(place.host)
        let name = SHA256.hexadecimal(Array((host.text() + place.path).utf8))
        let json = JSONEntity(object: [
            ("host", host), ("path", JSONEntity(place.path)),
            ("records", JSONEntity(array: names.map { JSONEntity($0) })),
        ])
        try write(name + Self.listSuffix, json, false)
    }

    /// Removes all records and lists, also unreadable ones.
    ///
    /// - Throws: The failure of the first file that can't be removed, after removing the others.
    func removeAll() throws(NetworkError) {
        var failure: NetworkError?
        for name in FolderListing.names(in: path) ?? []
        where name.hasSuffix(Self.recordSuffix) || name.hasSuffix(Self.listSuffix) {
            do { try remove(file: name) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func remove(file name: String) throws(NetworkError) {
        let file = path + "/" + name
        guard unlink(file) != 0, errno != ENOENT else { return }
        throw NetworkError(FileFailure(file, .system(errno)))
    }

    private func write(_ name: String, _ json: JSONEntity, _ isDurable: Bool) throws(NetworkError) {
        do {
            try AtomicFile.replace(path + "/" + name, with: OfflineCoding.encode(json), isDurable: isDurable)
        } catch {
            throw NetworkError(error)
        }
    }
}
