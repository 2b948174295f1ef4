internal import AshlarCore
public import AshlarCustomization
public import AshlarNetworking

/// Stores updates in a folder, so that they are available after a restart, and can restore the previous one.
///
/// The folder holds the current and the previous update. Each file is replaced as a whole, so a crash leaves the old
/// content or the new one. An update must be newer than every one that was installed before, also than one that was rolled
/// back. Several stores and processes can use one folder: each change starts from the files on disk.
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
        /// The newest version that was installed.
        case newest = "newest-version"
        /// Held by the store that changes the files.
        case lock = "lock"
    }

    private struct Stored: Sendable {
        let update: CustomizationUpdate
        let bytes: [UInt8]
    }

    /// The content of the folder.
    private struct Files: Sendable {
        var current: Stored?
        var previous: Stored?
        var newestVersion = 0
    }

    private let folder: String
    private let verify: CustomizationUpdate.Verification?
    /// The lock that is held while files are written.
    private let files: Mutex<Files>
    private let published: Mutex<CustomizationUpdate?>

    /// The problems found while opening the folder.
    public let diagnostics: [CustomizationDiagnostic]

    /// Opens a folder; the first installation creates it if it is missing.
    ///
    /// If the current update can't be read, this is reported in ``diagnostics``, and the previous update is used.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - verify: Checks a signature; see ``CustomizationUpdate/init(_:file:verify:)``.
    public init(folder: String, verify: CustomizationUpdate.Verification? = nil) {
        self.folder = folder
        self.verify = verify
        var problems: [CustomizationDiagnostic] = []
        let files = Self.read(folder, verify, &problems)
        self.files = Mutex(files)
        published = Mutex(files.current?.update)
        diagnostics = problems
    }

    /// The content of the folder; a current update that can't be read is replaced by the previous one.
    private static func read(
        _ folder: String, _ verify: CustomizationUpdate.Verification?, _ problems: inout [CustomizationDiagnostic]
    ) -> Files {
        func stored(_ file: File) -> (update: Stored?, isDamaged: Bool) {
            guard let bytes = try? WholeFile.readOwn(folder + "/" + file.rawValue), !bytes.isEmpty else {
                return (nil, false)
            }
            do throws(CustomizationError) {
                let update = try CustomizationUpdate(bytes, file: file.rawValue, verify: verify)
                return (Stored(update: update, bytes: bytes), false)
            } catch {
                problems.append(error.diagnostic)
                return (nil, true)
            }
        }
        let (current, previous) = (stored(.current), stored(.previous).update)
        let newest = (try? WholeFile.readOwn(folder + "/" + File.newest.rawValue)).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        let used = current.isDamaged ? previous : current.update
        return Files(
            current: used, previous: previous, newestVersion: max(newest ?? 0, used?.update.version ?? 0))
    }

    /// The update in use, if any.
    public var current: CustomizationUpdate? { published.withLock { $0 } }

    /// Checks an update and makes it the current one.
    ///
    /// - Parameter bytes: The content of the file.
    /// - Returns: The update.
    /// - Throws: `CustomizationError` with the code `invalidUpdate`; the current update then remains in use.
    @discardableResult
    public func install(_ bytes: [UInt8]) throws(CustomizationError) -> CustomizationUpdate {
        let update = try CustomizationUpdate(bytes, verify: verify)
        try change { (files: inout Files) throws(CustomizationError) in
            guard update.version > files.newestVersion else {
                throw CustomizationUpdate.invalid(
                    "version \(update.version) is not newer than version \(files.newestVersion)", "update")
            }
            // After a crash in between, the previous file has the old content too, and the update can be installed again.
            if let old = files.current { try write(old.bytes, .previous) }
            try write(bytes, .current)
            try write(Array(String(update.version).utf8), .newest)
            files = Files(
                current: Stored(update: update, bytes: bytes), previous: files.current, newestVersion: update.version)
        }
        return update
    }

    /// Restores the previous update, or the app's strings.
    ///
    /// The version that is rolled back can't be installed again.
    ///
    /// - Returns: The new current update, if any.
    /// - Throws: `CustomizationError` with the code `invalidUpdate` if a file can't be written.
    @discardableResult
    public func rollBack() throws(CustomizationError) -> CustomizationUpdate? {
        try change { (files: inout Files) throws(CustomizationError) in
            // The version first: after a crash in between, it can't be installed again either.
            try write(Array(String(files.newestVersion).utf8), .newest)
            try write(files.previous?.bytes ?? [], .current)
            try write([], .previous)
            files.current = files.previous
            files.previous = nil
        }
        return current
    }

    /// Changes the files and then the current update; a failure doesn't change the state in memory.
    private func change(_ body: (inout Files) throws(CustomizationError) -> Void) throws(CustomizationError) {
        let result: Result<Void, CustomizationError> = files.withLock { files in
            do throws(CustomizationError) {
                files = try withFolderLock { () throws(CustomizationError) in
                    // Another store can have changed the folder.
                    var ignored: [CustomizationDiagnostic] = []
                    var new = Self.read(folder, verify, &ignored)
                    new.newestVersion = max(new.newestVersion, files.newestVersion)
                    try body(&new)
                    return new
                }
                published.withLock { $0 = files.current?.update }
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
        do throws(FileFailure) {
            try AtomicFile.replace(folder + "/" + file.rawValue, with: bytes)
        } catch {
            throw Self.unwritable(folder + "/" + file.rawValue, error)
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
            if try CustomizationUpdate(bytes).version == store.current?.version { return }
            try store.install(bytes)
            self.update { $0.with(update: store.current) }
        }
        // The store has the update of an earlier run.
        return RemoteDocument(
            "texts", cache: cache, verify: nil, check: { _ in nil }, use: use, usesStored: false, fetch: fetch)
    }
}
