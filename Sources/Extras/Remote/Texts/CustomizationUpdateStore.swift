internal import AshlarCore
public import AshlarCustomization
public import AshlarNetworking

/// Stores updates in a folder, so that they are available after a restart, and can restore the previous one.
///
/// The folder holds the current and the previous update. Each file is replaced as a whole, so a crash leaves the old
/// content or the new one. An update must be newer than every one that was installed before, also than one that was rolled
/// back. Several stores and processes can use one folder: each change starts from the files on disk, and ``current``
/// reads a file that another process replaced.
///
/// ```swift
/// func install(_ download: [UInt8], _ store: CustomizationUpdateStore, _ center: CustomizationCenter) throws {
///     try store.install(download)
///     center.update { $0.with(update: store.current) }
/// }
/// ```
public final class CustomizationUpdateStore: Sendable {
    private enum File: String {
        case current = "current.ashlar-strings"
        case previous = "previous.ashlar-strings"
        /// Held by the store that changes the files.
        case lock = "lock"
    }

    private struct Stored: Sendable {
        let update: CustomizationUpdate
        let bytes: [UInt8]
    }

    /// The versions that protect against old files: the newest one that was installed, and the one in use.
    private struct Versions: Sendable {
        var newest = 0
        /// 0 for the texts of the app.
        var used = 0
    }

    /// The content of the folder.
    private struct Files: Sendable {
        var current: Stored?
        var previous: Stored?
        var versions = Versions()
        /// Whether the current file is missing, damaged or too old, so that its version can be installed again.
        var isLost = false
        var problems: [CustomizationDiagnostic] = []
        /// The signature of the current file before it was read.
        var signature: FileSignature?
    }

    private typealias Parser =
        @Sendable (_ bytes: [UInt8], _ file: String) throws(CustomizationError) -> CustomizationUpdate

    private let folder: String
    private let versionFile: String
    /// Checks the content of a file.
    private let parse: Parser
    /// The lock that is held while files are read and written.
    private let files: Mutex<Files>
    private let published: Mutex<Files>

    /// Opens a folder; the first installation creates it if it is missing.
    ///
    /// If the current update is missing, can't be read, or is older than the one that was in use, this is reported in
    /// ``diagnostics``, and the previous update is used.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - versionFile: The path of the file with the newest installed version, below which no update is accepted. It
    ///     is in the folder if nil; if the system may purge the folder, choose another one.
    ///   - name: The name that updates must have.
    ///   - environment: The environment that updates must have.
    ///   - verify: Checks a signature; see ``CustomizationUpdate/init(_:file:name:environment:verify:)``.
    public init(
        folder: String, versionFile: String? = nil, name: String? = nil, environment: String? = nil,
        verify: CustomizationUpdate.Verification? = nil
    ) {
        self.folder = folder
        self.versionFile = versionFile ?? folder + "/newest-version"
        parse = { bytes, file throws(CustomizationError) in
            try CustomizationUpdate(bytes, file: file, name: name, environment: environment, verify: verify)
        }
        let files = Self.read(folder, self.versionFile, parse)
        self.files = Mutex(files)
        published = Mutex(files)
    }

    private static func read(_ folder: String, _ versionFile: String, _ parse: Parser) -> Files {
        var files = Files(signature: FileSignature(folder + "/" + File.current.rawValue))
        func problem(_ reason: String) {
            files.problems.append(CustomizationUpdate.invalid(reason, File.current.rawValue).diagnostic)
            files.isLost = true
        }
        func stored(_ file: File) -> Stored? {
            guard let bytes = try? WholeFile.readOwn(folder + "/" + file.rawValue), !bytes.isEmpty else { return nil }
            do throws(CustomizationError) {
                return Stored(update: try parse(bytes, file.rawValue), bytes: bytes)
            } catch {
                files.problems.append(error.diagnostic)
                files.isLost = files.isLost || file == .current
                return nil
            }
        }
        let numbers =
            (try? WholeFile.readOwn(versionFile)).map { String(decoding: $0, as: UTF8.self) }?
            .split { $0 == " " || $0 == "\n" }.compactMap { Int($0) } ?? []
        files.versions = Versions(newest: numbers.first ?? 0, used: numbers.dropFirst().first ?? 0)
        files.current = stored(.current)
        files.previous = stored(.previous)
        // After a rollback to the texts of the app, the current file is empty.
        if files.signature == nil, files.versions.used > 0 || files.previous != nil {
            problem("the current update is missing")
        }
        if let version = files.current?.update.version, version < files.versions.used {
            problem("version \(version) is older than version \(files.versions.used), which was in use")
        }
        if files.isLost { files.current = files.previous }
        files.versions.newest = max(files.versions.newest, files.current?.update.version ?? 0)
        return files
    }

    /// The content of the folder, which is read again if another process changed it.
    private var latest: Files {
        let known = published.withLock { $0 }
        let signature = FileSignature(folder + "/" + File.current.rawValue)
        if signature == known.signature, signature?.isFresh() != true { return known }
        return files.withLock { files in
            let newest = files.versions.newest
            files = Self.read(folder, versionFile, parse)
            files.versions.newest = max(files.versions.newest, newest)
            published.withLock { $0 = files }
            return files
        }
    }

    /// The update in use, if any.
    ///
    /// - Complexity: O(1), except after the file was changed: then O(*n*) in the size of the files.
    public var current: CustomizationUpdate? { latest.current?.update }

    /// The problems of the folder's current content.
    public var diagnostics: [CustomizationDiagnostic] { latest.problems }

    /// Checks an update and makes it the current one.
    ///
    /// - Parameter bytes: The content of the file.
    /// - Returns: The update.
    /// - Throws: `CustomizationError` with the code `invalidUpdate`; the current update then remains in use.
    @discardableResult
    public func install(_ bytes: [UInt8]) throws(CustomizationError) -> CustomizationUpdate {
        let update = try parse(bytes, "update")
        try change { (files: Files) throws(CustomizationError) in
            let newest = files.versions.newest
            let restores = files.isLost && update.version == newest && newest == files.versions.used
            guard update.version > newest || restores else {
                throw CustomizationUpdate.invalid(
                    "version \(update.version) is not newer than version \(newest)", "update")
            }
            // After a crash in between, the previous file has the old content too, and the update can be installed again.
            if let old = files.current { try write(old.bytes, .previous) }
            try write(bytes, .current)
            try write(Versions(newest: update.version, used: update.version))
        }
        return update
    }

    /// The version of an update, which isn't installed.
    fileprivate func version(of bytes: [UInt8]) throws(CustomizationError) -> Int { try parse(bytes, "update").version }

    /// Restores the previous update, or the app's strings.
    ///
    /// The version that is rolled back can't be installed again.
    ///
    /// - Returns: The new current update, if any.
    /// - Throws: `CustomizationError` with the code `invalidUpdate` if a file can't be written.
    @discardableResult
    public func rollBack() throws(CustomizationError) -> CustomizationUpdate? {
        try change { (files: Files) throws(CustomizationError) in
            // The version first: after a crash in between, it can't be installed again either.
            try write(Versions(newest: files.versions.newest, used: files.previous?.update.version ?? 0))
            try write(files.previous?.bytes ?? [], .current)
            try write([], .previous)
        }
        return current
    }

    /// Changes the files and reads them again; a failure doesn't change the state in memory.
    private func change(_ body: (Files) throws(CustomizationError) -> Void) throws(CustomizationError) {
        let result: Result<Void, CustomizationError> = files.withLock { files in
            do throws(CustomizationError) {
                files = try withFolderLock { () throws(CustomizationError) in
                    // Another store can have changed the folder.
                    var old = Self.read(folder, versionFile, parse)
                    old.versions.newest = max(old.versions.newest, files.versions.newest)
                    try body(old)
                    var new = Self.read(folder, versionFile, parse)
                    new.versions.newest = max(new.versions.newest, old.versions.newest)
                    return new
                }
                published.withLock { $0 = files }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Runs a body while no other store changes the folder.
    private func withFolderLock(_ body: () throws(CustomizationError) -> Files) throws(CustomizationError) -> Files {
        let result: Result<Files, CustomizationError>
        do throws(FileFailure) {
            try FolderListing.create(folder, permissions: 0o700)
            if let slash = versionFile.lastIndex(of: "/") {
                try FolderListing.create(String(versionFile[..<slash]), permissions: 0o700)
            }
            result = try FileLock.withLock(on: folder + "/" + File.lock.rawValue) {
                Result { () throws(CustomizationError) in try body() }
            }
        } catch {
            throw Self.unwritable(folder, error)
        }
        return try result.get()
    }

    private static func unwritable(_ path: String, _ failure: FileFailure) -> CustomizationError {
        CustomizationUpdate.invalid("can't write: \(failure)", path)
    }

    private func write(_ bytes: [UInt8], _ file: File) throws(CustomizationError) {
        try write(bytes, to: folder + "/" + file.rawValue)
    }

    private func write(_ versions: Versions) throws(CustomizationError) {
        try write(Array("\(versions.newest) \(versions.used)".utf8), to: versionFile)
    }

    private func write(_ bytes: [UInt8], to path: String) throws(CustomizationError) {
        do throws(FileFailure) {
            try AtomicFile.replace(path, with: bytes)
        } catch {
            throw Self.unwritable(path, error)
        }
    }
}

extension CustomizationCenter {
    /// Uses the texts of a store, and returns the document that fetches newer ones.
    ///
    /// - Parameters:
    ///   - url: The URL of an update; see ``CustomizationUpdate``.
    ///   - client: The client that fetches it.
    ///   - store: The store of updates; it checks signatures and versions.
    ///   - cache: The path of a file for the update that was fetched last; its folder must exist.
    /// - Returns: The document; ``RemoteDocument/refresh()`` fetches it.
    /// - Throws: `NetworkError` if the URL is malformed.
    public func remoteTexts(
        _ url: String, client: NetworkClient, store: CustomizationUpdateStore, cache: String
    ) throws(NetworkError) -> RemoteDocument {
        let fetch = try RemoteDocument.fetch(url, by: client)
        update { $0.with(update: store.current) }
        let use: @Sendable ([UInt8]) throws -> Void = { bytes in
            // An update that was installed by a process that ended before it wrote the cache.
            if let current = store.current, try store.version(of: bytes) == current.version { return }
            try store.install(bytes)
            self.update { $0.with(update: store.current) }
        }
        // The store has the update of an earlier run.
        return RemoteDocument(
            "texts", cache: cache, verify: nil, check: { _ in nil }, use: use, usesStored: false, fetch: fetch)
    }
}
